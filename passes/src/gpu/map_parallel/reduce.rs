//! Parallel loops with results: reductions over a grid, in a fixed order.
//!
//! A first kernel goes over all iterations, each thread with the size of the grid as
//! its stride, combines what its thread has, then in shared memory what the block has,
//! in a tree, and stores a partial result for each block. A second kernel of one block
//! does the same with those and the initial value. The number of blocks depends on
//! nothing but the number of iterations, so the order of the operations is the same on
//! every device and in every run.

use super::band::{Band, Open, close, open_for, open_if, product};
use super::nest::split;
use super::note::LAST;
use super::shape::reduction_block;
use super::{Mapper, divide_up, terminate};
use crate::analysis::captured::is_inside;
use crate::analysis::reduction::of_region;
use crate::gpu::launch_note::LaunchNote;
use terrace_dialects::arith::{self, CmpIPredicate};
use terrace_dialects::attributes::GPU_NEST;
use terrace_dialects::{gpu, memref, scf};
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::{Block, Builder, Context, Op, OpKind, Type, Value};

/// The most blocks of the first kernel, each of which leaves a partial result.
const MAX_BLOCKS: i64 = 1024;

/// Shared memory that every device lets a block have.
const SHARED_BYTES: i64 = 48 * 1024;

/// The numbers that are reduced, and how.
pub(super) struct Reduced {
    pub types: Vec<Type>,
    pub inits: Vec<Value>,
    /// The regions that combine two values; they stay in the loop while this is used.
    regions: Vec<Block>,
    /// What changes nothing, where known for all.
    neutral: Option<Vec<terrace_ir::Attr>>,
}

impl Reduced {
    pub(super) fn combine(&self, b: &mut Builder, x: &[Value], y: &[Value]) -> Vec<Value> {
        let mut out = Vec::new();
        for (i, region) in self.regions.iter().enumerate() {
            let mut map = IrMapping::new();
            map.map(region.arg(b.ctx, 0), x[i]);
            map.map(region.arg(b.ctx, 1), y[i]);
            for op in region.ops(b.ctx) {
                if op.isa::<scf::ReduceReturnOp>(b.ctx) {
                    out.push(map.value(op.operand(b.ctx, 0)));
                } else {
                    let copy = clone_op(b.ctx, op, &mut map);
                    b.insert(copy);
                }
            }
        }
        out
    }

    /// What threads start from: neutral values, or any ones and a flag that says that
    /// there is nothing yet.
    pub(super) fn start(&self, b: &mut Builder) -> Vec<Value> {
        if let Some(n) = &self.neutral {
            return n.iter().map(|a| arith::constant(b, *a)).collect();
        }
        let mut v = self.inits.clone();
        v.push(arith::constant_bool(b, false));
        v
    }

    /// The carried values with `new` combined in.
    pub(super) fn step(&self, b: &mut Builder, carried: &[Value], new: &[Value]) -> Vec<Value> {
        let n = self.types.len();
        let combined = self.combine(b, &carried[..n], new);
        let Some(some) = carried.get(n) else {
            return combined;
        };
        let mut out: Vec<Value> = combined
            .iter()
            .zip(new)
            .map(|(c, v)| arith::SelectOp::build(b, *some, *c, *v))
            .collect();
        out.push(arith::constant_bool(b, true));
        out
    }

    /// Moves the body of `band` into a thread's loop over the iterations `at`, `at + stride` and
    /// so on of `total`; gives what they are together.
    pub(super) fn of_thread(
        &self,
        b: &mut Builder,
        band: &Band,
        (at, total, stride): (Value, Value, Value),
    ) -> Vec<Value> {
        let trips: Vec<Value> = band.levels.iter().map(|l| l.trips).collect();
        let start = self.start(b);
        let (outer, k, carried) = open_for(b, at, total, stride, &start);
        let all: Vec<usize> = (0..trips.len()).collect();
        let ks = split(b, k, &all, &trips);
        let mut open: Vec<Open> = vec![outer];
        open.extend(band.enter(b, &ks, &carried));
        let new = band.take_body(b);
        let next = self.step(b, &carried, &new);
        close(b, open, next)
    }
}

