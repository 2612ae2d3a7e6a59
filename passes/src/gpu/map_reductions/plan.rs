//! Which loops can be done in tiles, and what of them is copied how.
//!
//! Legal because of two things. The iterations of the parallel loop may run in any order,
//! so that no other iteration writes what one reads. And what is copied ahead lies in
//! arrays that nothing in the parallel loop writes, at places that are known without
//! loading anything; or only the same iteration writes it, behind reading it.

use super::extent::most_trips;
use super::policy;
use super::stores::{Store, goes_through_tiles, waiting, way};
use crate::analysis::captured::is_inside;
use crate::analysis::memory::{base, may_be_same};
use crate::gpu::model::ahead::Tiles;
use rustc_hash::{FxHashMap, FxHashSet};
use terrace_dialects::{memref, scf};
use terrace_ir::effects::{effects, is_memory_effect_free, is_pure};
use terrace_ir::opdef::EffectKind;
use terrace_ir::{Block, Context, Op, OpKind, Type, Value};

/// How the elements lie that a loop loads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Way {
    /// Each thread's one after another: lanes copy along the loop's counter.
    Rows,
    /// Those of neighbouring threads one after another: lanes copy along the threads.
    Columns,
    /// The same for all threads.
    Vector,
}

/// A buffer for tiles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tile {
    pub way: Way,
    pub elem: Type,
    /// Of an element.
    pub bytes: i64,
}

/// Loads of one place that are served from a tile.
#[derive(Debug)]
pub(crate) struct Load {
    pub ops: Vec<Op>,
    pub memref: Value,
    pub at: Vec<Value>,
    /// The ops in the parallel loop that compute the subscripts, in their order.
    pub slice: Vec<Op>,
    pub way: Way,
    /// Which of the kernel's buffers.
    pub tile: usize,
}

/// An element that stays in a register while a loop runs.
#[derive(Debug)]
pub(crate) struct Kept {
    pub memref: Value,
    pub at: Vec<Value>,
    pub ty: Type,
    pub ops: Vec<Op>,
    pub written: bool,
}

/// A loop that is done in tiles.
#[derive(Debug)]
pub(crate) struct Tiled {
    pub op: scf::ForOp,
    pub lower: Value,
    pub upper: Value,
    /// The ops in the parallel loop that compute the bounds, where these differ from thread to
    /// thread.
    pub bounds: Option<Vec<Op>>,
    pub loads: Vec<Load>,
    pub kept: Vec<Kept>,
    pub stores: Vec<Store>,
    /// Whether a load is of what a store overwrites.
    pub in_place: bool,
    /// Ops of the body that only compute subscripts of what is copied.
    pub skipped: FxHashSet<Op>,
}

/// What stands in the body of the parallel loop.
#[derive(Debug)]
pub(crate) enum Item {
    /// Only computes: every thread does it.
    Pure(Op),
    /// Ops that only threads with an iteration do, and those of their results that are
    /// used behind them.
    Guarded(Vec<Op>, Vec<Value>),
    /// One of [`ReductionKernel::loops`].
    Loop(usize),
}

/// A parallel loop as a kernel.
#[derive(Debug)]
pub(crate) struct ReductionKernel {
    pub root: scf::ParallelOp,
    pub iv: Value,
    pub lower: Value,
    pub upper: Value,
    pub items: Vec<Item>,
    pub loops: Vec<Tiled>,
    pub pool: Vec<Tile>,
    /// Elements of the tiles for what is stored.
    pub stored: Vec<Type>,
    pub columns: i64,
    pub stages: i64,
}

impl ReductionKernel {
    /// The tiles, for the cost model.
    pub(crate) fn tiles(&self, ctx: &Context) -> Tiles {
        Tiles {
            columns: self.columns,
            stages: self.stages,
            shared_bytes: policy::shared_bytes(ctx, self),
        }
    }

    /// Whether something is loaded in this way, or stored along rows.
    pub(crate) fn has(&self, way: Way) -> bool {
        let mut loads = self.loops.iter().flat_map(|l| &l.loads);
        loads.any(|l| l.way == way) || (way == Way::Rows && self.stores())
    }

    /// Whether something is stored along rows.
    pub(crate) fn stores(&self) -> bool {
        self.loops.iter().any(|l| !l.stores.is_empty())
    }

