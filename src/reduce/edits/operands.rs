//! Operands.

use super::{Pick, backwards, stand_in};
use crate::ir::constraint::Arity;
use crate::ir::opdef::{ValueDef, traits};
use crate::ir::{Context, Op};

/// Each operand, by the first value of its type.
pub fn replace_by_earlier(ctx: &mut Context, module: Op, pick: &mut Pick) {
    for op in backwards(ctx, module) {
        for i in 0..op.num_operands(ctx) {
            if pick.wants()
                && let Some(v) = stand_in::earlier(ctx, op, op.operand(ctx, i).ty(ctx))
            {
                op.set_operand(ctx, i, v);
            }
        }
    }
}

/// Operands of groups that may have fewer.
pub fn remove(ctx: &mut Context, module: Op, pick: &mut Pick) {
    for op in backwards(ctx, module) {
        for i in (0..op.num_operands(ctx)).rev() {
            let arity = group(ctx, op, i).map(|(g, d)| d[g].constraint.arity);
            if arity != Some(Arity::One) && pick.wants() {
                erase(ctx, op, i);
            }
        }
    }
}

/// The group that an operand is in, and all groups of the op.
fn group(ctx: &Context, op: Op, operand: usize) -> Option<(usize, &'static [ValueDef])> {
    let def = op.def(ctx)?;
    let holds = |g: &usize| {
        let range = def.operand_range(ctx, op, *g);
        range.is_some_and(|r| r.contains(&operand))
    };
    Some(((0..def.operands.len()).find(holds)?, def.operands))
}

/// Takes an operand away, and one off the size of its group.
pub fn erase(ctx: &Context, op: Op, operand: usize) {
    const SIZES: &str = "operandSegmentSizes";
    let sized = op.has_trait(ctx, traits::ATTR_SIZED_OPERANDS);
    if sized
        && let Some((g, _)) = group(ctx, op, operand)
        && let Some(sizes) = op.attr(ctx, SIZES).and_then(|a| a.as_i64_array(ctx))
    {
        let less = |(i, n): (usize, &i64)| i32::try_from(*n).unwrap_or(0) - i32::from(i == g);
        let sizes: Vec<i32> = sizes.iter().enumerate().map(less).collect();
        op.set_attr(ctx, SIZES, ctx.i32_array(&sizes));
    }
    op.erase_operand(ctx, operand);
}