/// What the two launches of a reduction share.
struct Sums<'a> {
    reduced: &'a Reduced,
    /// Arrays with an element for what each block comes to.
    partials: Vec<Value>,
    /// The types of the memory of a block.
    shared: Vec<Type>,
    threads: i64,
    /// Iterations of the band.
    total: Value,
    /// Blocks of the first launch, and threads of a block.
    blocks: Value,
    size: Value,
    zero: Value,
    one: Value,
}

impl Mapper<'_> {
    /// Replaces a band with results by two launches and loads of what they leave; gives the
    /// launches.
    pub(super) fn reduction(&mut self, band: &Band) -> Vec<gpu::LaunchOp> {
        let root = band.root;
        let Some(reduced) = reduced(self.ctx, band) else {
            return Vec::new();
        };
        if reduced.neutral.is_some() && self.in_steps(root) {
            return self.reduction_in_steps(band, &reduced);
        }
        let mut threads = reduction_block(self.clauses);
        let bytes: i64 = reduced.types.iter().map(|t| bytes(self.ctx, *t)).sum();
        while threads > 32 && threads.saturating_mul(bytes) > SHARED_BYTES {
            threads /= 2;
        }
        let most = (self.clauses.gangs.unwrap_or(MAX_BLOCKS)).clamp(1, MAX_BLOCKS);
        let note = self.reduction_note(band, threads);
        let trips: Vec<Value> = band.levels.iter().map(|l| l.trips).collect();

        // One array of each kind serves each time that the nest is reached.
        let partials = self.scratch(&reduced, most);
        let results = self.scratch(&reduced, 1);
        let mut b = Builder::before(self.ctx, root);
        let index = b.ctx.index();
        let total = product(&mut b, &trips);
        let size = arith::constant_index(&mut b, threads);
        let blocks = divide_up(&mut b, total, size);
        let blocks = match b.ctx.constant_int(blocks) {
            Some(n) => arith::constant_index(&mut b, n.min(most)),
            None => {
                let most = arith::constant_index(&mut b, most);
                b.value::<arith::MinSIOp>(&[blocks, most], index, &[])
            }
        };
        let zero = arith::constant_index(&mut b, 0);
        let one = arith::constant_index(&mut b, 1);
        let shared: Vec<Type> = (reduced.types.iter())
            .map(|t| gpu::workgroup_memref(self.ctx, &[threads], *t))
            .collect();

        let s = Sums {
            reduced: &reduced,
            partials,
            shared,
            threads,
            total,
            blocks,
            size,
            zero,
            one,
        };
        let first = self.sums_of_blocks(band, &s, note);
        let second = self.sum_of_sums(root, &s, &results);
        self.take_results(root, &results);
        vec![first, second]
    }

    /// The launch in which each block combines its part, and leaves what comes of it.
    fn sums_of_blocks(&mut self, band: &Band, s: &Sums, note: Option<LaunchNote>) -> gpu::LaunchOp {
        let (root, reduced) = (band.root, s.reduced);
        let loc = root.loc(self.ctx);
        let index = self.ctx.index();
        let grid = [s.blocks, s.one, s.one];
        let (first, entry) = self.launch(root, grid, [s.size, s.one, s.one], &s.shared);
        self.leave(first, note);
        let mut b = Builder::at_end(self.ctx, entry, loc);
        let bid = first.block_ids(b.ctx)[0];
        let tid = first.thread_ids(b.ctx)[0];
        let base = b.value::<arith::MulIOp>(&[bid, s.size], index, &[]);
        let at = b.value::<arith::AddIOp>(&[base, tid], index, &[]);
        // From the launch's operand: a loop whose stride is the size of the grid is taken to
        // run once or so, but here there are few blocks, and several loads have to be under
        // way.
        let stride = b.value::<arith::MulIOp>(&[s.blocks, s.size], index, &[]);
        let mine = reduced.of_thread(&mut b, band, (at, s.total, stride));
        // Threads of the block that have a value: all but in the last, partial one. A
        // guard may have left any of them without.
        let left = b.value::<arith::SubIOp>(&[s.total, base], index, &[]);
        let active = b.value::<arith::MinSIOp>(&[left, s.size], index, &[]);
        let buffers = first.workgroup_attributions(b.ctx);
        let whole = tree(&mut b, reduced, &mine, &buffers, tid, active, s.threads);
        let is_first = arith::CmpIOp::build(&mut b, CmpIPredicate::Eq, tid, s.zero);
        let guard = open_if(&mut b, is_first, &[]);
        for (v, p) in whole(&mut b).into_iter().zip(&s.partials) {
            memref::StoreOp::build(&mut b, v, *p, &[bid]);
        }
        close(&mut b, vec![guard], Vec::new());
        terminate(self.ctx, first, entry, loc);
        first
    }

    /// The launch of one block that combines what the blocks left.
    fn sum_of_sums(&mut self, root: Op, s: &Sums, results: &[Value]) -> gpu::LaunchOp {
        let reduced = s.reduced;
        let loc = root.loc(self.ctx);
        let index = self.ctx.index();
        let (second, entry) = self.launch(root, [s.one; 3], [s.size, s.one, s.one], &s.shared);
        second.op().remove_attr(self.ctx, GPU_NEST);
        let note = self.combination_note(LAST);
        self.leave(second, note);
        let mut b = Builder::at_end(self.ctx, entry, loc);
        let tid = second.thread_ids(b.ctx)[0];
        let start = reduced.start(&mut b);
        let (outer, k, carried) = open_for(&mut b, tid, s.blocks, s.size, &start);
        let new: Vec<Value> = s
            .partials
            .iter()
            .map(|p| memref::LoadOp::build(&mut b, *p, &[k]))
            .collect();
        let next = reduced.step(&mut b, &carried, &new);
        let mine = close(&mut b, vec![outer], next);
        let active = b.value::<arith::MinSIOp>(&[s.blocks, s.size], index, &[]);
        let buffers = second.workgroup_attributions(b.ctx);
        let whole = tree(&mut b, reduced, &mine, &buffers, tid, active, s.threads);
        let is_first = arith::CmpIOp::build(&mut b, CmpIPredicate::Eq, tid, s.zero);
        let guard = open_if(&mut b, is_first, &[]);
        let any = arith::CmpIOp::build(&mut b, CmpIPredicate::Sgt, s.blocks, s.zero);
        let inner = open_if(&mut b, any, &reduced.inits);
        let sums = whole(&mut b);
        let sums = reduced.combine(&mut b, &reduced.inits, &sums);
        let sums = close(&mut b, vec![inner], sums);
        for (v, r) in sums.into_iter().zip(results) {
            memref::StoreOp::build(&mut b, v, *r, &[s.zero]);
        }
        close(&mut b, vec![guard], Vec::new());
        terminate(self.ctx, second, entry, loc);
        second
    }

    /// Lets loads of what launches leave take the place of a loop and its results.
    pub(super) fn take_results(&mut self, root: Op, results: &[Value]) {
        let mut b = Builder::before(self.ctx, root);
        let zero = arith::constant_index(&mut b, 0);
        for (old, r) in root.results(b.ctx).into_iter().zip(results) {
            let new = memref::LoadOp::build(&mut b, *r, &[zero]);
            old.replace_all_uses(b.ctx, new);
        }
        root.erase(self.ctx);
    }

    /// Arrays of `n` elements at the start of the function, one for each number.
    pub(super) fn scratch(&mut self, reduced: &Reduced, n: i64) -> Vec<Value> {
        let mut b = Builder::at_start(
            self.ctx,
            self.function.body(self.ctx, 0),
            self.function.loc(self.ctx),
        );
        let array = |t: &Type| {
            let ty = b.ctx.memref(&[n], *t);
            memref::AllocaOp::build(&mut b, ty, &[])
        };
        reduced.types.iter().map(array).collect()
    }
}