    /// The most iterations of a loop, where they are known of all.
    pub(crate) fn longest(&self, ctx: &Context) -> Option<i64> {
        let trips = |l: &Tiled| {
            let (x, y) = (ctx.constant_int(l.lower)?, ctx.constant_int(l.upper)?);
            y.checked_sub(x)
        };
        let all: Option<Vec<i64>> = self.loops.iter().map(trips).collect();
        all?.into_iter().max()
    }
}

/// Ops that compute one subscript, at most.
const MAX_OPS: usize = 100;

/// The kernel for `p`, where one of its loops goes along rows or columns.
pub(crate) fn plan(ctx: &Context, p: scf::ParallelOp) -> Option<ReductionKernel> {
    let root = p.op();
    let ivs = p.induction_vars(ctx);
    let (&[iv], &[lower], &[upper], &[step]) = (
        &ivs[..],
        &p.lower_bounds(ctx)[..],
        &p.upper_bounds(ctx)[..],
        &p.steps(ctx)[..],
    ) else {
        return None;
    };
    if root.num_results(ctx) != 0 || ctx.constant_int(step) != Some(1) {
        return None;
    }
    let body = p.body(ctx);
    let around = Around::of(ctx, root, iv)?;
    let mut plan = ReductionKernel {
        root: p,
        iv,
        lower,
        upper,
        items: Vec::new(),
        loops: Vec::new(),
        pool: Vec::new(),
        stored: Vec::new(),
        columns: 0,
        stages: 0,
    };
    for op in body.ops(ctx) {
        if op.isa::<scf::ReduceOp>(ctx) {
            continue;
        }
        if let Some(l) = op.cast::<scf::ForOp>(ctx)
            && let Some(l) = around.tiled(ctx, l, &mut plan.pool, &mut plan.stored)
        {
            plan.items.push(Item::Loop(plan.loops.len()));
            plan.loops.push(l);
        } else if is_pure(ctx, op) || op.name(ctx) == memref::AllocaOp::NAME {
            plan.items.push(Item::Pure(op));
        } else if let Some(Item::Guarded(ops, _)) = plan.items.last_mut() {
            ops.push(op);
        } else {
            plan.items.push(Item::Guarded(vec![op], Vec::new()));
        }
    }
    if !plan.has(Way::Rows) && !plan.has(Way::Columns) {
        return None;
    }
    for item in &mut plan.items {
        let Item::Guarded(ops, out) = item else {
            continue;
        };
        let results: Vec<Value> = ops.iter().flat_map(|o| o.results(ctx)).collect();
        for v in results {
            let inside = |u: &Op| ops.iter().any(|o| o.is_ancestor_of(ctx, *u));
            if v.users(ctx).iter().all(inside) {
                continue;
            }
            ctx.zero_attr(v.ty(ctx))?;
            out.push(v);
        }
    }
    (plan.columns, plan.stages) = policy::sizes(ctx, &plan)?;
    Some(plan)
}

/// The parallel loop that something is in.
pub(super) struct Around {
    root: Op,
    pub iv: Value,
    /// The memory that it writes, each with the op.
    written: Vec<(Op, Value)>,
}

impl Around {
    /// `None` where it does more than a loop of one thread may.
    fn of(ctx: &Context, root: Op, iv: Value) -> Option<Around> {
        let mut written = Vec::new();
        for o in root.pre_order(ctx) {
            let nested = o != root && o.isa::<scf::ParallelOp>(ctx);
            if nested || matches!(o.dialect(ctx), "gpu" | "nvgpu") {
                return None;
            }
            if o.num_regions(ctx) > 0 {
                continue;
            }
            for e in effects(ctx, o)? {
                if matches!(e.kind, EffectKind::Write | EffectKind::Free) {
                    written.push((o, base(ctx, e.on?)));
                }
            }
        }
        Some(Around { root, iv, written })
    }

    /// Whether a value is defined in the parallel loop.
    pub fn inside(&self, ctx: &Context, v: Value) -> bool {
        is_inside(ctx, self.root, v)
    }

