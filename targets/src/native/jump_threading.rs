//! Bodies of loops that say by a flag whether they go on: each way sets it to a constant, and goes
//! where that leads without asking.
//!
//! ```text
//! %b = scf.if %c -> i1 {                   go to `left` where %c holds, else to `on`
//!   scf.yield %true                     left:
//! } else {                                 leave the loop
//!   ...                            =>   on:
//!   scf.yield %false                       ...
//! }                                        the next iteration
//! scf.yield %b
//! ```
//!
//! This is what `break` and `return` in a loop become. What stands behind the condition is lowered
//! once for each way, so that there must be little of it. Selects by the same condition, which
//! canonicalisation takes out of it, are behind it, too.

use super::address::Scope;
use super::branch::{self, Target};
use super::lower::{Lower, R};
use terrace_dialects::arith::SelectOp;
use terrace_dialects::scf::{ForOp, IfOp, ParallelOp, WhileOp};
use terrace_ir::{Block, Context, Op, OpKind, Value};

/// The most ops behind a condition that are lowered for each of its ways.
const MAX_REPEATED: usize = 16;
/// The most conditions of a loop whose ways go on by themselves.
const MAX_CONDITIONS: usize = 6;

/// What follows on ops; it ends the machine block.
type Then<'t, 'm, 'f> = dyn FnMut(&mut Lower<'m, 'f>) -> R + 't;

/// Lowers `block`, and behind each way through it what `then` makes of the values that it yields.
pub(super) fn lower<'m, 'f>(
    l: &mut Lower<'m, 'f>,
    block: Block,
    then: &mut dyn FnMut(&mut Lower<'m, 'f>, &[Value]) -> R,
) -> R {
    let ops = block.ops(l.ctx);
    let (end, ops) = ends(&ops)?;
    let yielded = end.operands(l.ctx);
    let mut left = MAX_CONDITIONS;
    in_order(l, ops, &mut left, &mut |l| then(l, &yielded))
}

/// The terminator among the ops of a block, and the others.
fn ends(ops: &[Op]) -> R<(Op, &[Op])> {
    match ops.split_last() {
        Some((end, ops)) => Ok((*end, ops)),
        None => Err("has an empty block, which needs a terminator".into()),
    }
}

/// Lowers ops that stand one after the other, up to the first condition whose ways part, and each
/// way with what is left.
fn in_order<'m, 'f>(
    l: &mut Lower<'m, 'f>,
    ops: &[Op],
    left: &mut usize,
    then: &mut Then<'_, 'm, 'f>,
) -> R {
    let Some((first, condition)) = parting(l, ops).filter(|_| *left > 0) else {
        ops.iter().for_each(|op| l.op(*op));
        return then(l);
    };
    let (before, rest) = ops.split_at(first);
    before.iter().for_each(|op| l.op(*op));
    *left -= 1;
    let ways = [true, false].map(|holds| (holds, Target::new(l.b.create_block(), &[])));
    let entry = branch::branch(l, condition, false, &ways[0].1, &ways[1].1)?;
    for (holds, target) in ways {
        l.b.switch_to_block(target.block);
        l.scopes.push(Scope::entered_by(entry));
        l.assumed.push((condition, holds));
        on_way(l, rest, (condition, holds), left, then)?;
        l.assumed.pop();
        l.scopes.pop();
    }
    Ok(())
}

/// Lowers ops where a condition is known to hold or not: of an `scf.if` that asks about it, one
/// region.
fn on_way<'m, 'f>(
    l: &mut Lower<'m, 'f>,
    ops: &[Op],
    (condition, holds): (Value, bool),
    left: &mut usize,
    then: &mut Then<'_, 'm, 'f>,
) -> R {
    let ctx = l.ctx;
    let asks = |op: &Op| {
        op.cast::<IfOp>(ctx)
            .filter(|i| i.condition(ctx) == condition)
    };
    let found = ops
        .iter()
        .enumerate()
        .find_map(|(k, op)| Some((k, asks(op)?)));
    let Some((at, i)) = found.filter(|(_, i)| !branch::is_put_off(ctx, i.op())) else {
        return in_order(l, ops, left, then);
    };
    ops[..at].iter().for_each(|op| l.op(*op));
    let rest = &ops[at + 1..];
    let block = match holds {
        true => Some(i.then_block(ctx)),
        false => i.else_block(ctx),
    };
    let Some(block) = block else {
        return on_way(l, rest, (condition, holds), left, then);
    };
    let inner = block.ops(ctx);
    let (end, inner) = ends(&inner)?;
    // How many conditions are left is counted in both, one after the other.
    let mut behind = *left;
    let mut within = *left;
    let done = in_order(l, inner, &mut within, &mut |l| {
        let values = l.flat_all(&end.operands(ctx))?;
        l.bind_flat(&i.op().results(ctx), &values)?;
        on_way(l, rest, (condition, holds), &mut behind, then)
    });
    *left = within.min(behind);
    done
}

/// The condition whose ways part, by the place of the first op that asks about it.
fn parting(l: &Lower, ops: &[Op]) -> Option<(usize, Value)> {
    let ctx = l.ctx;
    let unknown = |v: &Value| branch::truth(l, *v).is_none();
    let mut flags = ops.iter().rev().filter_map(|op| sets_flag(ctx, *op));
    let condition = flags.find(unknown)?;
    let asks = |op: &Op| asked(ctx, *op) == Some(condition);
    let first = ops.iter().position(asks)?;
    let repeated = ops[first..].iter().filter(|op| !asks(op));
    let mut sizes = repeated.map(|op| size(ctx, *op));
    let all = sizes.try_fold(0, |sum: usize, n| Some(sum + n?))?;
    (all <= MAX_REPEATED).then_some((first, condition))
}

/// The condition that an op chooses by.
fn asked(ctx: &Context, op: Op) -> Option<Value> {
    let asks = op.isa::<SelectOp>(ctx) || op.isa::<IfOp>(ctx);
    asks.then(|| op.operand(ctx, 0))
}

/// The condition of an op that gives a constant truth value on one of its ways.
fn sets_flag(ctx: &Context, op: Op) -> Option<Value> {
    let condition = asked(ctx, op)?;
    let is_flag = |v: &Value| v.ty(ctx).int_width(ctx) == Some(1) && ctx.constant_int(*v).is_some();
    let sets = match op.cast::<IfOp>(ctx) {
        Some(i) => {
            let blocks = [Some(i.then_block(ctx)), i.else_block(ctx)];
            let mut ends = blocks.into_iter().flatten().filter_map(|b| b.last_op(ctx));
            !branch::is_put_off(ctx, op) && ends.any(|e| e.operands(ctx).iter().any(is_flag))
        }
        None => op.operands(ctx)[1..].iter().any(is_flag),
    };
    (sets && condition.ty(ctx).int_width(ctx) == Some(1)).then_some(condition)
}

/// How many ops there are in `op`, nothing where one of them is a loop.
fn size(ctx: &Context, op: Op) -> Option<usize> {
    let all = op.pre_order(ctx);
    let is_loop =
        |op: &Op| op.isa::<ForOp>(ctx) || op.isa::<WhileOp>(ctx) || op.isa::<ParallelOp>(ctx);
    (!all.iter().any(is_loop)).then_some(all.len())
}
