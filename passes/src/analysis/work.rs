//! Single loops and ops, without what is around them.

use terrace_dialects::affine::{self, ParallelOp};
use terrace_dialects::func;
use terrace_dialects::scf;
use terrace_dialects::{arith, math, memref};
use terrace_ir::affine::AffineMap;
use terrace_ir::{Block, Context, Op, Value};

use super::source;
use super::stride;
use crate::analysis::memory::base;

/// What a division in a chain on the host takes more than an addition.
const DIVISION: f64 = 4.0;

/// A loop of any kind.
pub(crate) struct LoopLike {
    pub ivs: Vec<Value>,
    pub bodies: Vec<Block>,
    /// Values that go from iteration to iteration.
    pub carries: bool,
}

impl LoopLike {
    pub fn of(ctx: &Context, op: Op) -> Option<LoopLike> {
        let like = |ivs, body, carries| LoopLike {
            ivs,
            bodies: vec![body],
            carries,
        };
        if let Some(l) = op.cast::<affine::ForOp>(ctx) {
            return Some(like(vec![l.iv(ctx)], l.body(ctx), op.num_results(ctx) > 0));
        }
        if let Some(l) = op.cast::<scf::ForOp>(ctx) {
            let iv = l.induction_var(ctx);
            return Some(like(vec![iv], l.body(ctx), op.num_results(ctx) > 0));
        }
        if let Some(p) = op.cast::<ParallelOp>(ctx) {
            return Some(like(p.ivs(ctx), p.body(ctx), op.num_results(ctx) > 0));
        }
        if let Some(p) = op.cast::<scf::ParallelOp>(ctx) {
            let ivs = p.induction_vars(ctx);
            return Some(like(ivs, p.body(ctx), op.num_results(ctx) > 0));
        }
        let l = op.cast::<scf::WhileOp>(ctx)?;
        Some(LoopLike {
            ivs: Vec::new(),
            bodies: vec![l.before(ctx), l.after(ctx)],
            carries: true,
        })
    }
}

/// How long an iteration of an innermost loop waits for the one before, in additions: not
/// at all unless values go from one to the next, or elements of memory.
pub(crate) fn chained(ctx: &Context, op: Op, l: &LoopLike) -> f64 {
    let inside = op.pre_order(ctx);
    let inner = |o: &Op| *o != op && LoopLike::of(ctx, *o).is_some();
    if inside.iter().any(inner) || !waits(ctx, op, l) {
        return 0.0;
    }
    let slow = |o: &Op| matches!(o.name(ctx), arith::DivFOp::NAME | math::SqrtOp::NAME);
    match inside.iter().any(slow) {
        true => 1.0 + DIVISION,
        false => 1.0,
    }
}

fn waits(ctx: &Context, op: Op, l: &LoopLike) -> bool {
    if l.carries {
        return true;
    }
    let [iv] = l.ivs[..] else { return false };
    let accesses = op.pre_order(ctx).into_iter().filter_map(|o| {
        let (m, at) = source::indices(ctx, o)?;
        Some((o, base(ctx, m), at))
    });
    let accesses: Vec<(Op, Value, Vec<Value>)> = accesses.collect();
    let (stores, loads): (Vec<_>, Vec<_>) = accesses
        .into_iter()
        .partition(|(o, ..)| o.num_results(ctx) == 0);
    stores.iter().any(|(store, array, at)| {
        let mut of_it = loads.iter().filter(|(_, a, _)| a == array);
        match stride::along(ctx, *store, iv) {
            // Every iteration updates the same element.
            Some(0) => of_it.any(|(_, _, there)| there == at),
            // One reads what another has written, perhaps the last.
            _ => of_it
                .any(|(load, _, there)| there != at || map_of(ctx, *load) != map_of(ctx, *store)),
        }
    })
}

fn map_of(ctx: &Context, op: Op) -> Option<AffineMap> {
    affine::Access::of(ctx, op).map(|a| a.map.clone())
}

/// What an op without memory weighs: additions and the like 1.
pub(crate) fn weight(ctx: &Context, op: Op) -> f64 {
    let index = |v: &Value| v.ty(ctx).is_index(ctx);
    match op.name(ctx) {
        arith::ConstantOp::NAME
        | affine::ApplyOp::NAME
        | arith::IndexCastOp::NAME
        | arith::ExtSIOp::NAME
        | arith::TruncIOp::NAME
        | arith::SelectOp::NAME
        | memref::DimOp::NAME => 0.0,
        arith::DivFOp::NAME
        | math::SqrtOp::NAME
        | math::RsqrtOp::NAME
        | arith::DivSIOp::NAME
        | arith::RemSIOp::NAME
        | arith::DivUIOp::NAME
        | arith::RemUIOp::NAME => 8.0,
        name if name.starts_with("math.")
            && name != math::FmaOp::NAME
            && name != math::AbsFOp::NAME =>
        {
            20.0
        }
        name if name.starts_with("arith.") || name.starts_with("math.") => {
            if op.results(ctx).iter().any(index) {
                0.0
            } else {
                1.0
            }
        }
        func::CallOp::NAME => 20.0,
        _ => 0.0,
    }
}

/// What an op without memory does to floats, as such work is commonly counted: of at most
/// 32 bits, and of 64.
pub(crate) fn flops(ctx: &Context, op: Op) -> [f64; 2] {
    let count = match op.name(ctx) {
        math::FmaOp::NAME => 2.0,
        arith::AddFOp::NAME
        | arith::SubFOp::NAME
        | arith::MulFOp::NAME
        | arith::DivFOp::NAME
        | arith::RemFOp::NAME
        | arith::NegFOp::NAME
        | arith::MaximumFOp::NAME
        | arith::MinimumFOp::NAME
        | arith::MaxNumFOp::NAME
        | arith::MinNumFOp::NAME => 1.0,
        name if name.starts_with("math.") => 1.0,
        _ => return [0.0; 2],
    };
    let ty = op
        .results(ctx)
        .first()
        .map(|r| r.ty(ctx).element_or_self(ctx));
    match ty
        .filter(|t| t.is_float(ctx))
        .and_then(|t| t.bit_width(ctx))
    {
        Some(64) => [0.0, count],
        Some(_) => [count, 0.0],
        None => [0.0; 2],
    }
}
