//! How often what a kernel does is done, by all threads of a launch together.

use rustc_hash::{FxHashMap, FxHashSet};
use terrace_dialects::memref::{LoadOp, StoreOp};
use terrace_dialects::{gpu, nvgpu, scf};
use terrace_ir::{Block, Builder, Op, OpKind, Value};

use super::form::{Axis, Forms};
use super::noted::{noted, of_note};
use super::what::{is_unknown, joins_threads};
use crate::analysis::memory::base;
use crate::analysis::source;
use crate::analysis::work::flops;
use crate::loops::build::float::{F, Numbers};

/// How deep blocks are followed.
const MAX_DEPTH: u32 = 64;

pub(super) const ZERO: F = F::Known(0.0);
pub(super) const ONE: F = F::Known(1.0);

/// The numbers that a counter runs through.
#[derive(Debug, Clone, Copy)]
pub(super) struct Range {
    /// The first, and how far it is to the next.
    pub first: F,
    pub step: F,
    pub count: F,
    /// Whether how many there are depends on another counter.
    pub varies: bool,
}

/// What is so at a place in the kernel.
#[derive(Debug, Clone)]
pub(super) struct Around {
    pub ranges: FxHashMap<Axis, Range>,
    /// Threads along x, y and z that come here, without what loops took over.
    pub threads: [F; 3],
    /// How often loops and conditions come here for each of them.
    pub times: F,
    /// Counters that the number of another depends on: once is linear.
    pub used: Vec<Axis>,
}

/// An access: its array, its elements, and whether it writes.
pub(super) type Access = (Value, F, bool);

pub(super) struct Counter<'a, 'n, 'c> {
    pub f: &'a mut Forms<'n, 'c>,
    /// Of at most 32 bits, and of 64; none once something is not known.
    pub flops: Option<[F; 2]>,
    pub accesses: Vec<Access>,
    /// Arrays that are copied to memory of the block, to where, and their elements.
    pub copies: Vec<(Value, Value, F)>,
    /// What only a note in the kernel needs.
    pub aside: FxHashSet<Op>,
}
/// What a launch does: flops of at most 32 bits, of 64, and bytes; and whether the flops are
/// known.
pub(super) fn of_launch(
    b: &mut Builder,
    launch: gpu::LaunchFuncOp,
    kernel: gpu::FuncOp,
) -> ([Value; 3], bool) {
    let inner = Builder::new(b.ctx, b.at, b.loc);
    let mut n = Numbers::new(inner, FxHashMap::default(), None);
    // Shapes of blocks that are fitted to extents are chosen by conditions.
    n.choices = true;
    let mut f = Forms::new(&mut n, launch, kernel);
    let noted = noted(&mut f, kernel);
    if let Some((values, true)) = noted {
        return (values, true);
    }
    let aside = of_note(f.ctx(), kernel);
    let mut c = Counter {
        f: &mut f,
        flops: Some([ZERO; 2]),
        accesses: Vec::new(),
        copies: Vec::new(),
        aside,
    };
    let region = kernel.op().region(c.f.ctx(), 0);
    match (region.blocks(c.f.ctx()).as_slice(), c.at_entry()) {
        ([entry], Some(around)) => c.block(*entry, &around, MAX_DEPTH),
        // Blocks that branch to each other.
        _ => c.flops = None,
    }
    let bytes = c.bytes();
    let known = c.flops.is_some();
    let [small, large] = c.flops.unwrap_or([F::Known(f64::NAN); 2]);
    let mut numbers = [small, large, bytes].map(|x| n.value(x));
    if let Some(([.., bytes], _)) = noted {
        numbers[2] = bytes;
    }
    (numbers, known)
}

