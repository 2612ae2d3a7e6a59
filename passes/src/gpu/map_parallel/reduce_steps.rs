//! Reductions in loops of the host, by threads that do not wait for one another.
//!
//! A loop of the host around small launches can be one kernel
//! ([`persistent`](crate::gpu::persistent)), but only where threads of a launch have no memory
//! in common. So here each thread leaves what it has combined in an array, and further launches
//! combine [`FAN`] elements of it each, until there is one. The order of the operations depends
//! on nothing but the number of iterations.
//!
//! ```text
//! gpu.launch: %p[t] = x[t] + x[t + threads] + ...      at most 65536 threads
//! gpu.launch: %q[t] = %p[t] + %p[t + 2048] + ...
//! ...
//! gpu.launch: %sum[0] = init + ...                     one thread
//! ```

use super::band::{Band, close, open_if, product};
use super::note::LAST;
use super::reduce::Reduced;
use super::{Mapper, divide_up, terminate};
use crate::gpu::persistent::can_share;
use terrace_dialects::arith::{self, CmpIPredicate};
use terrace_dialects::attributes::GPU_NEST;
use terrace_dialects::{func, gpu, memref, scf};
use terrace_ir::{Builder, Op, OpKind, Type, Value};

/// Elements that a thread combines: so many loads are under way at a time.
const FAN: i64 = 32;

/// Threads of a block.
const THREADS: i64 = 256;

/// Blocks of the first launch, at most: enough to use all of a device's bandwidth.
const MAX_BLOCKS: i64 = 256;

impl Mapper<'_> {
    /// Whether a loop of the host around `root` could be one kernel with all that it launches.
    pub(super) fn in_steps(&self, root: Op) -> bool {
        let ctx = &*self.ctx;
        let around = root.parent_of::<scf::ForOp>(ctx);
        let alone = |l: scf::ForOp| {
            let launches = l.op().find_all::<gpu::LaunchOp>(ctx);
            launches.into_iter().all(|l| can_share(ctx, l))
                && l.op().find_all::<scf::WhileOp>(ctx).is_empty()
                && l.op().find_all::<func::CallOp>(ctx).is_empty()
        };
        // The arrays in between are freed at the end of the function's one block.
        let whole = self.function.region(ctx, 0).has_one_block(ctx);
        whole && self.clauses.gangs.is_none() && around.is_some_and(alone)
    }

    /// Replaces a band with results, which have a neutral value, by launches and loads of what
    /// they leave; gives the launches.
    pub(super) fn reduction_in_steps(
        &mut self,
        band: &Band,
        reduced: &Reduced,
    ) -> Vec<gpu::LaunchOp> {
        let (root, loc) = (band.root, band.root.loc(self.ctx));
        let note = self.reduction_note(band, THREADS);
        let trips: Vec<Value> = band.levels.iter().map(|l| l.trips).collect();

        let mut parts = self.parts(reduced, MAX_BLOCKS * THREADS);
        let mut b = Builder::before(self.ctx, root);
        let index = b.ctx.index();
        let total = product(&mut b, &trips);
        let size = arith::constant_index(&mut b, THREADS);
        let blocks = divide_up(&mut b, total, size);
        let most = arith::constant_index(&mut b, MAX_BLOCKS);
        let blocks = b.value::<arith::MinSIOp>(&[blocks, most], index, &[]);
        let one = arith::constant_index(&mut b, 1);
        let mut count = b.value::<arith::MulIOp>(&[blocks, size], index, &[]);
        let mut launches = Vec::new();

        let (first, entry) = self.launch(root, [blocks, one, one], [size, one, one], &[]);
        self.leave(first, note);
        let mut b = Builder::at_end(self.ctx, entry, loc);
        let at = thread(&mut b, first);
        let mine = reduced.of_thread(&mut b, band, (at, total, count));
        store(&mut b, &mine, &parts, at);
        terminate(self.ctx, first, entry, loc);
        launches.push(first);

        let results = self.scratch(reduced, 1);
        let mut most = MAX_BLOCKS * THREADS;
        while most > 1 {
            most = (most + FAN - 1) / FAN;
            let to = match most {
                1 => results.clone(),
                _ => self.parts(reduced, most),
            };
            let mut b = Builder::before(self.ctx, root);
            let fan = arith::constant_index(&mut b, FAN);
            let (rest, grid, threads) = match most {
                1 => (one, one, one),
                _ => {
                    let rest = divide_up(&mut b, count, fan);
                    (rest, divide_up(&mut b, rest, size), size)
                }
            };
            let grid = [grid, one, one];
            let (launch, entry) = self.launch(root, grid, [threads, one, one], &[]);
            launch.op().remove_attr(self.ctx, GPU_NEST);
            let note = match most {
                1 => self.combination_note(LAST),
                _ => {
                    let words = format!("combines {FAN} values of the launch before it each");
                    self.combination_note(&words)
                }
            };
            self.leave(launch, note);
            let mut b = Builder::at_end(self.ctx, entry, loc);
            let at = thread(&mut b, launch);
            let (bound, inits) = match most {
                1 => (count, reduced.inits.clone()),
                _ => (rest, Vec::new()),
            };
            let inside = arith::CmpIOp::build(&mut b, CmpIPredicate::Slt, at, bound);
            let guard = open_if(&mut b, inside, &inits);
            let mut v = together(&mut b, reduced, &parts, (at, rest, count));
            if most == 1 {
                v = reduced.combine(&mut b, &reduced.inits, &v);
                v = close(&mut b, vec![guard], v);
                store(&mut b, &v, &to, at);
            } else {
                store(&mut b, &v, &to, at);
                close(&mut b, vec![guard], Vec::new());
            }
            terminate(self.ctx, launch, entry, loc);
            launches.push(launch);
            (parts, count) = (to, rest);
        }
        self.take_results(root, &results);
        launches
    }

    /// Arrays of `n` elements for as long as the function runs, one for each number.
    fn parts(&mut self, reduced: &Reduced, n: i64) -> Vec<Value> {
        let body = self.function.body(self.ctx, 0);
        let mut b = Builder::at_start(self.ctx, body, self.function.loc(self.ctx));
        let array = |t: &Type| {
            let ty = b.ctx.memref(&[n], *t);
            memref::AllocOp::build(&mut b, ty, &[])
        };
        let all: Vec<Value> = reduced.types.iter().map(array).collect();
        if let Some(end) = body.last_op(self.ctx) {
            let mut b = Builder::before(self.ctx, end);
            for v in &all {
                memref::DeallocOp::build(&mut b, *v);
            }
        }
        all
    }
}

