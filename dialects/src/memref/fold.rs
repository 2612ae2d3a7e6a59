//! Folds.

use super::alloc::{AllocOp, AllocaOp, num_dynamic};
use super::cast::{AssumeAlignmentOp, CastOp, MemorySpaceCastOp, ReinterpretCastOp, ViewOp};
use super::reshape::{CollapseShapeOp, ExpandShapeOp, groups};
use super::subview::{SubViewOp, TransposeOp};
use crate::offsets::Mixed;
use terrace_ir::opdef::Fold;
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Attr, AttrData, Context, Op, OpKind, Type, TypeData, Value};

/// The op of kind `K` that defines `v`.
pub(super) fn defined_by<K: OpKind>(ctx: &Context, v: Value) -> Option<K> {
    v.def_op()?.cast::<K>(ctx)
}

/// Whether no size of a memref type is dynamic.
fn has_static_shape(ctx: &Context, ty: Type) -> bool {
    ty.shape(ctx).is_some_and(|s| !s.contains(&DYNAMIC))
}

/// Look through casts from ranked memrefs in the operands, except one that is
/// `inner`: a value stored, which must keep its type.
fn through_casts(ctx: &Context, op: Op, inner: Option<Value>) -> Fold {
    let mut folded = false;
    for (i, v) in op.operands(ctx).into_iter().enumerate() {
        let Some(cast) = defined_by::<CastOp>(ctx, v) else {
            continue;
        };
        let source = cast.op().operand(ctx, 0);
        if Some(v) != inner && source.ty(ctx).is_memref(ctx) {
            op.set_operand(ctx, i, source);
            folded = true;
        }
    }
    if folded { Fold::InPlace } else { Fold::No }
}

pub(super) fn casts_of_operands(ctx: &Context, op: Op, _: &[Option<Attr>]) -> Fold {
    through_casts(ctx, op, None)
}

pub(super) use casts_of_operands as dealloc;
pub(super) use casts_of_operands as load;

pub(super) fn store(ctx: &Context, op: Op, _: &[Option<Attr>]) -> Fold {
    through_casts(ctx, op, Some(op.operand(ctx, 0)))
}

pub(super) use store as atomic_rmw;

/// Casts that only forget facts do not matter to a copy.
pub(super) fn copy(ctx: &Context, op: Op, _: &[Option<Attr>]) -> Fold {
    for (i, v) in op.operands(ctx).into_iter().enumerate() {
        if let Some(c) = defined_by::<CastOp>(ctx, v).filter(|c| c.can_fold_into_consumer(ctx)) {
            op.set_operand(ctx, i, c.op().operand(ctx, 0));
            return Fold::InPlace;
        }
    }
    Fold::No
}

/// Static sizes, and dynamic ones that the defining op was given.
pub(super) fn dim(ctx: &Context, op: Op, constants: &[Option<Attr>]) -> Fold {
    let Some(i) = constants
        .get(1)
        .copied()
        .flatten()
        .and_then(|a| a.as_i64(ctx))
    else {
        return Fold::No;
    };
    let source = op.operand(ctx, 0);
    let TypeData::MemRef { shape, .. } = source.ty(ctx).data(ctx) else {
        return Fold::No;
    };
    let Some(i) = usize::try_from(i).ok().filter(|i| *i < shape.len()) else {
        return Fold::No;
    };
    if shape[i] != DYNAMIC {
        return Fold::attr(ctx.index_attr(shape[i]));
    }
    let sizes = if let Some(a) = defined_by::<AllocOp>(ctx, source) {
        a.dynamic_sizes(ctx)
    } else if let Some(a) = defined_by::<AllocaOp>(ctx, source) {
        a.dynamic_sizes(ctx)
    } else if let Some(a) = source.def_op().filter(|d| d.name(ctx) == "gpu.alloc") {
        // Of a dialect above this one, with the operand group of its kin.
        a.operand_group(ctx, "dynamicSizes")
    } else if let Some(v) = defined_by::<ViewOp>(ctx, source) {
        v.sizes(ctx)
    } else if let Some(v) = defined_by::<SubViewOp>(ctx, source) {
        return match subview_size(ctx, v, i) {
            Some(v) => Fold::value(v),
            None => Fold::No,
        };
    } else {
        return through_casts(ctx, op, None);
    };
    match sizes.get(num_dynamic(&shape[..i])) {
        Some(v) => Fold::value(*v),
        None => Fold::No,
    }
}

