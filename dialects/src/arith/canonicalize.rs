//! Rewrite patterns of arithmetic and casts.
//!
//! Constants stand on the right of commutative ops here: folding has put them there.

use super::attrs::{fastmath_of, overflow_of};
use super::elements::{int_of, is_one, is_zero, zero};
use super::fold_int::definition;
use super::predicate::CmpIPredicate;
use super::{
    ATTR_FASTMATH, ATTR_OVERFLOW, AddIOp, AddUIExtendedOp, AndIOp, BitcastOp, CmpIOp, DivFOp,
    ExtSIOp, ExtUIOp, FASTMATH, IndexCastOp, IndexCastUIOp, MulFOp, MulIOp, MulSIExtendedOp,
    MulUIExtendedOp, NegFOp, OVERFLOW, OrIOp, SIToFPOp, ShRSIOp, ShRUIOp, SubIOp, TruncFOp,
    TruncIOp, UIToFPOp, XOrIOp, constant, constant_bool, i1_like, splat_int,
};
use terrace_ir::num::Int;
use terrace_ir::rewrite::{PatternSet, Rewriter};
use terrace_ir::{Attr, Context, Op, OpKind, Type, Value};

pub(super) use super::canonicalize_compare::{cmpf, cmpi, select};

/// The value of a scalar integer constant.
pub(super) fn scalar_int(ctx: &Context, v: Value) -> Option<Int> {
    ctx.constant_of(v)?.as_int(ctx).cloned()
}

/// Replaces `op` by a new op of kind `K` with the same result types.
pub(super) fn replace<K: OpKind>(
    rw: &mut Rewriter,
    op: Op,
    operands: &[Value],
    attrs: &[(&str, Attr)],
) -> bool {
    let types = op.result_types(rw.ctx);
    let new = rw.op::<K>(operands, &types, attrs);
    rw.replace_op_with(op, new);
    true
}

fn overflow_attr(ctx: &Context, flags: i64) -> Option<(&'static str, Attr)> {
    (flags != 0).then(|| (ATTR_OVERFLOW, OVERFLOW.attr(ctx, flags)))
}

// ---- sums with constants ----

/// A sum or difference of a value and a constant: `±x + c`.
struct Linear {
    x: Value,
    negated: bool,
    c: Int,
    flags: i64,
}

/// `x + c`, `x - c` or `c - x` with a scalar constant.
fn linear(ctx: &Context, op: Op) -> Option<Linear> {
    // Other ops may have no operands to look at.
    if !op.isa::<AddIOp>(ctx) && !op.isa::<SubIOp>(ctx) {
        return None;
    }
    let (a, b) = (op.operand(ctx, 0), op.operand(ctx, 1));
    let flags = overflow_of(ctx, op);
    if op.isa::<AddIOp>(ctx) {
        let c = scalar_int(ctx, b)?;
        return Some(Linear {
            x: a,
            negated: false,
            c,
            flags,
        });
    }
    if let Some(c) = scalar_int(ctx, b) {
        return Some(Linear {
            x: a,
            negated: false,
            c: c.neg(),
            flags,
        });
    }
    let c = scalar_int(ctx, a)?;
    Some(Linear {
        x: b,
        negated: true,
        c,
        flags,
    })
}

/// Joins a sum or difference of a constant with another one inside it, in the forms
/// (and with the flags) that upstream gives them: `x + c` from a sum outside or a sum
/// inside, `x - c` from two differences.
fn join_constants(rw: &mut Rewriter, op: Op) -> bool {
    let ctx = &*rw.ctx;
    let Some(outer) = linear(ctx, op) else {
        return false;
    };
    let Some(inner_op) = outer.x.def_op() else {
        return false;
    };
    let Some(inner) = linear(ctx, inner_op) else {
        return false;
    };
    let both_sub = op.isa::<SubIOp>(ctx) && inner_op.isa::<SubIOp>(ctx);
    let sum_inside = inner_op.isa::<AddIOp>(ctx) && op.isa::<SubIOp>(ctx) && !outer.negated;
    // ±(±x + c0) + c1
    let negated = inner.negated != outer.negated;
    let c = if outer.negated {
        outer.c.sub(&inner.c)
    } else {
        outer.c.add(&inner.c)
    };
    // Upstream has no rule for the flags of (x + c0) - c1 yet.
    let flags = if sum_inside {
        0
    } else {
        inner.flags & outer.flags
    };
    let ty = op.result(ctx, 0).ty(ctx);
    let attrs: Vec<_> = overflow_attr(ctx, flags).into_iter().collect();
    // Two differences that leave x as it is stay a difference.
    let difference = both_sub && !negated && !outer.negated;
    let c = if difference { c.neg() } else { c };
    let c = splat_int(ctx, ty, &c);
    let c = constant(rw, c);
    match (negated, difference) {
        (true, _) => replace::<SubIOp>(rw, op, &[c, inner.x], &attrs),
        (false, true) => replace::<SubIOp>(rw, op, &[inner.x, c], &attrs),
        (false, false) => replace::<AddIOp>(rw, op, &[inner.x, c], &attrs),
    }
}

