//! `affine-chunk-parallel`: what threads share out is large chunks of loops, and what each
//! does with one is a loop.
//!
//! A thread gets a chunk of its own with a loop in it that other passes see: they keep values
//! in registers from one iteration to the next, and make vectors of several. A chunk is as
//! much work as it takes to hand it over; a loop with less is not shared out at all, since it
//! is one chunk. The dimensions of a parallel loop behind the first become loops as well.
//!
//! ```text
//! affine.parallel (%i) = (0) to (%n) {      affine.parallel (%c) = (0) to (%n ceildiv 1024) {
//!   use(%i)                                   affine.for %i = %c * 1024
//! }                                      =>               to min(%c * 1024 + 1024, %n) {
//!                                               use(%i)
//!                                             }
//!                                           }
//! ```

use crate::analysis::bounds::both;
use crate::analysis::ranges::Ranges;
use crate::loops::sequentialize::{ParallelNest, affine_in_order};
use crate::transform::affine_jam_reuse::wants_three;
use crate::transform::affine_tile_registers::would_be_tiled;
use terrace_dialects::affine::{Access, ForOp, ParallelOp, YieldOp};
use terrace_dialects::{func, scf};
use terrace_ir::affine::{AffineExpr, AffineMap};
use terrace_ir::pass::{
    OptionInfo, OptionKind, Pass, PassContext, PassInfo, PassResult, StatisticInfo,
};
use terrace_ir::{Builder, Context, InsertPoint, Op, OpKind};

pub static INFO: PassInfo = PassInfo {
    name: "affine-chunk-parallel",
    title: "AffineChunkParallel",
    summary: "Let threads share out chunks of parallel loops, and run loops over each",
    description: "Makes outermost affine.parallel ops loops over chunks of their first dimension with affine.for ops inside, and loops with too little work for two threads sequential.",
    anchor: Some(func::FuncOp::NAME),
    options: &[OptionInfo::new(
        "work",
        OptionKind::UInt,
        "65536",
        "Operations of a chunk",
    )],
    statistics: &[StatisticInfo::new(
        "num-loops",
        "Number of parallel loops that were cut into chunks",
    )],
    make: |o| {
        Ok(Box::new(ChunkParallel {
            work: o.uint("work"),
        }))
    },
};

/// Iterations of a chunk: whole vectors of all widths, and no more than caches hold.
const LEAST: u64 = 64;
const MOST: u64 = 16384;
/// Iterations of a chunk where sizes say how much work one is: so many share what they load.
const TOGETHER: u64 = 8;
/// Bytes of a chunk's elements, at least: so many lanes of the narrowest ones run side by side. Fewer
/// where it is not known that there are many chunks then.
const WIDE: u64 = 128;
const NARROW: u64 = 64;
const MANY: u64 = 256;
/// The same where three share, not four or two; vectors divide it, too.
const IN_THREES: u64 = 24;
/// The same where tiles of a product are made: so many rows use what is loaded for its columns. More
/// where there are many rows.
const IN_TILES: u64 = 64;
const MANY_IN_TILES: u64 = 128;
/// Registers for floats that loops are made for, as `affine-jam-reuse` has them.
const REGISTERS: u64 = 16;
/// Loops that are known to run less often are not cut up then.
const FEW: u64 = 64;

struct ChunkParallel {
    work: u64,
}

impl Pass for ChunkParallel {
    fn run(&mut self, ctx: &mut PassContext, op: Op) -> PassResult {
        let mut outer = op.find_all::<ParallelOp>(ctx);
        outer.retain(|p| {
            let p = p.op();
            p.parent_of::<ParallelOp>(ctx).is_none()
                && p.parent_of::<scf::ParallelOp>(ctx).is_none()
        });
        for p in outer {
            if self.cut(ctx, p).is_some() {
                ctx.count("num-loops", 1);
            }
        }
        Ok(())
    }
}

