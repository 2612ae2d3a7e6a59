//! What a fusion costs in operations run, and what it saves in memory: which depth pays.

use crate::analysis::bounds::constant_trip_count;
use crate::analysis::memref_region::{Region, RegionOptions, ivs_around};
use crate::analysis::pair::reads_and_writes;
use crate::analysis::slice::{Slice, loops_around};
use rustc_hash::FxHashMap;
use terrace_dialects::affine::{Access, AccessKind, ForOp, IfOp};
use terrace_ir::{Context, Op, OpKind, Value};

/// The shape of a loop nest, by loops.
pub(super) struct Stats {
    children: FxHashMap<Op, Vec<Op>>,
    /// Ops in the body, its end included, without loops and conditions.
    ops: FxHashMap<Op, i64>,
    trips: FxHashMap<Op, i64>,
}

impl Stats {
    /// `None` where a trip count is no constant, or a loop is in something other than a
    /// loop.
    pub fn of(ctx: &Context, root: ForOp) -> Option<Stats> {
        let mut s = Stats {
            children: FxHashMap::default(),
            ops: FxHashMap::default(),
            trips: FxHashMap::default(),
        };
        for l in root.op().find_all::<ForOp>(ctx) {
            if l != root {
                let parent = l.op().parent(ctx)?.cast::<ForOp>(ctx)?;
                s.children.entry(parent.op()).or_default().push(l.op());
            }
            let body = l.body(ctx).ops(ctx);
            let plain = body
                .iter()
                .filter(|o| !o.isa::<ForOp>(ctx) && !o.isa::<IfOp>(ctx));
            s.ops.insert(l.op(), i64::try_from(plain.count()).ok()?);
            let trips = constant_trip_count(ctx, l)?;
            s.trips.insert(l.op(), i64::try_from(trips).ok()?);
        }
        Some(s)
    }

    /// Ops run by a loop, given other trip counts for some loops and more ops in others.
    fn cost(&self, l: Op, trips: &FxHashMap<Op, i64>, more: &FxHashMap<Op, i64>) -> i64 {
        let mut ops = self.ops.get(&l).copied().unwrap_or(1) - 1;
        for child in self.children.get(&l).into_iter().flatten() {
            ops = ops.saturating_add(self.cost(*child, trips, more));
        }
        ops = ops.saturating_add(more.get(&l).copied().unwrap_or(0));
        let own = || self.trips.get(&l).copied().unwrap_or(1);
        trips
            .get(&l)
            .copied()
            .unwrap_or_else(own)
            .saturating_mul(ops)
    }

    /// Ops run by a nest as it is.
    pub fn total(&self, root: ForOp) -> i64 {
        let none = FxHashMap::default();
        self.cost(root.op(), &none, &none)
    }
}

/// Ops run by the fused nest; `None` where a loop of the slice has no constant number
/// of iterations.
fn fused_cost(
    ctx: &Context,
    (source, source_stats): (ForOp, &Stats),
    (destination, destination_stats): (ForOp, &Stats),
    slice: &Slice,
) -> Option<i64> {
    let mut trips: FxHashMap<Op, i64> = FxHashMap::default();
    let mut count: i64 = 1;
    for (l, n) in slice.trip_counts(ctx)? {
        let n = i64::try_from(n).ok()?;
        count = count.saturating_mul(n);
        trips.insert(l.op(), n);
    }
    let mut more: FxHashMap<Op, i64> = FxHashMap::default();
    let parent = slice.before.parent(ctx)?;
    if count == 1 {
        // What is stored will be forwarded: the stores go, and the loads of the same.
        let stores = reads_and_writes(ctx, source.op());
        let stores: Vec<&Access> = stores
            .iter()
            .filter(|a| a.kind == AccessKind::Write)
            .collect();
        let mut memrefs: Vec<Value> = stores.iter().map(|a| a.memref).collect();
        memrefs.dedup();
        if !stores.is_empty() {
            more.insert(parent, -i64::try_from(stores.len()).ok()?);
        }
        let mut seen = Vec::new();
        for m in memrefs {
            if seen.contains(&m) {
                continue;
            }
            seen.push(m);
            for user in m.users(ctx) {
                let load = Access::of(ctx, user).is_some_and(|a| a.kind == AccessKind::Read);
                let inside = loops_around(ctx, user).iter().any(|l| l.op() == parent);
                if load
                    && inside
                    && let Some(p) = user.parent(ctx).filter(|p| p.isa::<ForOp>(ctx))
                {
                    *more.entry(p).or_insert(0) -= 1;
                }
            }
        }
    }
    let of_slice = source_stats.cost(source.op(), &trips, &more);
    more.insert(parent, of_slice);
    Some(destination_stats.cost(destination.op(), &FxHashMap::default(), &more))
}

