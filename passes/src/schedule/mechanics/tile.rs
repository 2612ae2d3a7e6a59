//! A band in tiles: loops over tiles around loops over the points of one, also where
//! bounds depend on loops of the band.
//!
//! ```text
//! affine.for %i = 0 to %n {              affine.for %a = 0 to %n step 32 {
//!   affine.for %j = %i to %n {             affine.for %b = %a floordiv 32 to %n ceildiv 32 {
//!     body(%i, %j)                  =>       affine.for %i = %a to min(%n, %a + 32) {
//!                                              affine.for %j = max(%i, %b * 32)
//!                                                  to min(%n, %b * 32 + 32) {
//!                                                body(%i, %j)
//! ```
//!
//! Each loop is cut into pieces, then those over pieces go to the outside ([`permute`]).
//! Where a loop starts at a place that depends on the band, its pieces are those of a
//! grid that does not: tiles are boxes then, and a band of which no dependence goes
//! backwards along any loop may be tiled (F. Irigoin, R. Triolet, "Supernode
//! Partitioning", 1988).

use super::nest::{Band, open};
use super::permute::permute;
use super::strip_mine::strip_mine;
use super::{Refusal, names};
use crate::transform::loop_utils::normalize::normalize_for;
use terrace_dialects::affine::{ForOp, compose::compose};
use terrace_ir::affine::{AffineExpr, AffineMap, ValueMap};
use terrace_ir::{Builder, Context, OpKind, Value};

/// Tile a band of perfectly nested loops, `sizes` giving the iterations of a tile along
/// each. Gives the loops over tiles and those within one, from the outside in.
///
/// # Errors
///
/// Where the loops are no band, a size is 0 or too large, or the bounds cannot be solved
/// for the new order. Some loops may have been cut into pieces then.
pub fn tile(
    ctx: &mut Context,
    band: &[ForOp],
    sizes: &[u64],
) -> Result<(Vec<ForOp>, Vec<ForOp>), Refusal> {
    Band::new(ctx, band)?;
    let n = band.len();
    if sizes.len() != n {
        let m = format!(
            "{} sizes do not fit {n} loops, expected one for each",
            sizes.len()
        );
        return Err(Refusal::new(band[0].op().loc(ctx), m));
    }
    let ivs: Vec<Value> = band.iter().map(|l| l.iv(ctx)).collect();
    let moves: Vec<bool> = band.iter().map(|l| starts_within(ctx, *l, &ivs)).collect();
    let mut loops = Vec::new();
    for ((l, size), moves) in band.iter().zip(sizes).zip(moves) {
        if moves && l.step(ctx) != 1 && !normalize_for(ctx, *l, false) {
            let m = format!(
                "{} has a step and starts at a maximum, so that its iterations cannot be counted",
                names::describe(ctx, *l)
            );
            return Err(Refusal::new(l.op().loc(ctx), m));
        }
        let (pieces, points) = match moves {
            true => grid(ctx, *l, *size)?,
            false => strip_mine(ctx, *l, *size)?,
        };
        loops.extend([pieces, points]);
    }
    let order: Vec<usize> = (0..n)
        .map(|i| 2 * i)
        .chain((0..n).map(|i| 2 * i + 1))
        .collect();
    let mut tiles = permute(ctx, &loops, &order)?;
    let points = tiles.split_off(n);
    Ok((tiles, points))
}

/// Whether the lower bound of `l` depends on one of `ivs`.
fn starts_within(ctx: &Context, l: ForOp, ivs: &[Value]) -> bool {
    let lower = compose(ctx, l.lower_map(ctx), &l.lower_operands(ctx));
    lower.operands.iter().any(|v| ivs.contains(v))
}

/// Pieces `size * k` to `size * k + size` of a loop with a step of 1, `k` being the
/// variable of the outer loop.
fn grid(ctx: &mut Context, l: ForOp, size: u64) -> Result<(ForOp, ForOp), Refusal> {
    let at = l.op().loc(ctx);
    let Some(size) = i64::try_from(size).ok().filter(|s| *s > 0) else {
        let m = format!("a tile of {size} iterations is not possible, expected 1 to 2^63 - 1");
        return Err(Refusal::new(at, m));
    };
    let band = Band::new(ctx, &[l])?;
    let lower = (l.lower_map(ctx).clone(), l.lower_operands(ctx));
    let upper = (l.upper_map(ctx).clone(), l.upper_operands(ctx));
    let divided = |(map, operands): &(AffineMap, Vec<Value>), up: bool| {
        let each = map.results().iter().map(|e| match up {
            true => e.clone().ceil_div(size),
            false => e.clone().floor_div(size),
        });
        ValueMap {
            map: AffineMap::new(map.num_dims(), map.num_symbols(), each.collect()),
            operands: operands.clone(),
        }
    };
    let (first, end) = (divided(&lower, false), divided(&upper, true));
    let inits = l.inits(ctx);
    let mut b = Builder::before(ctx, l.op());
    let pieces = open(&mut b, first, end, 1, &inits);
    let k = pieces.iv(b.ctx);
    let start = with(b.ctx, lower, k, AffineExpr::dim(0) * size);
    let stop = with(b.ctx, upper, k, AffineExpr::dim(0) * size + size);
    let carried = pieces.iter_args(b.ctx);
    let points = open(&mut b, start, stop, 1, &carried);
    let ctx = b.ctx;
    let results = points.op().results(ctx);
    if let Some(end) = pieces.body(ctx).last_op(ctx) {
        end.set_operands(ctx, &results);
    }
    if let Some(end) = points.body(ctx).last_op(ctx) {
        let carried = points.iter_args(ctx);
        let yielded = band.move_body(ctx, end, &carried);
        end.set_operands(ctx, &yielded);
    }
    let (old, new) = (l.iv(ctx), points.iv(ctx));
    old.replace_all_uses(ctx, new);
    names::derive(ctx, l, pieces, "_tile");
    names::copy(ctx, l, points);
    let results = pieces.op().results(ctx);
    l.op().replace(ctx, &results);
    Ok((pieces, points))
}

/// A bound and one more result, an expression of one dimension that stands for `k`.
fn with(
    ctx: &Context,
    (map, operands): (AffineMap, Vec<Value>),
    k: Value,
    more: AffineExpr,
) -> ValueMap<Value> {
    let n = map.num_dims();
    let more = more.replace_dims(&[AffineExpr::dim(n)]);
    let results = [map.results(), &[more]].concat();
    let (dims, symbols) = operands.split_at((n as usize).min(operands.len()));
    let operands = [dims, &[k], symbols].concat();
    compose(
        ctx,
        &AffineMap::new(n + 1, map.num_symbols(), results),
        &operands,
    )
}
