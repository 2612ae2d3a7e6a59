//! Whether a loop runs at least once.
//!
//! That is known where constants tell it, and inside the then-branch of a condition that
//! compares the very values that are the loop's bounds, or inside a loop with these bounds.

use terrace_dialects::arith::{CmpIOp, CmpIPredicate};
use terrace_dialects::{affine, scf};
use terrace_ir::affine::{AffineExpr, AffineMap};
use terrace_ir::{Context, Op, OpKind, Value};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Bound {
    Number(i64),
    Value(Value),
}

impl Bound {
    fn of(ctx: &Context, v: Value) -> Bound {
        match ctx.constant_int(v) {
            Some(n) => Bound::Number(n),
            None => Bound::Value(v),
        }
    }

    /// The bound of an affine loop, where it is a number or one of the operands.
    fn of_map(ctx: &Context, map: &AffineMap, operands: &[Value]) -> Option<Bound> {
        if let Some(n) = map.single_constant() {
            return Some(Bound::Number(n));
        }
        let [result] = map.results() else { return None };
        let at = match result {
            AffineExpr::Dim(d) => *d as usize,
            AffineExpr::Symbol(s) => map.num_dims() as usize + *s as usize,
            _ => return None,
        };
        Some(Bound::of(ctx, *operands.get(at)?))
    }
}

/// The bounds of a loop, and whether they count as signed numbers.
fn bounds(ctx: &Context, op: Op) -> Option<(Bound, Bound, bool)> {
    if let Some(l) = op.cast::<scf::ForOp>(ctx) {
        let lower = Bound::of(ctx, l.lower_bound(ctx));
        let upper = Bound::of(ctx, l.upper_bound(ctx));
        return Some((lower, upper, !l.is_unsigned(ctx)));
    }
    let l = op.cast::<affine::ForOp>(ctx)?;
    let lower = Bound::of_map(ctx, l.lower_map(ctx), &l.lower_operands(ctx))?;
    let upper = Bound::of_map(ctx, l.upper_map(ctx), &l.upper_operands(ctx))?;
    Some((lower, upper, true))
}

/// Whether each run of the loop `op` runs its body.
pub(super) fn runs(ctx: &Context, op: Op) -> bool {
    let by_constants = op.cast::<scf::ForOp>(ctx).and_then(|l| l.trip_count(ctx));
    if by_constants.is_some_and(|n| n > 0) {
        return true;
    }
    let Some((lower, upper, signed)) = bounds(ctx, op) else {
        return false;
    };
    // Of an index, constants are what they say; of an i1, 1 is less than 0.
    let of_index = |v: Value| v.ty(ctx) == ctx.index();
    if let (Bound::Number(l), Bound::Number(u)) = (lower, upper) {
        let plain = op.isa::<affine::ForOp>(ctx) || signed && of_index(op.operand(ctx, 0));
        return plain && l < u;
    }
    is_guarded(ctx, op, (lower, upper, signed))
}

/// Whether the op stands where a condition, or a loop that runs, says `lower < upper`.
fn is_guarded(ctx: &Context, op: Op, bounds: (Bound, Bound, bool)) -> bool {
    let mut inner = op;
    while let Some(around) = inner.parent(ctx) {
        if let Some(branch) = around.cast::<scf::IfOp>(ctx)
            && inner.block(ctx) == Some(branch.then_block(ctx))
            && is_less(ctx, branch.condition(ctx), bounds)
        {
            return true;
        }
        if self::bounds(ctx, around) == Some(bounds) {
            return true;
        }
        inner = around;
    }
    false
}

/// Whether the condition holds only where `lower < upper`, as numbers with or without
/// sign.
fn is_less(ctx: &Context, condition: Value, bounds: (Bound, Bound, bool)) -> bool {
    let compare = condition.def_op().and_then(|o| o.cast::<CmpIOp>(ctx));
    let Some(compare) = compare else {
        return false;
    };
    let of = |i: usize| Bound::of(ctx, compare.op().operand(ctx, i));
    use CmpIPredicate::{Sgt, Slt, Ugt, Ult};
    let (lower, upper, signed) = bounds;
    match (compare.predicate(ctx), signed) {
        (Some(Slt), true) | (Some(Ult), false) => (of(0), of(1)) == (lower, upper),
        (Some(Sgt), true) | (Some(Ugt), false) => (of(1), of(0)) == (lower, upper),
        _ => false,
    }
}
