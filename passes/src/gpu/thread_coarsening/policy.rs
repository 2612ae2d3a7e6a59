//! Which parallel loops are jammed, and by how much.

use rustc_hash::FxHashSet;
use terrace_dialects::math;
use terrace_dialects::memref;
use terrace_dialects::scf;
use terrace_ir::effects::is_pure;
use terrace_ir::{Context, Op, OpKind, Type, Value};

/// Registers of 32 bits that what the iterations carry may take.
const MAX_REGISTERS: i64 = 64;
/// Arithmetic per load from which on loads are worth sharing: with less the loop waits
/// for memory, and another mapping suits it.
const MIN_ARITHMETIC: usize = 2;
/// Ops of a loop's body, with functions counted as what they become: longer ones gain
/// nothing, and so many copies of all of them do not fit the instruction cache.
const MAX_OPS: usize = 40;
/// About what a function of `math` becomes.
const FUNCTION: usize = 20;

/// Threads of a block along the loop.
pub(super) const BLOCK: i64 = 512;
/// Iterations of a common loop at a time: so many loads are under way before the first is
/// waited for.
pub(super) const UNROLL: i64 = 8;
/// The same by way of workgroup memory. Of several blocks on a multiprocessor one computes
/// while another waits for a tile.
pub(super) const STAGED_BLOCK: i64 = 256;
/// The same where large blocks would leave multiprocessors without work, or where each thread
/// has one iteration since there are few.
pub(super) const SMALL_BLOCK: i64 = 128;
pub(super) const STAGED_UNROLL: i64 = 16;
/// Of the threads from which on several iterations that load from memory pay, the part from
/// which on they do by way of workgroup memory.
const STAGED_SHARE: i64 = 4;
/// Workgroup memory that every device lets a block have.
const SHARED_BYTES: i64 = 48 * 1024;
/// Iterations of a common loop that a block brings rows for, at most and at least: what
/// threads wait for at a tile's begin is the more the shorter tiles are.
const MAX_TILE: i64 = 1024;
const MIN_TILE: i64 = 512;

/// Iterations from which on a launch stages, where it takes so many threads of several
/// iterations each to load from memory.
pub(super) fn least_staged(plan: &Coarsening, least_threads: i64) -> i64 {
    let threads = (least_threads / STAGED_SHARE).max(1);
    plan.iterations.saturating_mul(threads)
}

/// What blocks of a size take: a multiprocessor does its blocks one after another, so it is as
/// many rounds as the one with most of them has, each of so much.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rounds {
    /// Iterations that one block has on each multiprocessor.
    pub iterations: i64,
    /// Time of a round in some unit.
    pub time: i64,
}

impl Rounds {
    /// A small block takes half as long, and a sixteenth more: it waits more often for tiles.
    pub fn of(block: i64, plan: &Coarsening, multiprocessors: i64) -> Rounds {
        let share = block * plan.iterations;
        Rounds {
            iterations: share.saturating_mul(multiprocessors),
            time: match block == SMALL_BLOCK {
                true => 17,
                false => 32,
            },
        }
    }

    /// Time of so many iterations.
    pub fn all(&self, trips: i64) -> i64 {
        let rounds = trips.saturating_add(self.iterations - 1) / self.iterations;
        rounds.saturating_mul(self.time)
    }
}

/// Iterations of a tile, of rows that take so many bytes for each; `None` where that does
/// not fit.
pub(super) fn tile(bytes: i64) -> Option<i64> {
    let mut tile = MAX_TILE;
    while tile.saturating_mul(bytes) > SHARED_BYTES {
        tile /= 2;
    }
    (tile >= MIN_TILE).then_some(tile)
}

/// A parallel loop to be jammed.
#[derive(Debug)]
pub(super) struct Coarsening {
    pub root: scf::ParallelOp,
    pub iv: Value,
    pub lower: Value,
    pub upper: Value,
    /// Iterations of a thread, at least two.
    pub iterations: i64,
    /// The loops in it that all iterations run over the same data.
    pub shared: Vec<scf::ForOp>,
}

