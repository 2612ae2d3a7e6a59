//! What which thread of a block does.

use super::find::{BlockNest, Level, holds_parallel, is_of_block, shared_loops, writes};
use super::touched::Touched;
use super::{counters, product, trips};
use crate::analysis::reduction::of_region;
use crate::gpu::combine::{LANES, Place, combine_in_block};
use crate::loops::build::index::{constant, split};
use crate::loops::sequentialize::sequentialize;
use rustc_hash::FxHashMap;
use terrace_dialects::arith::{self, CmpIOp, CmpIPredicate};
use terrace_dialects::{gpu, memref, scf};
use terrace_ir::effects::{is_memory_effect_free, is_pure};
use terrace_ir::{Block, Builder, Context, InsertPoint, Op, OpKind, Value};

/// Makes the code of one thread a block into that of all its threads.
pub(super) struct Body {
    thread: Value,
    threads: i64,
    place: Place,
    is_first: Value,
    buffers: FxHashMap<Value, Value>,
}

impl Body {
    /// `thread` is the number of the thread in its block; `buffers` those that the nest needs.
    pub fn new(ctx: &mut Context, nest: &BlockNest, thread: Value, buffers: &[Value]) -> Body {
        let loc = nest.root.op().loc(ctx);
        let entry = thread.arg_block();
        let at = entry.map_or(InsertPoint::After(nest.root.op()), InsertPoint::Start);
        let b = &mut Builder::new(ctx, at, loc);
        let (warp, lane) = split(b, thread, LANES);
        let zero = constant(b, 0);
        let is_first = CmpIOp::build(b, CmpIPredicate::Eq, thread, zero);
        let all = nest.buffers.iter();
        Body {
            thread,
            threads: nest.threads,
            place: Place {
                lane,
                warp,
                warps: nest.threads / LANES,
            },
            is_first,
            buffers: all.map(|(v, at)| (*v, buffers[*at])).collect(),
        }
    }

    /// Changes the ops of `block`, which threads come to again and again where gangs take
    /// `turns`.
    pub fn all(&self, ctx: &mut Context, block: Block, turns: bool) {
        self.arrays(ctx, block);
        let mut state = Touched::default();
        self.block(ctx, block, &mut state);
        if turns {
            meet_at_end(ctx, block, &mut state);
        }
    }

    /// Arrays of the nest's own are in workgroup memory.
    fn arrays(&self, ctx: &mut Context, block: Block) {
        let ops: Vec<Op> = (block.ops(ctx).into_iter())
            .flat_map(|o| o.pre_order(ctx))
            .collect();
        let made = ops
            .into_iter()
            .filter(|o| matches!(o.name(ctx), memref::AllocOp::NAME | memref::AllocaOp::NAME));
        for op in made.collect::<Vec<_>>() {
            let old = op.result(ctx, 0);
            let Some(new) = self.buffers.get(&old) else {
                continue;
            };
            for u in old.users(ctx) {
                if u.isa::<memref::DeallocOp>(ctx) {
                    u.erase(ctx);
                }
            }
            op.replace(ctx, &[*new]);
        }
    }

    fn block(&self, ctx: &mut Context, block: Block, state: &mut Touched) {
        let mut group: Vec<Op> = Vec::new();
        for op in block.ops(ctx) {
            if op.is_terminator(ctx) {
                continue;
            }
            let parallel = op.cast::<scf::ParallelOp>(ctx);
            if parallel.is_none() && !holds_parallel(ctx, op) && writes(ctx, op) {
                group.push(op);
                continue;
            }
            let uses_group = |v: &Value| v.def_op().is_some_and(|d| group.contains(&d));
            let within = op.pre_order(ctx);
            let waits = !is_pure(ctx, op)
                || within
                    .iter()
                    .flat_map(|o| o.operands(ctx))
                    .any(|v| uses_group(&v));
            if waits {
                self.single(ctx, &mut group, state);
            }
            match parallel {
                Some(p) if is_of_block(ctx, p) => {
                    if let Some(l) = sequentialize(ctx, p) {
                        self.of_block(ctx, l, state);
                    }
                }
                Some(p) => self.shared(ctx, p, state),
                None if holds_parallel(ctx, op) => self.of_block(ctx, op, state),
                None if is_memory_effect_free(ctx, op) => {}
                None => meet(ctx, op, &Touched::of(ctx, &[op]), state),
            }
        }
        let last = block.last_op(ctx);
        if let Some(last) = last.filter(|_| !group.is_empty()) {
            self.single_before(ctx, &mut group, state, last);
        }
    }

    fn single(&self, ctx: &mut Context, group: &mut Vec<Op>, state: &mut Touched) {
        if let Some(behind) = group.last().and_then(|o| o.next(ctx)) {
            self.single_before(ctx, group, state, behind);
        }
    }

    /// One thread does what the group does. What it hands on, the others read behind a barrier.
    fn single_before(
        &self,
        ctx: &mut Context,
        group: &mut Vec<Op>,
        state: &mut Touched,
        behind: Op,
    ) {
        let ops = std::mem::take(group);
        let touches = Touched::of(ctx, &ops);
        let first = ops[0];
        meet(ctx, first, &touches, state);
        let in_group = |ctx: &Context, u: Op| ops.iter().any(|o| o.is_ancestor_of(ctx, u));
        let handed: Vec<Value> = (ops.iter().flat_map(|o| o.results(ctx)))
            .filter(|v| v.users(ctx).iter().any(|u| !in_group(ctx, *u)))
            .collect();
        let b = &mut Builder::before(ctx, behind);
        let zero = constant(b, 0);
        let (_, then, _) = scf::IfOp::build(b, self.is_first, &[], false);
        for op in &ops {
            op.unlink(b.ctx);
            then.push_back(b.ctx, *op);
        }
        b.with_point(InsertPoint::End(then), |b| {
            for v in &handed {
                memref::StoreOp::build(b, *v, self.buffers[v], &[zero]);
            }
            scf::YieldOp::build(b, &[]);
        });
        if handed.is_empty() {
            return;
        }
        gpu::BarrierOp::build(b);
        *state = Touched::default();
        for v in handed {
            let read = memref::LoadOp::build(b, self.buffers[&v], &[zero]);
            let ctx = &*b.ctx;
            v.replace_uses_if(ctx, read, |u| {
                !in_group(ctx, u.op) && u.op.parent(ctx) != then.parent_op(ctx)
            });
            let mut own = Touched::default();
            own.write(self.buffers[&v]);
            state.and(&own);
        }
    }