impl ChunkParallel {
    /// Cuts a loop into chunks; `None`, with nothing changed, where its iterations are chunks
    /// already.
    fn cut(&self, ctx: &mut Context, p: ParallelOp) -> Option<()> {
        let mut from = ParallelNest::of(ctx, p)?;
        // Where several begin it, no chunk is known to begin at an iteration but those of step 1.
        let (lower, _, step) = from.range(0);
        if lower.0.num_results() > 1 && step != 1 {
            return None;
        }
        let size = self.size(ctx, p, &from);
        if size.is_none() && from.depth() == 1 {
            return None;
        }
        let trips = trips(ctx, &from, 0);
        if let (Some(size), Some(trips)) = (size, trips)
            && trips <= size
        {
            affine_in_order(ctx, p)?;
            return Some(());
        }
        self.share_out(ctx, p, &mut from, size);
        Some(())
    }

    /// Iterations of the first dimension that make up a chunk; `None` for one.
    fn size(&self, ctx: &Context, p: ParallelOp, from: &ParallelNest) -> Option<u64> {
        let mut inner = (1..from.depth()).map(|dim| trips(ctx, from, dim));
        let work = work_of(ctx, p);
        let Some(work) = work.and_then(|w| inner.try_fold(w, |w, n| w.checked_mul(n?))) else {
            let loops = p.op().find_all::<ForOp>(ctx).len() + from.depth() > 1;
            let enough = trips(ctx, from, 0).is_none_or(|n| n >= FEW);
            let trips = trips(ctx, from, 0);
            return (loops && enough).then(|| together(ctx, p, trips));
        };
        let size = (self.work / work.max(1)).clamp(LEAST, MOST);
        let size = 1 << size.ilog2();
        match work.saturating_mul(size) < 4 * self.work {
            true => Some(size),
            false => {
                let enough = trips(ctx, from, 0).is_none_or(|n| n >= FEW);
                let trips = trips(ctx, from, 0);
                enough.then(|| together(ctx, p, trips))
            }
        }
    }

    /// A parallel loop over chunks of `size` iterations of the first dimension of `p`, or over
    /// that itself, with loops over the others inside.
    fn share_out(
        &self,
        ctx: &mut Context,
        p: ParallelOp,
        from: &mut ParallelNest,
        size: Option<u64>,
    ) {
        let (lower, upper, step) = from.range(0);
        let num_lower = lower.0.num_results();
        let bounds = both(ctx, (&lower.0, &lower.1), (&upper.0, &upper.1));
        let (begins, ends) = bounds.map.results().split_at(num_lower);
        let (origin, later) = (begins[0].clone(), &begins[1..]);
        let (dims, symbols) = (bounds.map.num_dims(), bounds.map.num_symbols());
        let span = size.and_then(|s| i64::try_from(s).ok()?.checked_mul(step));
        let (first, last, by) = match span {
            Some(span) => {
                let chunks = |e: &AffineExpr| e.clone() - origin.clone();
                let first = later.iter().map(|e| chunks(e).floor_div(span));
                let first = [AffineExpr::constant(0)].into_iter().chain(first);
                let last = ends.iter().map(|e| chunks(e).ceil_div(span));
                (first.collect(), last.collect(), 1)
            }
            None => (begins.to_vec(), ends.to_vec(), step),
        };
        let map = |e: Vec<AffineExpr>| [AffineMap::new(dims, symbols, e)];
        let (kinds, types) = (p.reductions(ctx), p.op().result_types(ctx));
        let mut b = Builder::before(ctx, p.op());
        let new = ParallelOp::build(
            &mut b,
            (&map(first), &bounds.operands),
            (&map(last), &bounds.operands),
            &[by],
            &kinds,
            &types,
            |_, _| Vec::new(),
        );
        let body = new.body(b.ctx);
        if let Some(end) = body.last_op(b.ctx) {
            end.erase(b.ctx);
        }
        let chunk = new.ivs(b.ctx)[0];
        b.at = InsertPoint::End(body);
        let starts = from.neutral(&mut b);
        let outermost = match span {
            Some(span) => {
                // The number of the chunk comes behind the other dimensions.
                let at = origin + AffineExpr::dim(dims) * span;
                let n = (dims as usize).min(bounds.operands.len());
                let (before, behind) = bounds.operands.split_at(n);
                let with = [before, &[chunk], behind].concat();
                let bound = |first: AffineExpr, rest: &[AffineExpr]| {
                    let all = [&[first], rest].concat();
                    (AffineMap::new(dims + 1, symbols, all), with.clone())
                };
                from.set_range(0, bound(at.clone(), later), bound(at + span, ends));
                0
            }
            None => {
                p.ivs(b.ctx)[0].replace_all_uses(b.ctx, chunk);
                1
            }
        };
        let loops = from.nest(&mut b, outermost, &starts, p);
        let results = loops[0].op().results(b.ctx);
        b.at = InsertPoint::End(body);
        b.op::<YieldOp>(&results, &[], &[]);
        let results = new.op().results(b.ctx);
        p.op().replace(b.ctx, &results);
    }
}