/// `y` of `muli(y, -1)`.
fn negated(ctx: &Context, v: Value) -> Option<Value> {
    let mul = definition::<MulIOp>(ctx, v)?;
    let c = int_of(ctx, ctx.constant_of(mul.operand(ctx, 1)))?;
    c.is_all_ones().then(|| mul.operand(ctx, 0))
}

pub(super) fn addi(set: &mut PatternSet) {
    set.add::<AddIOp>(join_constants);
    // x + y * -1 = x - y
    set.add::<AddIOp>(|rw, op| {
        let (a, b) = (op.operand(rw.ctx, 0), op.operand(rw.ctx, 1));
        if let Some(y) = negated(rw.ctx, b) {
            return replace::<SubIOp>(rw, op, &[a, y], &[]);
        }
        match negated(rw.ctx, a) {
            Some(x) => replace::<SubIOp>(rw, op, &[b, x], &[]),
            None => false,
        }
    });
}

pub(super) fn subi(set: &mut PatternSet) {
    set.add::<SubIOp>(join_constants);
    // (x - y) - x = 0 - y
    set.add::<SubIOp>(|rw, op| {
        let ctx = &*rw.ctx;
        let Some(inner) = definition::<SubIOp>(ctx, op.operand(ctx, 0)) else {
            return false;
        };
        if inner.operand(ctx, 0) != op.operand(ctx, 1) {
            return false;
        }
        let y = inner.operand(ctx, 1);
        let Some(z) = zero(ctx, y.ty(ctx)) else {
            return false;
        };
        let flags = overflow_of(ctx, op) & overflow_of(ctx, inner);
        let attrs: Vec<_> = overflow_attr(ctx, flags).into_iter().collect();
        let z = constant(rw, z);
        replace::<SubIOp>(rw, op, &[z, y], &attrs)
    });
}

pub(super) fn muli(set: &mut PatternSet) {
    // (x * c0) * c1 = x * (c0 * c1)
    set.add::<MulIOp>(|rw, op| {
        let ctx = &*rw.ctx;
        let Some(inner) = definition::<MulIOp>(ctx, op.operand(ctx, 0)) else {
            return false;
        };
        let (Some(c0), Some(c1)) = (
            scalar_int(ctx, inner.operand(ctx, 1)),
            scalar_int(ctx, op.operand(ctx, 1)),
        ) else {
            return false;
        };
        let flags = overflow_of(ctx, op) & overflow_of(ctx, inner);
        let attrs: Vec<_> = overflow_attr(ctx, flags).into_iter().collect();
        let (x, c) = (
            inner.operand(ctx, 0),
            splat_int(ctx, op.result(ctx, 0).ty(ctx), &c0.mul(&c1)),
        );
        let c = constant(rw, c);
        replace::<MulIOp>(rw, op, &[x, c], &attrs)
    });
}

// ---- extended arithmetic ----

/// The plain op `K` where only the first result is used; nobody asks what the second
/// becomes.
fn first_result_only<K: OpKind>(rw: &mut Rewriter, op: Op) -> bool {
    if op.result(rw.ctx, 1).has_uses(rw.ctx) {
        return false;
    }
    let (a, b) = (op.operand(rw.ctx, 0), op.operand(rw.ctx, 1));
    let ty = op.result(rw.ctx, 0).ty(rw.ctx);
    let v = rw.value::<K>(&[a, b], ty, &[]);
    rw.replace_op(op, &[v, a]);
    true
}

pub(super) fn addui_extended(set: &mut PatternSet) {
    set.add::<AddUIExtendedOp>(first_result_only::<AddIOp>);
}

pub(super) fn mului_extended(set: &mut PatternSet) {
    set.add::<MulUIExtendedOp>(first_result_only::<MulIOp>);
}