    /// A loop or condition with loops in it that threads share: all come to it alike.
    fn of_block(&self, ctx: &mut Context, op: Op, state: &mut Touched) {
        let before = state.clone();
        let blocks = op.blocks(ctx);
        let is_loop = op.isa::<scf::ForOp>(ctx);
        for block in blocks {
            let mut inside = before.clone();
            self.block(ctx, block, &mut inside);
            if is_loop {
                meet_at_end(ctx, block, &mut inside);
            }
            state.and(&inside);
        }
    }

    /// A loop whose iterations are divided among the threads, with what they combine.
    fn shared(&self, ctx: &mut Context, p: scf::ParallelOp, state: &mut Touched) {
        let op = p.op();
        meet(ctx, op, &Touched::of(ctx, &[op]), state);
        let (loops, _) = shared_loops(ctx, p);
        let Some(innermost) = loops.last().copied() else {
            return;
        };
        let levels: Vec<Level> = loops.iter().flat_map(|l| Level::of(ctx, *l)).collect();
        let reduce = innermost.reduce_op(ctx);
        let (inits, results) = (p.init_vals(ctx), op.results(ctx));
        let body = innermost.body(ctx);
        let kinds: Vec<_> = (0..results.len())
            .filter_map(|i| of_region(ctx, reduce?.op().body(ctx, i)))
            .collect();
        let b = &mut Builder::before(ctx, op);
        let counts: Vec<Value> = levels.iter().map(|l| trips(b, l)).collect();
        let total = product(b, &counts);
        let step = constant(b, self.threads);
        let mut starts = Vec::new();
        for (kind, v) in kinds.iter().zip(&results) {
            let ty = v.ty(b.ctx);
            if let Some(neutral) = kind.identity(b.ctx, ty) {
                starts.push(arith::constant(b, neutral));
            }
        }
        let (l, turn) = scf::ForOp::build(b, self.thread, total, step, &starts);
        let carried: Vec<Value> = turn.args(b.ctx)[1..].to_vec();
        b.with_point(InsertPoint::End(turn), |b| {
            let k = turn.arg(b.ctx, 0);
            let ivs = counters(b, &levels, &counts, k);
            for (l, iv) in levels.iter().zip(ivs) {
                l.iv.replace_all_uses(b.ctx, iv);
            }
            for o in body.ops(b.ctx) {
                if Some(o) != reduce.map(|r| r.op()) {
                    o.move_to_end(b.ctx, turn);
                }
            }
            let new = reduce.map_or_else(Vec::new, |r| r.op().operands(b.ctx));
            let mut next = Vec::new();
            for ((kind, old), new) in kinds.iter().zip(&carried).zip(new) {
                let ty = new.ty(b.ctx);
                next.push(kind.combine(b, *old, new, ty));
            }
            scf::YieldOp::build(b, &next);
        });
        let own = l.op().results(b.ctx);
        for (i, kind) in kinds.iter().enumerate() {
            let ty = results[i].ty(b.ctx);
            let buffer = self.buffers.get(&results[i]).copied();
            if let Some(buffer) = buffer {
                let mut touches = Touched::default();
                touches.write(buffer);
                if state.is_in_the_way_of(b.ctx, &touches) {
                    gpu::BarrierOp::build(b);
                }
                // Combining has a barrier, behind which threads read the buffer.
                *state = touches;
            }
            let sum = combine_in_block(b, self.place, *kind, own[i], buffer.unwrap_or(own[i]));
            let whole = kind.combine(b, inits[i], sum, ty);
            results[i].replace_all_uses(b.ctx, whole);
        }
        op.erase(b.ctx);
        for o in turn
            .ops(b.ctx)
            .into_iter()
            .flat_map(|o| o.post_order(b.ctx))
            .collect::<Vec<_>>()
        {
            if let Some(p) = o.cast::<scf::ParallelOp>(b.ctx) {
                sequentialize(b.ctx, p);
            }
        }
    }
}

/// Has threads wait in front of `op` for what others have touched, if it touches that too.
fn meet(ctx: &mut Context, op: Op, touches: &Touched, state: &mut Touched) {
    if state.is_in_the_way_of(ctx, touches) {
        gpu::BarrierOp::build(&mut Builder::before(ctx, op));
        *state = Touched::default();
    }
    state.and(touches);
}

/// At the end of a loop's body, has threads wait for what others have touched since they last
/// met, if the next iteration touches that too.
fn meet_at_end(ctx: &mut Context, body: Block, state: &mut Touched) {
    let next = Touched::of(ctx, &body.ops(ctx));
    let last = body.last_op(ctx);
    if let Some(last) = last.filter(|_| state.is_in_the_way_of(ctx, &next)) {
        gpu::BarrierOp::build(&mut Builder::before(ctx, last));
        *state = Touched::default();
    }
}
