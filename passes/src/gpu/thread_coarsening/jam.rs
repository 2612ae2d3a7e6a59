//! Several iterations of a parallel loop in one thread, their common loops as one.

use super::policy::{BLOCK, Coarsening, UNROLL};
use super::wide::Wide;
use rustc_hash::FxHashMap;
use terrace_dialects::arith::{self, CmpIPredicate};
use terrace_dialects::attributes::{GPU_BLOCK, GPU_COARSENED, GPU_ROWS};
use terrace_dialects::scf;
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::effects::is_pure;
use terrace_ir::{AttrData, Builder, Context, InsertPoint, Op, OpKind, Value};

/// Do what `plan` says, where the program comes to at least so many threads.
///
/// ```text
/// scf.parallel (%i) = ... step (1) {      scf.parallel (%i) = ... step (2) {
///   body(%i)                        =>      scf.if %i + 1 < %n {
/// }                                           body(%i), body(%i + 1), jammed
///                                           } else {
///                                             scf.for %k = %i to %n { body(%k) }
///                                           }
///                                         }
/// ```
pub(super) fn jam(ctx: &mut Context, plan: &Coarsening, least_threads: i64) {
    let root = plan.root.op();
    let mut body = plan.root.body(ctx).ops(ctx);
    let Some(end) = body.pop() else { return };
    let block = ctx.i64_array(&[BLOCK, 1, 1]);
    root.set_attr(ctx, GPU_BLOCK, block);
    let (rows, unit) = (ctx.i64_attr(plan.iterations), ctx.attr(AttrData::Unit));
    root.set_attr(ctx, GPU_ROWS, rows);
    root.set_attr(ctx, GPU_COARSENED, unit);
    let mut b = Builder::before(ctx, root);
    let step = step(&mut b, plan, least_threads);
    root.set_operand(b.ctx, 2, step);

    b.at = InsertPoint::Before(end);
    let index = b.ctx.index();
    let next = b.value::<arith::AddIOp>(&[plan.iv, step], index, &[]);
    let stop = b.value::<arith::MinSIOp>(&[plan.upper, next], index, &[]);
    let ahead = arith::constant_index(&mut b, plan.iterations - 1);
    let last = b.value::<arith::AddIOp>(&[plan.iv, ahead], index, &[]);
    let full = arith::CmpIOp::build(&mut b, CmpIPredicate::Slt, last, stop);
    let (ways, all, some) = scf::IfOp::build(&mut b, full, &[], true);
    ways.op().set_attr(b.ctx, GPU_ROWS, rows);
    b.at = InsertPoint::End(all);
    copies(&mut b, plan, &body);
    scf::YieldOp::build(&mut b, &[]);
    if let Some(some) = some {
        b.at = InsertPoint::End(some);
        let one = arith::constant_index(&mut b, 1);
        scf::ForOp::build_with(&mut b, (plan.iv, stop, one), &[], |b, k, _| {
            let mut map = IrMapping::new();
            map.map(plan.iv, k);
            for op in &body {
                let copy = clone_op(b.ctx, *op, &mut map);
                b.insert(copy);
            }
            Vec::new()
        });
        scf::YieldOp::build(&mut b, &[]);
    }
    for op in body.iter().rev() {
        op.erase(b.ctx);
    }
}

/// The step of the loop, computed in front of it: one iteration a thread where there would
/// be too few threads.
fn step(b: &mut Builder, plan: &Coarsening, least_threads: i64) -> Value {
    let index = b.ctx.index();
    let trips = b.value::<arith::SubIOp>(&[plan.upper, plan.lower], index, &[]);
    let least = arith::constant_index(b, plan.iterations.saturating_mul(least_threads));
    let many = arith::CmpIOp::build(b, CmpIPredicate::Sge, trips, least);
    let several = arith::constant_index(b, plan.iterations);
    let one = arith::constant_index(b, 1);
    arith::SelectOp::build(b, many, several, one)
}

