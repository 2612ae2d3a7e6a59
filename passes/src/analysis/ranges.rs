//! Between which constants the results of maps lie.

use rustc_hash::FxHashMap;
use terrace_dialects::affine::{ForOp, ParallelOp, compose::compose, scope};
use terrace_dialects::{arith, memref};
use terrace_ir::affine::{AffineExpr, AffineMap, Range, expr_bounds};
use terrace_ir::{Context, Value};

use super::bounds::both;

/// The ranges of values that are known already.
#[derive(Default)]
pub struct Ranges(FxHashMap<Value, Range>);

impl Ranges {
    /// The ranges of the results of a map over loop variables and symbols, where all
    /// loops around run at least once.
    pub fn of_results(&mut self, ctx: &Context, map: &AffineMap, operands: &[Value]) -> Vec<Range> {
        let c = compose(ctx, map, operands);
        let inputs: Vec<Range> = c.operands.iter().map(|v| self.of_value(ctx, *v)).collect();
        let (dims, symbols) = inputs.split_at((c.map.num_dims() as usize).min(inputs.len()));
        let results = c.map.results().iter();
        results.map(|e| expr_bounds(e, dims, symbols)).collect()
    }

    /// How many steps there are at most from the greatest of some lower bounds to the least of some
    /// upper ones, where all loops around run at least once. `None` where no constant says so.
    pub fn most_steps(
        &mut self,
        ctx: &Context,
        lower: (&AffineMap, &[Value]),
        upper: (&AffineMap, &[Value]),
        step: i64,
    ) -> Option<u64> {
        let bounds = both(ctx, lower, upper);
        let (low, high) = (bounds.map.results()).split_at(lower.0.num_results());
        let spans: Vec<AffineExpr> = (low.iter())
            .flat_map(|l| high.iter().map(move |h| h.clone() - l.clone()))
            .collect();
        let spans = AffineMap::new(bounds.map.num_dims(), bounds.map.num_symbols(), spans);
        let spans = self.of_results(ctx, &spans.simplify(), &bounds.operands);
        let most = spans.into_iter().filter_map(|r| r.hi).min()?;
        let step = u64::try_from(step).ok().filter(|s| *s > 0)?;
        Some(u64::try_from(most).unwrap_or(0).div_ceil(step))
    }

    /// How often a loop runs at most each time, where a constant says so.
    pub fn most_trips(&mut self, ctx: &Context, l: ForOp) -> Option<u64> {
        let (lower, upper) = (l.lower_operands(ctx), l.upper_operands(ctx));
        let (lower, upper) = (
            (l.lower_map(ctx), &lower[..]),
            (l.upper_map(ctx), &upper[..]),
        );
        self.most_steps(ctx, lower, upper, l.step(ctx))
    }

    fn of_value(&mut self, ctx: &Context, v: Value) -> Range {
        if let Some(r) = self.0.get(&v) {
            return *r;
        }
        if v.def_op()
            .is_some_and(|op| op.name(ctx) == memref::DimOp::NAME)
        {
            return Range::new(0, None);
        }
        if let Some(range) = of_cast(ctx, v) {
            return range;
        }
        let Some(l) = scope::for_of_iv(ctx, v) else {
            let range = self.of_parallel(ctx, v).unwrap_or(Range::unbounded());
            self.0.insert(v, range);
            return range;
        };
        let lower = self.of_results(ctx, l.lower_map(ctx), &l.lower_operands(ctx));
        let upper = self.of_results(ctx, l.upper_map(ctx), &l.upper_operands(ctx));
        let Range { lo, mut hi } = between(&lower, &upper);
        // From a lower bound that is known the steps lead to a last value that is, too.
        if let (Some(first), Some(h)) = (l.constant_lower(ctx), hi)
            && let Some(span) = h.checked_sub(first)
            && span >= 0
        {
            hi = Some(first + span - span % l.step(ctx).max(1));
        }
        let range = Range::new(lo, hi);
        self.0.insert(v, range);
        range
    }

    /// The range of a variable of a parallel loop.
    fn of_parallel(&mut self, ctx: &Context, v: Value) -> Option<Range> {
        let p = scope::parallel_of_iv(ctx, v)?.cast::<ParallelOp>(ctx)?;
        let i = p.ivs(ctx).iter().position(|x| *x == v)?;
        let lower = self.of_results(ctx, &p.lower_map_of(ctx, i), &p.lower_operands(ctx));
        let upper = self.of_results(ctx, &p.upper_map_of(ctx, i), &p.upper_operands(ctx));
        Some(between(&lower, &upper))
    }
}

/// From the greatest of the lower bounds, which is at least each of them, to below the least of the
/// upper ones.
fn between(lower: &[Range], upper: &[Range]) -> Range {
    let hi = upper.iter().filter_map(|r| r.hi).min();
    Range::new(
        lower.iter().filter_map(|r| r.lo).max(),
        hi.and_then(|h| h.checked_sub(1)),
    )
}

/// The range of an index that was a narrower integer.
fn of_cast(ctx: &Context, v: Value) -> Option<Range> {
    let op = v.def_op()?;
    let width = op.operands(ctx).first()?.ty(ctx).int_width(ctx)?;
    let half = 1i64
        .checked_shl(width.checked_sub(1)?)
        .filter(|_| width <= 32)?;
    match op.name(ctx) {
        arith::IndexCastOp::NAME => Some(Range::new(-half, half - 1)),
        arith::IndexCastUIOp::NAME => Some(Range::new(0, 2 * half - 1)),
        _ => None,
    }
}
