//! Folding of accesses.

use super::dense::element;
use super::syntax::map_of;
use terrace_ir::opdef::Fold;
use terrace_ir::{Attr, AttrData, Context, DenseData, Op};

/// An access to the result of a `memref.cast` between ranked types accesses what was
/// cast.
pub(super) fn fold_cast(ctx: &Context, op: Op, _: &[Option<Attr>]) -> Fold {
    if replace_casts(ctx, op) {
        Fold::InPlace
    } else {
        Fold::No
    }
}

/// Whether a memref operand was replaced by the one it was cast from. A value stored
/// stays as it is.
fn replace_casts(ctx: &Context, op: Op) -> bool {
    let stored = matches!(op.name(ctx), "affine.store" | "affine.vector_store");
    let mut changed = false;
    for (i, v) in op.operands(ctx).into_iter().enumerate() {
        if (stored && i == 0) || !v.ty(ctx).is_memref(ctx) {
            continue;
        }
        if let Some(cast) = v.def_op().filter(|d| d.name(ctx) == "memref.cast")
            && cast.num_operands(ctx) == 1
            && cast.operand(ctx, 0).ty(ctx).is_memref(ctx)
        {
            op.set_operand(ctx, i, cast.operand(ctx, 0));
            changed = true;
        }
    }
    changed
}

/// As [`fold_cast`]; and a load from a constant global is the constant.
pub(super) fn fold_load(ctx: &Context, op: Op, _: &[Option<Attr>]) -> Fold {
    if replace_casts(ctx, op) {
        return Fold::InPlace;
    }
    Fold::maybe(global_element(ctx, op))
}

/// The element of a constant `memref.global` that a load reads.
fn global_element(ctx: &Context, op: Op) -> Option<Attr> {
    let get = op
        .operand(ctx, 0)
        .def_op()
        .filter(|d| d.name(ctx) == "memref.get_global")?;
    let name = get.attr(ctx, "name")?.as_flat_symbol(ctx)?;
    let global = terrace_ir::symbols::lookup_name(ctx, get, name)?;
    if global.name(ctx) != "memref.global" || global.attr(ctx, "constant").is_none() {
        return None;
    }
    let value = global.attr(ctx, "initial_value")?;
    let AttrData::Dense {
        ty,
        data: DenseData::Raw { splat, bytes },
    } = value.data(ctx)
    else {
        return None;
    };
    if *splat {
        return element(ctx, *ty, bytes, 0);
    }
    let shape = ty.shape(ctx)?;
    let at = map_of(ctx, op, "map").constant_results()?;
    if at.len() != shape.len() {
        return None;
    }
    let mut flat = 0i64;
    for (i, n) in at.iter().zip(shape) {
        if !(0..*n).contains(i) {
            return None;
        }
        flat = flat.checked_mul(*n)?.checked_add(*i)?;
    }
    element(ctx, *ty, bytes, usize::try_from(flat).ok()?)
}