/// The iterations of one thread at the builder's place.
fn copies(b: &mut Builder, plan: &Coarsening, body: &[Op]) {
    let index = b.ctx.index();
    let mut maps = vec![IrMapping::new()];
    for k in 1..plan.iterations {
        let ahead = arith::constant_index(b, k);
        let iv = b.value::<arith::AddIOp>(&[plan.iv, ahead], index, &[]);
        let mut map = IrMapping::new();
        map.map(plan.iv, iv);
        maps.push(map);
    }
    for op in body {
        match plan.shared.iter().find(|l| l.op() == *op) {
            Some(l) => fused(b, *l, &mut maps),
            None => each(b, *op, &mut maps, is_pure(b.ctx, *op)),
        }
    }
}

/// One loop that does iterations of all of them: [`UNROLL`] at a time, then what is left.
pub(super) fn fused(b: &mut Builder, l: scf::ForOp, maps: &mut [IrMapping]) {
    let Some(Bounds { all, rest }) = Bounds::of(b, l, maps, UNROLL) else {
        return one_by_one(b, l, maps);
    };
    let inits = l.init_args(b.ctx);
    let starts = of_all(maps, &inits);
    let results = match Wide::of(b.ctx, l, UNROLL) {
        Some(wide) => either(b, l, all, &starts, maps, &wide),
        None => several(b, l, all, &starts, maps, UNROLL, None),
    };
    let results = several(b, l, rest, &results, maps, 1, None);
    give(b.ctx, l, &results, maps);
}

/// The loop for all of them, an iteration at a time.
fn one_by_one(b: &mut Builder, l: scf::ForOp, maps: &mut [IrMapping]) {
    let Some(first) = maps.first() else { return };
    let bounds = [l.lower_bound(b.ctx), l.upper_bound(b.ctx), l.step(b.ctx)];
    let [lower, upper, step] = bounds.map(|v| first.value(v));
    let inits = l.init_args(b.ctx);
    let starts = of_all(maps, &inits);
    let results = several(b, l, (lower, upper, step), &starts, maps, 1, None);
    give(b.ctx, l, &results, maps);
}

/// Lower bound, upper bound and step of the loop that goes several iterations at a time, and
/// of that over what is left.
pub(super) struct Bounds {
    pub all: (Value, Value, Value),
    pub rest: (Value, Value, Value),
}

impl Bounds {
    /// Those of a loop over indices by steps of one; no others are taken in parts.
    pub fn of(b: &mut Builder, l: scf::ForOp, maps: &[IrMapping], unroll: i64) -> Option<Bounds> {
        let first = maps.first().filter(|_| goes_by_ones(b.ctx, l))?;
        let bounds = [l.lower_bound(b.ctx), l.upper_bound(b.ctx), l.step(b.ctx)];
        let [lower, upper, step] = bounds.map(|v| first.value(v));
        let index = b.ctx.index();
        let count = b.value::<arith::SubIOp>(&[upper, lower], index, &[]);
        let zero = arith::constant_index(b, 0);
        let count = b.value::<arith::MaxSIOp>(&[count, zero], index, &[]);
        let unroll = arith::constant_index(b, unroll);
        let rest = b.value::<arith::RemUIOp>(&[count, unroll], index, &[]);
        let all = b.value::<arith::SubIOp>(&[count, rest], index, &[]);
        let middle = b.value::<arith::AddIOp>(&[lower, all], index, &[]);
        Some(Bounds {
            all: (lower, middle, unroll),
            rest: (middle, upper, step),
        })
    }
}

/// Whether a loop counts indices one by one.
pub(super) fn goes_by_ones(ctx: &Context, l: scf::ForOp) -> bool {
    let step = l.step(ctx);
    ctx.constant_int(step) == Some(1) && step.ty(ctx) == ctx.index()
}

/// The loop with loads for several iterations at once where these are aligned, or as it is.
fn either(
    b: &mut Builder,
    l: scf::ForOp,
    bounds: (Value, Value, Value),
    starts: &[Value],
    maps: &[IrMapping],
    wide: &Wide,
) -> Vec<Value> {
    let Some(first) = maps.first() else {
        return Vec::new();
    };
    let fits = wide.fits(b, bounds.0, |v| first.value(v));
    let types: Vec<_> = starts.iter().map(|v| v.ty(b.ctx)).collect();
    let (ways, then, other) = scf::IfOp::build(b, fits, &types, true);
    for (block, wide) in [(Some(then), Some(wide)), (other, None)] {
        let Some(block) = block else { continue };
        b.with_point(InsertPoint::End(block), |b| {
            let results = several(b, l, bounds, starts, maps, UNROLL, wide);
            scf::YieldOp::build(b, &results);
        });
    }
    ways.op().results(b.ctx)
}

