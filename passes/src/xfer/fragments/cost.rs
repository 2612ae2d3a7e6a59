//! What a function with kernels and transfers takes, roughly, to compare two versions of
//! it.
//!
//! - A copy takes [`COPY`] and its bytes at the rate of [`GpuModel::transfer`]; one that
//!   depends on flags takes that where they are stale on the way that is followed: every
//!   loop runs, the first iteration and the second, which stands for all others.
//! - A launch takes [`GpuModel::launch`], and in a kernel of one thread operations run at
//!   [`GpuModel::thread_rate`], which is that of a chain of them: about half of what a
//!   loop does is in the chain. What other kernels do is the same in all versions.
//! - The host runs its statements at [`CpuModel::chain`].
//! - A loop whose number of iterations is not known, and a dimension of an array of which
//!   the size is not, count [`COMMON`] or [`LARGE`]; a loop to the counter of another half
//!   of that. Each branch of a condition counts half.
//!
//! Operations are those of [`weight`]: arithmetic on floats 1, a division or root 8, a
//! load or store a quarter, since those of several iterations are on their way at once.

use super::super::arrays::{Arrays, Side, is_on_device};
use crate::analysis::work::weight;
use terrace_dialects::{affine, gpu, scf, xfer};
use terrace_dialects::{arith, memref};
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Block, Context, Op, Type, Value};
use terrace_machine::CORES;
use terrace_support::estimate::{CpuModel, GpuModel};

/// Seconds of a copy of no bytes: it waits for the kernels before it.
const COPY: f64 = 10e-6;

/// What numbers are taken to be that only the run knows.
const COMMON: f64 = 1000.0;

/// The same, for what must not take much longer.
const LARGE: f64 = 4000.0;

/// What a load or store weighs beside an addition.
const ACCESS: f64 = 0.25;

/// The share of a thread's operations that wait for the one before.
const CHAINED: f64 = 0.5;

/// How deep loops are followed.
const MAX_DEPTH: usize = 64;

/// How deep they are followed through two iterations each.
const MAX_TWICE: usize = 6;

/// How long a run takes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::xfer) struct Seconds {
    /// With [`COMMON`] for what only the run knows.
    pub common: f64,
    /// With [`LARGE`].
    pub large: f64,
}

/// What a run of `function` takes, apart from what its parallel kernels do.
pub(super) fn seconds(ctx: &Context, function: Op) -> Seconds {
    let blocks = function.region(ctx, 0).blocks(ctx);
    of_both(|unknown| {
        let mut c = Coster::new(ctx, function, unknown);
        let blocks = blocks.iter().map(|b| c.block(*b, 0));
        blocks.fold(Cost::default(), Cost::plus).all
    })
}

/// For each of the ops `at` of the entry block of `function`, what it takes to copy
/// arrays again: from the second iteration on of the loops in it.
pub(in crate::xfer) fn copied_again(ctx: &Context, function: Op, at: &[Op]) -> Vec<Seconds> {
    let entry = function.body(ctx, 0);
    let of = |unknown: f64| -> Vec<f64> {
        let mut c = Coster::new(ctx, function, unknown);
        let mut out = vec![0.0; at.len()];
        for op in entry.ops(ctx) {
            let cost = c.op(op, 0);
            if let Some(k) = at.iter().position(|o| *o == op) {
                out[k] = cost.again;
            }
        }
        out
    };
    let both = of(COMMON).into_iter().zip(of(LARGE));
    both.map(|(common, large)| Seconds { common, large })
        .collect()
}

/// What the host needs for the loops of `scf.parallel` in `op`, all its units at work.
pub(in crate::xfer) fn parallel_on_host(ctx: &Context, function: Op, op: Op) -> Seconds {
    of_both(|unknown| Coster::new(ctx, function, unknown).parallel(op, 0))
}

