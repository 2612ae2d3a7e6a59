//! Steps that run iterations at once.

use super::{changes, target};
use crate::schedule::types::LOOP;
use terrace_ir::constraint::UNIT_ATTR;
use terrace_ir::{Context, OpKind, op};

op! {
    /// Lets the iterations of the loop run at once. Gives the parallel loop. With
    /// `reductions`, values that the loop carries and that an associative op folds
    /// into are combined in any order.
    ParallelOp = "schedule.parallel" {
        operands: [target: LOOP],
        results: [parallel: LOOP],
        attrs: [reductions: UNIT_ATTR, force: UNIT_ATTR],
        parents: ["schedule.sequence"],
        format: "$target (`reductions` $reductions^)? attr-dict",
        effects: changes,
    }
}

target!(ParallelOp);

impl ParallelOp {
    /// Whether carried values may be combined in another order than written.
    pub fn reductions(self, ctx: &Context) -> bool {
        self.op().attr(ctx, "reductions").is_some()
    }
}