/// The plan for `p`, with at most so many iterations a thread.
pub(super) fn plan(ctx: &Context, p: scf::ParallelOp, most: i64) -> Option<Coarsening> {
    let (&[iv], &[lower], &[upper], &[step]) = (
        &p.induction_vars(ctx)[..],
        &p.lower_bounds(ctx)[..],
        &p.upper_bounds(ctx)[..],
        &p.steps(ctx)[..],
    ) else {
        return None;
    };
    if p.op().num_results(ctx) != 0 || ctx.constant_int(step) != Some(1) {
        return None;
    }
    let cannot = |o: &Op| {
        *o != p.op() && (o.isa::<scf::ParallelOp>(ctx) || matches!(o.dialect(ctx), "gpu" | "nvgpu"))
    };
    if p.op().pre_order(ctx).iter().any(cannot) {
        return None;
    }
    let mut varying: FxHashSet<Value> = FxHashSet::default();
    varying.insert(iv);
    let mut shared = Vec::new();
    let mut carried = 0;
    for op in p.body(ctx).ops(ctx) {
        let l = op.cast::<scf::ForOp>(ctx);
        if let Some(l) = l.filter(|l| is_shared(ctx, *l, &varying)) {
            let types = l.init_args(ctx).into_iter().map(|v| v.ty(ctx));
            carried = types.map(|t| registers(ctx, t)).sum::<i64>().max(carried);
            shared.push(l);
        }
        note(ctx, op, &mut varying);
    }
    let mut iterations = most;
    while iterations > 1 && iterations * carried > MAX_REGISTERS {
        iterations /= 2;
    }
    (iterations > 1 && !shared.is_empty()).then_some(Coarsening {
        root: p,
        iv,
        lower,
        upper,
        iterations,
        shared,
    })
}

/// Put the results of `op` among the values that differ between iterations, if they may.
fn note(ctx: &Context, op: Op, varying: &mut FxHashSet<Value>) {
    let same = is_pure(ctx, op)
        && op.num_regions(ctx) == 0
        && !op.operands(ctx).iter().any(|v| varying.contains(v));
    if !same {
        varying.extend(op.results(ctx));
    }
}

/// Whether a loop loads the same elements in all iterations, and computes enough with them.
fn is_shared(ctx: &Context, l: scf::ForOp, varying: &FxHashSet<Value>) -> bool {
    let bounds = [l.lower_bound(ctx), l.upper_bound(ctx), l.step(ctx)];
    if bounds.iter().any(|v| varying.contains(v)) || l.is_unsigned(ctx) {
        return false;
    }
    let mut varying = varying.clone();
    varying.extend(l.iter_args(ctx));
    let mut ops = l.body(ctx).ops(ctx);
    ops.pop();
    let (mut loads, mut arithmetic, mut size) = (0, 0, 0);
    for op in ops {
        let differs = op.operands(ctx).iter().any(|v| varying.contains(v));
        if op.name(ctx) == memref::LoadOp::NAME {
            if differs {
                return false;
            }
            loads += 1;
            continue;
        }
        if !is_pure(ctx, op) || op.num_regions(ctx) > 0 {
            return false;
        }
        let is_float = op.results(ctx).iter().any(|v| v.ty(ctx).is_float(ctx));
        arithmetic += usize::from(differs && is_float);
        size += match op.name(ctx) {
            math::SqrtOp::NAME | math::RsqrtOp::NAME | math::AbsFOp::NAME | math::FmaOp::NAME => 1,
            _ if op.dialect(ctx) == "math" => FUNCTION,
            _ => 1,
        };
        note(ctx, op, &mut varying);
    }
    loads > 0 && arithmetic >= MIN_ARITHMETIC * loads && size <= MAX_OPS
}

fn registers(ctx: &Context, ty: Type) -> i64 {
    i64::from(ty.bit_width(ctx).unwrap_or(64).div_ceil(32).max(1))
}
