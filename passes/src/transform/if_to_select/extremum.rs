//! A choice of the greater of two integers is `arith.maxsi`: an op that a loop can carry as a
//! reduction, and that lanes have an instruction for.

use terrace_dialects::arith::{AtomicRmwKind as K, CmpIOp, CmpIPredicate as P, SelectOp};
use terrace_dialects::scf::IfOp;
use terrace_ir::{Block, Builder, Context, Op, OpKind, Value};

/// Replaces `op`, a select, where it chooses between the two integers that its condition
/// compares.
pub fn replace(ctx: &mut Context, op: Op) -> bool {
    let Some((kind, a, b)) = find(ctx, op) else {
        return false;
    };
    let ty = op.result(ctx, 0).ty(ctx);
    let mut at = Builder::before(ctx, op);
    let new = kind.combine(&mut at, a, b, ty);
    op.replace(at.ctx, &[new]);
    true
}

/// Whether all that a condition gives is the greater or the smaller one of the two integers that
/// it compares.
pub fn is_extremum(ctx: &Context, i: IfOp) -> bool {
    let yields = |block: Block| block.ops(ctx).last().map(|op| op.operands(ctx));
    let then = yields(i.then_block(ctx));
    let Some((then, other)) = then.zip(i.else_block(ctx).and_then(yields)) else {
        return false;
    };
    let pairs = then.into_iter().zip(other);
    !i.op().results(ctx).is_empty()
        && pairs.into_iter().all(|(x, y)| {
            x.ty(ctx).is_int_or_index(ctx) && of_choice(ctx, i.condition(ctx), x, y).is_some()
        })
}

fn find(ctx: &Context, op: Op) -> Option<(K, Value, Value)> {
    if !op.isa::<SelectOp>(ctx) || !op.result(ctx, 0).ty(ctx).is_int_or_index(ctx) {
        return None;
    }
    of_choice(
        ctx,
        op.operand(ctx, 0),
        op.operand(ctx, 1),
        op.operand(ctx, 2),
    )
}

/// What `condition ? then : other` is, of integers.
fn of_choice(
    ctx: &Context,
    condition: Value,
    then: Value,
    other: Value,
) -> Option<(K, Value, Value)> {
    let compared = condition.def_op()?.cast::<CmpIOp>(ctx)?;
    let sides = [compared.op().operand(ctx, 0), compared.op().operand(ctx, 1)];
    let same = |x: Value, y: Value| {
        x == y || (ctx.constant_int(x).is_some() && ctx.constant_int(x) == ctx.constant_int(y))
    };
    let first = same(sides[0], then) && same(sides[1], other);
    let second = same(sides[0], other) && same(sides[1], then);
    let kind = match (compared.predicate(ctx)?, first, second) {
        (P::Sgt | P::Sge, true, _) | (P::Slt | P::Sle, _, true) => K::MaxS,
        (P::Slt | P::Sle, true, _) | (P::Sgt | P::Sge, _, true) => K::MinS,
        (P::Ugt | P::Uge, true, _) | (P::Ult | P::Ule, _, true) => K::MaxU,
        (P::Ult | P::Ule, true, _) | (P::Ugt | P::Uge, _, true) => K::MinU,
        _ => return None,
    };
    Some((kind, then, other))
}
