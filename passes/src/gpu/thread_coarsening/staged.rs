//! Several iterations of a parallel loop in one thread, what they load in common by way of
//! workgroup memory.
//!
//! ```text
//! gpu.launch {
//!   for all iterations of the thread: what stands in front of the common loop
//!   for each tile of the common loop {
//!     barrier; the block's threads bring the tile of each row; barrier
//!     for all iterations of the thread: the tile's iterations
//!   }
//!   for all iterations of the thread: what stands behind
//! }
//! ```
//!
//! All threads of a block meet at the barriers. So one whose iteration would lie behind the
//! last computes as the last one does, up to the end of the last common loop, and leaves out
//! what is behind that. Up to there nothing is stored.

use super::jam::{Bounds, each, fused, give, goes_by_ones, of_all, several};
use super::policy::{
    self, Coarsening, Rounds, SMALL_BLOCK, STAGED_BLOCK as LARGE_BLOCK, STAGED_UNROLL as UNROLL,
};
use super::wide::{Tile, Wide};
use super::work;
use crate::loops::build::index::*;
use rustc_hash::FxHashMap;
use terrace_dialects::arith::{CmpIOp, CmpIPredicate};
use terrace_dialects::attributes::{GPU_BLOCK, GPU_COARSENED, GPU_NOTE};
use terrace_dialects::{gpu, memref, scf};
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::effects::effects;
use terrace_ir::opdef::EffectKind;
use terrace_ir::{AttrData, Builder, Context, InsertPoint, Op, OpKind, Type, Value};

/// What is brought into workgroup memory.
pub(super) struct Staging {
    /// Loads of rows, of those common loops that have some.
    rows: FxHashMap<Op, Wide>,
    /// Rows of the loop with most, iterations of a tile, and what they are of.
    count: i64,
    tile: i64,
    element: Type,
}

/// What of the loop's rows can be brought into workgroup memory; `None` where nothing is, or
/// where threads without an iteration could not go along.
pub(super) fn staging(ctx: &Context, plan: &Coarsening) -> Option<Staging> {
    let ops = plan.root.body(ctx).ops(ctx);
    let last = ops.iter().rposition(|o| is_shared(plan, *o))?;
    let reads = |o: &Op| {
        let all = effects(ctx, *o);
        all.is_some_and(|all| all.iter().all(|e| e.kind == EffectKind::Read))
    };
    if !ops[..last].iter().all(reads) {
        return None;
    }
    let mut rows = FxHashMap::default();
    let (mut count, mut bytes, mut element) = (0, 0, None);
    for l in &plan.shared {
        let wide = Wide::of(ctx, *l, UNROLL).filter(|_| goes_by_ones(ctx, *l));
        let Some(wide) = wide else { continue };
        let all = wide.rows(ctx);
        let Some(load) = all.first() else { continue };
        let ty = load.result(ctx, 0).ty(ctx);
        if *element.get_or_insert(ty) != ty {
            continue;
        }
        count = count.max(all.len() as i64);
        bytes = wide.bytes;
        rows.insert(l.op(), wide);
    }
    Some(Staging {
        rows,
        count,
        tile: policy::tile(count.saturating_mul(bytes))?,
        element: element?,
    })
}

fn is_shared(plan: &Coarsening, op: Op) -> bool {
    plan.shared.iter().any(|l| l.op() == op)
}

