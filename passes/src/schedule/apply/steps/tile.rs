//! `schedule.tile`: loops over tiles around loops within one.

use super::{Given, Request, StepInfo};
use crate::loops::separate::separate_full_tiles;
use crate::loops::tile::tile;
use crate::loops::{Refusal, names};
use terrace_dialects::affine::ForOp;
use terrace_dialects::schedule::TileOp;
use terrace_ir::{Context, OpKind};

pub(super) const STEP: StepInfo = StepInfo {
    name: TileOp::NAME,
    promise: super::order,
    apply,
};

fn apply(ctx: &mut Context, r: &Request) -> Result<Given, Refusal> {
    let step = TileOp::wrap(r.step);
    let sizes: Vec<u64> = step.sizes(ctx).iter().map(|s| s.unsigned_abs()).collect();
    let band = r.band(ctx, 0, sizes.len())?;
    let (tiles, mut points) = tile(ctx, &band, &sizes)?;
    if step.separate(ctx) {
        points = separate(ctx, points)?;
    }
    Ok([tiles, points].concat().into())
}

/// Loops of their own for whole tiles: those are given. Where all tiles are whole, the
/// loops as they are.
fn separate(ctx: &mut Context, points: Vec<ForOp>) -> Result<Vec<ForOp>, Refusal> {
    let partial = points.iter().find(|l| l.upper_map(ctx).num_results() > 1);
    let Some(partial) = partial.copied() else {
        return Ok(points);
    };
    let Some(full) = separate_full_tiles(ctx, &points) else {
        let m = "whole tiles cannot be told apart: a loop has a step other than 1, or no upper \
                 bound that is its lower one plus a constant";
        return Err(Refusal::new(partial.op().loc(ctx), m));
    };
    for (p, f) in points.iter().zip(&full) {
        names::copy(ctx, *p, *f);
        // The handle is of the whole tiles, and so is the label.
        p.op().remove_attr(ctx, "schedule.label");
    }
    Ok(full)
}
