//! `schedule.instance`: a mark at an op while a schedule is applied.

use terrace_ir::constraint::{I64_ATTR, INDEX};
use terrace_ir::{Builder, Context, Op, OpKind, Value, op};

op! {
    /// Marks a place in a program whose loops are being transformed: it stands for
    /// op number `id`, its operands for the iteration of the loops as they were, and for
    /// what else has to be told of it. Copies
    /// and substitutions carry it along as they do every op, which tells afterwards
    /// what became of each iteration. Programs hold it only while a step is checked.
    InstanceOp = "schedule.instance" {
        operands: [iteration: INDEX.variadic()],
        attrs: [id: I64_ATTR],
        // Not speculatable, hence not pure: nothing may move it away from its op.
        traits: NO_EFFECT,
        format: "$id `(` $iteration `)` attr-dict",
    }
}

impl InstanceOp {
    /// Which op it stands for.
    pub fn id(self, ctx: &Context) -> Option<usize> {
        usize::try_from(self.op().int_attr(ctx, "id")?).ok()
    }

    /// Put a mark before `op`.
    pub fn build_before(ctx: &mut Context, op: Op, id: usize, iteration: &[Value]) -> InstanceOp {
        let id = ctx.i64_attr(i64::try_from(id).unwrap_or(i64::MAX));
        let mut b = Builder::before(ctx, op);
        InstanceOp::wrap(b.op::<InstanceOp>(iteration, &[], &[("id", id)]))
    }
}