impl Counter<'_, '_, '_> {
    /// All threads of the launch.
    fn at_entry(&mut self) -> Option<Around> {
        let mut ranges = FxHashMap::default();
        let mut threads = [ONE; 3];
        let (grids, blocks) = (self.f.grid, self.f.block);
        for (d, (grid, block)) in grids.into_iter().zip(blocks).enumerate() {
            let (grid, block) = (self.f.float(grid)?, self.f.float(block)?);
            let together = self.f.n.mul(grid, block);
            threads[d] = together;
            let all = |count| Range {
                first: ZERO,
                step: ONE,
                count,
                varies: false,
            };
            ranges.insert(Axis::Global(d), all(together));
            ranges.insert(Axis::Thread(d), all(block));
            ranges.insert(Axis::Block(d), all(grid));
        }
        Some(Around {
            ranges,
            threads,
            times: ONE,
            used: Vec::new(),
        })
    }

    /// How often a place is met.
    pub(super) fn executions(&mut self, around: &Around) -> F {
        let mut all = around.times;
        for t in around.threads {
            all = self.f.n.mul(all, t);
        }
        all
    }

    pub(super) fn block(&mut self, block: Block, around: &Around, depth: u32) {
        let Some(depth) = depth.checked_sub(1) else {
            self.flops = None;
            return;
        };
        for op in block.ops(self.f.ctx()) {
            let ctx = self.f.ctx();
            if let Some(l) = op.cast::<scf::ForOp>(ctx) {
                match self.in_loop(l, around) {
                    Some(inside) => self.block(l.body(self.f.ctx()), &inside, depth),
                    None => self.not_known(op),
                }
            } else if let Some(i) = op.cast::<scf::IfOp>(ctx) {
                self.condition(i, around, depth);
            } else if op.num_regions(ctx) > 0 {
                self.not_known(op);
            } else {
                self.leaf(op, around);
            }
        }
    }

    /// What is in an op is done nobody knows how often.
    pub(super) fn not_known(&mut self, op: Op) {
        let ctx = self.f.ctx();
        let inside = op.pre_order(ctx);
        if joins_threads(ctx, &inside) {
            return;
        }
        let counts = |o: &Op| is_unknown(ctx, *o) || flops(ctx, *o) != [0.0; 2];
        if inside.iter().any(counts) {
            self.flops = None;
        }
    }

    pub(super) fn leaf(&mut self, op: Op, around: &Around) {
        if self.aside.contains(&op) {
            return;
        }
        let ctx = self.f.ctx();
        if let Some((memref, at)) = source::indices(ctx, op) {
            let array = base(ctx, memref);
            if self.f.is_passed(array) {
                let (reads, writes) = match op.name(ctx) {
                    LoadOp::NAME => (true, false),
                    StoreOp::NAME => (false, true),
                    _ => (true, true),
                };
                let elements = self.elements(&at, around);
                for (_, w) in [(reads, false), (writes, true)]
                    .iter()
                    .filter(|(does, _)| *does)
                {
                    self.accesses.push((array, elements, *w));
                }
            }
            return;
        }
        if let Some(copy) = op.cast::<nvgpu::DeviceAsyncCopyOp>(ctx) {
            self.copied(copy, around);
            return;
        }
        if is_unknown(ctx, op) {
            self.flops = None;
            return;
        }
        let once = flops(ctx, op);
        let from_others = |v: &Value| {
            v.def_op()
                .is_some_and(|o| o.name(ctx) == gpu::ShuffleOp::NAME)
        };
        if once == [0.0; 2] || op.operands(ctx).iter().any(from_others) || self.f.adds_nothing(op) {
            return;
        }
        let ty = op.results(ctx).first().map(|r| r.ty(ctx));
        let lanes = ty
            .and_then(|t| t.shape(ctx))
            .map_or(1, |s| s.iter().product());
        let times = self.executions(around);
        let Some(mut flops) = self.flops else { return };
        for (sum, once) in flops.iter_mut().zip(once) {
            let all = self.f.n.mul(times, F::Known(once * lanes as f64));
            *sum = self.f.n.add(*sum, all);
        }
        self.flops = Some(flops);
    }
}
