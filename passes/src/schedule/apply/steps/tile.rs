//! `schedule.tile`: loops over tiles around loops within one.

use super::{Origin, Request, StepInfo, ops};
use crate::schedule::mechanics::Refusal;
use crate::schedule::words::loop_name;
use crate::transform::loop_utils::band::{carries_values, is_hyper_rectangular, perfect_band};
use crate::transform::loop_utils::separate::separate_full_tiles;
use crate::transform::loop_utils::tile::tile_band;
use terrace_dialects::affine::ForOp;
use terrace_dialects::schedule::TileOp;
use terrace_ir::{Context, Op, OpKind};

pub(super) const STEP: StepInfo = StepInfo {
    name: "schedule.tile",
    promise: super::order,
    apply,
};

fn apply(ctx: &mut Context, r: &Request) -> Result<Vec<Op>, Refusal> {
    let step = TileOp::wrap(r.step);
    let sizes = step.sizes(ctx);
    let root = r.for_loop(ctx, 0)?;
    let (tiles, mut points) = tile(ctx, root, &sizes)?;
    if step.separate(ctx) {
        points = separate(ctx, points)?;
    }
    Ok(ops(&[tiles, points].concat()))
}

/// Tile the band that begins with `root`; gives the loops over tiles and those within.
pub(super) fn tile(
    ctx: &mut Context,
    root: ForOp,
    sizes: &[i64],
) -> Result<(Vec<ForOp>, Vec<ForOp>), Refusal> {
    let mut band = perfect_band(ctx, root);
    let n = sizes.len();
    if band.len() < n {
        let inner = band.last().copied().unwrap_or(root);
        let m = format!(
            "{n} sizes need {n} perfectly nested loops, but there {} {}: {} holds more than a loop",
            if band.len() == 1 { "is" } else { "are" },
            band.len(),
            loop_name(ctx, inner.op())
        );
        return Err(Refusal::new(inner.op().loc(ctx), m));
    }
    band.truncate(n);
    if carries_values(ctx, &band) {
        let m = "values are carried from iteration to iteration, which tiling would part";
        return Err(Refusal::new(root.op().loc(ctx), m));
    }
    if n > 1 && !is_hyper_rectangular(ctx, &band) {
        let m = "the bounds of a loop of the band depend on another loop of it";
        return Err(Refusal::new(root.op().loc(ctx), m));
    }
    let sizes: Vec<u64> = sizes.iter().map(|s| s.unsigned_abs()).collect();
    let origins: Vec<Origin> = band.iter().map(|l| Origin::of(ctx, *l)).collect();
    let Some((tiles, points)) = tile_band(ctx, &band, &sizes) else {
        let m = "the step of a loop times the size of its tile is too large";
        return Err(Refusal::new(root.op().loc(ctx), m));
    };
    for ((o, t), p) in origins.iter().zip(&tiles).zip(&points) {
        o.give(ctx, *t, "_tile");
        o.same(ctx, *p);
    }
    Ok((tiles, points))
}

/// Loops of their own for whole tiles: those are given. Where all tiles are whole, the
/// loops as they are.
fn separate(ctx: &mut Context, points: Vec<ForOp>) -> Result<Vec<ForOp>, Refusal> {
    let partial = points.iter().find(|l| l.upper_map(ctx).num_results() > 1);
    let Some(partial) = partial.copied() else {
        return Ok(points);
    };
    let origins: Vec<Origin> = points.iter().map(|l| Origin::of(ctx, *l)).collect();
    match separate_full_tiles(ctx, &points) {
        Some(full) => {
            for (o, l) in origins.iter().zip(&full) {
                o.same(ctx, *l);
            }
            for l in &points {
                l.op().remove_attr(ctx, "schedule.label");
            }
            Ok(full)
        }
        None => {
            let m = "whole tiles cannot be told apart: a loop has a step other than 1, or no upper \
                     bound that is its lower one plus a constant";
            Err(Refusal::new(partial.op().loc(ctx), m))
        }
    }
}
