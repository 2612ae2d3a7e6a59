//! The loops of a parallel nest that a grid of threads can run.
//!
//! Parallel loops nested in one another make one band where nothing stands between
//! them but ops that each inner iteration may do again: such as touch no memory, or
//! read what the nest does not write. A band ends at a loop whose number of iterations
//! the host cannot bound.

use super::Mapper;
use super::extremes::Extremes;
use crate::analysis::memory::{base, may_be_same};
use crate::analysis::reduction::of_region;
use rustc_hash::FxHashMap;
use terrace_dialects::arith::{self, CmpIPredicate};
use terrace_dialects::scf;
use terrace_ir::effects::{effects, own_effects};
use terrace_ir::opdef::EffectKind;
use terrace_ir::{Block, Builder, Context, InsertPoint, Op, OpKind, Value};

/// One loop of a band.
#[derive(Debug, Clone)]
pub(in crate::gpu) struct Level {
    pub iv: Value,
    /// What the source calls the counter.
    pub name: String,
    pub lower: Value,
    pub upper: Value,
    pub step: Value,
    /// The most iterations that it has, computed in front of the band.
    pub trips: Value,
    /// It may have fewer, depending on the loops around it.
    pub guarded: bool,
    /// The parallel op that it is of.
    pub op: Op,
    /// Ops that stand in its body in front of the next loop.
    pub between: Vec<Op>,
}

/// A parallel nest.
pub(in crate::gpu) struct Band {
    /// The outermost op, which is to be replaced.
    pub root: Op,
    /// Outer before inner; at least one.
    pub levels: Vec<Level>,
    /// The innermost block, and the `scf.reduce` that it ends in.
    pub body: Block,
    pub reduce: Option<Op>,
    /// How many values are reduced.
    pub results: usize,
}

/// The deepest band: what lies deeper runs in the thread.
const MAX_LEVELS: usize = 16;

impl Mapper<'_> {
    pub(super) fn band(&mut self, p: scf::ParallelOp) -> Band {
        let results = p.op().num_results(self.ctx);
        let root = p.op();
        let written = written(self.ctx, root);
        let mut extremes = Extremes::new(root);
        let mut levels: Vec<Level> = Vec::new();
        let mut p = p;
        let body = loop {
            if let Some(l) = levels.last_mut() {
                let ops = p
                    .body(self.ctx)
                    .parent_op(self.ctx)
                    .and_then(|o| o.block(self.ctx));
                l.between = ops
                    .map(|b| b.ops(self.ctx))
                    .unwrap_or_default()
                    .into_iter()
                    .take_while(|o| *o != p.op())
                    .collect();
            }
            for (i, iv) in p.induction_vars(self.ctx).into_iter().enumerate() {
                let (lower, upper, step) = (
                    p.lower_bounds(self.ctx)[i],
                    p.upper_bounds(self.ctx)[i],
                    p.steps(self.ctx)[i],
                );
                let mut b = Builder::before(self.ctx, root);
                // The first op's bounds are known in front of it.
                let trips = extremes.trips(&mut b, lower, upper, step).unwrap_or(upper);
                let guarded = extremes.varies(b.ctx, lower) || extremes.varies(b.ctx, upper);
                extremes.add(&mut b, iv, lower, upper);
                levels.push(Level {
                    iv,
                    name: iv
                        .loc(self.ctx)
                        .name(self.ctx)
                        .unwrap_or_default()
                        .to_string(),
                    lower,
                    upper,
                    step,
                    trips,
                    guarded,
                    op: p.op(),
                    between: Vec::new(),
                });
            }
            let body = p.body(self.ctx);
            match self.nested(body, results, &written) {
                Some(inner)
                    if levels.len() + inner.num_loops(self.ctx) <= MAX_LEVELS
                        && self.is_bounded(&mut extremes, inner, root) =>
                {
                    p = inner;
                }
                _ => break body,
            }
        };
        Band {
            root,
            levels,
            body,
            reduce: body
                .last_op(self.ctx)
                .filter(|o| o.isa::<scf::ReduceOp>(self.ctx)),
            results,
        }
    }

    fn is_bounded(&mut self, extremes: &mut Extremes, p: scf::ParallelOp, root: Op) -> bool {
        let bounds: Vec<_> = p
            .lower_bounds(self.ctx)
            .into_iter()
            .zip(p.upper_bounds(self.ctx))
            .zip(p.steps(self.ctx))
            .collect();
        bounds.into_iter().all(|((l, u), s)| {
            let mut b = Builder::before(self.ctx, root);
            extremes.trips(&mut b, l, u, s).is_some()
        })
    }

    /// The parallel loop that is all there is in `body` besides ops that may be done
    /// again, if what it reduces is what the outer one reduces.
    fn nested(&self, body: Block, results: usize, written: &Written) -> Option<scf::ParallelOp> {
        let ctx = &*self.ctx;
        let mut ops = body.ops(ctx);
        let end = ops.pop()?;
        let inner = ops.pop()?.cast::<scf::ParallelOp>(ctx)?;
        if inner.op().num_results(ctx) != results
            || !ops.iter().all(|o| may_repeat(ctx, *o, written))
        {
            return None;
        }
        if results > 0 {
            let outer = end.cast::<scf::ReduceOp>(ctx)?;
            let reduce = inner.reduce_op(ctx)?;
            if outer.op().operands(ctx) != inner.op().results(ctx) {
                return None;
            }
            for (i, init) in inner.init_vals(ctx).into_iter().enumerate() {
                let kind = of_region(ctx, outer.op().body(ctx, i))?;
                let ty = init.ty(ctx);
                if of_region(ctx, reduce.op().body(ctx, i)) != Some(kind)
                    || ctx.constant_of(init) != Some(kind.identity(ctx, ty)?)
                {
                    return None;
                }
            }
        }
        Some(inner)
    }
}