/// Do what `plan` says in a launch where the program comes to at least so many threads; with
/// fewer the loop stays as it is, an iteration a thread. Whether something was done.
///
/// ```text
/// scf.parallel (%i) = ... {        scf.if %n >= least {
///   body(%i)                  =>     gpu.launch { ... }
/// }                                } else {
///                                    scf.parallel (%i) = ... { body(%i) }
///                                  }
/// ```
pub(super) fn stage(
    ctx: &mut Context,
    plan: &Coarsening,
    s: &Staging,
    least_threads: i64,
    multiprocessors: i64,
) -> bool {
    let rounds = |block| Rounds::of(block, plan, multiprocessors);
    let [small, large] = [SMALL_BLOCK, LARGE_BLOCK].map(rounds);
    let root = plan.root.op();
    let least = policy::least_staged(plan, least_threads);
    let bounds = [plan.lower, plan.upper].map(|v| ctx.constant_int(v));
    let known = match bounds {
        [Some(lower), Some(upper)] => Some(upper.saturating_sub(lower)),
        _ => None,
    };
    if known.is_some_and(|n| n < least) {
        return false;
    }
    let mut b = Builder::before(ctx, root);
    let trips = sub(&mut b, plan.upper, plan.lower);
    if let Some(n) = known {
        let block = match small.all(n) < large.all(n) {
            true => SMALL_BLOCK,
            false => LARGE_BLOCK,
        };
        launch(&mut b, plan, s, trips, block);
        root.erase(b.ctx);
        return true;
    }
    let least = constant(&mut b, least);
    let many = CmpIOp::build(&mut b, CmpIPredicate::Sge, trips, least);
    let (_, then, other) = scf::IfOp::build(&mut b, many, &[], true);
    b.with_point(InsertPoint::End(then), |b| {
        let [small, large] = [small, large].map(|r| {
            let rounds = div_up(b, trips, r.iterations);
            times(b, rounds, r.time)
        });
        let small = less(b, small, large);
        let (_, then, other) = scf::IfOp::build(b, small, &[], true);
        for (block, at) in [(SMALL_BLOCK, Some(then)), (LARGE_BLOCK, other)] {
            let Some(at) = at else { continue };
            b.with_point(InsertPoint::End(at), |b| {
                launch(b, plan, s, trips, block);
                scf::YieldOp::build(b, &[]);
            });
        }
        scf::YieldOp::build(b, &[]);
    });
    let Some(other) = other else { return true };
    root.move_to_end(b.ctx, other);
    let block = b.ctx.i64_array(&[SMALL_BLOCK, 1, 1]);
    let unit = b.ctx.attr(AttrData::Unit);
    root.set_attr(b.ctx, GPU_BLOCK, block);
    root.set_attr(b.ctx, GPU_COARSENED, unit);
    b.at = InsertPoint::End(other);
    scf::YieldOp::build(&mut b, &[]);
    true
}

/// The least number that times `n` is not less than `v`, of a `v` of at least zero.
fn div_up(b: &mut Builder, v: Value, n: i64) -> Value {
    let v = add_constant(b, v, n - 1);
    let n = constant(b, n);
    div(b, v, n)
}

/// The launch, of at least one iteration, in blocks of so many threads.
fn launch(b: &mut Builder, plan: &Coarsening, s: &Staging, trips: Value, threads: i64) {
    let of_block = threads * plan.iterations;
    let blocks = div_up(b, trips, of_block);
    let (one, size) = (constant(b, 1), constant(b, threads));
    let memory = gpu::workgroup_memref(b.ctx, &[s.count, s.tile], s.element);
    let (launch, entry) =
        gpu::LaunchOp::build(b, [blocks, one, one], [size, one, one], &[memory], &[]);
    let words = format!(
        "each thread runs {} iterations at once, and what all load is brought into shared \
         memory for {} iterations of the common loop at a time",
        plan.iterations, s.tile
    );
    let words = b.ctx.string_attr(&words);
    launch.op().set_attr(b.ctx, GPU_NOTE, words);
    let (block, thread) = (launch.block_ids(b.ctx)[0], launch.thread_ids(b.ctx)[0]);
    let memory = launch.workgroup_attributions(b.ctx)[0];
    b.with_point(InsertPoint::End(entry), |b| {
        // Neighbouring threads have neighbouring iterations.
        let first = times(b, block, of_block);
        let first = add(b, first, thread);
        let first = add(b, plan.lower, first);
        let own: Vec<Value> = (0..plan.iterations)
            .map(|k| add_constant(b, first, k * threads))
            .collect();
        work::note(b, plan);
        let place = ThreadPosition {
            thread,
            threads,
            memory,
        };
        body(b, plan, s, &own, &place);
        b.op::<gpu::TerminatorOp>(&[], &[], &[]);
    });
}

/// Where a thread is.
struct ThreadPosition {
    /// Its number in the block, and of how many.
    thread: Value,
    threads: i64,
    /// The block's workgroup memory.
    memory: Value,
}

