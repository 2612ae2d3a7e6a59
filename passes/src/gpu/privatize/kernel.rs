//! The kernel: copies are set, updated and combined into the array.

use super::find::Nest;
use super::host::Sizes;
use super::policy::{MAX_JAMMED, THREADS};
use super::share::Iterations;
use super::update::{Copies, Updates};
use crate::gpu::branches::when;
use crate::gpu::combine::LANES;
use crate::gpu::map_parallel::Band;
use crate::loops::build::index::*;
use terrace_dialects::arith::{self, CmpIOp, CmpIPredicate};
use terrace_dialects::{gpu, memref, scf};
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Builder, Context, Op, OpKind, Value};

/// What the host knows of a launch.
pub(super) struct Launched<'a> {
    pub band: &'a Band,
    pub iterations: &'a Iterations,
    /// Of each array.
    pub sizes: &'a [Sizes],
    /// Copies, as a power of two.
    pub shift: Value,
}

/// What a thread has all along.
pub(super) struct Kernel<'a> {
    pub launched: &'a Launched<'a>,
    pub thread: Value,
    pub updates: Updates<'a>,
    /// What an iteration does.
    pub body: Vec<Op>,
    /// Several iterations are under way at once.
    pub jams: bool,
}

impl<'a> Kernel<'a> {
    /// Finds the copies in the block's shared memory.
    pub fn new(
        b: &mut Builder,
        nest: &'a Nest,
        launched: &'a Launched<'a>,
        thread: Value,
    ) -> Kernel<'a> {
        let bytes = gpu::dynamic_workgroup_bytes(b.ctx);
        let memory = b.value::<gpu::DynamicSharedMemoryOp>(&[], bytes, &[]);
        let one = constant(b, 1);
        let copies = shifted(b, one, launched.shift);
        let rest = add_constant(b, copies, -1);
        let index = b.ctx.index();
        let own = b.value::<arith::AndIOp>(&[thread, rest], index, &[]);
        let mut begin = constant(b, 0);
        let mut all = Vec::new();
        for (target, sizes) in nest.targets.iter().zip(launched.sizes) {
            let size = shifted(b, sizes.elements, launched.shift);
            let ty = gpu::workgroup_memref(b.ctx, &[DYNAMIC], target.elem);
            let view = b.value::<memref::ViewOp>(&[memory, begin, size], ty, &[]);
            let bytes = times(b, size, target.bytes);
            begin = add(b, begin, bytes);
            all.push(Copies {
                target,
                sizes,
                view,
                size,
                own,
                rest,
                shift: launched.shift,
                reaches_beyond: nest.reaches_beyond,
            });
        }
        let band = launched.band;
        let mut body = band.body.ops(b.ctx);
        body.retain(|o| Some(*o) != band.reduce);
        let jams = is_straight(b.ctx, band, &body);
        let (_, lane) = split(b, thread, LANES);
        Kernel {
            launched,
            thread,
            updates: Updates { all, lane },
            body,
            jams,
        }
    }

    /// All that a block does.
    pub fn all(&self, b: &mut Builder, block: Value, blocks: Value) {
        for c in &self.updates.all {
            self.set(b, c);
        }
        gpu::BarrierOp::build(b);
        self.iterations(b, block, blocks);
        gpu::BarrierOp::build(b);
        for c in &self.updates.all {
            self.combine(b, c);
        }
    }

    /// A loop of the block's threads over so many.
    fn shared(&self, b: &mut Builder, count: Value, f: impl FnOnce(&mut Builder, Value)) {
        let threads = constant(b, THREADS);
        scf::ForOp::build_with(b, (self.thread, count, threads), &[], |b, i, _| {
            f(b, i);
            Vec::new()
        });
    }

    /// Lets nothing be in the copies.
    fn set(&self, b: &mut Builder, c: &Copies) {
        let identity = c.identity(b);
        self.shared(b, c.size, |b, i| {
            memref::StoreOp::build(b, identity, c.view, &[i]);
        });
    }

    /// Combines the copies of each element with that of the array. Threads begin with different
    /// copies, since those of one number are in the same bank.
    fn combine(&self, b: &mut Builder, c: &Copies) {
        let identity = c.identity(b);
        let index = b.ctx.index();
        self.shared(b, c.sizes.elements, |b, i| {
            let (zero, one) = (constant(b, 0), constant(b, 1));
            let copies = add_constant(b, c.rest, 1);
            let first = shifted(b, i, c.shift);
            let all = scf::ForOp::build_with(b, (zero, copies, one), &[identity], |b, k, v| {
                let turn = add(b, k, i);
                let turn = b.value::<arith::AndIOp>(&[turn, c.rest], index, &[]);
                let at = add(b, first, turn);
                let own = memref::LoadOp::build(b, c.view, &[at]);
                vec![c.target.kind.combine(b, v[0], own, c.target.elem)]
            });
            let value = all.op().result(b.ctx, 0);
            let (value_bits, nothing) = (bits(b, value), bits(b, identity));
            let changes = CmpIOp::build(b, CmpIPredicate::Ne, value_bits, nothing);
            when(b, changes, |b| {
                let at = c.subscripts(b, i);
                c.update_array(b, value, &at);
            });
        });
    }
}

/// Whether an iteration is so little straight code that several fit the registers.
pub(super) fn is_straight(ctx: &Context, band: &Band, body: &[Op]) -> bool {
    let straight = |o: &Op| {
        let makes = matches!(o.name(ctx), memref::AllocOp::NAME | memref::AllocaOp::NAME);
        o.num_regions(ctx) == 0 && !makes
    };
    let between: usize = band.levels.iter().map(|l| l.between.len()).sum();
    body.len() + between <= MAX_JAMMED
        && band.levels.iter().all(|l| !l.guarded)
        && body.iter().all(straight)
}

/// What is left of `x`, moved up.
pub(super) fn shifted(b: &mut Builder, x: Value, shift: Value) -> Value {
    let index = b.ctx.index();
    b.value::<arith::ShLIOp>(&[x, shift], index, &[])
}

/// A number's bits, as an integer.
fn bits(b: &mut Builder, v: Value) -> Value {
    let ty = v.ty(b.ctx);
    match ty.float_kind(b.ctx) {
        Some(kind) => {
            let int = b.ctx.int(kind.width());
            b.value::<arith::BitcastOp>(&[v], int, &[])
        }
        None => v,
    }
}