/// The value that gives dimension `i` of the result of a subview its size.
fn subview_size(ctx: &Context, v: SubViewOp, i: usize) -> Option<Value> {
    let dropped = v.dropped_dims(ctx)?;
    let kept = dropped
        .iter()
        .enumerate()
        .filter(|(_, d)| !**d)
        .map(|(k, _)| k)
        .nth(i)?;
    match v.slice(ctx)?.sizes.get(kept)? {
        Mixed::Value(v) => Some(*v),
        Mixed::Static(_) => None,
    }
}

pub(super) fn rank(ctx: &Context, op: Op, _: &[Option<Attr>]) -> Fold {
    let rank = op
        .operand(ctx, 0)
        .ty(ctx)
        .rank(ctx)
        .and_then(|r| i64::try_from(r).ok());
    Fold::maybe(rank.map(|r| ctx.index_attr(r)))
}

/// A cast to the type that the value has already.
fn trivial_cast(ctx: &Context, op: Op) -> Option<Fold> {
    let source = op.operand(ctx, 0);
    (source.ty(ctx) == op.result(ctx, 0).ty(ctx)).then(|| Fold::value(source))
}

/// A cast of a cast from a ranked memref is one cast.
pub(super) fn cast(ctx: &Context, op: Op, _: &[Option<Attr>]) -> Fold {
    trivial_cast(ctx, op).unwrap_or_else(|| through_casts(ctx, op, None))
}

/// memory_space_cast(memory_space_cast(x)) = memory_space_cast(x).
pub(super) fn memory_space_cast(ctx: &Context, op: Op, _: &[Option<Attr>]) -> Fold {
    match defined_by::<MemorySpaceCastOp>(ctx, op.operand(ctx, 0)) {
        Some(inner) => {
            op.set_operand(ctx, 0, inner.op().operand(ctx, 0));
            Fold::InPlace
        }
        None => trivial_cast(ctx, op).unwrap_or(Fold::No),
    }
}

/// The same assumption twice.
pub(super) fn assume_alignment(ctx: &Context, op: Op, _: &[Option<Attr>]) -> Fold {
    let v = op.operand(ctx, 0);
    match defined_by::<AssumeAlignmentOp>(ctx, v) {
        Some(inner) if inner.op().attr(ctx, "alignment") == op.attr(ctx, "alignment") => {
            Fold::value(v)
        }
        _ => Fold::No,
    }
}

/// Only the base of the source matters, so views that keep it do not.
pub(super) fn reinterpret_cast(ctx: &Context, op: Op, _: &[Option<Attr>]) -> Fold {
    let source = op.operand(ctx, 0);
    let inner = if let Some(p) = defined_by::<ReinterpretCastOp>(ctx, source) {
        Some(p.op().operand(ctx, 0))
    } else if let Some(p) = defined_by::<CastOp>(ctx, source) {
        Some(p.op().operand(ctx, 0))
    } else {
        defined_by::<SubViewOp>(ctx, source)
            .filter(|s| {
                s.slice(ctx)
                    .is_some_and(|s| s.offsets.iter().all(|o| o.constant(ctx) == Some(0)))
            })
            .map(|s| s.source(ctx))
    };
    if let Some(v) = inner {
        op.set_operand(ctx, 0, v);
        return Fold::InPlace;
    }
    let ty = op.result(ctx, 0).ty(ctx);
    let offset = op
        .attr(ctx, "static_offsets")
        .and_then(|a| a.as_i64_array(ctx));
    if source.ty(ctx) == ty && has_static_shape(ctx, ty) && offset.is_some_and(|o| o == [0]) {
        return Fold::value(source);
    }
    Fold::No
}