pub(super) fn mulsi_extended(set: &mut PatternSet) {
    set.add::<MulSIExtendedOp>(first_result_only::<MulIOp>);
    // The high half of x * 1 is all sign.
    set.add::<MulSIExtendedOp>(|rw, op| {
        let ctx = &*rw.ctx;
        let (x, ty) = (op.operand(ctx, 0), op.result(ctx, 0).ty(ctx));
        let one = int_of(ctx, ctx.constant_of(op.operand(ctx, 1)));
        let fixed = ty.element_or_self(ctx).is_int(ctx);
        // In one bit, 1 is negative.
        if !fixed || !one.is_some_and(|v| v.is_one() && !v.is_negative()) {
            return false;
        }
        let Some(z) = zero(ctx, ty) else { return false };
        let z = constant(rw, z);
        let negative = CmpIOp::build(rw, CmpIPredicate::Slt, x, z);
        let high = rw.value::<ExtSIOp>(&[negative], ty, &[]);
        rw.replace_op(op, &[x, high]);
        true
    });
}

// ---- bitwise ops of extended values ----

/// `op(ext(x), ext(y)) = ext(op(x, y))` for the extension `E` and the bitwise op `K`.
fn narrow<E: OpKind, K: OpKind>(rw: &mut Rewriter, op: Op) -> bool {
    let ctx = &*rw.ctx;
    let (Some(a), Some(b)) = (
        definition::<E>(ctx, op.operand(ctx, 0)),
        definition::<E>(ctx, op.operand(ctx, 1)),
    ) else {
        return false;
    };
    let (x, y) = (a.operand(ctx, 0), b.operand(ctx, 0));
    let ty = x.ty(ctx);
    if ty != y.ty(ctx) {
        return false;
    }
    let v = rw.value::<K>(&[x, y], ty, &[]);
    replace::<E>(rw, op, &[v], &[])
}

pub(super) fn andi(set: &mut PatternSet) {
    set.add::<AndIOp>(narrow::<ExtUIOp, AndIOp>);
    set.add::<AndIOp>(narrow::<ExtSIOp, AndIOp>);
}

pub(super) fn ori(set: &mut PatternSet) {
    set.add::<OrIOp>(narrow::<ExtUIOp, OrIOp>);
    set.add::<OrIOp>(narrow::<ExtSIOp, OrIOp>);
}

pub(super) fn xori(set: &mut PatternSet) {
    // The negation of a comparison is the opposite comparison.
    set.add::<XOrIOp>(|rw, op| {
        let ctx = &*rw.ctx;
        let (a, b) = (op.operand(ctx, 0), op.operand(ctx, 1));
        let Some(cmp) = definition::<CmpIOp>(ctx, a).and_then(|o| o.cast::<CmpIOp>(ctx)) else {
            return false;
        };
        let truth = scalar_int(ctx, b).is_some_and(|v| v.width() == 1 && v.is_one());
        let Some(p) = cmp.predicate(ctx).filter(|_| truth) else {
            return false;
        };
        let operands = cmp.op().operands(ctx);
        let p = p.inverted().attr(ctx);
        replace::<CmpIOp>(rw, op, &operands, &[("predicate", p)])
    });
    set.add::<XOrIOp>(narrow::<ExtUIOp, XOrIOp>);
    set.add::<XOrIOp>(narrow::<ExtSIOp, XOrIOp>);
}

// ---- floats ----

/// `K(-x, -y) = K(x, y)`.
fn drop_signs<K: OpKind>(rw: &mut Rewriter, op: Op) -> bool {
    let ctx = &*rw.ctx;
    let (Some(a), Some(b)) = (
        definition::<NegFOp>(ctx, op.operand(ctx, 0)),
        definition::<NegFOp>(ctx, op.operand(ctx, 1)),
    ) else {
        return false;
    };
    let operands = [a.operand(ctx, 0), b.operand(ctx, 0)];
    let flags = fastmath_of(ctx, op);
    let attrs: Vec<_> = (flags != 0)
        .then(|| (ATTR_FASTMATH, FASTMATH.attr(ctx, flags)))
        .into_iter()
        .collect();
    replace::<K>(rw, op, &operands, &attrs)
}

pub(super) fn mulf(set: &mut PatternSet) {
    set.add::<MulFOp>(drop_signs::<MulFOp>);
}

pub(super) fn divf(set: &mut PatternSet) {
    set.add::<DivFOp>(drop_signs::<DivFOp>);
}

// ---- casts ----

/// `op(inner(x)) = To(x)` for the inner op `Inner`.
fn through<Inner: OpKind, To: OpKind>(rw: &mut Rewriter, op: Op) -> bool {
    match definition::<Inner>(rw.ctx, op.operand(rw.ctx, 0)) {
        Some(inner) => {
            let x = inner.operand(rw.ctx, 0);
            replace::<To>(rw, op, &[x], &[])
        }
        None => false,
    }
}