/// The ops that the fused nest runs more than the two nests do, as a part of theirs.
pub(super) fn additional(
    ctx: &Context,
    source: ForOp,
    destination: ForOp,
    slice: &Slice,
) -> Option<f64> {
    let s = Stats::of(ctx, source)?;
    let d = Stats::of(ctx, destination)?;
    let fused = fused_cost(ctx, (source, &s), (destination, &d), slice)?;
    let apart = s.total(source) as f64 + d.total(destination) as f64;
    Some(fused as f64 / apart - 1.0)
}

/// The bytes of what an access touches in all iterations of its loops, those of a slice
/// bounded by that.
fn bytes_of(ctx: &Context, a: &Access, slice: Option<&Slice>) -> Option<i64> {
    let options = RegionOptions {
        depth: 0,
        within_memref: true,
        keep_divisions: false,
    };
    let region = match slice {
        None => Region::of(ctx, a, options)?,
        Some(s) => Region::of_slice(ctx, a, options, &s.operands, |set| {
            for v in &s.operands {
                set.add_value(ctx, *v)?;
            }
            set.add_slice(ctx, &s.ivs, &s.bounds, &s.operands)
        })?,
    };
    region.bytes(ctx)
}

/// The bytes that a nest touches in one iteration of the loops around it.
fn footprint(ctx: &Context, l: ForOp) -> Option<i64> {
    let options = RegionOptions {
        depth: ivs_around(ctx, l.op()).len(),
        within_memref: true,
        keep_divisions: false,
    };
    let mut regions: Vec<Region> = Vec::new();
    for a in reads_and_writes(ctx, l.op()) {
        let region = Region::of(ctx, &a, options)?;
        match regions.iter_mut().find(|r| r.memref == region.memref) {
            Some(r) => r.union_box(&region)?,
            None => regions.push(region),
        }
    }
    regions
        .iter()
        .try_fold(0i64, |sum, r| sum.checked_add(r.bytes(ctx)?))
}

/// The depth at which it pays most to fuse, counted from 1, out of those that have a
/// slice; `None` where it pays at none. `stores` are what the destination reads from;
/// for siblings, the load that both have. `tolerance` is the part of additional ops that
/// is put up with.
pub(super) fn best_depth(
    ctx: &Context,
    source: ForOp,
    stores: &[Access],
    destination: ForOp,
    slices: &[Option<Slice>],
    tolerance: f64,
) -> Option<usize> {
    let deepest = slices.iter().rposition(Option::is_some)?;
    Stats::of(ctx, source)?;
    Stats::of(ctx, destination)?;
    let [store] = stores else {
        // No model for several stores: at the greatest depth, if it costs little.
        let more = additional(ctx, source, destination, slices[deepest].as_ref()?)?;
        return (more <= tolerance).then_some(deepest + 1);
    };
    let whole = bytes_of(ctx, store, None)?;
    let mut best: Option<(f64, usize, i64)> = None;
    for (i, slice) in slices.iter().enumerate().take(deepest + 1).rev() {
        let Some(slice) = slice else { continue };
        let Some(more) = additional(ctx, source, destination, slice) else {
            continue;
        };
        let Some(part) = bytes_of(ctx, store, Some(slice)).filter(|b| *b != 0) else {
            continue;
        };
        let reduction = whole as f64 / part as f64;
        if more <= tolerance && reduction > best.map_or(0.0, |b| b.0) {
            best = Some((reduction, i + 1, part));
        }
    }
    let (_, depth, part) = best?;
    let (a, b) = (footprint(ctx, source)?, footprint(ctx, destination)?);
    let fused = b.checked_add(part)?;
    (fused <= a.checked_add(b)?).then_some(depth)
}