/// A view of all of the bytes as bytes.
pub(super) fn view(ctx: &Context, op: Op, constants: &[Option<Attr>]) -> Fold {
    let (source, ty) = (op.operand(ctx, 0), op.result(ctx, 0).ty(ctx));
    let shift = constants
        .get(1)
        .copied()
        .flatten()
        .and_then(|a| a.as_i64(ctx));
    if source.ty(ctx) == ty && has_static_shape(ctx, ty) && shift == Some(0) {
        return Fold::value(source);
    }
    Fold::No
}

/// A subview of everything.
pub(super) fn subview(ctx: &Context, op: Op, _: &[Option<Attr>]) -> Fold {
    let (source, ty) = (op.operand(ctx, 0), op.result(ctx, 0).ty(ctx));
    if source.ty(ctx) != ty {
        return Fold::No;
    }
    let static_layout = match ty.memref_parts(ctx).and_then(|p| p.0).map(|l| l.data(ctx)) {
        Some(AttrData::Strided { strides, offset }) => {
            *offset != DYNAMIC && !strides.contains(&DYNAMIC)
        }
        _ => true,
    };
    if has_static_shape(ctx, ty) && static_layout {
        return Fold::value(source);
    }
    // Of another subview: the same sizes from its start are the same view.
    let inner = defined_by::<SubViewOp>(ctx, source).and_then(|s| s.slice(ctx));
    let (Some(inner), Some(own)) = (inner, SubViewOp::wrap(op).slice(ctx)) else {
        return Fold::No;
    };
    let all = |l: &[Mixed], c: i64| l.iter().all(|m| m.constant(ctx) == Some(c));
    if all(&own.offsets, 0) && all(&own.strides, 1) && own.sizes == inner.sizes {
        return Fold::value(source);
    }
    Fold::No
}

/// Identity transposes vanish, and two in a row become one.
pub(super) fn transpose(ctx: &Context, op: Op, _: &[Option<Attr>]) -> Fold {
    let source = op.operand(ctx, 0);
    let Some(map) = TransposeOp::wrap(op).permutation(ctx) else {
        return Fold::No;
    };
    if map.is_identity() && op.result(ctx, 0).ty(ctx) == source.ty(ctx) {
        return Fold::value(source);
    }
    let Some(inner) = defined_by::<TransposeOp>(ctx, source) else {
        return Fold::No;
    };
    let Some(both) = inner.permutation(ctx).and_then(|m| map.compose(m).ok()) else {
        return Fold::No;
    };
    op.set_attr(ctx, "permutation", ctx.map_attr(both));
    op.set_operand(ctx, 0, inner.op().operand(ctx, 0));
    Fold::InPlace
}

/// A reshape to the same type, or one that undoes the reshape before it.
fn reshape<Inverse: OpKind>(ctx: &Context, op: Op) -> Fold {
    let (source, ty) = (op.operand(ctx, 0), op.result(ctx, 0).ty(ctx));
    if source.ty(ctx) == ty {
        return Fold::value(source);
    }
    let Some(inner) = defined_by::<Inverse>(ctx, source) else {
        return Fold::No;
    };
    let origin = inner.op().operand(ctx, 0);
    if origin.ty(ctx) != ty {
        return Fold::No;
    }
    let shape = ty.shape(ctx).unwrap_or(&[]);
    if num_dynamic(shape) < 2 {
        return Fold::value(origin);
    }
    // Several dynamic sizes: the groups must be the same, and each must leave no
    // choice of how its sizes are spread.
    let (a, b) = (groups(ctx, op), groups(ctx, inner.op()));
    let Some(a) = a.filter(|a| Some(a) == b.as_ref()) else {
        return Fold::No;
    };
    let expanded = shape.len() < source.ty(ctx).rank(ctx).unwrap_or(0);
    let one_each = || {
        a.iter().all(|g| {
            g.iter()
                .filter(|d| shape.get(**d) == Some(&DYNAMIC))
                .count()
                < 2
        })
    };
    if expanded || one_each() {
        Fold::value(origin)
    } else {
        Fold::No
    }
}

pub(super) fn expand_shape(ctx: &Context, op: Op, _: &[Option<Attr>]) -> Fold {
    reshape::<CollapseShapeOp>(ctx, op)
}

pub(super) fn collapse_shape(ctx: &Context, op: Op, _: &[Option<Attr>]) -> Fold {
    reshape::<ExpandShapeOp>(ctx, op)
}
