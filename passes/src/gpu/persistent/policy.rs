//! What one kernel gains, in nanoseconds, from sizes that the host knows.
//!
//! - In place of a launch comes a barrier: [`LAUNCH`] less [`BARRIER`] or [`GRID_BARRIER`].
//! - Of one block, one multiprocessor does what many did: [`BYTES`] a nanosecond, and [`OPS`]
//!   operations.
//! - Of many blocks all multiprocessors do it, each group of threads some blocks of a launch one
//!   behind the other, which takes [`IN_TURNS`] of that time more. Where a thread goes through a
//!   loop that stores and loads, launches stay: Gram-Schmidt of 1000 x 1200 from C took 126 ms for 93
//!   on an H200. By its code the reason is that an array which one kernel writes in one step and
//!   reads in another is loaded in its order with the stores, so that one access waits for the
//!   other, where a launch that only reads the array says so (`ld.global.nc`).
//!
//! Accesses whose last subscript depends on the thread along x are taken to be one after
//! another, others that depend on it a sector each, the rest the same for all. Counters of
//! loops stand in the middle of their ranges, which is right for what grows linearly.

use super::find::block_sizes;
use crate::analysis::captured::captured;
use crate::analysis::memref_region::element_bytes;
use crate::analysis::source;
use crate::analysis::work::weight;
use crate::gpu::match_failure::{MatchFailure, no_match};
use crate::gpu::model::QUEUED_LAUNCH_US;
use crate::loops::build::float::{F, Numbers};
use rustc_hash::FxHashSet;
use terrace_dialects::{gpu, scf};
use terrace_ir::{Block, Builder, Context, Op, OpKind, Value};

/// Nanoseconds of a launch behind others that do little.
const LAUNCH: f64 = 1000.0 * QUEUED_LAUNCH_US;
/// Nanoseconds of a barrier of a block, and of finding out what is next.
const BARRIER: f64 = 1000.0;
/// Nanoseconds of a barrier of a grid, which on an H200 are 1.0 with a block for each
/// multiprocessor and 1.2 with two, and of finding out what is next.
const GRID_BARRIER: f64 = 1400.0;
/// Nanoseconds of making, clearing and freeing what the blocks of a grid meet at, and of the one
/// launch: about three launches.
const GRID: f64 = 3.0 * LAUNCH;
/// Multiprocessors that a grid is spread over.
const MULTIPROCESSORS: f64 = 100.0;
/// How much longer a launch takes by threads that take its blocks in turns: so that lu on an
/// H200, which is as fast either way at about n = 2250, changes there.
const IN_TURNS: f64 = 0.16;
/// Bytes a nanosecond that one multiprocessor loads and stores: so that jacobi-1d and lu on an
/// H200 are not slower.
const BYTES: f64 = 64.0;
/// Operations a nanosecond of a multiprocessor: 64 a clock, of 64 bits.
const OPS: f64 = 100.0;
/// Iterations of a loop that is unrolled, so that its loads are under way together.
const SHORT: f64 = 16.0;
/// Bytes that an access of one thread asks for at least.
const SECTOR: f64 = 32.0;

/// What the host's loop gains by being one kernel.
#[derive(Clone, Copy)]
pub(super) struct Gain {
    pub block: F,
    /// `None` where threads walk through memory that they store to.
    pub grid: Option<F>,
}

/// What the host's loop gains, computed in front of it where constants do not tell.
///
/// # Errors
///
/// What has no number in front of the loop.
pub(super) fn gain(ctx: &mut Context, l: scf::ForOp) -> Result<Gain, MatchFailure> {
    // Everything from outside stands for itself.
    let outside = captured(ctx, l.op());
    let bounds = l.op().operands(ctx);
    let args = outside.into_iter().chain(bounds).map(|v| (v, v)).collect();
    let b = Builder::before(ctx, l.op());
    let mut p = Policy {
        n: Numbers::new(b, args, None),
        walks: false,
    };
    p.n.choices = true;
    let found = p.of_loop(l)?;
    let each = |p: &mut Policy, barrier: f64, part: f64| {
        let saved = p.n.mul(found.launches, F::Known(LAUNCH - barrier));
        let lost = p.n.mul(found.serial, F::Known(part));
        p.n.sub(saved, lost)
    };
    let block = each(&mut p, BARRIER, 1.0);
    let grid = each(&mut p, GRID_BARRIER, IN_TURNS / MULTIPROCESSORS);
    let grid = p.n.sub(grid, F::Known(GRID));
    let grid = (!p.walks).then_some(grid);
    Ok(Gain { block, grid })
}

