//! A band cut into tiles, also where bounds depend on loops of the band.
//!
//! ```text
//! affine.for %t = 0 to 100 {                  affine.for %tt = 0 to 4 {
//!   affine.for %i = %t to %t + %n {             affine.for %it = %tt to (%n + 130) ceildiv 32 {
//!     body(%t, %i)                      =>        affine.for %t = %tt * 32 to ... {
//!   }                                               affine.for %i = max(%t, %it * 32) to ... {
//! }                                                   body(%t, %i)
//! ```
//!
//! Tiles lie on a grid: tile number `k` along a loop has the numbers from `k` times
//! the size on, whatever the other loops do, as a band that was skewed needs it (F.
//! Irigoin, R. Triolet, "Supernode Partitioning", 1988). Where no bound depends on the
//! band, loops over tiles count by the size from where the loop begins instead.
//! Iterations come in the order of their tiles, then as before.

use super::band::{carries_values, is_hyper_rectangular, perfect_band};
use super::domain::{Bounds, dim, known_around, steps, unavailable};
use super::frame::Frame;
use super::nest::Band;
use super::rebuild::{NewLoop, Rebuild, refuse};
use super::scan::{Condition, Points, scan};
use super::tile_band::tile_band;
use super::{Refusal, names};
use terrace_dialects::affine::ForOp;
use terrace_ir::affine::AffineExpr;
use terrace_ir::{Context, OpKind};

/// Tile a perfect band with `sizes`, one for each of its loops. Gives the loops over
/// tiles, which get the suffix `_tile`, and those within one, both from the outside
/// in.
///
/// # Errors
///
/// Where the loops are no perfect band, a size is 0 or too large, there are not as
/// many sizes as loops, a loop has a step other than 1 though bounds depend on the
/// band, or bounds are not affine enough.
pub fn tile(
    ctx: &mut Context,
    band: &[ForOp],
    sizes: &[u64],
) -> Result<(Vec<ForOp>, Vec<ForOp>), Refusal> {
    let checked = Band::new(ctx, band)?;
    let root = checked.outermost();
    let sizes_i64 = check_sizes(ctx, band, sizes)?;
    let plain = perfect_band(ctx, root).starts_with(band)
        && !carries_values(ctx, band)
        && (band.len() == 1 || is_hyper_rectangular(ctx, band));
    if plain {
        let origins: Vec<_> = band.iter().map(|l| names::Names::of(ctx, *l)).collect();
        let Some((tiles, points)) = tile_band(ctx, band, sizes) else {
            let m = "the step of a loop times the size of its tile is too large";
            return Err(Refusal::new(root.op().loc(ctx), m));
        };
        for ((names, tile), point) in origins.iter().zip(&tiles).zip(&points) {
            names.give(ctx, *tile, "_tile");
            names.give(ctx, *point, "");
        }
        return Ok((tiles, points));
    }
    let n = band.len();
    if let Some(k) = steps(ctx, band)?.iter().position(|s| *s != 1) {
        let m = format!(
            "{} has a step other than 1, and bounds in the band depend on its loops; normalize it",
            names::describe(ctx, band[k])
        );
        return Err(Refusal::new(band[k].op().loc(ctx), m));
    }
    // The variables within tiles, and those over tiles, for which there is no value.
    let ivs = checked.ivs(ctx);
    let mut frame = Frame::new(&[&ivs[..], &ivs[..]].concat());
    let bounds = Bounds::of(ctx, &mut frame, band);
    if let Some(v) = unavailable(&frame, 2 * n, |v| checked.is_available(ctx, v)) {
        let m = "a bound is computed inside the loops to be tiled from what is not affine";
        return Err(Refusal::new(v.loc(ctx), m));
    }
    let known = known_around(ctx, &mut frame, root);
    let mut conditions = Vec::new();
    for (k, size) in sizes_i64.iter().enumerate() {
        let start: AffineExpr = dim(n + k) * *size;
        conditions.push(Condition::lower(k, start.clone()));
        conditions.extend(
            bounds.lower[k]
                .iter()
                .map(|e| Condition::lower(k, e.clone())),
        );
        conditions.push(Condition::upper(k, start + *size));
        conditions.extend(
            bounds.upper[k]
                .iter()
                .map(|e| Condition::upper(k, e.clone())),
        );
    }
    let points = Points {
        frame: &frame,
        variables: 2 * n,
        conditions,
        known,
        fixed: vec![false; 2 * n],
    };
    let order: Vec<usize> = (n..2 * n).chain(0..n).collect();
    let scan = scan(&points, &order).map_err(|e| refuse(ctx, band, e))?;
    let new = |v: &usize| NewLoop {
        variable: *v,
        origin: band[v % n],
        suffix: if *v < n { "" } else { "_tile" },
        step: 1,
    };
    let rebuild = Rebuild {
        band: &checked,
        frame: &frame,
        loops: order.iter().map(new).collect(),
        values: (0..n).map(dim).collect(),
        scan,
    };
    let mut tiles = rebuild.build(ctx);
    let points = tiles.split_off(n);
    Ok((tiles, points))
}

fn check_sizes(ctx: &Context, band: &[ForOp], sizes: &[u64]) -> Result<Vec<i64>, Refusal> {
    let root = band[0].op().loc(ctx);
    if band.len() != sizes.len() {
        let m = format!(
            "{} sizes for {} loops, expected one for each",
            sizes.len(),
            band.len()
        );
        return Err(Refusal::new(root, m));
    }
    let size = |(l, s): (&ForOp, &u64)| match i64::try_from(*s) {
        Ok(s) if s > 0 => Ok(s),
        _ => {
            let m = format!(
                "tiles have a size of {s} along {}, expected 1 to {}",
                names::describe(ctx, *l),
                i64::MAX
            );
            Err(Refusal::new(l.op().loc(ctx), m))
        }
    };
    band.iter().zip(sizes).map(size).collect()
}
