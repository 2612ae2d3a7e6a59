//! Steps that move code between functions.

use super::{changes, target};
use crate::schedule::types::LOOP;
use terrace_ir::constraint::{FLAT_SYMBOL_REF, UNIT_ATTR};
use terrace_ir::opdef::Verified;
use terrace_ir::{Context, Op, OpKind, op};

op! {
    /// Puts the bodies of functions where the loop calls them, and where these bodies
    /// call others, until no call is left in it. The functions stay. Gives the loop.
    InlineOp = "schedule.inline" {
        operands: [target: LOOP],
        results: [inlined: LOOP],
        attrs: [force: UNIT_ATTR],
        parents: ["schedule.sequence"],
        format: "$target attr-dict",
        effects: changes,
    }

    /// Makes the loop the body of a new private function, and calls that in its place.
    /// Gives nothing: the loop is in another function then, where schedules for that
    /// function find it.
    OutlineOp = "schedule.outline" {
        operands: [target: LOOP],
        attrs: [function: FLAT_SYMBOL_REF, force: UNIT_ATTR],
        parents: ["schedule.sequence"],
        format: "$target `to` $function attr-dict",
        verify: verify_outline,
        effects: changes,
    }
}

target!(InlineOp OutlineOp);

impl OutlineOp {
    /// The name of the function that is made.
    pub fn function(self, ctx: &Context) -> &str {
        let name = self.op().attr(ctx, "function");
        name.and_then(|a| a.as_flat_symbol(ctx)).unwrap_or("")
    }
}

fn verify_outline(ctx: &Context, op: Op) -> Verified {
    match OutlineOp::wrap(op).function(ctx) {
        "" => Err("has an empty name of a function".into()),
        _ => Ok(()),
    }
}
