//! The one kernel: the host's loop, and in it what was launched, by the threads that there are.

use super::Form;
use super::find::{block_sizes, launches, used};
use super::touched::{Pending, touched};
use super::{block, grid};
use crate::gpu::branches::when;
use crate::loops::build::index::{add, constant};
use terrace_dialects::arith::{self, CmpIOp, CmpIPredicate};
use terrace_dialects::{gpu, scf};
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::{Block, Builder, InsertPoint, Op, OpKind, Value};

/// Blocks that a grid asks for: more than a device has room for, so that it gives as many as
/// it has.
const MANY: i64 = 65535;

/// Builds a launch that does what the loop does. The loop is left as it is.
pub(super) fn build(b: &mut Builder, l: scf::ForOp, form: Form) {
    b.loc = l.op().loc(b.ctx);
    let one = constant(b, 1);
    let (blocks, threads) = match form {
        Form::Block(threads) => (one, threads),
        Form::Grid(threads) => (constant(b, MANY), threads),
    };
    let counter = matches!(form, Form::Grid(_)).then(|| counter(b));
    let size = constant(b, threads);
    let (launch, entry) = gpu::LaunchOp::build(b, [blocks, one, one], [size, one, one], &[], &[]);
    // Profiles call it by the first of its parts.
    let first = launches(b.ctx, l.op()).into_iter().find_map(|part| {
        let name = part.op().attr(b.ctx, "function")?;
        Some(name.as_flat_symbol(b.ctx)?.to_string())
    });
    if let Some(first) = first {
        let name = b.ctx.symbol_attr(&format!("{first}_steps"));
        launch.op().set_attr(b.ctx, "function", name);
    }
    let team = Team {
        thread: launch.thread_ids(b.ctx)[0],
        threads,
        grid: counter.map(|counter| Grid {
            counter,
            block: launch.block_ids(b.ctx)[0],
            blocks: launch.grid_size_args(b.ctx)[0],
        }),
    };
    let mut k = Kernel {
        team,
        map: IrMapping::new(),
        pending: Pending::default(),
    };
    b.with_point(InsertPoint::End(entry), |b| {
        k.host_loop(b, l);
        b.op::<gpu::TerminatorOp>(&[], &[], &[]);
    });
    if let Some(counter) = counter {
        gpu::DeallocOp::build(b, counter);
    }
}

/// What the blocks of a grid meet at.
fn counter(b: &mut Builder) -> Value {
    let i32 = b.ctx.i32();
    let ty = b.ctx.memref(&[1], i32);
    let counter = gpu::AllocOp::build(b, ty, &[]);
    let zero = arith::constant_int(b, 0, i32);
    gpu::MemsetOp::build(b, counter, zero);
    counter
}

/// The threads that run everything.
#[derive(Clone, Copy)]
pub(super) struct Team {
    /// The number of the thread in its block, and how many there are.
    pub thread: Value,
    pub threads: i64,
    pub grid: Option<Grid>,
}

/// The blocks, where there are several.
#[derive(Clone, Copy)]
pub(super) struct Grid {
    pub counter: Value,
    /// The number of the block, and how many there are.
    pub block: Value,
    pub blocks: Value,
}

pub(super) struct Kernel {
    pub team: Team,
    /// Values of the host's loop as the kernel has them.
    pub map: IrMapping,
    pending: Pending,
}

impl Kernel {
    /// What the host does in a block; the values at its end.
    fn host_block(&mut self, b: &mut Builder, block: Block) -> Vec<Value> {
        let mut end = Vec::new();
        for op in block.ops(b.ctx) {
            b.loc = op.loc(b.ctx);
            let ctx = &*b.ctx;
            if op.is_terminator(ctx) {
                end = self.all(&op.operands(ctx));
            } else if let Some(l) = op.cast::<gpu::LaunchOp>(ctx) {
                self.launch(b, l);
            } else if let Some(l) = op.cast::<scf::ForOp>(ctx) {
                self.host_loop(b, l);
            } else if let Some(i) = op.cast::<scf::IfOp>(ctx) {
                self.host_if(b, i);
            } else if op.dialect(ctx) != "xfer" {
                let copy = clone_op(b.ctx, op, &mut self.map);
                b.insert(copy);
            }
        }
        end
    }

    fn all(&self, values: &[Value]) -> Vec<Value> {
        values.iter().map(|v| self.map.value(*v)).collect()
    }

