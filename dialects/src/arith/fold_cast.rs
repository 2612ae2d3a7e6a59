//! Folding of conversions.

use super::attrs::{fastmath, fastmath_of};
use super::elements::{Number, unary};
use super::fold_int::definition;
use super::{ExtFOp, ExtSIOp, ExtUIOp, TruncFOp, TruncIOp};
use crate::ub::is_poison;
use terrace_ir::num::{Float, FloatKind, Int};
use terrace_ir::opdef::Fold;
use terrace_ir::{Attr, AttrData, Context, Op, OpKind, Type, Value};

type Constants<'a> = &'a [Option<Attr>];

/// `f` of the constant operand, as a constant of the result type.
fn constant<T: Number, R: Number>(
    ctx: &Context,
    op: Op,
    c: Constants,
    f: impl Fn(&T) -> Option<R>,
) -> Fold {
    Fold::maybe(unary(ctx, c[0], op.result(ctx, 0).ty(ctx), f))
}

fn element_of(ctx: &Context, v: Value) -> Type {
    v.ty(ctx).element_or_self(ctx)
}

/// The width of the result's integers; that of index attributes for index.
fn width(ctx: &Context, op: Op) -> u32 {
    element_of(ctx, op.result(ctx, 0))
        .int_width(ctx)
        .unwrap_or(64)
}

fn kind(ctx: &Context, v: Value) -> Option<FloatKind> {
    element_of(ctx, v).float_kind(ctx)
}

fn zext_or_trunc(v: &Int, width: u32) -> Int {
    if width > v.width() {
        v.zext(width)
    } else {
        v.trunc(width)
    }
}

fn sext_or_trunc(v: &Int, width: u32) -> Int {
    if width > v.width() {
        v.sext(width)
    } else {
        v.trunc(width)
    }
}

/// Takes the operand of an inner op of kind `K` in its place.
fn skip<K: OpKind>(ctx: &Context, op: Op) -> bool {
    match definition::<K>(ctx, op.operand(ctx, 0)) {
        Some(inner) => {
            op.set_operand(ctx, 0, inner.operand(ctx, 0));
            true
        }
        None => false,
    }
}

pub(super) fn extui(ctx: &Context, op: Op, c: Constants) -> Fold {
    if skip::<ExtUIOp>(ctx, op) {
        return Fold::InPlace;
    }
    let w = width(ctx, op);
    constant(ctx, op, c, |v: &Int| Some(zext_or_trunc(v, w)))
}

pub(super) fn extsi(ctx: &Context, op: Op, c: Constants) -> Fold {
    if skip::<ExtSIOp>(ctx, op) {
        return Fold::InPlace;
    }
    let w = width(ctx, op);
    constant(ctx, op, c, |v: &Int| Some(sext_or_trunc(v, w)))
}

pub(super) fn trunci(ctx: &Context, op: Op, c: Constants) -> Fold {
    let v = op.operand(ctx, 0);
    let ext = definition::<ExtUIOp>(ctx, v).or_else(|| definition::<ExtSIOp>(ctx, v));
    if let Some(ext) = ext {
        let source = ext.operand(ctx, 0);
        let (from, to) = (element_of(ctx, source), element_of(ctx, op.result(ctx, 0)));
        if from.int_width(ctx) > to.int_width(ctx) {
            op.set_operand(ctx, 0, source);
            return Fold::InPlace;
        }
        if source.ty(ctx) == op.result(ctx, 0).ty(ctx) {
            return Fold::value(source);
        }
    }
    if skip::<TruncIOp>(ctx, op) {
        return Fold::InPlace;
    }
    let w = width(ctx, op);
    constant(ctx, op, c, |v: &Int| Some(zext_or_trunc(v, w)))
}

/// A float in another format, where that changes nothing.
fn exactly(v: &Float, to: Option<FloatKind>) -> Option<Float> {
    let (r, changed) = v.convert_checked(to?);
    (!changed).then_some(r)
}

pub(super) fn extf(ctx: &Context, op: Op, c: Constants) -> Fold {
    // extf(truncf(x)) = x where both may be contracted.
    if let Some(t) = definition::<TruncFOp>(ctx, op.operand(ctx, 0))
        && t.operand(ctx, 0).ty(ctx) == op.result(ctx, 0).ty(ctx)
        && fastmath_of(ctx, t) & fastmath_of(ctx, op) & fastmath::CONTRACT != 0
    {
        return Fold::value(t.operand(ctx, 0));
    }
    let to = kind(ctx, op.result(ctx, 0));
    constant(ctx, op, c, |v: &Float| exactly(v, to))
}

