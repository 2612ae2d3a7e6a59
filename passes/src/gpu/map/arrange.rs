//! The loops of a nest as a mapping wants them: those mapped outside, in their order, then
//! those of which a thread does several iterations, then the sequential ones.
//!
//! ```text
//! affine.parallel (%i) = 0 to 512 {            affine.parallel (%j) = 0 to 1024 {
//!   affine.parallel (%j) = 0 to 1024 {           affine.parallel (%s) = 0 to 512 step 4 {
//!     body(%i, %j)                        =>       affine.for %i = %s to %s + 4 {
//!                                                    body(%i, %j)
//! ```
//!
//! Legal since iterations of parallel loops may run in any order, and at once.

use super::LOOPS;
use super::band::{band_of, depth, in_order, names};
use crate::analysis::bounds::constant_trip_count;
use crate::loops::Refusal;
use crate::loops::nest::band_of as sequential_band;
use crate::loops::normalize::normalize_for;
use crate::loops::parallelize::parallelize;
use crate::loops::permute::permute;
use crate::loops::separate::separate_full_tiles;
use crate::loops::strip_mine::strip_mine;
use terrace_dialects::affine::{ForOp, ParallelOp};
use terrace_dialects::attributes::{GPU_BLOCK, GPU_FIT, GPU_MAPPER};
use terrace_ir::{Context, Op, OpKind};

/// How the iterations lie that a thread does one after another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Kind {
    /// Next to each other.
    #[default]
    Blocked,
    /// As far apart as there are threads along the loop.
    Cyclic,
    /// Next to each other, in loops inside the serial ones.
    Inside,
}

/// A mapping of a nest: a point of the space that policies look at.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Point {
    /// The parallel loops by their places, from the outside in; the last runs along x, the
    /// one before it along y, then z.
    pub order: Vec<usize>,
    /// Iterations of each parallel loop that a thread does, by place before `order`.
    pub tile: Vec<i64>,
    /// Which iterations a thread does.
    pub kind: Kind,
    /// Threads of a block along x, y, z.
    pub block: [i64; 3],
    /// These are for long loops, and fitted to the extents when the program runs.
    pub fit: bool,
}

impl Point {
    /// Whether loops stay as they are.
    pub(crate) fn keeps_loops(&self) -> bool {
        self.order.is_sorted() && self.tile.iter().all(|n| *n == 1)
    }
}

/// Strips of the first `tile.len()` loops of a perfect band, and the loops in `order`:
/// those over strips (of cyclic tiles, those within) first, as `order` says, then those of
/// which a thread does several iterations, outside or inside the sequential loops of the
/// band, which come behind the parallel ones in `band`. Where whether a tile is full is
/// known only when the program runs, a condition chooses between loops that go round as
/// often as the tile says, which become straight code, and loops that look.
/// Gives the loops that are mapped.
///
/// # Errors
///
/// Loops that cannot be transformed so.
pub(crate) fn arrange(
    ctx: &mut Context,
    band: &[ForOp],
    order: &[usize],
    tile: &[i64],
    kind: Kind,
) -> Result<Vec<ForOp>, Refusal> {
    let count = order.len();
    let (parallel, serial) = band.split_at(count.min(band.len()));
    // The loops as they come to stand, from the outside in, and what each is.
    let mut stand: Vec<ForOp> = Vec::new();
    let (mut mapped, mut points) = (vec![0; count], Vec::new());
    for (k, l) in parallel.iter().enumerate() {
        let size = tile.get(k).copied().unwrap_or(1);
        if size == 1 {
            mapped[k] = stand.len();
            stand.push(*l);
            continue;
        }
        let wrong = |m: &str| Refusal::new(l.op().loc(ctx), m);
        let mut size =
            u64::try_from(size).map_err(|_| wrong("a tile has less than 1 iteration"))?;
        let cyclic = kind == Kind::Cyclic;
        if cyclic {
            let trips = constant_trip_count(ctx, *l);
            let trips = trips.ok_or_else(|| {
                wrong("how often it goes round is not known, so that it has no cyclic tiles")
            })?;
            size = trips.div_ceil(size.max(1)).max(1);
        }
        let (strips, within) = strip_mine(ctx, *l, size)?;
        if cyclic {
            // Counted from 0 both, so that they can change places.
            normalize_for(ctx, within, false);
            normalize_for(ctx, strips, false);
        }
        let (outer, inner) = (stand.len(), stand.len() + 1);
        stand.extend([strips, within]);
        mapped[k] = if cyclic { inner } else { outer };
        points.push(if cyclic { outer } else { inner });
    }
    let mut wanted: Vec<usize> = order.iter().map(|k| mapped[*k]).collect();
    if kind == Kind::Inside && !points.is_empty() {
        wanted.extend(stand.len()..stand.len() + serial.len());
        stand.extend(serial);
    }
    let tiles = points.len();
    wanted.extend(points);
    let new = match wanted.is_sorted() {
        true => stand,
        false => permute(ctx, &stand, &wanted)?,
    };
    if kind != Kind::Cyclic {
        let tiles = new[new.len() - tiles..].to_vec();
        let full = separate_full_tiles(ctx, &tiles);
        // Loops from 0 to a constant become straight code.
        let always_full = tiles
            .iter()
            .filter(|l| constant_trip_count(ctx, **l).is_some());
        let always_full: Vec<ForOp> = always_full.copied().collect();
        for l in full.into_iter().flatten().chain(always_full) {
            normalize_for(ctx, l, false);
        }
    }
    Ok(new.into_iter().take(count).collect())
}