fn of_both(f: impl Fn(f64) -> f64) -> Seconds {
    Seconds {
        common: f(COMMON),
        large: f(LARGE),
    }
}

/// Seconds.
#[derive(Debug, Clone, Copy, Default)]
struct Cost {
    all: f64,
    /// Of it, copies.
    copies: f64,
    /// Of these, in other than the first iterations of loops.
    again: f64,
}

impl Cost {
    fn of(all: f64) -> Cost {
        Cost {
            all,
            ..Cost::default()
        }
    }

    fn copy(all: f64) -> Cost {
        Cost {
            all,
            copies: all,
            again: 0.0,
        }
    }

    fn plus(self, o: Cost) -> Cost {
        Cost {
            all: self.all + o.all,
            copies: self.copies + o.copies,
            again: self.again + o.again,
        }
    }

    fn times(self, n: f64) -> Cost {
        Cost {
            all: n * self.all,
            copies: n * self.copies,
            again: n * self.again,
        }
    }
}

/// Where an array is valid.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Valid {
    host: bool,
    device: bool,
}

struct Coster<'c> {
    ctx: &'c Context,
    unknown: f64,
    gpu: GpuModel,
    cpu: CpuModel,
    arrays: Arrays,
    /// Of each array, on the way that the walk goes: loops run, and so do tests with
    /// nothing else.
    valid: Vec<Valid>,
}