/// Memory that a nest writes; `None` where it may be any.
type Written = Option<Vec<Value>>;

fn written(ctx: &Context, root: Op) -> Written {
    let mut all = Vec::new();
    for o in root.pre_order(ctx) {
        for e in own_effects(ctx, o)? {
            if matches!(e.kind, EffectKind::Write | EffectKind::Free) {
                all.push(base(ctx, e.on?));
            }
        }
    }
    Some(all)
}

/// Whether each iteration of a loop behind `op` may do it again.
fn may_repeat(ctx: &Context, op: Op, written: &Written) -> bool {
    if op.num_regions(ctx) > 0 {
        return false;
    }
    let Some(list) = effects(ctx, op) else {
        return false;
    };
    list.iter().all(|e| match (e.kind, e.on, written) {
        (EffectKind::Read, Some(v), Some(w)) => {
            let v = base(ctx, v);
            !w.iter().any(|x| may_be_same(ctx, v, *x))
        }
        _ => false,
    })
}

/// A region that is being filled: its end is where the builder is.
pub(super) enum Open {
    /// Of an `scf.if`; without it the values stay as they are.
    If(Op, Vec<Value>),
    /// Of an `scf.for`.
    For(Op),
}

/// Go into the region of `scf.if condition`, with results like `carried`.
pub(super) fn open_if(b: &mut Builder, condition: Value, carried: &[Value]) -> Open {
    let types: Vec<_> = carried.iter().map(|v| v.ty(b.ctx)).collect();
    let (op, then, _) = scf::IfOp::build(b, condition, &types, !carried.is_empty());
    b.at = InsertPoint::End(then);
    Open::If(op.op(), carried.to_vec())
}

/// Go into the body of a loop that carries `inits`; gives the counter and the values as
/// the body has them.
pub(super) fn open_for(
    b: &mut Builder,
    lower: Value,
    upper: Value,
    step: Value,
    inits: &[Value],
) -> (Open, Value, Vec<Value>) {
    let (op, body) = scf::ForOp::build(b, lower, upper, step, inits);
    let args = body.args(b.ctx);
    b.at = InsertPoint::End(body);
    (Open::For(op.op()), args[0], args[1..].to_vec())
}

