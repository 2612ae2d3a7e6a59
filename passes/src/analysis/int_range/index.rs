//! Where indices lie: variables of loops, affine expressions of them, and sizes of arrays.

use super::{IntRange, IntRanges};
use terrace_dialects::affine::{self, ApplyOp, MaxOp, MinOp};
use terrace_dialects::memref::DimOp;
use terrace_dialects::scf;
use terrace_ir::affine::{AffineExpr, AffineMap, AffineOp};
use terrace_ir::{Context, Op, Value};

impl IntRanges {
    /// The range of the variable of a loop, in the loop: from the least that it starts at to just
    /// before the greatest end.
    pub(super) fn of_variable(
        &mut self,
        ctx: &Context,
        v: Value,
        depth: usize,
    ) -> Option<IntRange> {
        let around = v.arg_block()?.parent_op(ctx)?;
        if let Some(l) = around.cast::<affine::ForOp>(ctx).filter(|l| l.iv(ctx) == v) {
            let lower = self.of_map(ctx, l.lower_map(ctx), &l.lower_operands(ctx), depth);
            let upper = self.of_map(ctx, l.upper_map(ctx), &l.upper_operands(ctx), depth);
            return between(&lower?, &upper?);
        }
        if let Some(l) = around.cast::<affine::ParallelOp>(ctx) {
            let i = l.ivs(ctx).iter().position(|iv| *iv == v)?;
            let (lower, upper) = (l.lower_map_of(ctx, i), l.upper_map_of(ctx, i));
            let lower = self.of_map(ctx, &lower, &l.lower_operands(ctx), depth);
            let upper = self.of_map(ctx, &upper, &l.upper_operands(ctx), depth);
            return between(&lower?, &upper?);
        }
        let (lower, upper) = if let Some(l) = around.cast::<scf::ForOp>(ctx) {
            if l.induction_var(ctx) != v || l.is_unsigned(ctx) {
                return None;
            }
            (l.lower_bound(ctx), l.upper_bound(ctx))
        } else {
            let l = around.cast::<scf::ParallelOp>(ctx)?;
            let i = l.induction_vars(ctx).iter().position(|iv| *iv == v)?;
            (l.lower_bounds(ctx)[i], l.upper_bounds(ctx)[i])
        };
        let lower = self.at_depth(ctx, lower, depth)?;
        between(&[lower], &[self.at_depth(ctx, upper, depth)?])
    }

    /// The range of an op on indices; nothing for another op.
    pub(super) fn of_index_op(&mut self, ctx: &Context, op: Op, depth: usize) -> Option<IntRange> {
        if op.isa::<DimOp>(ctx) {
            return Some(IntRange::new(0, i64::MAX.into()));
        }
        if let Some(apply) = op.cast::<ApplyOp>(ctx) {
            let all = self.of_map(ctx, apply.map(ctx), &apply.operands(ctx), depth)?;
            return all.first().copied();
        }
        if let Some(min) = op.cast::<MinOp>(ctx) {
            let all = self.of_map(ctx, min.map(ctx), &min.operands(ctx), depth)?;
            let lo = all.iter().map(|r| r.lo).min()?;
            return Some(IntRange::new(lo, all.iter().map(|r| r.hi).min()?));
        }
        let max = op.cast::<MaxOp>(ctx)?;
        let all = self.of_map(ctx, max.map(ctx), &max.operands(ctx), depth)?;
        let lo = all.iter().map(|r| r.lo).max()?;
        Some(IntRange::new(lo, all.iter().map(|r| r.hi).max()?))
    }

    /// The ranges of the results of a map.
    fn of_map(
        &mut self,
        ctx: &Context,
        map: &AffineMap,
        operands: &[Value],
        depth: usize,
    ) -> Option<Vec<IntRange>> {
        let ranges: Option<Vec<IntRange>> = operands
            .iter()
            .map(|v| self.at_depth(ctx, *v, depth))
            .collect();
        let ranges = ranges?;
        let dims = map.num_dims() as usize;
        let each = map.results().iter();
        each.map(|e| of_expression(e, ranges.get(..dims)?, ranges.get(dims..)?))
            .collect()
    }
}

/// What is at least all of the lower bounds and less than all of the upper ones.
fn between(lower: &[IntRange], upper: &[IntRange]) -> Option<IntRange> {
    let lo = lower.iter().map(|r| r.lo).max()?;
    let hi = upper.iter().map(|r| r.hi).min()? - 1;
    // A loop that never runs has no variable.
    (lo <= hi).then(|| IntRange::new(lo, hi))
}

/// The range of an affine expression; nothing where a step of it may leave 64 bits.
fn of_expression(e: &AffineExpr, dims: &[IntRange], symbols: &[IntRange]) -> Option<IntRange> {
    let range = match e {
        AffineExpr::Constant(c) => IntRange::new((*c).into(), (*c).into()),
        AffineExpr::Dim(d) => *dims.get(*d as usize)?,
        AffineExpr::Symbol(s) => *symbols.get(*s as usize)?,
        AffineExpr::Binary(_) => {
            let (op, x, y) = e.as_binary()?;
            let a = of_expression(x, dims, symbols)?;
            let b = of_expression(y, dims, symbols)?;
            let by = || b.single().filter(|c| *c > 0);
            match op {
                AffineOp::Add => a.corners(b, |x, y| Some(x + y))?,
                AffineOp::Mul => a.corners(b, i128::checked_mul)?,
                AffineOp::Mod => {
                    let by = by()?;
                    match a.lo >= 0 && a.hi < by {
                        true => a,
                        false => IntRange::new(0, by - 1),
                    }
                }
                AffineOp::FloorDiv => {
                    let by = by()?;
                    a.corners(a, |x, _| Some(x.div_euclid(by)))?
                }
                AffineOp::CeilDiv => {
                    let by = by()?;
                    a.corners(a, |x, _| Some(-(-x).div_euclid(by)))?
                }
            }
        }
    };
    range.fits_signed(64).then_some(range)
}