    /// `l` in tiles whose buffers are in `pool`.
    fn tiled(
        &self,
        ctx: &Context,
        l: scf::ForOp,
        pool: &mut Vec<Tile>,
        stored: &mut Vec<Type>,
    ) -> Option<Tiled> {
        let (lower, upper) = (l.lower_bound(ctx), l.upper_bound(ctx));
        if ctx.constant_int(l.step(ctx)) != Some(1)
            || lower.ty(ctx) != ctx.index()
            || l.is_unsigned(ctx)
        {
            return None;
        }
        let bounds = match self.inside(ctx, lower) || self.inside(ctx, upper) {
            true => {
                // Rows that have few elements each are few tiles, whichever elements these are.
                let few = |n: i64| n < policy::MIN_STEPS;
                if most_trips(ctx, lower, upper).is_some_and(few) {
                    return None;
                }
                Some(self.slice(ctx, &[lower, upper], l.induction_var(ctx))?.0)
            }
            false => None,
        };
        let body = l.body(ctx);
        let mut ops = body.ops(ctx);
        ops.pop()?;
        let mut outs = stored.clone();
        let stores = waiting(ctx, self, l, &ops, &mut outs);
        let kept = kept(ctx, l, &ops, &stores)?;
        let mut in_place = false;
        let mut loads: Vec<Load> = Vec::new();
        for op in &ops {
            if op.name(ctx) == memref::LoadOp::NAME {
                if kept.iter().any(|k| k.ops.contains(op)) {
                    continue;
                }
                let (memref, at) = access(ctx, *op)?;
                if let Some(l) = loads.iter_mut().find(|x| x.memref == memref && x.at == at) {
                    l.ops.push(*op);
                    continue;
                }
                let from = base(ctx, memref);
                let mut writers = (self.written.iter()).filter(|w| may_be_same(ctx, w.1, from));
                let own =
                    |s: &Store, w: &(Op, Value)| s.op == w.0 && s.memref == memref && s.at == at;
                if !writers.all(|w| stores.iter().any(|s| own(s, w))) {
                    return None;
                }
                let overwritten = stores.iter().any(|s| s.memref == memref && s.at == at);
                if overwritten && self.load(ctx, l, *op, memref, at.clone()).is_none() {
                    return None;
                }
                in_place |= overwritten;
                let load = self.load(ctx, l, *op, memref, at);
                // Where rows differ, some iterations of a tile may be none of any row.
                if let Some(load) = load.filter(|l| bounds.is_none() || l.way != Way::Vector) {
                    loads.push(load);
                }
            } else if op.name(ctx) == memref::StoreOp::NAME {
                let stays = kept.iter().any(|k| k.ops.contains(op));
                if !stays && !stores.iter().any(|s| s.op == *op) {
                    return None;
                }
            } else if !is_pure(ctx, *op) || op.num_regions(ctx) > 0 {
                return None;
            }
        }
        let along = |w: Way| loads.iter().any(|l| l.way == w);
        if !along(Way::Rows) && !along(Way::Columns) && stores.is_empty() {
            return None;
        }
        *stored = outs;
        let mut used: FxHashSet<usize> = FxHashSet::default();
        for l in &mut loads {
            let elem = l.memref.ty(ctx).element(ctx)?;
            let tile = Tile {
                way: l.way,
                elem,
                bytes: i64::from(elem.bit_width(ctx)? / 8),
            };
            let free = (0..pool.len()).find(|t| pool[*t] == tile && !used.contains(t));
            l.tile = free.unwrap_or_else(|| {
                pool.push(tile);
                pool.len() - 1
            });
            used.insert(l.tile);
        }
        let skipped = skipped(ctx, &ops, &loads);
        Some(Tiled {
            op: l,
            lower,
            upper,
            bounds,
            loads,
            kept,
            stores,
            in_place,
            skipped,
        })
    }

    /// A load whose elements can be copied ahead.
    fn load(
        &self,
        ctx: &Context,
        l: scf::ForOp,
        op: Op,
        memref: Value,
        at: Vec<Value>,
    ) -> Option<Load> {
        if !goes_through_tiles(ctx, self, memref)? {
            return None;
        }
        let j = l.induction_var(ctx);
        let (slice, of_thread) = self.slice(ctx, &at, j)?;
        let way = way(ctx, self, &at, j, of_thread)?;
        Some(Load {
            ops: vec![op],
            memref,
            at,
            slice,
            way,
            tile: 0,
        })
    }