    fn host_loop(&mut self, b: &mut Builder, l: scf::ForOp) {
        let ctx = &*b.ctx;
        let [low, high, step] = [l.lower_bound(ctx), l.upper_bound(ctx), l.step(ctx)];
        let bounds = [low, high, step].map(|v| self.map.value(v));
        let inits = self.all(&l.init_args(ctx));
        let old = l.body(ctx);
        let (new, body) = scf::ForOp::build(b, bounds[0], bounds[1], bounds[2], &inits);
        self.map.map_all(&old.args(b.ctx), &body.args(b.ctx));
        let before = self.pending.clone();
        self.pending.enter(b.ctx, l.op());
        b.with_point(InsertPoint::End(body), |b| {
            let end = self.host_block(b, old);
            scf::YieldOp::build(b, &end);
        });
        // It may not have run.
        self.pending.join(&before);
        let results = new.op().results(b.ctx);
        self.map.map_all(&l.op().results(b.ctx), &results);
    }

    fn host_if(&mut self, b: &mut Builder, i: scf::IfOp) {
        let ctx = &*b.ctx;
        let condition = self.map.value(i.condition(ctx));
        let types = i.op().result_types(ctx);
        let (old_then, old_other) = (i.then_block(ctx), i.else_block(ctx));
        let (new, then, other) = scf::IfOp::build(b, condition, &types, old_other.is_some());
        let before = self.pending.clone();
        let mut after = match old_other {
            Some(_) => Pending::default(),
            None => before.clone(),
        };
        for (old, new) in [(Some(old_then), Some(then)), (old_other, other)] {
            let (Some(old), Some(new)) = (old, new) else {
                continue;
            };
            self.pending = before.clone();
            b.with_point(InsertPoint::End(new), |b| {
                let end = self.host_block(b, old);
                scf::YieldOp::build(b, &end);
            });
            after.join(&self.pending);
        }
        self.pending = after;
        let results = new.op().results(b.ctx);
        self.map.map_all(&i.op().results(b.ctx), &results);
    }

    /// All threads of a launch, by those that there are.
    fn launch(&mut self, b: &mut Builder, l: gpu::LaunchOp) {
        let all = touched(b.ctx, l).unwrap_or_default();
        if self.pending.must_wait(b.ctx, &all) {
            match self.team.grid {
                Some(grid) => gpu::GridBarrierOp::build(b, grid.counter),
                None => gpu::BarrierOp::build(b),
            };
            self.pending.clear();
        }
        self.pending.add(&all);
        let p = Part {
            launch: l,
            grid: l.grid_size(b.ctx).map(|v| self.map.value(v)),
            sizes: block_sizes(b.ctx, l).unwrap_or([1; 3]),
        };
        if used(b.ctx, l) == [false; 3] {
            return self.single(b, &p);
        }
        match self.team.grid {
            Some(grid) => grid::launch(self, b, &p, grid),
            None => block::launch(self, b, &p),
        }
    }

    /// A launch of one thread.
    fn single(&mut self, b: &mut Builder, p: &Part) {
        let zero = constant(b, 0);
        let mut number = self.team.thread;
        if let Some(grid) = self.team.grid {
            number = add(b, number, grid.block);
        }
        let first = CmpIOp::build(b, CmpIPredicate::Eq, number, zero);
        when(b, first, |b| {
            self.body(b, p, [zero; 3], [zero; 3]);
        });
    }

    /// What a thread of the launch does; its ops.
    pub(super) fn body(
        &mut self,
        b: &mut Builder,
        p: &Part,
        block: [Value; 3],
        thread: [Value; 3],
    ) -> Vec<Op> {
        let sizes: [Value; 3] = p.sizes.map(|n| constant(b, n));
        let ctx = &*b.ctx;
        let places = [
            (p.launch.block_ids(ctx), block),
            (p.launch.thread_ids(ctx), thread),
            (p.launch.grid_size_args(ctx), p.grid),
            (p.launch.block_size_args(ctx), sizes),
        ];
        for (old, new) in places {
            self.map.map_all(&old, &new);
        }
        let mut copies = Vec::new();
        for op in p.launch.body(b.ctx).ops(b.ctx) {
            if !op.isa::<gpu::TerminatorOp>(b.ctx) {
                let copy = clone_op(b.ctx, op, &mut self.map);
                copies.push(b.insert(copy));
            }
        }
        copies
    }
}

/// A launch of the loop, with sizes as the kernel has them.
pub(super) struct Part {
    pub launch: gpu::LaunchOp,
    pub grid: [Value; 3],
    pub sizes: [i64; 3],
}
