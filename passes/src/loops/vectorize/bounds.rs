//! Where lanes past the end of a loop do no harm.

use super::Strategy;
use crate::analysis::bounds::trip_count_divisor;
use crate::analysis::in_bounds::is_size;
use terrace_dialects::affine::{Access, ForOp, compose::compose};
use terrace_ir::affine::AffineExpr;
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Context, OpKind};

/// Whether vectors of `l` never go past its end.
pub fn is_even(ctx: &Context, l: ForOp, strategy: &Strategy) -> bool {
    let size = strategy.dim_of.get(&l.op()).map(|d| strategy.sizes[*d]);
    size.and_then(|s| u64::try_from(s).ok())
        .is_some_and(|s| trip_count_divisor(ctx, l).is_multiple_of(s))
}

/// Whether lanes past the end of `l` are out of bounds along subscript `i` of an access,
/// that subscript being the variable of the loop and the size of the memref its end.
pub fn ends_with_memref(ctx: &Context, l: ForOp, a: &Access, i: usize) -> bool {
    let subscripts = a.composed(ctx);
    let place = subscripts.operands.iter().position(|v| *v == l.iv(ctx));
    let is_iv = matches!(
        (subscripts.map.result(i), place),
        (Some(AffineExpr::Dim(d)), Some(p)) if *d as usize == p
    );
    let Some(size) = a.memref.ty(ctx).shape(ctx).and_then(|s| s.get(i)) else {
        return false;
    };
    let end = compose(ctx, l.upper_map(ctx), &l.upper_operands(ctx));
    if !is_iv || end.map.num_results() != 1 {
        return false;
    }
    if *size != DYNAMIC {
        return end.map.single_constant() == Some(*size);
    }
    let [end] = end.operands[..] else {
        return false;
    };
    let is_plain = matches!(
        compose(ctx, l.upper_map(ctx), &l.upper_operands(ctx))
            .map
            .results(),
        [AffineExpr::Dim(0) | AffineExpr::Symbol(0)]
    );
    is_plain && is_size(ctx, end, a.memref, i)
}