/// Whether every number of format `a` is one of format `b`.
fn representable(a: FloatKind, b: FloatKind) -> bool {
    let exact = |v: Float| !v.convert_checked(b).1;
    a.precision() <= b.precision()
        && exact(Float::largest(a, false))
        && exact(Float::from_bits(a, 1))
}

pub(super) fn truncf(ctx: &Context, op: Op, c: Constants) -> Fold {
    let to = kind(ctx, op.result(ctx, 0));
    if let Some(ext) = definition::<ExtFOp>(ctx, op.operand(ctx, 0))
        && let (Some(from), Some(middle)) = (
            kind(ctx, ext.operand(ctx, 0)),
            kind(ctx, ext.result(ctx, 0)),
        )
        && representable(from, middle)
    {
        let source = ext.operand(ctx, 0);
        if to.is_some_and(|to| from.width() > to.width()) {
            op.set_operand(ctx, 0, source);
            return Fold::InPlace;
        }
        if source.ty(ctx) == op.result(ctx, 0).ty(ctx) {
            return Fold::value(source);
        }
    }
    // An exact result is the same in every rounding mode.
    constant(ctx, op, c, |v: &Float| exactly(v, to))
}

pub(super) fn uitofp(ctx: &Context, op: Op, c: Constants) -> Fold {
    let to = kind(ctx, op.result(ctx, 0));
    constant(ctx, op, c, |v: &Int| Some(Float::from_int(to?, v, false)))
}

pub(super) fn sitofp(ctx: &Context, op: Op, c: Constants) -> Fold {
    let to = kind(ctx, op.result(ctx, 0));
    constant(ctx, op, c, |v: &Int| Some(Float::from_int(to?, v, true)))
}

pub(super) fn fptoui(ctx: &Context, op: Op, c: Constants) -> Fold {
    let w = width(ctx, op);
    constant(ctx, op, c, |v: &Float| v.to_int(w, false))
}

pub(super) fn fptosi(ctx: &Context, op: Op, c: Constants) -> Fold {
    let w = width(ctx, op);
    constant(ctx, op, c, |v: &Float| v.to_int(w, true))
}

pub(super) fn index_cast(ctx: &Context, op: Op, c: Constants) -> Fold {
    let w = width(ctx, op);
    constant(ctx, op, c, |v: &Int| Some(sext_or_trunc(v, w)))
}

pub(super) fn index_castui(ctx: &Context, op: Op, c: Constants) -> Fold {
    let w = width(ctx, op);
    constant(ctx, op, c, |v: &Int| Some(zext_or_trunc(v, w)))
}

pub(super) fn bitcast(ctx: &Context, op: Op, c: Constants) -> Fold {
    let ty = op.result(ctx, 0).ty(ctx);
    if op.operand(ctx, 0).ty(ctx) == ty {
        return Fold::value(op.operand(ctx, 0));
    }
    if let Some(poison) = c[0].filter(|a| is_poison(ctx, *a)) {
        return Fold::attr(poison);
    }
    let (to, to_float) = (width(ctx, op), ty.float_kind(ctx));
    let data = match c[0].map(|a| a.data(ctx)) {
        // Elements of equal width lie in the same bytes.
        Some(AttrData::Dense { data, .. }) => AttrData::Dense {
            ty,
            data: data.clone(),
        },
        Some(AttrData::Integer { value, .. }) => match (to_float, value.to_u128()) {
            (Some(k), Some(bits)) => AttrData::Float {
                ty,
                value: Float::from_bits(k, bits),
            },
            (None, _) => AttrData::Integer {
                ty,
                value: value.clone(),
            },
            _ => return Fold::No,
        },
        Some(AttrData::Float { value, .. }) => match to_float {
            Some(k) => AttrData::Float {
                ty,
                value: Float::from_bits(k, value.to_bits()),
            },
            None => AttrData::Integer {
                ty,
                value: Int::from_u128(to, value.to_bits()),
            },
        },
        _ => return Fold::No,
    };
    Fold::attr(ctx.attr(data))
}
