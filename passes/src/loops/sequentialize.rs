//! Parallel loops as sequential ones: one order out of those allowed.

use terrace_dialects::arith::AtomicRmwKind;
use terrace_dialects::{affine, arith, scf};
use terrace_ir::affine::AffineMap;
use terrace_ir::{Attr, Builder, Context, InsertPoint, Op, OpKind, Type, Value};

/// Replace an affine parallel loop by a nest of loops that run one iteration after another
/// and carry its reductions; gives these, the outermost first. That the terms of a sum may
/// come in any order is noted at the op that adds them. `None`, with nothing changed, where a
/// reduction has no neutral element.
pub(crate) fn affine_in_order(
    ctx: &mut Context,
    p: affine::ParallelOp,
) -> Option<Vec<affine::ForOp>> {
    let from = ParallelNest::of(ctx, p)?;
    let mut b = Builder::before(ctx, p.op());
    let starts = from.neutral(&mut b);
    let loops = from.nest(&mut b, 0, &starts, p);
    let results = loops.first()?.op().results(b.ctx);
    p.op().replace(b.ctx, &results);
    Some(loops)
}

/// What loops take over from an affine parallel loop.
pub(crate) struct ParallelNest {
    lower: Vec<(AffineMap, Vec<Value>)>,
    upper: Vec<(AffineMap, Vec<Value>)>,
    steps: Vec<i64>,
    ivs: Vec<Value>,
    kinds: Vec<AtomicRmwKind>,
    neutral: Vec<Attr>,
    types: Vec<Type>,
}

impl ParallelNest {
    /// `None` where a reduction has no neutral element.
    pub fn of(ctx: &Context, p: affine::ParallelOp) -> Option<ParallelNest> {
        let types = p.op().result_types(ctx);
        let kinds = p.reductions(ctx).into_iter().map(AtomicRmwKind::from_i64);
        let kinds = kinds.collect::<Option<Vec<_>>>()?;
        let neutral = kinds.iter().zip(&types).map(|(k, t)| k.identity(ctx, *t));
        let ivs = p.ivs(ctx);
        Some(ParallelNest {
            lower: (0..ivs.len())
                .map(|i| (p.lower_map_of(ctx, i), p.lower_operands(ctx)))
                .collect(),
            upper: (0..ivs.len())
                .map(|i| (p.upper_map_of(ctx, i), p.upper_operands(ctx)))
                .collect(),
            steps: p.steps(ctx),
            ivs,
            neutral: neutral.collect::<Option<_>>()?,
            kinds,
            types,
        })
    }

    pub fn depth(&self) -> usize {
        self.ivs.len()
    }

    /// The bounds and the step of a dimension.
    pub fn range(&self, dim: usize) -> (&(AffineMap, Vec<Value>), &(AffineMap, Vec<Value>), i64) {
        (&self.lower[dim], &self.upper[dim], self.steps[dim])
    }

    /// Lets the loop over `dim` begin and end elsewhere.
    pub fn set_range(
        &mut self,
        dim: usize,
        lower: (AffineMap, Vec<Value>),
        upper: (AffineMap, Vec<Value>),
    ) {
        (self.lower[dim], self.upper[dim]) = (lower, upper);
    }

    /// What the reductions start from.
    pub fn neutral(&self, b: &mut Builder) -> Vec<Value> {
        let all = self.neutral.iter();
        all.map(|a| arith::constant(b, *a)).collect()
    }

    /// Loops over the dimensions from `first` on, which carry the reductions on from `starts`;
    /// the body of `p` moves into the innermost.
    pub fn nest(
        &self,
        b: &mut Builder,
        first: usize,
        starts: &[Value],
        p: affine::ParallelOp,
    ) -> Vec<affine::ForOp> {
        let at = b.at;
        let mut loops: Vec<affine::ForOp> = Vec::new();
        let mut carried = starts.to_vec();
        for dim in first..self.depth() {
            let (lower, upper, step) = self.range(dim);
            let lower = (lower.0.clone(), &lower.1[..]);
            let upper = (upper.0.clone(), &upper.1[..]);
            let l = affine::ForOp::build_open(b, lower, upper, step, &carried);
            let iv = self.ivs[dim];
            let loc = iv.loc(b.ctx);
            l.body(b.ctx).set_arg_loc(b.ctx, 0, loc);
            iv.replace_all_uses(b.ctx, l.iv(b.ctx));
            carried = l.iter_args(b.ctx);
            b.at = InsertPoint::End(l.body(b.ctx));
            loops.push(l);
        }
        let yielded = self.take_body(b, p, &carried);
        b.op::<affine::YieldOp>(&yielded, &[], &[]);
        for pair in loops.windows(2).rev() {
            b.at = InsertPoint::End(pair[0].body(b.ctx));
            let results = pair[1].op().results(b.ctx);
            b.op::<affine::YieldOp>(&results, &[], &[]);
        }
        b.at = at;
        loops
    }