fn reduced(ctx: &Context, band: &Band) -> Option<Reduced> {
    let regions = band.reduce.map(|r| regions(ctx, r))?;
    let types = band.root.result_types(ctx);
    let neutral = neutrals(ctx, &regions, &types);
    debug_assert!(
        neutral.is_some() || band.levels.iter().all(|l| !l.guarded),
        "loops inside one another are a band only where there is a neutral value"
    );
    Some(Reduced {
        inits: scf::ParallelOp::wrap(band.root).init_vals(ctx),
        types,
        regions,
        neutral,
    })
}

fn regions(ctx: &Context, reduce: Op) -> Vec<Block> {
    let all = reduce.regions(ctx);
    all.iter().filter_map(|r| r.entry(ctx)).collect()
}

/// What keeps a parallel loop with results from being made kernels.
pub(super) fn refusal(ctx: &Context, p: scf::ParallelOp) -> Option<String> {
    let root = p.op();
    for t in root.result_types(ctx) {
        if !(t.is_int_or_index(ctx) || t.is_float(ctx)) {
            let ty = ctx.type_text(t);
            return Some(format!(
                "reduces values of type '{ty}'; numbers can be reduced on a device"
            ));
        }
    }
    let captures = |r: &Block| {
        let outside = |v: &Value| v.block(ctx) != Some(*r) && is_inside(ctx, root, *v);
        let ops = r.ops(ctx);
        (ops.iter()).any(|o| o.operands(ctx).iter().any(outside))
    };
    let regions = p.reduce_op(ctx).map(|r| regions(ctx, r.op()));
    let captured = regions.is_some_and(|all| all.iter().any(captures));
    captured.then(|| "combines values with one that differs between iterations".to_string())
}