/// `K(K(x)) = x` where the types agree.
fn round_trip<K: OpKind>(rw: &mut Rewriter, op: Op) -> bool {
    let ctx = &*rw.ctx;
    let Some(inner) = definition::<K>(ctx, op.operand(ctx, 0)) else {
        return false;
    };
    let x = inner.operand(ctx, 0);
    if x.ty(ctx) != op.result(ctx, 0).ty(ctx) {
        return false;
    }
    rw.replace_op(op, &[x]);
    true
}

pub(super) fn extsi(set: &mut PatternSet) {
    set.add::<ExtSIOp>(through::<ExtUIOp, ExtUIOp>);
}

pub(super) fn index_cast(set: &mut PatternSet) {
    set.add::<IndexCastOp>(round_trip::<IndexCastOp>);
    set.add::<IndexCastOp>(through::<ExtSIOp, IndexCastOp>);
}

pub(super) fn index_castui(set: &mut PatternSet) {
    set.add::<IndexCastUIOp>(round_trip::<IndexCastUIOp>);
    set.add::<IndexCastUIOp>(through::<ExtUIOp, IndexCastUIOp>);
}

pub(super) fn bitcast(set: &mut PatternSet) {
    set.add::<BitcastOp>(through::<BitcastOp, BitcastOp>);
}

fn width(ctx: &Context, ty: Type) -> u32 {
    ty.element_or_self(ctx).int_width(ctx).unwrap_or(0)
}

/// `trunci(ext(x)) = ext(x)` where only bits of the extension are cut off.
fn shorter_extension<E: OpKind>(rw: &mut Rewriter, op: Op) -> bool {
    let ctx = &*rw.ctx;
    let Some(ext) = definition::<E>(ctx, op.operand(ctx, 0)) else {
        return false;
    };
    let x = ext.operand(ctx, 0);
    if width(ctx, op.result(ctx, 0).ty(ctx)) <= width(ctx, x.ty(ctx)) {
        return false;
    }
    replace::<E>(rw, op, &[x], &[])
}

pub(super) fn trunci(set: &mut PatternSet) {
    set.add::<TruncIOp>(shorter_extension::<ExtSIOp>);
    set.add::<TruncIOp>(shorter_extension::<ExtUIOp>);
    // Which bits a shift brings in is of no account where all of them are cut off.
    set.add::<TruncIOp>(|rw, op| {
        let ctx = &*rw.ctx;
        let Some(shift) = definition::<ShRSIOp>(ctx, op.operand(ctx, 0)) else {
            return false;
        };
        let (x, amount) = (shift.operand(ctx, 0), shift.operand(ctx, 1));
        let (from, to) = (width(ctx, x.ty(ctx)), width(ctx, op.result(ctx, 0).ty(ctx)));
        let by = int_of(ctx, ctx.constant_of(amount)).and_then(|v| v.to_u64());
        if by != from.checked_sub(to).map(u64::from) {
            return false;
        }
        let ty = x.ty(ctx);
        let exact: Vec<_> = shift
            .attr(ctx, "isExact")
            .map(|a| ("isExact", a))
            .into_iter()
            .collect();
        let flags = overflow_of(ctx, op);
        let attrs: Vec<_> = overflow_attr(ctx, flags).into_iter().collect();
        let v = rw.value::<ShRUIOp>(&[x, amount], ty, &exact);
        replace::<TruncIOp>(rw, op, &[v], &attrs)
    });
}

/// A conversion from integers, rounded once where it would be rounded twice.
fn convert_once<K: OpKind>(rw: &mut Rewriter, op: Op) -> bool {
    op.attr(rw.ctx, "roundingmode").is_none() && through::<K, K>(rw, op)
}

pub(super) fn truncf(set: &mut PatternSet) {
    set.add::<TruncFOp>(convert_once::<SIToFPOp>);
    set.add::<TruncFOp>(convert_once::<UIToFPOp>);
}

/// `xori(v, true)`.
pub(super) fn not(rw: &mut Rewriter, v: Value) -> Value {
    let one = constant_bool(rw, true);
    let ty = i1_like(rw.ctx, v.ty(rw.ctx));
    rw.value::<XOrIOp>(&[v, one], ty, &[])
}

/// Whether `v` is the constant 1 (`true`), or 0 (`false`).
pub(super) fn is_constant_bit(ctx: &Context, v: Value, bit: bool) -> bool {
    let c = ctx.constant_of(v);
    if bit { is_one(ctx, c) } else { is_zero(ctx, c) }
}
