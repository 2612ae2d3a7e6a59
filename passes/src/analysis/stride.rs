//! How far apart in memory the elements are that an access touches in neighbouring
//! iterations of a loop.

use terrace_dialects::affine::{self, Access, ApplyOp};
use terrace_dialects::arith;
use terrace_dialects::memref::layout::strides_and_offset;
use terrace_ir::affine::{AffineExpr, AffineMap, AffineOp};
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Context, Op, OpKind, Value};

use super::source;

/// How deep values are followed.
const MAX_DEPTH: u32 = 16;

/// Elements from one iteration of the loop over `iv` to the next; `None` where that is
/// not one number, or one that depends on sizes.
pub(crate) fn along(ctx: &Context, op: Op, iv: Value) -> Option<i64> {
    let (memref, per_dim) = of_subscripts(ctx, op, iv)?;
    let layout = strides_and_offset(ctx, memref.ty(ctx))?;
    let mut sum: i64 = 0;
    for (c, stride) in per_dim.into_iter().zip(&layout.strides) {
        match (c?, *stride) {
            (0, _) => {}
            (_, DYNAMIC) => return None,
            (c, stride) => sum = sum.checked_add(c.checked_mul(stride)?)?,
        }
    }
    Some(sum)
}

/// What an access touches, and by how much each of its subscripts grows from one iteration of the
/// loop over `iv` to the next; `None` for those that do not grow evenly.
pub(crate) fn of_subscripts(ctx: &Context, op: Op, iv: Value) -> Option<(Value, Vec<Option<i64>>)> {
    let (memref, values) = source::indices(ctx, op)?;
    let per_dim = match Access::of(ctx, op) {
        Some(a) => of_map(ctx, &a.map, &a.operands, iv, MAX_DEPTH),
        None => values.iter().map(|v| of(ctx, *v, iv, MAX_DEPTH)).collect(),
    };
    Some((memref, per_dim))
}

fn of_map(
    ctx: &Context,
    map: &AffineMap,
    operands: &[Value],
    iv: Value,
    depth: u32,
) -> Vec<Option<i64>> {
    let values: Vec<Option<i64>> = operands.iter().map(|v| of(ctx, *v, iv, depth)).collect();
    let dims = map.num_dims() as usize;
    let results = map.results().iter();
    results.map(|e| of_expr(e, &values, dims, depth)).collect()
}

/// By how much `v` grows with `iv`; `None` where it does not grow evenly.
fn of(ctx: &Context, v: Value, iv: Value, depth: u32) -> Option<i64> {
    if v == iv {
        return Some(1);
    }
    let depth = depth.checked_sub(1)?;
    let Some(op) = v.def_op() else {
        // The counter of an inner loop starts where its lower bound is.
        let l = v.arg_block().and_then(|b| b.parent_op(ctx));
        let l = l.and_then(|l| l.cast::<affine::ForOp>(ctx));
        return match l.filter(|l| l.iv(ctx) == v) {
            Some(l) => {
                let all = of_map(ctx, l.lower_map(ctx), &l.lower_operands(ctx), iv, depth);
                let first = *all.first()?;
                all.iter().all(|c| *c == first).then_some(first)?
            }
            None => Some(0),
        };
    };
    let operand = |i: usize| of(ctx, *op.operands(ctx).get(i)?, iv, depth);
    match op.name(ctx) {
        ApplyOp::NAME => {
            let map = ApplyOp::wrap(op).map(ctx);
            *of_map(ctx, map, &op.operands(ctx), iv, depth).first()?
        }
        arith::IndexCastOp::NAME
        | arith::IndexCastUIOp::NAME
        | arith::ExtSIOp::NAME
        | arith::ExtUIOp::NAME
        | arith::TruncIOp::NAME => operand(0),
        arith::AddIOp::NAME => operand(0)?.checked_add(operand(1)?),
        arith::SubIOp::NAME => operand(0)?.checked_sub(operand(1)?),
        arith::MulIOp::NAME => match (operand(0)?, operand(1)?) {
            (0, 0) => Some(0),
            (c, 0) => c.checked_mul(ctx.constant_int(op.operand(ctx, 1))?),
            (0, c) => c.checked_mul(ctx.constant_int(op.operand(ctx, 0))?),
            _ => None,
        },
        _ => {
            let all = (0..op.num_operands(ctx)).all(|i| operand(i) == Some(0));
            (all && op.num_regions(ctx) == 0).then_some(0)
        }
    }
}

fn of_expr(e: &AffineExpr, values: &[Option<i64>], dims: usize, depth: u32) -> Option<i64> {
    match e {
        AffineExpr::Dim(i) => *values.get(*i as usize)?,
        AffineExpr::Symbol(i) => *values.get(dims + *i as usize)?,
        AffineExpr::Constant(_) => Some(0),
        AffineExpr::Binary(node) => {
            let depth = depth.checked_sub(1)?;
            let a = of_expr(node.lhs(), values, dims, depth)?;
            let b = of_expr(node.rhs(), values, dims, depth)?;
            let constant = |e: &AffineExpr| match e {
                AffineExpr::Constant(c) => Some(*c),
                _ => None,
            };
            match node.op() {
                AffineOp::Add => a.checked_add(b),
                AffineOp::Mul => match (a, b) {
                    (0, 0) => Some(0),
                    (a, 0) => a.checked_mul(constant(node.rhs())?),
                    (0, b) => b.checked_mul(constant(node.lhs())?),
                    _ => None,
                },
                AffineOp::Mod if b == 0 => Some(a),
                AffineOp::FloorDiv | AffineOp::CeilDiv if (a, b) == (0, 0) => Some(0),
                AffineOp::FloorDiv | AffineOp::CeilDiv => {
                    let by = constant(node.rhs())?;
                    (by != 0 && a % by == 0).then(|| a / by)
                }
                AffineOp::Mod => None,
            }
        }
    }
}
