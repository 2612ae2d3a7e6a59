//! A value replaced by an affine function of others in all that uses it.
//!
//! Affine ops take the function into their own maps; for other users it is computed
//! in the block they stand in, so that a perfect band stays one.

use rustc_hash::FxHashMap;
use terrace_dialects::affine::{
    Access, ApplyOp, ForOp, IfOp, ParallelOp, compose::compose, compose::compose_set,
};
use terrace_ir::affine::ValueMap;
use terrace_ir::{Block, Builder, Context, InsertPoint, Loc, Op, Value};

/// Replace the uses of `old` by the one result of `new`, whose operands may contain
/// `old` itself. `at` is a place before all users and behind all operands.
pub(crate) fn substitute(
    ctx: &mut Context,
    old: Value,
    new: &ValueMap<Value>,
    at: InsertPoint,
    loc: Loc,
) {
    let mut b = Builder::new(ctx, at, loc);
    // Stands for the function only as long as its users are being rewritten.
    let stand_in = ApplyOp::build(&mut b, new.map.clone(), &new.operands);
    let definition = stand_in.def_op();
    old.replace_uses_if(ctx, stand_in, |u| Some(u.op) != definition);
    for user in stand_in.users(ctx) {
        absorb(ctx, user);
    }
    let mut first: FxHashMap<Block, Op> = FxHashMap::default();
    let mut blocks = Vec::new();
    for user in stand_in.users(ctx) {
        let Some(block) = user.block(ctx) else {
            continue;
        };
        match first.get(&block) {
            Some(earlier) if earlier.is_before(ctx, user) => {}
            known => {
                if known.is_none() {
                    blocks.push(block);
                }
                first.insert(block, user);
            }
        }
    }
    for block in blocks {
        let mut b = Builder::before(ctx, first[&block]);
        b.loc = loc;
        let value = ApplyOp::build_composed(&mut b, &new.map, &new.operands);
        let ctx = b.ctx;
        stand_in.replace_uses_if(ctx, value, |u| u.op.block(ctx) == Some(block));
    }
    if let Some(op) = definition {
        op.erase(ctx);
    }
}

/// Compose what computes the operands of an affine op into its maps.
fn absorb(ctx: &Context, op: Op) {
    if let Some(a) = Access::of(ctx, op) {
        let new = a.composed(ctx);
        Access::set_subscripts(ctx, op, new.map, &new.operands);
    } else if let Some(l) = op.cast::<ForOp>(ctx) {
        let lower = compose(ctx, l.lower_map(ctx), &l.lower_operands(ctx));
        l.set_lower(ctx, lower.map, &lower.operands);
        let upper = compose(ctx, l.upper_map(ctx), &l.upper_operands(ctx));
        l.set_upper(ctx, upper.map, &upper.operands);
    } else if let Some(p) = op.cast::<ParallelOp>(ctx) {
        let lower = compose(ctx, p.lower_map(ctx), &p.lower_operands(ctx));
        p.set_lower(ctx, lower.map, &lower.operands);
        let upper = compose(ctx, p.upper_map(ctx), &p.upper_operands(ctx));
        p.set_upper(ctx, upper.map, &upper.operands);
    } else if let Some(i) = op.cast::<IfOp>(ctx) {
        let (set, operands) = compose_set(ctx, i.set(ctx), &i.operands(ctx));
        i.set_condition(ctx, set, &operands);
    } else if let Some(a) = op.cast::<ApplyOp>(ctx) {
        let new = compose(ctx, a.map(ctx), &a.operands(ctx));
        op.set_operands(ctx, &new.operands);
        op.set_attr(ctx, "map", ctx.map_attr(new.map));
    }
}
