//! Tiling of a band: loops over tiles around loops over the points of a tile.

use super::band::{carries_values, is_hyper_rectangular};
use crate::analysis::bounds::{constant_trip_count, trip_count_divisor};
use terrace_dialects::affine::{ForOp, YieldOp, compose::compose};
use terrace_ir::affine::{AffineExpr, AffineMap};
use terrace_ir::{Builder, Context, InsertPoint, OpKind, Value};

/// What the variable of a loop may differ by in a tile. The end of the last tile is the
/// loop's upper bound and up to this much, which 64 bits must hold.
const MAX: i64 = i32::MAX as i64;

/// Tile a perfectly nested band, `sizes` giving the points of a tile along each loop.
/// Returns the loops over tiles and the loops over points, outermost first; `None`,
/// with nothing changed, where a loop has results, bounds depend on loops of the
/// band, a size is 0 or a tile spans more than `MAX`.
///
/// Whether the order of points may change is for the caller to know.
pub fn tile_band(
    ctx: &mut Context,
    band: &[ForOp],
    sizes: &[u64],
) -> Option<(Vec<ForOp>, Vec<ForOp>)> {
    if band.is_empty() || band.len() != sizes.len() {
        return None;
    }
    if carries_values(ctx, band) || (band.len() > 1 && !is_hyper_rectangular(ctx, band)) {
        return None;
    }
    let mut spans = Vec::new();
    for (l, size) in band.iter().zip(sizes) {
        let size = i64::try_from(*size).ok().filter(|s| *s > 0)?;
        let span = l.step(ctx).checked_mul(size).filter(|s| *s <= MAX)?;
        spans.push(span);
    }
    drop_unused_variables(ctx, band);
    // All questions to the old loops before they change.
    let uppers: Vec<_> = (0..band.len())
        .map(|i| point_upper(ctx, band[i], sizes[i], spans[i]))
        .collect();
    let mut b = Builder::before(ctx, band[0].op());
    let mut tiles = Vec::new();
    for (l, span) in band.iter().zip(&spans) {
        let lower = (l.lower_map(b.ctx).clone(), l.lower_operands(b.ctx));
        let upper = (l.upper_map(b.ctx).clone(), l.upper_operands(b.ctx));
        tiles.push(open(&mut b, lower, upper, *span));
    }
    let mut points = Vec::new();
    for ((l, tile), (map, dims, symbols)) in band.iter().zip(&tiles).zip(uppers) {
        let start = tile.iv(b.ctx);
        let step = l.step(b.ctx);
        let operands = [dims, vec![start], symbols].concat();
        points.push(open(
            &mut b,
            (AffineMap::dim_identity(), vec![start]),
            (map, operands),
            step,
        ));
    }
    let ctx = b.ctx;
    let (Some(innermost), Some(target)) = (band.last(), points.last()) else {
        return None;
    };
    let (from, to) = (innermost.body(ctx), target.body(ctx));
    let end = to.last_op(ctx);
    for o in from.ops(ctx) {
        if !o.isa::<YieldOp>(ctx)
            && let Some(end) = end
        {
            o.move_before(ctx, end);
        }
    }
    for (old, new) in band.iter().zip(&points) {
        let (old, new) = (old.iv(ctx), new.iv(ctx));
        old.replace_all_uses(ctx, new);
    }
    band[0].op().erase(ctx);
    Some((tiles, points))
}

/// Bounds that name a variable of the band without depending on it stop doing so: the
/// loops over tiles stand where there is no such variable.
fn drop_unused_variables(ctx: &Context, band: &[ForOp]) {
    let ivs: Vec<Value> = band.iter().map(|l| l.iv(ctx)).collect();
    for l in band {
        let (lower, upper) = (l.lower_operands(ctx), l.upper_operands(ctx));
        if lower.iter().any(|v| ivs.contains(v)) {
            let new = compose(ctx, l.lower_map(ctx), &lower);
            l.set_lower(ctx, new.map, &new.operands);
        }
        if upper.iter().any(|v| ivs.contains(v)) {
            let new = compose(ctx, l.upper_map(ctx), &upper);
            l.set_upper(ctx, new.map, &new.operands);
        }
    }
}

/// A loop at the builder's place, which moves into it.
fn open(
    b: &mut Builder,
    lower: (AffineMap, Vec<Value>),
    upper: (AffineMap, Vec<Value>),
    step: i64,
) -> ForOp {
    let l = ForOp::build(
        b,
        (lower.0, &lower.1),
        (upper.0, &upper.1),
        step,
        &[],
        |_, _, _| Vec::new(),
    );
    b.at = InsertPoint::Start(l.body(b.ctx));
    l
}

/// The upper bound of the points of a tile that starts at the dimension behind those
/// of the map: the map, its dimensions but that, and its symbols. It is a minimum
/// only where the last tile may be smaller.
pub(crate) fn point_upper(
    ctx: &Context,
    l: ForOp,
    size: u64,
    span: i64,
) -> (AffineMap, Vec<Value>, Vec<Value>) {
    let from_start = |n: i64| AffineMap::new(1, 0, vec![AffineExpr::dim(0) + n]);
    let alone = |m| (m, Vec::new(), Vec::new());
    if let Some(trips) = constant_trip_count(ctx, l).filter(|t| *t < size) {
        // Fits, being less than the span does.
        let whole = i64::try_from(trips)
            .unwrap_or(0)
            .saturating_mul(l.step(ctx));
        return alone(from_start(whole));
    }
    if trip_count_divisor(ctx, l).is_multiple_of(size) {
        return alone(from_start(span));
    }
    let old = l.upper_map(ctx);
    let mut dims = l.upper_operands(ctx);
    let symbols = dims.split_off((old.num_dims() as usize).min(dims.len()));
    let mut results = vec![AffineExpr::dim(old.num_dims()) + span];
    results.extend(old.results().iter().cloned());
    (
        AffineMap::new(old.num_dims() + 1, old.num_symbols(), results),
        dims,
        symbols,
    )
}