/// Leave the open regions, inner first, handing on `values`; gives them as they are
/// outside.
pub(super) fn close(b: &mut Builder, open: Vec<Open>, values: Vec<Value>) -> Vec<Value> {
    let mut values = values;
    for o in open.into_iter().rev() {
        b.op::<scf::YieldOp>(&values, &[], &[]);
        let op = match o {
            Open::For(op) => op,
            Open::If(op, otherwise) => {
                if let Some(e) = op.region(b.ctx, 1).entry(b.ctx) {
                    b.at = InsertPoint::End(e);
                    b.op::<scf::YieldOp>(&otherwise, &[], &[]);
                }
                op
            }
        };
        values = op.results(b.ctx);
        // Regions are filled from their end, so the op is the last of its block.
        if let Some(block) = op.block(b.ctx) {
            b.at = InsertPoint::End(block);
        }
    }
    values
}

impl Band {
    /// In a thread, at the end of the builder's block: the counters of all levels from
    /// their iteration numbers `ks`, guards where a level has no such iteration, and
    /// the ops that stand between.
    pub(super) fn enter(&self, b: &mut Builder, ks: &[Value], carried: &[Value]) -> Vec<Open> {
        let mut open = Vec::new();
        // Bounds may be counters of loops around, which become other values here.
        let mut counters: FxHashMap<Value, Value> = FxHashMap::default();
        let index = b.ctx.index();
        for (l, k) in self.levels.iter().zip(ks) {
            let now = |v: Value| counters.get(&v).copied().unwrap_or(v);
            let (lower, upper) = (now(l.lower), now(l.upper));
            let mut offset = *k;
            if b.ctx.constant_int(l.step) != Some(1) {
                offset = b.value::<arith::MulIOp>(&[*k, l.step], index, &[]);
            }
            let mut iv = offset;
            if b.ctx.constant_int(lower) != Some(0) {
                iv = b.value::<arith::AddIOp>(&[lower, offset], index, &[]);
            }
            if l.guarded {
                let inside = arith::CmpIOp::build(b, CmpIPredicate::Slt, iv, upper);
                open.push(open_if(b, inside, carried));
            }
            l.iv.replace_all_uses(b.ctx, iv);
            counters.insert(l.iv, iv);
            let InsertPoint::End(here) = b.at else {
                continue;
            };
            for op in &l.between {
                op.move_to_end(b.ctx, here);
            }
        }
        open
    }

    /// Move what the innermost body does to the end of the builder's block; gives the
    /// values that it reduces.
    pub(super) fn take_body(&self, b: &mut Builder) -> Vec<Value> {
        let InsertPoint::End(here) = b.at else {
            return Vec::new();
        };
        for op in self.body.ops(b.ctx) {
            if Some(op) != self.reduce {
                op.move_to_end(b.ctx, here);
            }
        }
        self.reduce.map(|e| e.operands(b.ctx)).unwrap_or_default()
    }
}

/// The product of numbers of iterations.
pub(super) fn product(b: &mut Builder, values: &[Value]) -> Value {
    let index = b.ctx.index();
    let mut constant: i64 = 1;
    let mut all: Option<Value> = None;
    for v in values {
        match b.ctx.constant_int(*v) {
            Some(c) if constant.checked_mul(c).is_some() => constant *= c,
            _ => {
                all = Some(match all {
                    Some(p) => b.value::<arith::MulIOp>(&[p, *v], index, &[]),
                    None => *v,
                });
            }
        }
    }
    match all {
        None => arith::constant_index(b, constant),
        Some(p) if constant == 1 => p,
        Some(p) => {
            let c = arith::constant_index(b, constant);
            b.value::<arith::MulIOp>(&[p, c], index, &[])
        }
    }
}
