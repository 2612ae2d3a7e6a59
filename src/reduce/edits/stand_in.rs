//! Values that stand in for others.

use crate::dialects::arith;
use crate::ir::opdef::traits;
use crate::ir::{Block, Builder, Context, InsertPoint, Op, Type, Value};

/// The first value of a type that `op` may use, the outermost first: arguments of the
/// function, and what comes before `op` in the blocks around it.
pub fn earlier(ctx: &Context, op: Op, ty: Type) -> Option<Value> {
    around(ctx, op)
        .into_iter()
        .rev()
        .find_map(|(block, inner)| {
            let arguments = block.args(ctx).into_iter();
            let mut found = arguments.clone().find(|v| v.ty(ctx) == ty);
            let mut next = block.first_op(ctx).filter(|_| found.is_none());
            while let Some(o) = next.filter(|o| Some(*o) != inner) {
                found = o.results(ctx).into_iter().find(|v| v.ty(ctx) == ty);
                next = o.next(ctx).filter(|_| found.is_none());
            }
            found
        })
}

/// The blocks whose values `op` may use, from the inside to the outside, each with the op
/// in it that `op` is, or lies in; none where all that the block has comes before.
fn around(ctx: &Context, op: Op) -> Vec<(Block, Option<Op>)> {
    let mut blocks = Vec::new();
    let mut at = op;
    while let Some(block) = at.block(ctx) {
        blocks.push((block, Some(at)));
        let Some(region) = block.region(ctx) else {
            break;
        };
        // The entry block is before all others of a region.
        blocks.extend(region.entry(ctx).filter(|e| *e != block).map(|e| (e, None)));
        at = region.parent_op(ctx);
        if at.def(ctx).is_none_or(|d| d.has(traits::ISOLATED)) {
            break;
        }
    }
    blocks
}

/// A constant at the beginning of the function around `op`, where the type has such: all
/// zeros, or `value` where it is an integer.
pub fn constant(ctx: &mut Context, op: Op, ty: Type, value: i64) -> Option<Value> {
    let attr = match value {
        0 => ctx.zero_attr(ty)?,
        _ if ty.is_int_or_index(ctx) => ctx.int_attr(ty, value),
        _ if ty.is_float(ctx) => ctx.float_attr(ty, value as f64),
        _ => return None,
    };
    let (block, _) = *around(ctx, op).last()?;
    let entry = block.region(ctx)?.entry(ctx)?;
    let mut next = entry.first_op(ctx);
    while let Some(o) = next {
        let Some(have) = ctx.constant_value(o) else {
            break;
        };
        if have == attr && o.result(ctx, 0).ty(ctx) == ty {
            return Some(o.result(ctx, 0));
        }
        next = o.next(ctx);
    }
    let loc = op.loc(ctx);
    let mut b = Builder::new(ctx, InsertPoint::Start(entry), loc);
    Some(arith::constant(&mut b, attr))
}

/// An operand of the op of this type.
fn operand(ctx: &Context, op: Op, ty: Type) -> Option<Value> {
    let operands = op.operands(ctx).into_iter();
    operands.into_iter().find(|v| v.ty(ctx) == ty)
}

/// What can stand for a value of this type that `op` makes: an operand of the op, a
/// constant, or a value from before.
pub fn any(ctx: &mut Context, op: Op, ty: Type) -> Option<Value> {
    operand(ctx, op, ty)
        .or_else(|| constant(ctx, op, ty, 0))
        .or_else(|| earlier(ctx, op, ty))
}

/// As [`any`], a constant first.
pub fn constant_or_any(ctx: &mut Context, op: Op, ty: Type) -> Option<Value> {
    constant(ctx, op, ty, 0).or_else(|| any(ctx, op, ty))
}

/// Puts other values in place of the results of an op that are used, and erases it. Says
/// no, and leaves it, where for one of them there is none.
pub fn replace(
    ctx: &mut Context,
    op: Op,
    mut with: impl FnMut(&mut Context, Op, Type) -> Option<Value>,
) -> bool {
    let mut found = Vec::new();
    for result in op.results(ctx) {
        if result.has_uses(ctx) {
            let ty = result.ty(ctx);
            match with(ctx, op, ty).filter(|v| v.def_op() != Some(op)) {
                Some(v) => found.push((result, v)),
                None => return false,
            }
        }
    }
    for (result, v) in found {
        result.replace_all_uses(ctx, v);
    }
    op.erase(ctx);
    true
}