/// A loop of `unroll` iterations at a time of `l`, of all of `maps`; what it gives. Loads of
/// `wide` are for several of the iterations; in a tile the bounds count from where it begins.
pub(super) fn several(
    b: &mut Builder,
    l: scf::ForOp,
    bounds: (Value, Value, Value),
    starts: &[Value],
    maps: &[IrMapping],
    unroll: i64,
    wide: Option<&Wide>,
) -> Vec<Value> {
    let index = b.ctx.index();
    let (args, iv) = (l.iter_args(b.ctx), l.induction_var(b.ctx));
    let yielded = l.yielded(b.ctx);
    let mut ops = l.body(b.ctx).ops(b.ctx);
    ops.pop();
    let op = scf::ForOp::build_with(b, bounds, starts, |b, counter, carried| {
        let mut carried = carried.to_vec();
        let mut loaded: FxHashMap<Op, Vec<Value>> = FxHashMap::default();
        for u in 0..unroll {
            let mut place = counter;
            if u > 0 {
                let ahead = arith::constant_index(b, u);
                place = b.value::<arith::AddIOp>(&[counter, ahead], index, &[]);
            }
            let at = match wide.and_then(Wide::begin) {
                Some(begin) => b.value::<arith::AddIOp>(&[begin, place], index, &[]),
                None => place,
            };
            let mut inside = maps.to_vec();
            for (k, map) in inside.iter_mut().enumerate() {
                map.map(iv, at);
                map.map_all(&args, &carried[k * args.len()..]);
            }
            for op in &ops {
                let Some(wide) = wide.filter(|w| w.has(*op)) else {
                    each(b, *op, &mut inside, true);
                    continue;
                };
                let lane = u % wide.lanes;
                if lane == 0 {
                    let of = |v| inside.first().map_or(v, |m| m.value(v));
                    let all = wide.load(b, *op, place, of);
                    loaded.insert(*op, all);
                }
                for map in &mut inside {
                    map.map(op.result(b.ctx, 0), loaded[op][lane as usize]);
                }
            }
            carried = of_all(&inside, &yielded);
        }
        carried
    });
    op.op().results(b.ctx)
}

/// What stands for `values` in each of the iterations.
pub(super) fn of_all(maps: &[IrMapping], values: &[Value]) -> Vec<Value> {
    let of = |m: &IrMapping| values.iter().map(|v| m.value(*v)).collect::<Vec<_>>();
    maps.iter().flat_map(of).collect()
}

/// Let `given` stand for the results of the loop.
pub(super) fn give(ctx: &Context, l: scf::ForOp, given: &[Value], maps: &mut [IrMapping]) {
    let results = l.op().results(ctx);
    for (k, map) in maps.iter_mut().enumerate() {
        map.map_all(&results, &given[k * results.len()..]);
    }
}

/// A copy of `op` for each iteration; where it `may_serve_all`, one for those for which it
/// is of the same values.
pub(super) fn each(b: &mut Builder, op: Op, maps: &mut [IrMapping], may_serve_all: bool) {
    for k in 0..maps.len() {
        let (before, here) = maps.split_at_mut(k);
        let Some(here) = here.first_mut() else { return };
        if let Some(before) = before
            .last()
            .filter(|_| may_serve_all && op.num_regions(b.ctx) == 0)
        {
            let same = |v: &Value| before.value(*v) == here.value(*v);
            if op.operands(b.ctx).iter().all(same) {
                for r in op.results(b.ctx) {
                    here.map(r, before.value(r));
                }
                continue;
            }
        }
        let copy = clone_op(b.ctx, op, here);
        b.insert(copy);
    }
}
