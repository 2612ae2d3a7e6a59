//! Reductions carried by loops: values that an associative, commutative op folds
//! into from iteration to iteration.

use terrace_dialects::affine::ForOp;
use terrace_dialects::arith;
use terrace_dialects::arith::AtomicRmwKind as K;
use terrace_ir::{Block, Context, Op, OpKind, Value};

/// A carried value that is a reduction.
#[derive(Debug, Clone, Copy)]
pub struct Reduction {
    pub kind: K,
    /// The op that combines the carried value with a new one.
    pub combiner: Op,
    /// What each iteration contributes.
    pub contribution: Value,
}

impl Reduction {
    /// Whether the result depends on the order in which contributions are combined, and the op does
    /// not allow another one than the program's.
    pub fn is_ordered(&self, ctx: &Context) -> bool {
        let free = arith::fastmath_of(ctx, self.combiner) & arith::fastmath::REASSOC != 0;
        matches!(self.kind, K::AddF | K::MulF) && !free
    }
}

/// The reduction that an op of this name makes of its two operands.
pub fn kind_of(name: &str) -> Option<K> {
    Some(match name {
        arith::AddFOp::NAME => K::AddF,
        arith::AddIOp::NAME => K::AddI,
        arith::MulFOp::NAME => K::MulF,
        arith::MulIOp::NAME => K::MulI,
        arith::MaximumFOp::NAME => K::MaximumF,
        arith::MinimumFOp::NAME => K::MinimumF,
        arith::MaxNumFOp::NAME => K::MaxNumF,
        arith::MinNumFOp::NAME => K::MinNumF,
        arith::MaxSIOp::NAME => K::MaxS,
        arith::MaxUIOp::NAME => K::MaxU,
        arith::MinSIOp::NAME => K::MinS,
        arith::MinUIOp::NAME => K::MinU,
        arith::AndIOp::NAME => K::AndI,
        arith::OrIOp::NAME => K::OrI,
        arith::XOrIOp::NAME => K::XOrI,
        _ => return None,
    })
}

/// The operation of a reduction's region, where it is one op that is known.
pub fn of_region(ctx: &Context, region: Block) -> Option<K> {
    let [op, end] = region.ops(ctx)[..] else {
        return None;
    };
    let (a, b) = (region.arg(ctx, 0), region.arg(ctx, 1));
    let v = op.operands(ctx);
    if end.operands(ctx) != op.results(ctx) || (v != [a, b] && v != [b, a]) {
        return None;
    }
    kind_of(op.name(ctx))
}

/// What carried value `i` of `l` is, if it is a reduction: it is used once, by an op
/// directly in the body whose only use is to be yielded in the same place.
pub fn of_iter_arg(ctx: &Context, l: ForOp, i: usize) -> Option<Reduction> {
    let carried = *l.iter_args(ctx).get(i)?;
    let yielded = *l.yielded(ctx).get(i)?;
    let combiner = yielded.def_op()?;
    let kind = kind_of(combiner.name(ctx))?;
    if combiner.block(ctx) != Some(l.body(ctx))
        || !carried.has_one_use(ctx)
        || !yielded.has_one_use(ctx)
        || combiner.num_operands(ctx) != 2
    {
        return None;
    }
    let (a, b) = (combiner.operand(ctx, 0), combiner.operand(ctx, 1));
    let contribution = match (a == carried, b == carried) {
        (true, false) => b,
        (false, true) => a,
        _ => return None,
    };
    Some(Reduction {
        kind,
        combiner,
        contribution,
    })
}

/// The reductions behind all carried values of a loop; `None` if one is none.
pub fn all_of(ctx: &Context, l: ForOp) -> Option<Vec<Reduction>> {
    (0..l.op().num_results(ctx))
        .map(|i| of_iter_arg(ctx, l, i))
        .collect()
}