/// Maps the nest of parallel loops that begins with `root` as `point` says: its loops
/// change, and the outermost one is told the shape of blocks. Gives that loop.
///
/// # Errors
///
/// A mapping that is none of these loops, or loops that cannot be transformed so; they may
/// be half changed then.
pub fn map_nest(ctx: &mut Context, root: ParallelOp, point: &Point) -> Result<Op, Refusal> {
    let band = band_of(ctx, root);
    let count = depth(ctx, &band);
    let at = root.op().loc(ctx);
    if point.order.len() != count || point.tile.len() > count {
        let (order, tile) = (point.order.len(), point.tile.len());
        let m = format!(
            "the nest has {count} parallel loops ({}), but the order names {order} and the tile \
             has {tile} sizes",
            names(ctx, &band).join(", ")
        );
        return Err(Refusal::new(at, m));
    }
    let axes = count.min(3);
    if let Some(d) = (axes..3).find(|d| point.block[*d] > 1) {
        let (axis, n) = (["x", "y", "z"][d], point.block[d]);
        let m = format!(
            "blocks have {n} threads along {axis}, but the nest has only {count} parallel loops \
             ({})",
            names(ctx, &band).join(", ")
        );
        return Err(Refusal::new(at, m));
    }
    let mut outermost = root.op();
    if !point.keeps_loops() {
        let said = discardable(ctx, root.op());
        let loops = in_order(ctx, &band);
        let mut all = loops.clone();
        if let Some(last) = loops.last() {
            all.extend(sequential_band(ctx, *last).into_iter().skip(1));
        }
        let tiled = point.tile.iter().any(|n| *n > 1);
        if tiled && point.kind == Kind::Inside && all.len() == count {
            let m = "no sequential loop fills the nest, inside which tiles could be";
            return Err(Refusal::new(at, m));
        }
        let mapped = arrange(ctx, &all, &point.order, &point.tile, point.kind)?;
        for (k, l) in mapped.iter().enumerate() {
            if l.step(ctx) != 1 {
                normalize_for(ctx, *l, false);
            }
            let (variable, label) = (l.iv(ctx).loc(ctx), l.op().attr(ctx, "schedule.iv"));
            let new = parallelize(ctx, *l, &[]);
            new.body(ctx).set_arg_loc(ctx, 0, variable);
            if let Some(label) = label {
                new.op().set_attr(ctx, "schedule.iv", label);
            }
            if k == 0 {
                outermost = new.op();
            }
        }
        for (name, value) in said {
            outermost.set_attr(ctx, &name, value);
        }
    }
    let block = ctx.i64_array(&point.block);
    outermost.set_attr(ctx, GPU_BLOCK, block);
    if point.fit {
        outermost.set_attr(ctx, GPU_FIT, ctx.unit());
    }
    let by = ctx.string_attr(LOOPS);
    outermost.set_attr(ctx, GPU_MAPPER, by);
    Ok(outermost)
}

/// What others have said about a loop that it is not itself.
fn discardable(ctx: &Context, op: Op) -> Vec<(String, terrace_ir::Attr)> {
    let Some(def) = op.def(ctx) else {
        return Vec::new();
    };
    let own = ["schedule.iv", "schedule.label"];
    let all = op.attrs(ctx).into_iter();
    let named = all.map(|(k, a)| (ctx.str(k).to_string(), a));
    named
        .filter(|(k, _)| !def.is_inherent(k) && !own.contains(&k.as_str()))
        .collect()
}
