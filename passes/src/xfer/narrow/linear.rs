//! Sums of values of type index with constant factors.

use smallvec::SmallVec;
use terrace_dialects::gpu;
use terrace_ir::{Context, Value};

/// `constant + sum of factor * value`; each value once, no factor 0.
#[derive(Debug, Clone, Default)]
pub struct Linear {
    pub constant: i64,
    pub terms: SmallVec<[(Value, i64); 4]>,
}

/// Nesting of arithmetic that is looked through.
const DEPTH: usize = 32;
/// Terms of a sum; what has more is a value of its own.
const TERMS: usize = 16;

impl Linear {
    pub fn constant(constant: i64) -> Linear {
        Linear {
            constant,
            terms: SmallVec::new(),
        }
    }

    pub fn of(v: Value) -> Linear {
        Linear {
            constant: 0,
            terms: smallvec::smallvec![(v, 1)],
        }
    }

    pub fn factor(&self, v: Value) -> i64 {
        self.terms.iter().find(|t| t.0 == v).map_or(0, |t| t.1)
    }

    pub fn as_constant(&self) -> Option<i64> {
        self.terms.is_empty().then_some(self.constant)
    }

    /// `self + times * other`; `None` where a number overflows.
    pub fn plus(&self, other: &Linear, times: i64) -> Option<Linear> {
        let mut sum = self.clone();
        sum.constant = sum
            .constant
            .checked_add(other.constant.checked_mul(times)?)?;
        for (v, f) in &other.terms {
            let more = f.checked_mul(times)?;
            match sum.terms.iter().position(|t| t.0 == *v) {
                Some(k) => {
                    sum.terms[k].1 = sum.terms[k].1.checked_add(more)?;
                    if sum.terms[k].1 == 0 {
                        sum.terms.swap_remove(k);
                    }
                }
                None if more != 0 => sum.terms.push((*v, more)),
                None => {}
            }
        }
        (sum.terms.len() <= TERMS).then_some(sum)
    }

    pub fn plus_constant(&self, n: i64) -> Option<Linear> {
        self.plus(&Linear::constant(n), 1)
    }

    pub fn negated(&self) -> Option<Linear> {
        Linear::default().plus(self, -1)
    }

    /// `self - other`, where that is a constant.
    pub fn distance(&self, other: &Linear) -> Option<i64> {
        self.plus(other, -1)?.as_constant()
    }
}

/// A value of type index as a sum of others. Numbers are taken not to overflow: an index
/// that does is outside of every array.
pub fn expand(ctx: &Context, v: Value) -> Linear {
    go(ctx, v, DEPTH).unwrap_or_else(|| Linear::of(v))
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
        terrace_dialects::arith::AddIOp::NAME => operand(0).plus(&operand(1), 1),
        terrace_dialects::arith::SubIOp::NAME => operand(0).plus(&operand(1), -1),
        terrace_dialects::arith::MulIOp::NAME => {
            let (a, b) = (operand(0), operand(1));
            match (a.as_constant(), b.as_constant()) {
                (_, Some(n)) => Linear::default().plus(&a, n),
                (Some(n), _) => Linear::default().plus(&b, n),
                _ => None,
            }
        }
        terrace_dialects::arith::MaxSIOp::NAME | terrace_dialects::arith::MinSIOp::NAME => {
            let (a, b) = (operand(0).as_constant()?, operand(1).as_constant()?);
            let max = op.name(ctx) == terrace_dialects::arith::MaxSIOp::NAME;
            Some(Linear::constant(if max { a.max(b) } else { a.min(b) }))
        }
        terrace_dialects::arith::CeilDivSIOp::NAME | terrace_dialects::arith::CeilDivUIOp::NAME => {
            let (a, b) = (operand(0).as_constant()?, operand(1).as_constant()?);
            let blocks = a.checked_add(b)?.checked_sub(1)?;
            (a >= 0 && b > 0).then_some(Linear::constant(blocks / b))
        }
        _ => None,
    }
}

fn expand_at(ctx: &Context, v: Value, depth: usize) -> Linear {
    go(ctx, v, depth - 1).unwrap_or_else(|| Linear::of(v))
}