/// The number of a thread in its launch.
fn thread(b: &mut Builder, launch: gpu::LaunchOp) -> Value {
    let index = b.ctx.index();
    let (block, size) = (launch.block_ids(b.ctx)[0], launch.block_size_args(b.ctx)[0]);
    let base = b.value::<arith::MulIOp>(&[block, size], index, &[]);
    let thread = launch.thread_ids(b.ctx)[0];
    b.value::<arith::AddIOp>(&[base, thread], index, &[])
}

/// What the elements `at`, `at + step` and so on of `parts` are together, of `count`.
fn together(
    b: &mut Builder,
    reduced: &Reduced,
    parts: &[Value],
    (at, step, count): (Value, Value, Value),
) -> Vec<Value> {
    let index = b.ctx.index();
    let one = arith::constant_index(b, 1);
    let last = b.value::<arith::SubIOp>(&[count, one], index, &[]);
    let start = reduced.start(b);
    let mut sum: Option<Vec<Value>> = None;
    let mut at = at;
    for k in 0..FAN {
        if k > 0 {
            at = b.value::<arith::AddIOp>(&[at, step], index, &[]);
        }
        // All loads are made, so that none waits for another.
        let inside = arith::CmpIOp::build(b, CmpIPredicate::Slt, at, count);
        let near = b.value::<arith::MinSIOp>(&[at, last], index, &[]);
        let mut new = Vec::new();
        for (p, neutral) in parts.iter().zip(&start) {
            let v = memref::LoadOp::build(b, *p, &[near]);
            new.push(arith::SelectOp::build(b, inside, v, *neutral));
        }
        sum = Some(match sum {
            Some(s) => reduced.combine(b, &s, &new),
            None => new,
        });
    }
    sum.unwrap_or(start)
}

fn store(b: &mut Builder, values: &[Value], to: &[Value], at: Value) {
    for (v, p) in values.iter().zip(to) {
        memref::StoreOp::build(b, *v, *p, &[at]);
    }
}