    /// The ops of the parallel loop that compute `values`, and whether the number of the
    /// thread's iteration is among what they use. `None` where that is more than
    /// arithmetic with the counters.
    pub fn slice(&self, ctx: &Context, values: &[Value], j: Value) -> Option<(Vec<Op>, bool)> {
        let mut order: Vec<Op> = Vec::new();
        let mut seen: FxHashSet<Op> = FxHashSet::default();
        let mut of_thread = false;
        let mut work: Vec<(Value, bool)> = values.iter().map(|v| (*v, false)).collect();
        while let Some((v, ready)) = work.pop() {
            if v == self.iv {
                of_thread = true;
                continue;
            }
            if v == j || !self.inside(ctx, v) {
                continue;
            }
            let op = v.def_op()?;
            if ready {
                order.push(op);
                continue;
            }
            if !seen.insert(op) {
                continue;
            }
            if !is_pure(ctx, op) || op.num_regions(ctx) > 0 || seen.len() > MAX_OPS {
                return None;
            }
            work.push((v, true));
            work.extend(op.operands(ctx).into_iter().map(|o| (o, false)));
        }
        Some((order, of_thread))
    }
}

pub(super) fn access(ctx: &Context, op: Op) -> Option<(Value, Vec<Value>)> {
    let v = op.operands(ctx);
    match (op.name(ctx), &v[..]) {
        (memref::LoadOp::NAME, [m, at @ ..]) | (memref::StoreOp::NAME, [_, m, at @ ..]) => {
            Some((*m, at.to_vec()))
        }
        _ => None,
    }
}

/// The elements that do not change place in a loop with these ops; `None` where one is
/// written that others may be the same as, or that does change place.
fn kept(ctx: &Context, l: scf::ForOp, ops: &[Op], stores: &[Store]) -> Option<Vec<Kept>> {
    let outside = |v: &Value| !is_inside(ctx, l.op(), *v);
    let mut list: Vec<Kept> = Vec::new();
    let mut places: FxHashMap<Value, Vec<Vec<Value>>> = FxHashMap::default();
    for op in ops {
        let Some((memref, at)) = access(ctx, *op) else {
            continue;
        };
        let written = op.isa::<memref::StoreOp>(ctx);
        let still = outside(&memref) && at.iter().all(outside);
        places.entry(memref).or_default().push(at.clone());
        if !still {
            if written && !stores.iter().any(|s| s.op == *op) {
                return None;
            }
            continue;
        }
        match list.iter_mut().find(|k| k.memref == memref && k.at == at) {
            Some(k) => {
                k.ops.push(*op);
                k.written |= written;
            }
            None => {
                let ty = memref.ty(ctx).element(ctx)?;
                ctx.zero_attr(ty)?;
                list.push(Kept {
                    memref,
                    at,
                    ty,
                    ops: vec![*op],
                    written,
                });
            }
        }
    }
    // What is written must be apart from everything else.
    for k in list.iter().filter(|k| k.written) {
        let own = base(ctx, k.memref);
        for (memref, all) in &places {
            let same = *memref == k.memref && all.iter().all(|at| *at == k.at);
            if !same && may_be_same(ctx, own, base(ctx, *memref)) {
                return None;
            }
        }
    }
    Some(list)
}

/// The ops that nothing but subscripts of copied loads use.
fn skipped(ctx: &Context, ops: &[Op], loads: &[Load]) -> FxHashSet<Op> {
    let copied: FxHashSet<Op> = loads.iter().flat_map(|l| l.ops.iter().copied()).collect();
    let mut skipped: FxHashSet<Op> = FxHashSet::default();
    for op in ops.iter().rev() {
        let gone = |u: &Op| copied.contains(u) || skipped.contains(u);
        let users: Vec<Op> = op.results(ctx).iter().flat_map(|r| r.users(ctx)).collect();
        if is_memory_effect_free(ctx, *op) && users.iter().all(gone) {
            skipped.insert(*op);
        }
    }
    skipped
}

/// The body of a loop that is done in tiles.
pub(super) fn body(ctx: &Context, l: &Tiled) -> Block {
    l.op.body(ctx)
}
