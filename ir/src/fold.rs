//! Constants, and folding of single ops.

use crate::attr::Attr;
use crate::context::Context;
use crate::op::Op;
use crate::opdef::{Fold, FoldResult, OpDef, traits};
use crate::value::Value;
use smallvec::SmallVec;

impl Context {
    /// The attribute that `v` is known to equal: the `value` of the constant op
    /// that defines it.
    pub fn constant_of(&self, v: Value) -> Option<Attr> {
        self.constant_value(v.def_op()?)
    }

    /// The value of a constant op.
    pub fn constant_value(&self, op: Op) -> Option<Attr> {
        let def = op.def(self)?;
        if !def.has(traits::CONSTANT_LIKE) {
            return None;
        }
        let value = || def.attrs.iter().find(|a| a.name == "value");
        let default = || value().and_then(|a| a.constraint.default);
        op.attr(self, "value")
            .or_else(|| default().map(|d| d(self)))
    }

    /// The integer that `v` is known to be; an `i1` reads as 0 or 1.
    pub fn constant_int(&self, v: Value) -> Option<i64> {
        self.constant_of(v)?.as_i64(self)
    }
}

/// Fold `op` once: by its own folder first, then by what its traits say.
/// Constant ops never fold. The op may have changed in place; nothing is erased
/// and nothing is made.
pub fn try_fold(ctx: &Context, op: Op) -> Fold {
    let Some(def) = op.def(ctx) else {
        return Fold::No;
    };
    if def.has(traits::CONSTANT_LIKE) {
        return Fold::No;
    }
    let by_traits =
        def.has(traits::COMMUTATIVE) || def.has(traits::IDEMPOTENT) || def.has(traits::INVOLUTION);
    if def.fold.is_none() && !by_traits {
        return Fold::No;
    }
    let constants: SmallVec<[Option<Attr>; 4]> = (0..op.num_operands(ctx))
        .map(|i| ctx.constant_of(op.operand(ctx, i)))
        .collect();
    let own = match def.fold {
        Some(f) => f(ctx, op, &constants),
        None => Fold::No,
    };
    match own {
        Fold::Results(r) if is_progress(ctx, op, &r) => Fold::Results(r),
        Fold::InPlace => {
            // Constants may have moved, so only the cheap rule applies on top.
            if def.has(traits::COMMUTATIVE) {
                constants_to_the_right(ctx, op);
            }
            Fold::InPlace
        }
        Fold::No | Fold::Results(_) if by_traits => fold_by_traits(ctx, op, def),
        Fold::No | Fold::Results(_) => Fold::No,
    }
}

/// A fold must give each result a value, and one other than the result itself.
fn is_progress(ctx: &Context, op: Op, r: &[FoldResult]) -> bool {
    r.len() == op.num_results(ctx)
        && !r.is_empty()
        && !r
            .iter()
            .any(|r| matches!(r, FoldResult::Value(v) if v.def_op() == Some(op)))
}

fn fold_by_traits(ctx: &Context, op: Op, def: &OpDef) -> Fold {
    let same_kind = |v: Value| {
        v.def_op()
            .filter(|d| d.def(ctx).is_some_and(|d| std::ptr::eq(d, def)))
    };
    if op.num_results(ctx) == 1 {
        let ty = op.result(ctx, 0).ty(ctx);
        let typed = |v: Value| {
            if v.ty(ctx) == ty {
                Fold::value(v)
            } else {
                Fold::No
            }
        };
        let n = op.num_operands(ctx);
        if def.has(traits::IDEMPOTENT) {
            // f(f(x)) = f(x), f(x, x) = x
            if n == 1 && same_kind(op.operand(ctx, 0)).is_some_and(|d| d != op) {
                return typed(op.operand(ctx, 0));
            }
            if n == 2 && op.operand(ctx, 0) == op.operand(ctx, 1) {
                return typed(op.operand(ctx, 0));
            }
        }
        if def.has(traits::INVOLUTION) && n == 1 {
            // f(f(x)) = x
            if let Some(inner) = same_kind(op.operand(ctx, 0)).filter(|d| *d != op)
                && inner.num_operands(ctx) == 1
            {
                return typed(inner.operand(ctx, 0));
            }
        }
    }
    if def.has(traits::COMMUTATIVE) && constants_to_the_right(ctx, op) {
        return Fold::InPlace;
    }
    Fold::No
}

/// Move the operands that are constants behind the others, both in their order.
/// Whether that changed anything.
fn constants_to_the_right(ctx: &Context, op: Op) -> bool {
    let n = op.num_operands(ctx);
    if n < 2 {
        return false;
    }
    let operands: SmallVec<[Value; 4]> = (0..n).map(|i| op.operand(ctx, i)).collect();
    let constant: SmallVec<[bool; 4]> = operands
        .iter()
        .map(|v| ctx.constant_of(*v).is_some())
        .collect();
    if constant.is_sorted() {
        return false;
    }
    let pick = |c: bool| {
        operands
            .iter()
            .zip(&constant)
            .filter(move |(_, k)| **k == c)
    };
    for (i, (v, _)) in pick(false).chain(pick(true)).enumerate() {
        op.set_operand(ctx, i, *v);
    }
    true
}
