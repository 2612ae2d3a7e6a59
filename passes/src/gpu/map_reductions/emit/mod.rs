//! The kernel: a thread an iteration, loops in tiles (`tiles`) that are copied ahead (`copies`), and
//! what these store (`stores`). Bounds may differ from thread to thread (`ragged`).

mod copies;
mod ragged;
mod rows;
mod stores;
mod tiles;

use super::plan::{Item, ReductionKernel};
use super::policy::THREADS;
use terrace_dialects::arith::{self, CmpIPredicate};
use terrace_dialects::{gpu, scf};
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::{Builder, InsertPoint, OpKind, Type, Value};

/// Fill the body of a launch of blocks of `BLOCK` threads whose buffers are
/// [`shared`](super::shared). `trips` of the parallel loop, at least as many as a block has
/// threads. The loop's own body stays as it is.
pub(crate) fn emit(b: &mut Builder, plan: &ReductionKernel, launch: gpu::LaunchOp, trips: Value) {
    let index = b.ctx.index();
    let (bid, tid) = (launch.block_ids(b.ctx)[0], launch.thread_ids(b.ctx)[0]);
    let threads = arith::constant_index(b, THREADS);
    let own = b.value::<arith::MulIOp>(&[bid, threads], index, &[]);
    // The last block begins earlier where it would have too few iterations, and leaves what
    // they store to the block that has them too.
    let latest = b.value::<arith::SubIOp>(&[trips, threads], index, &[]);
    let first = b.value::<arith::MinSIOp>(&[own, latest], index, &[]);
    let lane = b.value::<arith::RemUIOp>(&[tid, threads], index, &[]);
    let k = b.value::<arith::AddIOp>(&[first, lane], index, &[]);
    let owned = arith::CmpIOp::build(b, CmpIPredicate::Sge, k, own);
    let works = arith::CmpIOp::build(b, CmpIPredicate::Slt, tid, threads);
    let copies = arith::CmpIOp::build(b, CmpIPredicate::Sge, tid, threads);
    let ty = b.ctx.i1();
    let active = b.value::<arith::AndIOp>(&[works, owned], ty, &[]);
    let copier = b.value::<arith::SubIOp>(&[tid, threads], index, &[]);
    let warp = b.value::<arith::DivUIOp>(&[copier, threads], index, &[]);
    let mut buffers = launch.workgroup_attributions(b.ctx);
    let mut kernel = Kernel {
        plan,
        index,
        lane,
        works,
        copies,
        copier,
        warp,
        first,
        own,
        active,
        stored: buffers.split_off(plan.pool.len()),
        buffers,
        map: IrMapping::new(),
    };
    let i = kernel.iteration(b, lane);
    kernel.map.map(plan.iv, i);
    let mut tiled_before = false;
    for item in &plan.items {
        match item {
            Item::Pure(op) => {
                let copy = clone_op(b.ctx, *op, &mut kernel.map);
                b.insert(copy);
            }
            Item::Guarded(ops, out) => {
                let mut inside = kernel.map.clone();
                let values = guarded(b, active, &types(b, out), |b| {
                    for op in ops {
                        let copy = clone_op(b.ctx, *op, &mut inside);
                        b.insert(copy);
                    }
                    out.iter().map(|v| inside.value(*v)).collect()
                });
                kernel.map.map_all(out, &values);
            }
            Item::Loop(k) => {
                let l = &plan.loops[*k];
                let values = kernel.tiled(b, l, tiled_before);
                let results = l.op.op().results(b.ctx);
                kernel.map.map_all(&results, &values);
                tiled_before = true;
            }
        }
    }
}

fn types(b: &Builder, values: &[Value]) -> Vec<Type> {
    values.iter().map(|v| v.ty(b.ctx)).collect()
}

/// `scf.if`, with zeros where the condition is false.
fn guarded(
    b: &mut Builder,
    condition: Value,
    types: &[Type],
    f: impl FnOnce(&mut Builder) -> Vec<Value>,
) -> Vec<Value> {
    let (op, then, other) = scf::IfOp::build(b, condition, types, !types.is_empty());
    b.with_point(InsertPoint::End(then), |b| {
        let values = f(b);
        scf::YieldOp::build(b, &values);
    });
    if let Some(other) = other {
        b.with_point(InsertPoint::End(other), |b| {
            let mut zeros: Vec<Value> = Vec::new();
            for a in types
                .iter()
                .map(|t| b.ctx.zero_attr(*t))
                .collect::<Vec<_>>()
            {
                zeros.extend(a.map(|a| arith::constant(b, a)));
            }
            scf::YieldOp::build(b, &zeros);
        });
    }
    op.op().results(b.ctx)
}

struct Kernel<'p> {
    plan: &'p ReductionKernel,
    index: Type,
    /// The thread's number in its warp.
    lane: Value,
    /// Whether the thread is one of those with an iteration, or of those that copy.
    works: Value,
    copies: Value,
    /// The number of the thread, and of its warp, among those that copy.
    copier: Value,
    warp: Value,
    /// The number of the block's first iteration.
    first: Value,
    /// The number of the first iteration that no other block has.
    own: Value,
    /// Whether the thread's iteration is this block's.
    active: Value,
    /// For what is loaded, and for what is stored.
    buffers: Vec<Value>,
    stored: Vec<Value>,
    /// What stands for the values of the parallel loop's body.
    map: IrMapping,
}

impl Kernel<'_> {
    fn add(&self, b: &mut Builder, x: Value, y: Value) -> Value {
        match (b.ctx.constant_int(x), b.ctx.constant_int(y)) {
            (Some(0), _) => y,
            (_, Some(0)) => x,
            _ => b.value::<arith::AddIOp>(&[x, y], self.index, &[]),
        }
    }

    /// The counter of the block's `r`th iteration.
    fn iteration(&self, b: &mut Builder, r: Value) -> Value {
        let k = b.value::<arith::AddIOp>(&[self.first, r], self.index, &[]);
        self.add(b, self.plan.lower, k)
    }
}
