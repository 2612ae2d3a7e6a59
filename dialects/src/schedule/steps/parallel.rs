//! Steps that run iterations at once.

use super::{at_least, changes, target};
use crate::schedule::types::LOOP;
use terrace_ir::constraint::{I64_ATTR, UNIT_ATTR};
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

op! {
    /// Runs so many iterations of the loop at once, as the lanes of vectors. Gives the
    /// loop over vectors; iterations left over have no handle. With `reductions`,
    /// values that the loop carries and that an associative op folds into are combined
    /// in another order.
    VectorizeOp = "schedule.vectorize" {
        operands: [target: LOOP],
        results: [vectorized: LOOP],
        attrs: [lanes: I64_ATTR, reductions: UNIT_ATTR, force: UNIT_ATTR],
        parents: ["schedule.sequence"],
        format: "$target `by` $lanes (`reductions` $reductions^)? attr-dict",
        verify: |c, o| at_least(c, o, "lanes", "number of lanes", 1),
        effects: changes,
    }
}

target!(ParallelOp VectorizeOp);

impl VectorizeOp {
    /// How many iterations run at once.
    pub fn lanes(self, ctx: &Context) -> i64 {
        self.op().int_attr(ctx, "lanes").unwrap_or(0)
    }

    /// Whether carried values may be combined in another order than written.
    pub fn reductions(self, ctx: &Context) -> bool {
        self.op().attr(ctx, "reductions").is_some()
    }
}

impl ParallelOp {
    /// Whether carried values may be combined in another order than written.
    pub fn reductions(self, ctx: &Context) -> bool {
        self.op().attr(ctx, "reductions").is_some()
    }
}
