//! `schedule.tile`: loops over tiles around loops within one.

use super::{Given, Request, StepInfo};
use crate::schedule::mechanics::tile::tile;
use crate::schedule::mechanics::{Refusal, names};
use crate::transform::loop_utils::band::{carries_values, is_hyper_rectangular, perfect_band};
use crate::transform::loop_utils::separate::separate_full_tiles;
use crate::transform::loop_utils::tile::tile_band;
use terrace_dialects::affine::ForOp;
use terrace_dialects::schedule::TileOp;
use terrace_ir::{Attr, Context, Loc, OpKind};

pub(super) const STEP: StepInfo = StepInfo {
    name: "schedule.tile",
    promise: super::order,
    apply,
};

/// What the variables of loops over tiles are called.
const SUFFIX: &str = "_tile";

fn apply(ctx: &mut Context, r: &Request) -> Result<Given, Refusal> {
    let step = TileOp::wrap(r.step);
    let sizes: Vec<u64> = step.sizes(ctx).iter().map(|s| s.unsigned_abs()).collect();
    let band = r.band(ctx, 0, sizes.len())?;
    let simple = perfect_band(ctx, band[0]).len() >= band.len()
        && !carries_values(ctx, &band)
        && (band.len() == 1 || is_hyper_rectangular(ctx, &band));
    let (tiles, mut points) = if simple {
        rectangular(ctx, &band, &sizes)?
    } else {
        tile(ctx, &band, &sizes)?
    };
    if step.separate(ctx) {
        points = separate(ctx, points)?;
    }
    Ok([tiles, points].concat().into())
}

/// Loops over tiles and within them, at once.
fn rectangular(
    ctx: &mut Context,
    band: &[ForOp],
    sizes: &[u64],
) -> Result<(Vec<ForOp>, Vec<ForOp>), Refusal> {
    let loc = band[0].op().loc(ctx);
    let names: Vec<Name> = band.iter().map(|l| Name::of(ctx, *l)).collect();
    let Some((tiles, points)) = tile_band(ctx, band, sizes) else {
        let m = "the step of a loop times the size of its tile is too large";
        return Err(Refusal::new(loc, m));
    };
    for ((n, t), p) in names.into_iter().zip(&tiles).zip(&points) {
        n.give(ctx, *p);
        names::derive(ctx, *p, *t, SUFFIX);
    }
    Ok((tiles, points))
}

/// What a loop is called, while the loop itself gives way to others.
struct Name {
    place: Loc,
    variable: Loc,
    attrs: Vec<(&'static str, Attr)>,
}

impl Name {
    fn of(ctx: &Context, l: ForOp) -> Name {
        let names = ["schedule.iv", "schedule.label"].into_iter();
        Name {
            place: l.op().loc(ctx),
            variable: l.iv(ctx).loc(ctx),
            attrs: names
                .filter_map(|n| Some((n, l.op().attr(ctx, n)?)))
                .collect(),
        }
    }

    fn give(self, ctx: &Context, l: ForOp) {
        l.op().set_loc(ctx, self.place);
        l.body(ctx).set_arg_loc(ctx, 0, self.variable);
        for (n, a) in self.attrs {
            l.op().set_attr(ctx, n, a);
        }
    }
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