fn neutrals(ctx: &Context, regions: &[Block], types: &[Type]) -> Option<Vec<terrace_ir::Attr>> {
    regions
        .iter()
        .zip(types)
        .map(|(r, t)| of_region(ctx, *r)?.identity(ctx, *t))
        .collect()
}

fn bytes(ctx: &Context, t: Type) -> i64 {
    i64::from(t.bit_width(ctx).unwrap_or(64).div_ceil(8))
}

/// Combine `mine` of all threads of a block in a tree; gives what loads the result,
/// which the first thread may do.
fn tree<'a>(
    b: &mut Builder,
    reduced: &Reduced,
    mine: &[Value],
    buffers: &'a [Value],
    tid: Value,
    active: Value,
    threads: i64,
) -> impl Fn(&mut Builder) -> Vec<Value> + use<'a> {
    let index = b.ctx.index();
    for (v, m) in mine.iter().zip(buffers) {
        memref::StoreOp::build(b, *v, *m, &[tid]);
    }
    gpu::BarrierOp::build(b);
    let mut half = threads / 2;
    while half > 0 {
        let distance = arith::constant_index(b, half);
        let other = b.value::<arith::AddIOp>(&[tid, distance], index, &[]);
        let near = arith::CmpIOp::build(b, CmpIPredicate::Slt, tid, distance);
        let there = arith::CmpIOp::build(b, CmpIPredicate::Slt, other, active);
        let ty = b.ctx.i1();
        let both = b.value::<arith::AndIOp>(&[near, there], ty, &[]);
        let guard = open_if(b, both, &[]);
        let x: Vec<Value> = buffers
            .iter()
            .map(|m| memref::LoadOp::build(b, *m, &[tid]))
            .collect();
        let y: Vec<Value> = buffers
            .iter()
            .map(|m| memref::LoadOp::build(b, *m, &[other]))
            .collect();
        for (v, m) in reduced.combine(b, &x, &y).into_iter().zip(buffers) {
            memref::StoreOp::build(b, v, *m, &[tid]);
        }
        close(b, vec![guard], Vec::new());
        gpu::BarrierOp::build(b);
        half /= 2;
    }
    move |b: &mut Builder| {
        let zero = arith::constant_index(b, 0);
        buffers
            .iter()
            .map(|m| memref::LoadOp::build(b, *m, &[zero]))
            .collect()
    }
}