impl Coster<'_> {
    fn new(ctx: &Context, function: Op, unknown: f64) -> Coster<'_> {
        let arrays = Arrays::of(ctx, function);
        Coster {
            ctx,
            unknown,
            gpu: GpuModel::default(),
            cpu: CpuModel::of(CORES.in_a_second()),
            valid: vec![Valid::default(); arrays.list.len()],
            arrays,
        }
    }

    /// What the ops of a block of the host take.
    fn block(&mut self, block: Block, depth: usize) -> Cost {
        if depth > MAX_DEPTH {
            return Cost::default();
        }
        let ops = block.ops(self.ctx).into_iter();
        ops.map(|op| self.op(op, depth))
            .fold(Cost::default(), Cost::plus)
    }

    fn op(&mut self, op: Op, depth: usize) -> Cost {
        let ctx = self.ctx;
        if let Some(e) = op.cast::<xfer::EnsureOp>(ctx) {
            return self.ensure(e);
        }
        if op.isa::<xfer::MarkWrittenOp>(ctx) || op.isa::<xfer::AssertValidOp>(ctx) {
            return Cost::default();
        }
        let is_launch = op.isa::<gpu::LaunchOp>(ctx) || op.isa::<gpu::LaunchFuncOp>(ctx);
        if op.num_regions(ctx) > 0 && !is_launch {
            return self.regions(op, depth);
        }
        for (k, t) in self.arrays.touched_by(ctx, op) {
            let v = &mut self.valid[k];
            if t.create {
                *v = Valid {
                    host: true,
                    device: false,
                };
            }
            v.host |= t.discard;
            v.device |= t.discard;
            if t.host_write {
                v.device = false;
            }
            if t.device_write {
                v.host = false;
            }
        }
        if let Some(c) = op.cast::<xfer::CopyOp>(ctx) {
            if is_on_device(ctx, c) {
                return Cost::of(self.gpu.launch);
            }
            let ends = [c.src(ctx), c.dst(ctx)];
            let k = self
                .arrays
                .list
                .iter()
                .position(|a| ends.contains(&a.mirror));
            if let Some(k) = k {
                self.valid[k] = Valid {
                    host: true,
                    device: true,
                };
            }
            return Cost::copy(self.copy(c.src(ctx).ty(ctx)));
        }
        if let Some(l) = op.cast::<gpu::LaunchOp>(ctx) {
            let work = match is_one_thread(ctx, op) {
                true => CHAINED * self.work(l.body(ctx), depth + 1) / self.gpu.thread_rate,
                false => 0.0,
            };
            return Cost::of(self.gpu.launch + work);
        }
        if is_launch {
            return Cost::of(self.gpu.launch);
        }
        Cost::of(self.weight(op) / self.cpu.chain)
    }

    fn ensure(&mut self, e: xfer::EnsureOp) -> Cost {
        let ctx = self.ctx;
        let k = self
            .arrays
            .list
            .iter()
            .position(|a| a.mirror == e.mirror(ctx));
        let Some(v) = k.map(|k| &mut self.valid[k]) else {
            return Cost::default();
        };
        let stale = e.sides(ctx).iter().any(|s| match s {
            Side::Host => !v.host,
            Side::Device => !v.device,
        });
        if !stale {
            return Cost::default();
        }
        *v = Valid {
            host: true,
            device: true,
        };
        Cost::copy(self.copy(e.mirror(ctx).ty(ctx)))
    }

    fn regions(&mut self, op: Op, depth: usize) -> Cost {
        let ctx = self.ctx;
        let regions: Vec<Vec<Block>> = op.regions(ctx).iter().map(|r| r.blocks(ctx)).collect();
        let mut once = |blocks: &[Block]| {
            let costs = blocks.iter().map(|b| self.block(*b, depth + 1));
            costs.fold(Cost::default(), Cost::plus)
        };
        if is_condition(ctx, op) {
            let moves_only = |blocks: &Vec<Block>| {
                let mut ops = blocks.iter().flat_map(|b| b.ops(ctx));
                ops.all(|o| o.dialect(ctx) == "xfer" || o.isa::<scf::YieldOp>(ctx))
            };
            // The way around a loop that may not run is not one that is taken.
            let taken: Vec<&Vec<Block>> = regions.iter().filter(|r| !moves_only(r)).collect();
            let share = 1.0 / taken.len().max(1) as f64;
            let costs = taken.into_iter().map(|r| once(r).times(share));
            return costs.fold(Cost::default(), Cost::plus);
        }
        let all: Vec<Block> = regions.concat();
        let first = once(&all);
        let times = self.times(op);
        if times <= 1.0 {
            return first.times(times);
        }
        // From the second on an iteration finds what the one before left. Deep inside, it
        // is taken to be the same as the first.
        let next = match depth < MAX_TWICE {
            true => {
                let costs = all.iter().map(|b| self.block(*b, depth + 1));
                costs.fold(Cost::default(), Cost::plus)
            }
            false => first,
        };
        let rest = next.times(times - 1.0);
        Cost {
            all: first.all + rest.all,
            copies: first.copies + rest.copies,
            again: first.again + rest.copies,
        }
    }

    /// What the parallel loops in `op` take on a host whose units are all at work.
    fn parallel(&self, op: Op, depth: usize) -> f64 {
        let ctx = self.ctx;
        if depth > MAX_DEPTH {
            return 0.0;
        }
        let blocks = op.blocks(ctx).into_iter();
        if op.isa::<scf::ParallelOp>(ctx) {
            let work: f64 = blocks.map(|b| self.work(b, depth + 1)).sum();
            return self.times(op) * work / self.cpu.rate;
        }
        let ops = blocks.flat_map(|b| b.ops(ctx));
        let inside = ops.filter(|o| o.num_regions(ctx) > 0);
        self.times(op) * inside.map(|o| self.parallel(o, depth + 1)).sum::<f64>()
    }

    /// The operations that one thread does for a block.
    fn work(&self, block: Block, depth: usize) -> f64 {
        let ctx = self.ctx;
        if depth > MAX_DEPTH {
            return 0.0;
        }
        let mut sum = 0.0;
        for op in block.ops(ctx) {
            sum += match op.num_regions(ctx) {
                0 => self.weight(op),
                _ => {
                    let blocks = op.blocks(ctx).into_iter();
                    self.times(op) * blocks.map(|b| self.work(b, depth + 1)).sum::<f64>()
                }
            };
        }
        sum
    }

    fn weight(&self, op: Op) -> f64 {
        match op.name(self.ctx) {
            memref::LoadOp::NAME | memref::StoreOp::NAME => ACCESS,
            _ => weight(self.ctx, op),
        }
    }

    /// How often each region of `op` runs.
    fn times(&self, op: Op) -> f64 {
        let ctx = self.ctx;
        if let Some(l) = op.cast::<scf::ForOp>(ctx) {
            let known = l.trip_count(ctx).map(|n| n as f64);
            let to_counter =
                is_counter(ctx, l.upper_bound(ctx)) || is_counter(ctx, l.lower_bound(ctx));
            return known.unwrap_or(match to_counter {
                true => 0.5 * self.unknown,
                false => self.unknown,
            });
        }
        if let Some(l) = op.cast::<affine::ForOp>(ctx) {
            let known = l.constant_trip_count(ctx).map(|n| n as f64);
            return known.unwrap_or(self.unknown);
        }
        if op.isa::<scf::WhileOp>(ctx) {
            return self.unknown;
        }
        if let Some(p) = op.cast::<scf::ParallelOp>(ctx) {
            let bounds = p.lower_bounds(ctx).into_iter().zip(p.upper_bounds(ctx));
            let steps = p.steps(ctx).into_iter();
            return bounds.zip(steps).map(|(b, s)| self.trips(b, s)).product();
        }
        let branches = op.regions(ctx).iter().filter(|r| !r.is_empty(ctx)).count();
        1.0 / branches.max(1) as f64
    }

    /// How many iterations of a dimension of a parallel loop there are.
    fn trips(&self, (lower, upper): (Value, Value), step: Value) -> f64 {
        let ctx = self.ctx;
        let known = |v| ctx.constant_int(v).map(|n| n as f64);
        match (known(lower), known(upper), known(step)) {
            (Some(l), Some(u), Some(s)) if s > 0.0 => ((u - l) / s).max(0.0).ceil(),
            _ if is_counter(ctx, upper) || is_counter(ctx, lower) => 0.5 * self.unknown,
            _ => self.unknown,
        }
    }

    fn copy(&self, ty: Type) -> f64 {
        let ctx = self.ctx;
        let bits = ty.element(ctx).and_then(|e| e.bit_width(ctx)).unwrap_or(64);
        let sizes = ty.shape(ctx).map(|s| s.to_vec()).unwrap_or_default();
        let elements: f64 = sizes
            .into_iter()
            .map(|n| if n == DYNAMIC { self.unknown } else { n as f64 })
            .product();
        COPY + elements * f64::from(bits.div_ceil(8)) / self.gpu.transfer
    }
}

fn is_condition(ctx: &Context, op: Op) -> bool {
    op.isa::<scf::IfOp>(ctx) || op.isa::<scf::IndexSwitchOp>(ctx)
}

/// Whether a number is the counter of a loop of the host, or that and another number.
fn is_counter(ctx: &Context, v: Value) -> bool {
    let counter = |v: &Value| {
        let owner = v.arg_block().and_then(|b| b.parent_op(ctx));
        owner.is_some_and(|o| o.isa::<scf::ForOp>(ctx))
    };
    let sum = v
        .def_op()
        .filter(|o| matches!(o.name(ctx), arith::AddIOp::NAME | arith::SubIOp::NAME));
    counter(&v) || sum.is_some_and(|o| o.operands(ctx).iter().any(counter))
}

/// Whether a launch is of a single thread.
pub(super) fn is_one_thread(ctx: &Context, launch: Op) -> bool {
    let one = |v: &Value| ctx.constant_int(*v) == Some(1);
    let Some(l) = launch.cast::<gpu::LaunchOp>(ctx) else {
        return false;
    };
    l.grid_size(ctx).iter().all(one) && l.block_size(ctx).iter().all(one)
}
