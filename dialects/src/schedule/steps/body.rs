//! Steps that change what an iteration is made of.

use super::{at_least, changes, loops, target};
use crate::schedule::types::LOOP;
use terrace_ir::builder::OpState;
use terrace_ir::constraint::{I64_ATTR, UNIT_ATTR};
use terrace_ir::opdef::Verified;
use terrace_ir::{Context, Op, OpKind, Type, op};

op! {
    /// Repeats the loop's body: `by` a number of times, where the loop that is left
    /// is given, or in `full`, where none is left.
    UnrollOp = "schedule.unroll" {
        operands: [target: LOOP],
        results: [unrolled: LOOP.optional()],
        attrs: [factor: I64_ATTR.optional(), full: UNIT_ATTR, force: UNIT_ATTR],
        parents: ["schedule.sequence"],
        format: "$target (`by` $factor^)? (`full` $full^)? attr-dict",
        infer: infer_unroll,
        verify: verify_unroll,
        effects: changes,
    }
}

op! {
    /// Lets one iteration do the work of several, in the loops inside too: the copies
    /// run in the same inner loops. Gives the loop that is left; a remainder of
    /// iterations has no handle. With `reductions`, a sum or the like that the loop
    /// carries is made for each copy by itself.
    UnrollJamOp = "schedule.unroll_jam" {
        operands: [target: LOOP],
        results: [jammed: LOOP],
        attrs: [factor: I64_ATTR, reductions: UNIT_ATTR, force: UNIT_ATTR],
        parents: ["schedule.sequence"],
        format: "$target `by` $factor (`reductions` $reductions^)? attr-dict",
        verify: |c, o| at_least(c, o, "factor", "factor", 1),
        effects: changes,
    }
}

target!(UnrollOp UnrollJamOp);

impl UnrollJamOp {
    /// How many copies of the body.
    pub fn factor(self, ctx: &Context) -> i64 {
        self.op().int_attr(ctx, "factor").unwrap_or(0)
    }

    /// Whether carried values may be combined in another order than written.
    pub fn reductions(self, ctx: &Context) -> bool {
        self.op().attr(ctx, "reductions").is_some()
    }
}

impl UnrollOp {
    /// How many copies of the body; `None` for all iterations.
    pub fn factor(self, ctx: &Context) -> Option<i64> {
        self.op().int_attr(ctx, "factor")
    }
}

fn infer_unroll(ctx: &Context, s: &OpState) -> Result<Vec<Type>, String> {
    Ok(loops(ctx, usize::from(s.get_attr(ctx, "full").is_none())))
}

fn verify_unroll(ctx: &Context, op: Op) -> Verified {
    let full = op.attr(ctx, "full").is_some();
    if UnrollOp::wrap(op).factor(ctx).is_none() {
        if !full {
            return Err("needs 'by' a factor, or 'full'".into());
        }
        if op.num_results(ctx) != 0 {
            return Err("gives a loop, but unrolled in full none is left".into());
        }
        return Ok(());
    }
    if full {
        return Err("cannot unroll both by a factor and in full".into());
    }
    at_least(ctx, op, "factor", "factor", 1)?;
    if op.num_results(ctx) != 1 {
        return Err("must give the loop that is left".into());
    }
    Ok(())
}