struct Policy<'c> {
    n: Numbers<'c>,
    /// A thread has a longer loop that stores and loads.
    walks: bool,
}

/// What a part of the host's code does.
#[derive(Clone, Copy)]
struct HostWork {
    launches: F,
    /// Nanoseconds of one multiprocessor that did everything.
    serial: F,
}

const NOTHING: HostWork = HostWork {
    launches: F::Known(0.0),
    serial: F::Known(0.0),
};

impl Policy<'_> {
    fn of_loop(&mut self, l: scf::ForOp) -> Result<HostWork, MatchFailure> {
        let trips = self.trips(l)?;
        let each = self.of_block(l.body(self.n.b.ctx))?;
        Ok(self.times(trips, each))
    }

    fn times(&mut self, factor: F, f: HostWork) -> HostWork {
        HostWork {
            launches: self.n.mul(factor, f.launches),
            serial: self.n.mul(factor, f.serial),
        }
    }

    fn plus(&mut self, f: HostWork, g: HostWork) -> HostWork {
        HostWork {
            launches: self.n.add(f.launches, g.launches),
            serial: self.n.add(f.serial, g.serial),
        }
    }

    fn trips(&mut self, l: scf::ForOp) -> Result<F, MatchFailure> {
        let ctx = &*self.n.b.ctx;
        let bounds = (l.lower_bound(ctx), l.upper_bound(ctx), l.step(ctx));
        let iv = l.induction_var(ctx);
        for v in [bounds.0, bounds.1, bounds.2] {
            if self.n.of(v).is_none() {
                return no_match(l.op(), "how often a loop in it runs is not known before");
            }
        }
        Ok(self.n.scf_trips(iv, bounds))
    }

    /// What the launches of a block of the host do.
    fn of_block(&mut self, block: Block) -> Result<HostWork, MatchFailure> {
        let mut sum = NOTHING;
        for op in block.ops(self.n.b.ctx) {
            let ctx = &*self.n.b.ctx;
            let found = if let Some(l) = op.cast::<gpu::LaunchOp>(ctx) {
                HostWork {
                    launches: F::Known(1.0),
                    serial: self.of_launch(l)?,
                }
            } else if let Some(l) = op.cast::<scf::ForOp>(ctx) {
                self.of_loop(l)?
            } else if let Some(i) = op.cast::<scf::IfOp>(ctx) {
                // Either as often as the other.
                let (then, other) = (i.then_block(ctx), i.else_block(ctx));
                let mut both = self.of_block(then)?;
                if let Some(other) = other {
                    let found = self.of_block(other)?;
                    both = self.plus(both, found);
                }
                self.times(F::Known(0.5), both)
            } else {
                continue;
            };
            sum = self.plus(sum, found);
        }
        Ok(sum)
    }

    /// Nanoseconds of a launch on one multiprocessor.
    fn of_launch(&mut self, l: gpu::LaunchOp) -> Result<F, MatchFailure> {
        let ctx = &*self.n.b.ctx;
        let (grid, sizes) = (l.grid_size(ctx), block_sizes(ctx, l).unwrap_or([1; 3]));
        let (blocks, threads) = (l.block_ids(ctx), l.thread_ids(ctx));
        let (grid_args, block_args) = (l.grid_size_args(ctx), l.block_size_args(ctx));
        let along_x = dependent(ctx, l.body(ctx), &[threads[0]]);
        let mut all = F::Known(1.0);
        for d in 0..3 {
            let size = F::Known(sizes[d] as f64);
            let Some(number) = self.n.of(grid[d]) else {
                return no_match(l.op(), "how many blocks a launch has is not known before");
            };
            let along = self.n.mul(number, size);
            all = self.n.mul(all, along);
            let half = self.n.mul(number, F::Known(0.5));
            let middle = if number == F::Known(1.0) {
                F::Known(0.0)
            } else {
                half
            };
            self.n.assume(blocks[d], middle);
            self.n.assume(threads[d], F::Known(0.0));
            self.n.assume(grid_args[d], number);
            self.n.assume(block_args[d], size);
        }
        let each = self.of_thread(l.body(self.n.b.ctx), &along_x)?;
        Ok(self.n.mul(all, each))
    }

    /// Nanoseconds of a multiprocessor for a block of one thread.
    fn of_thread(&mut self, block: Block, along_x: &FxHashSet<Value>) -> Result<F, MatchFailure> {
        let mut sum = F::Known(0.0);
        for op in block.ops(self.n.b.ctx) {
            let ctx = &*self.n.b.ctx;
            let cost = if let Some(l) = op.cast::<scf::ForOp>(ctx) {
                let trips = self.trips(l)?;
                // One that goes round with the grid runs at least once for most threads.
                let trips = match along(ctx_of(&self.n), l, along_x) {
                    true => self.n.max(trips, F::Known(1.0)),
                    false => {
                        let short = matches!(trips, F::Known(n) if n <= SHORT);
                        self.walks |= !short && stores_and_loads(ctx_of(&self.n), l);
                        trips
                    }
                };
                let each = self.of_thread(l.body(self.n.b.ctx), along_x)?;
                self.n.mul(trips, each)
            } else if let Some(i) = op.cast::<scf::IfOp>(ctx) {
                let (then, other) = (i.then_block(ctx), i.else_block(ctx));
                let cost = self.of_thread(then, along_x)?;
                match other {
                    Some(other) => {
                        let instead = self.of_thread(other, along_x)?;
                        self.n.max(cost, instead)
                    }
                    None => cost,
                }
            } else if op.num_regions(ctx) > 0 {
                return no_match(op, "how long a thread takes is not known before");
            } else {
                F::Known(of_op(ctx, op, along_x))
            };
            sum = self.n.add(sum, cost);
        }
        Ok(sum)
    }
}