/// What a thread does, whose iterations are `own`.
fn body(b: &mut Builder, plan: &Coarsening, s: &Staging, own: &[Value], place: &ThreadPosition) {
    let mut ops = plan.root.body(b.ctx).ops(b.ctx);
    ops.pop();
    let last = ops.iter().rposition(|o| is_shared(plan, *o)).unwrap_or(0);
    let end = add_constant(b, plan.upper, -1);
    let mut maps: Vec<IrMapping> = Vec::new();
    for i in own {
        let mut map = IrMapping::new();
        let inside = min(b, *i, end);
        map.map(plan.iv, inside);
        maps.push(map);
    }
    let (meeting, behind) = ops.split_at(last + 1);
    for op in meeting {
        let Some(l) = plan.shared.iter().find(|l| l.op() == *op) else {
            each(b, *op, &mut maps, true);
            continue;
        };
        match s.rows.get(op) {
            Some(wide) => tiled(b, *l, &mut maps, wide, s, place),
            None => fused(b, *l, &mut maps),
        }
    }
    // What threads without an iteration have loaded, another stores now.
    gpu::BarrierOp::build(b);
    for (i, map) in own.iter().zip(&mut maps) {
        map.map(plan.iv, *i);
        let exists = less(b, *i, plan.upper);
        let (_, then, _) = scf::IfOp::build(b, exists, &[], false);
        b.with_point(InsertPoint::End(then), |b| {
            for op in behind {
                let copy = clone_op(b.ctx, *op, map);
                b.insert(copy);
            }
            scf::YieldOp::build(b, &[]);
        });
    }
}

/// One loop that does iterations of all of them, in tiles; then what is left.
fn tiled(
    b: &mut Builder,
    l: scf::ForOp,
    maps: &mut [IrMapping],
    wide: &Wide,
    s: &Staging,
    place: &ThreadPosition,
) {
    let Some(Bounds { all, rest }) = Bounds::of(b, l, maps, UNROLL) else {
        return fused(b, l, maps);
    };
    let inits = l.init_args(b.ctx);
    let starts = of_all(maps, &inits);
    let (lower, upper, step) = all;
    let (zero, length) = (constant(b, 0), constant(b, s.tile));
    let tiles = scf::ForOp::build_with(b, (lower, upper, length), &starts, |b, begin, carried| {
        // The tile before this one is no longer read.
        gpu::BarrierOp::build(b);
        let left = sub(b, upper, begin);
        let here = min(b, left, length);
        bring(b, wide, maps, s.tile, place, (begin, here));
        gpu::BarrierOp::build(b);
        let wide = wide.in_tile(Tile {
            memory: place.memory,
            begin,
        });
        several(b, l, (zero, here, step), carried, maps, UNROLL, Some(&wide))
    });
    let results = tiles.op().results(b.ctx);
    let results = several(b, l, rest, &results, maps, 1, None);
    give(b.ctx, l, &results, maps);
}

/// Brings `here` elements of each row from `begin` on, at least one: neighbouring threads
/// bring neighbours. A tile has as many for each thread.
fn bring(
    b: &mut Builder,
    wide: &Wide,
    maps: &[IrMapping],
    tile: i64,
    place: &ThreadPosition,
    (begin, here): (Value, Value),
) {
    let Some(map) = maps.first() else { return };
    let last = add_constant(b, here, -1);
    let mut brought = Vec::new();
    for first in (0..tile).step_by(place.threads as usize) {
        // What is behind the last is the last again, so that all loads are under way at once.
        let at = add_constant(b, place.thread, first);
        let from = min(b, at, last);
        let from = add(b, begin, from);
        for (row, op) in wide.rows(b.ctx).into_iter().enumerate() {
            let operands = op.operands(b.ctx);
            let mut subscripts: Vec<Value> = operands.into_iter().map(|v| map.value(v)).collect();
            let array = subscripts.remove(0);
            subscripts.pop();
            subscripts.push(from);
            let element = memref::LoadOp::build(b, array, &subscripts);
            brought.push((row as i64, at, element));
        }
    }
    for (row, at, element) in brought {
        let row = constant(b, row);
        memref::StoreOp::build(b, element, place.memory, &[row, at]);
    }
}
