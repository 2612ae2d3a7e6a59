//! Which elements of an array a memref is, by numbers that the text has.

use super::super::numbers::element;
use super::content::Span;
use terrace_dialects::memref::SubViewOp;
use terrace_dialects::memref::layout::{row_major_strides, strides_and_offset};
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Context, Op, Type, Value};

/// All elements of a memref of this type, as those of an array of its own.
pub(crate) fn all_of(ctx: &Context, ty: Type) -> Span {
    let sizes = ty.shape(ctx).unwrap_or(&[]);
    let known = sizes.iter().all(|s| *s != DYNAMIC) && is_row(ctx, ty);
    let count = sizes.iter().try_fold(1i64, |n, s| n.checked_mul(*s));
    Span {
        lo: 0,
        hi: count.filter(|_| known).unwrap_or(Span::END),
    }
}

/// The elements of `root` from the first of `v` to its last; `None` where only the run
/// knows them.
pub(crate) fn span(ctx: &Context, is_root: &dyn Fn(Value) -> bool, v: Value) -> Option<Span> {
    let lo = first(ctx, is_root, v)?;
    if is_root(super::super::pairs::whole(ctx, v)) {
        return Some(all_of(ctx, v.ty(ctx)));
    }
    let sizes = v.ty(ctx).shape(ctx)?;
    if sizes.contains(&0) {
        return Some(Span { lo, hi: lo });
    }
    let ends: Vec<i64> = sizes.iter().map(|s| s - 1).collect();
    let known = sizes.iter().all(|s| *s != DYNAMIC);
    let last = known.then(|| along(ctx, v.ty(ctx), &ends)).flatten()?;
    let hi = lo.checked_add(last)?.checked_add(1)?;
    Some(Span { lo, hi })
}

/// The number in `root` of the first element of `v`.
fn first(ctx: &Context, is_root: &dyn Fn(Value) -> bool, v: Value) -> Option<i64> {
    let v = super::super::pairs::whole(ctx, v);
    if is_root(v) {
        return Some(0);
    }
    let view = v.def_op()?.cast::<SubViewOp>(ctx)?;
    let source = view.source(ctx);
    let slice = view.slice(ctx)?;
    let offsets: Option<Vec<i64>> = slice.offsets.iter().map(|o| o.constant(ctx)).collect();
    let before = first(ctx, is_root, source)?;
    before.checked_add(along(ctx, source.ty(ctx), &offsets?)?)
}

/// How far the element at these subscripts lies behind the first.
fn along(ctx: &Context, ty: Type, subscripts: &[i64]) -> Option<i64> {
    let strides = strides_and_offset(ctx, ty)?.strides;
    // Where there is one element in a dimension its stride is nothing.
    let mut sum = 0i64;
    for (s, stride) in subscripts.iter().zip(strides) {
        if *s != 0 {
            let known = Some(stride).filter(|s| *s != DYNAMIC)?;
            sum = sum.checked_add(s.checked_mul(known)?)?;
        }
    }
    Some(sum)
}

/// The elements of `root` that an op may touch, and whether that is one element; all of
/// `widest` where it cannot be told.
pub(crate) fn touched(
    ctx: &Context,
    is_root: &dyn Fn(Value) -> bool,
    widest: Span,
    at: Op,
) -> (Span, bool) {
    let Some((memref, subscripts)) = element(ctx, at) else {
        return (widest, false);
    };
    let whole = || span(ctx, is_root, memref).unwrap_or(widest);
    let numbers: Option<Vec<i64>> = subscripts.iter().map(|v| ctx.constant_int(*v)).collect();
    let one = numbers.and_then(|n| {
        let lo = first(ctx, is_root, memref)?;
        lo.checked_add(along(ctx, memref.ty(ctx), &n)?)
    });
    match one {
        Some(lo) if widest.lo <= lo && lo < widest.hi => (Span { lo, hi: lo + 1 }, true),
        _ => (whole(), false),
    }
}

/// Whether the elements of a memref lie in a row, each once.
fn is_row(ctx: &Context, ty: Type) -> bool {
    let strides = strides_and_offset(ctx, ty).map(|s| s.strides);
    strides
        .zip(ty.shape(ctx))
        .is_some_and(|(s, shape)| s == row_major_strides(shape))
}