    /// Moves the body of `p` to the end of the block that is built; gives what the reductions
    /// are behind it.
    fn take_body(&self, b: &mut Builder, p: affine::ParallelOp, carried: &[Value]) -> Vec<Value> {
        let InsertPoint::End(block) = b.at else {
            return Vec::new();
        };
        let mut contributions = Vec::new();
        for op in p.body(b.ctx).ops(b.ctx) {
            match op.isa::<affine::YieldOp>(b.ctx) {
                true => contributions = op.operands(b.ctx),
                false => op.move_to_end(b.ctx, block),
            }
        }
        let all = carried.iter().zip(contributions).zip(&self.kinds);
        let types = self.types.iter();
        all.zip(types)
            .map(|(((so_far, x), kind), ty)| {
                let next = kind.combine(b, *so_far, x, *ty);
                if let (true, Some(op)) = (ty.is_float(b.ctx), next.def_op()) {
                    let flags = arith::FASTMATH.attr(b.ctx, arith::fastmath::REASSOC);
                    op.set_attr(b.ctx, arith::ATTR_FASTMATH, flags);
                }
                next
            })
            .collect()
    }
}

/// Replace a loop over a space of points by a parallel loop over the same points.
/// `None`, with nothing changed, where it has shared outputs, which only tensors are.
pub fn forall_to_parallel(ctx: &mut Context, f: scf::ForallOp) -> Option<scf::ParallelOp> {
    if !f.outputs(ctx).is_empty() {
        return None;
    }
    let (lower, upper, steps) = (f.lower_bounds(ctx), f.upper_bounds(ctx), f.steps(ctx));
    let (body, ivs) = (f.body(ctx), f.induction_vars(ctx));
    let mut b = Builder::before(ctx, f.op());
    let mut values = |bounds: Vec<scf::Bound>| -> Vec<Value> {
        let value = |bound| match bound {
            scf::Bound::Constant(c) => arith::constant_index(&mut b, c),
            scf::Bound::Value(v) => v,
        };
        bounds.into_iter().map(value).collect()
    };
    let (lower, upper, steps) = (values(lower), values(upper), values(steps));
    let (p, target) = scf::ParallelOp::build(&mut b, &lower, &upper, &steps, &[]);
    for (old, new) in ivs.into_iter().zip(target.args(b.ctx)) {
        old.replace_all_uses(b.ctx, new);
    }
    for o in body.ops(b.ctx) {
        if !o.isa::<scf::InParallelOp>(b.ctx) {
            o.move_to_end(b.ctx, target);
        }
    }
    b.at = InsertPoint::End(target);
    scf::ReduceOp::build(&mut b, &[]);
    f.op().erase(b.ctx);
    Some(p)
}

/// Replace a parallel loop by nested `scf.for` loops that carry its reductions; gives the
/// outermost.
pub fn sequentialize(ctx: &mut Context, p: scf::ParallelOp) -> Option<Op> {
    let op = p.op();
    let bounds: Vec<_> = p
        .lower_bounds(ctx)
        .into_iter()
        .zip(p.upper_bounds(ctx))
        .zip(p.steps(ctx))
        .map(|((l, u), s)| (l, u, s))
        .collect();
    let (ivs, inits, body) = (p.induction_vars(ctx), p.init_vals(ctx), p.body(ctx));
    let reduce = p.reduce_op(ctx);
    let types = op.result_types(ctx);
    let mut b = Builder::before(ctx, op);
    let mut carried = inits;
    let mut outer: Vec<Op> = Vec::new();
    for ((l, u, s), iv) in bounds.into_iter().zip(ivs) {
        let state = b
            .state::<scf::ForOp>()
            .operands(&[l, u, s])
            .operands(&carried)
            .results(&types)
            .regions(1);
        let f = b.create(state);
        let index = b.ctx.index();
        let args = [&[index][..], &types].concat();
        let block = f.region(b.ctx, 0).add_block(b.ctx, &args);
        iv.replace_all_uses(b.ctx, block.arg(b.ctx, 0));
        carried = block.args(b.ctx)[1..].to_vec();
        outer.push(f);
        b.at = InsertPoint::End(block);
    }
    let innermost = outer.last()?.body(b.ctx, 0);
    for o in body.ops(b.ctx) {
        if Some(o) != reduce.map(|r| r.op()) {
            o.move_to_end(b.ctx, innermost);
        }
    }
    let mut yielded = Vec::new();
    if let Some(r) = reduce {
        for (i, v) in r.op().operands(b.ctx).into_iter().enumerate() {
            let combine = r.op().body(b.ctx, i);
            let (x, y) = (combine.arg(b.ctx, 0), combine.arg(b.ctx, 1));
            x.replace_all_uses(b.ctx, carried[i]);
            y.replace_all_uses(b.ctx, v);
            for o in combine.ops(b.ctx) {
                if o.isa::<scf::ReduceReturnOp>(b.ctx) {
                    yielded.push(o.operand(b.ctx, 0));
                } else {
                    o.move_to_end(b.ctx, innermost);
                }
            }
        }
    }
    for f in outer.iter().rev() {
        b.at = InsertPoint::End(f.body(b.ctx, 0));
        b.op::<scf::YieldOp>(&yielded, &[], &[]);
        yielded = f.results(b.ctx);
    }
    op.replace(b.ctx, &yielded);
    outer.first().copied()
}
