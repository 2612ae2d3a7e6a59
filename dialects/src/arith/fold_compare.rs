//! Folding of comparisons and `arith.select`.

use super::elements::{binary, has_constants, is_one, is_zero};
use super::fold_int::definition;
use super::{CmpFOp, CmpIOp, CmpIPredicate, ExtSIOp, ExtUIOp, splat_int};
use crate::ub::is_poison;
use terrace_ir::num::Int;
use terrace_ir::opdef::Fold;
use terrace_ir::{Attr, AttrData, Context, DenseData, Op};

type Constants<'a> = &'a [Option<Attr>];

pub(super) fn cmpi(ctx: &Context, op: Op, c: Constants) -> Fold {
    let Some(p) = op.cast::<CmpIOp>(ctx).and_then(|o| o.predicate(ctx)) else {
        return Fold::No;
    };
    let (a, b) = (op.operand(ctx, 0), op.operand(ctx, 1));
    let ty = op.result(ctx, 0).ty(ctx);
    if a == b && has_constants(ctx, ty) {
        return Fold::attr(splat_int(ctx, ty, &Int::from_bool(p.of_equals())));
    }
    let bits = a.ty(ctx).element_or_self(ctx).int_width(ctx);
    if is_zero(ctx, c[1]) && p == CmpIPredicate::Ne {
        // ext(x : i1) != 0 = x
        let ext = definition::<ExtSIOp>(ctx, a).or_else(|| definition::<ExtUIOp>(ctx, a));
        if let Some(ext) = ext {
            let x = ext.operand(ctx, 0);
            if x.ty(ctx) == ty {
                return Fold::value(x);
            }
        }
        if bits == Some(1) {
            return Fold::value(a);
        }
    }
    if is_one(ctx, c[1]) && p == CmpIPredicate::Eq && bits == Some(1) {
        return Fold::value(a);
    }
    if c[0].is_some() && c[1].is_none() {
        op.set_attr(ctx, "predicate", p.swapped().attr(ctx));
        op.set_operand(ctx, 0, b);
        op.set_operand(ctx, 1, a);
        return Fold::InPlace;
    }
    Fold::maybe(binary(ctx, c, ty, |a: &Int, b| {
        Some(Int::from_bool(p.eval(a, b)))
    }))
}

pub(super) fn cmpf(ctx: &Context, op: Op, c: Constants) -> Fold {
    let Some(p) = op.cast::<CmpFOp>(ctx).and_then(|o| o.predicate(ctx)) else {
        return Fold::No;
    };
    let mut a = c[0].and_then(|x| x.as_float(ctx));
    let mut b = c[1].and_then(|x| x.as_float(ctx));
    // With one NaN it does not matter what the other is.
    if a.is_some_and(|x| x.is_nan()) {
        b = a;
    } else if b.is_some_and(|x| x.is_nan()) {
        a = b;
    }
    match (a, b) {
        (Some(a), Some(b)) => Fold::attr(ctx.bool_attr(p.eval(a, b))),
        _ => Fold::No,
    }
}

pub(super) fn select(ctx: &Context, op: Op, c: Constants) -> Fold {
    let (condition, a, b) = (op.operand(ctx, 0), op.operand(ctx, 1), op.operand(ctx, 2));
    if a == b || is_one(ctx, c[0]) {
        return Fold::value(a);
    }
    if is_zero(ctx, c[0]) {
        return Fold::value(b);
    }
    // A choice that is poison may be any, and so may the value of one of the two.
    let poison = |k: usize| c[k].filter(|a| is_poison(ctx, *a));
    if let Some(any) = poison(0) {
        return Fold::attr(any);
    }
    if poison(1).is_some() {
        return Fold::value(b);
    }
    if poison(2).is_some() {
        return Fold::value(a);
    }
    if op.result(ctx, 0).ty(ctx) == ctx.i1() && is_one(ctx, c[1]) && is_zero(ctx, c[2]) {
        return Fold::value(condition);
    }
    // x == y ? x : y = y, x != y ? x : y = x
    if let Some(cmp) = definition::<CmpIOp>(ctx, condition)
        && let Some(p) = cmp.cast::<CmpIOp>(ctx).and_then(|o| o.predicate(ctx))
        && matches!(p, CmpIPredicate::Eq | CmpIPredicate::Ne)
    {
        let (x, y) = (cmp.operand(ctx, 0), cmp.operand(ctx, 1));
        if (x, y) == (a, b) || (y, x) == (a, b) {
            return Fold::value(if p == CmpIPredicate::Ne { a } else { b });
        }
    }
    Fold::maybe(select_elements(ctx, c))
}

/// Constants chosen element by element.
fn select_elements(ctx: &Context, c: Constants) -> Option<Attr> {
    let &[Some(condition), Some(a), Some(b)] = c else {
        return None;
    };
    let raw = |x: Attr| match x.data(ctx) {
        AttrData::Dense {
            ty,
            data: DenseData::Raw { splat, bytes },
        } => Some((*ty, *splat, bytes)),
        _ => None,
    };
    let (_, splat, choice) = raw(condition)?;
    let ((ty, a_splat, a), (_, b_splat, b)) = (raw(a)?, raw(b)?);
    let n = choice.len();
    if splat || n == 0 {
        return None;
    }
    let size = if a_splat { a.len() } else { a.len() / n };
    let element = |bytes: &'_ [u8], splat: bool, i: usize| -> Option<Vec<u8>> {
        let at = if splat { 0 } else { i * size };
        bytes.get(at..at + size).map(<[u8]>::to_vec)
    };
    let chosen: Vec<Vec<u8>> = (0..n)
        .map(|i| match choice[i] {
            0 => element(b, b_splat, i),
            _ => element(a, a_splat, i),
        })
        .collect::<Option<_>>()?;
    let splat = chosen.windows(2).all(|w| w[0] == w[1]);
    let bytes = if splat {
        chosen.into_iter().next()?
    } else {
        chosen.concat()
    };
    let data = DenseData::Raw {
        splat,
        bytes: bytes.into(),
    };
    Some(ctx.attr(AttrData::Dense { ty, data }))
}