/// Iterations of a chunk that share what they load.
fn together(ctx: &Context, p: ParallelOp, trips: Option<u64>) -> u64 {
    if would_be_tiled(ctx, p.op(), p.ivs(ctx)[0]) {
        return match trips {
            Some(..=1024) => IN_TILES,
            _ => MANY_IN_TILES,
        };
    }
    let mut inner = p.op().find_all::<ForOp>(ctx);
    inner.retain(|l| l.op().parent(ctx) == Some(p.op()));
    let iv = p.ivs(ctx)[0];
    match inner
        .into_iter()
        .any(|l| wants_three(ctx, iv, l, REGISTERS))
    {
        true => IN_THREES,
        false => in_lanes(ctx, p, trips),
    }
}

/// Iterations of a chunk that may run side by side in lanes.
fn in_lanes(ctx: &Context, p: ParallelOp, trips: Option<u64>) -> u64 {
    let stored = Access::all(ctx, p.op()).into_iter();
    let elements = stored.filter_map(|a| a.memref.ty(ctx).element(ctx)?.bit_width(ctx));
    let Some(bits) = elements.filter(|bits| *bits >= 8).min() else {
        return TOGETHER;
    };
    let of = |bytes: u64| (8 * bytes / u64::from(bits)).max(TOGETHER);
    match trips.is_some_and(|n| n >= MANY * of(WIDE)) {
        true => of(WIDE),
        false => of(NARROW),
    }
}

/// How many iterations a dimension has at most, where that is a constant.
fn trips(ctx: &Context, from: &ParallelNest, dim: usize) -> Option<u64> {
    let (lower, upper, step) = from.range(dim);
    let [lower, upper] = [lower, upper].map(|(map, operands)| (map, &operands[..]));
    Ranges::default().most_steps(ctx, lower, upper, step)
}

/// Operations of one iteration at most; `None` where loops inside run as often as sizes say.
fn work_of(ctx: &Context, p: ParallelOp) -> Option<u64> {
    let (mut work, mut ranges) = (0u64, Ranges::default());
    for op in p.op().pre_order(ctx).into_iter().skip(1) {
        let mut times = 1u64;
        let mut next = op.parent(ctx);
        while let Some(around) = next.filter(|o| *o != p.op()) {
            if let Some(l) = around.cast::<ForOp>(ctx) {
                times = times.saturating_mul(ranges.most_trips(ctx, l)?);
            }
            next = around.parent(ctx);
        }
        let counts = op.regions(ctx).is_empty();
        let is_loop = op.isa::<scf::ForOp>(ctx) || op.isa::<scf::WhileOp>(ctx);
        if is_loop || op.isa::<func::CallOp>(ctx) {
            return None;
        }
        work = work.saturating_add(if counts { times } else { 0 });
    }
    Some(work)
}
