//! Values of type index as sums of others.

use crate::analysis::linear::Linear;
use terrace_dialects::arith;
use terrace_dialects::gpu;
use terrace_ir::{Context, Value};

/// Nesting of arithmetic that is looked through.
const DEPTH: usize = 32;
/// Terms of a sum; what has more is a value of its own.
const MAX_TERMS: usize = 16;

/// A value of type index as a sum of others. Numbers are taken not to overflow: an index
/// that does is outside of every array.
pub fn expand(ctx: &Context, v: Value) -> Linear {
    expand_at(ctx, v, DEPTH + 1)
}

fn go(ctx: &Context, v: Value, depth: usize) -> Option<Linear> {
    if let Some(n) = ctx.constant_int(v) {
        return Some(Linear::constant(n));
    }
    if depth == 0 || v.ty(ctx) != ctx.index() {
        return None;
    }
    let Some(op) = v.def_op() else {
        let launch = v.arg_block()?.parent_op(ctx)?.cast::<gpu::LaunchOp>(ctx)?;
        let sizes = [
            (launch.grid_size_args(ctx), launch.grid_size(ctx)),
            (launch.block_size_args(ctx), launch.block_size(ctx)),
        ];
        for (inside, outside) in sizes {
            if let Some(k) = inside.iter().position(|a| *a == v) {
                return Some(expand_at(ctx, outside[k], depth));
            }
        }
        return None;
    };
    let operand = |i: usize| expand_at(ctx, op.operand(ctx, i), depth);
    match op.name(ctx) {
        arith::AddIOp::NAME => operand(0).add(&operand(1)),
        arith::SubIOp::NAME => operand(0).minus(&operand(1)),
        arith::MulIOp::NAME => {
            let (a, b) = (operand(0), operand(1));
            match (a.as_constant(), b.as_constant()) {
                (_, Some(n)) => a.times(n),
                (Some(n), _) => b.times(n),
                _ => None,
            }
        }
        arith::MaxSIOp::NAME | arith::MinSIOp::NAME => {
            let (a, b) = (operand(0).as_constant()?, operand(1).as_constant()?);
            let max = op.name(ctx) == arith::MaxSIOp::NAME;
            Some(Linear::constant(if max { a.max(b) } else { a.min(b) }))
        }
        arith::CeilDivSIOp::NAME | arith::CeilDivUIOp::NAME => {
            let (a, b) = (operand(0).as_constant()?, operand(1).as_constant()?);
            let blocks = a.checked_add(b)?.checked_sub(1)?;
            (a >= 0 && b > 0).then_some(Linear::constant(blocks / b))
        }
        _ => None,
    }
}

fn expand_at(ctx: &Context, v: Value, depth: usize) -> Linear {
    let sum = go(ctx, v, depth - 1).filter(|l| l.terms.len() <= MAX_TERMS);
    sum.unwrap_or_else(|| Linear::value(v))
}