fn ctx_of<'a>(n: &'a Numbers) -> &'a Context {
    n.b.ctx
}

/// Whether a loop begins at the number of the thread.
fn along(ctx: &Context, l: scf::ForOp, along_x: &FxHashSet<Value>) -> bool {
    let low = l.lower_bound(ctx);
    along_x.contains(&low) || ctx.constant_int(low).is_none()
}

fn stores_and_loads(ctx: &Context, l: scf::ForOp) -> bool {
    let (mut stores, mut loads) = (false, false);
    for op in l.op().pre_order(ctx) {
        if source::indices(ctx, op).is_some() {
            let gives = op.num_results(ctx) > 0;
            stores |= !gives;
            loads |= gives;
        }
    }
    stores && loads
}

fn of_op(ctx: &Context, op: Op, along_x: &FxHashSet<Value>) -> f64 {
    let Some((memref, at)) = source::indices(ctx, op) else {
        return weight(ctx, op) / OPS;
    };
    let element = memref.ty(ctx).element(ctx);
    let bytes = element.and_then(|t| element_bytes(ctx, t)).unwrap_or(8) as f64;
    let asked = match at.iter().rposition(|v| along_x.contains(v)) {
        Some(d) if d + 1 == at.len() => bytes,
        Some(_) => bytes.max(SECTOR),
        // One request of the warp.
        None => bytes / 8.0,
    };
    asked / BYTES
}

/// The values of `block` that are computed from `from`.
fn dependent(ctx: &Context, block: Block, from: &[Value]) -> FxHashSet<Value> {
    let mut all: FxHashSet<Value> = from.iter().copied().collect();
    mark(ctx, block, &mut all);
    all
}

fn mark(ctx: &Context, block: Block, all: &mut FxHashSet<Value>) {
    for op in block.ops(ctx) {
        if op.operands(ctx).iter().any(|v| all.contains(v)) {
            all.extend(op.results(ctx));
            if let Some(l) = op.cast::<scf::ForOp>(ctx) {
                let bounds = [l.lower_bound(ctx), l.upper_bound(ctx), l.step(ctx)];
                if bounds.iter().any(|v| all.contains(v)) {
                    all.insert(l.induction_var(ctx));
                }
            }
        }
        for inner in op.blocks(ctx) {
            mark(ctx, inner, all);
        }
    }
}
