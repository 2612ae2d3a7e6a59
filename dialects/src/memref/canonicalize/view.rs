//! Patterns of subview, reinterpret_cast and view.

use super::{replace_with_cast, static_sizes};
use crate::memref::cast::{CastOp, ReinterpretCastOp, ViewOp};
use crate::memref::fold::defined_by;
use crate::memref::layout::{self, Strides};
use crate::memref::shape::ExtractStridedMetadataOp;
use crate::memref::subview::SubViewOp;
use crate::offsets::{self, Mixed, Slice};
use terrace_ir::rewrite::{PatternSet, Rewriter};
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Context, Op, OpKind, Type};

pub(crate) fn subview(p: &mut PatternSet) {
    p.add::<SubViewOp>(constant_slice);
    p.add::<SubViewOp>(subview_of_cast);
    p.add::<SubViewOp>(whole_subview);
}

/// The type of a slice of `source`, less the dimensions that are dropped.
fn reduced_type(ctx: &Context, source: Type, slice: &Slice, dropped: &[bool]) -> Option<Type> {
    let full = layout::subview_type(ctx, source, slice)?;
    if !dropped.contains(&true) {
        return Some(full);
    }
    let s = layout::strides_and_offset(ctx, full)?;
    let keep = |v: &[i64]| {
        v.iter()
            .zip(dropped)
            .filter(|(_, d)| !**d)
            .map(|(v, _)| *v)
            .collect()
    };
    let shape = keep(full.shape(ctx)?);
    Some(layout::with_strides(
        ctx,
        full,
        shape,
        Strides {
            strides: keep(&s.strides),
            offset: s.offset,
        },
    ))
}

/// Offsets, sizes and strides that are constants go into the op, unless the slice
/// would then be seen to leave the source.
fn constant_slice(rw: &mut Rewriter, op: Op) -> bool {
    let ctx = &*rw.ctx;
    let view = SubViewOp::wrap(op);
    let Some(mut slice) = view.slice(ctx) else {
        return false;
    };
    let Some(dropped) = view.dropped_dims(ctx) else {
        return false;
    };
    if !slice.fold_constants(ctx) {
        return false;
    }
    // A type cannot say a stride of zero.
    if slice.strides.contains(&Mixed::Static(0)) {
        return false;
    }
    let source = view.source(ctx);
    let from = source.ty(ctx);
    if offsets::check_bounds(from.shape(ctx).unwrap_or(&[]), &slice).is_err() {
        return false;
    }
    let Some(ty) = reduced_type(ctx, from, &slice, &dropped) else {
        return false;
    };
    let v = SubViewOp::build(rw, source, &slice, ty);
    replace_with_cast(rw, op, v);
    true
}

/// A cast moves behind the subview of its result.
fn subview_of_cast(rw: &mut Rewriter, op: Op) -> bool {
    let ctx = &*rw.ctx;
    // Constants first, see `constant_slice`.
    if op
        .operands(ctx)
        .iter()
        .any(|v| ctx.constant_int(*v).is_some())
    {
        return false;
    }
    let view = SubViewOp::wrap(op);
    let Some(cast) = defined_by::<CastOp>(ctx, view.source(ctx)) else {
        return false;
    };
    if !cast.can_fold_into_consumer(ctx) {
        return false;
    }
    let source = cast.op().operand(ctx, 0);
    let (Some(slice), Some(dropped)) = (view.slice(ctx), view.dropped_dims(ctx)) else {
        return false;
    };
    let Some(ty) = reduced_type(ctx, source.ty(ctx), &slice, &dropped) else {
        return false;
    };
    let v = SubViewOp::build(rw, source, &slice, ty);
    replace_with_cast(rw, op, v);
    true
}

/// A subview of all of a memref of static shape is a cast.
fn whole_subview(rw: &mut Rewriter, op: Op) -> bool {
    let ctx = &*rw.ctx;
    let view = SubViewOp::wrap(op);
    let source = view.source(ctx);
    let shape = source.ty(ctx).shape(ctx).unwrap_or(&[]);
    let Some(slice) = view.slice(ctx) else {
        return false;
    };
    let all = |l: &[Mixed], c: i64| l.iter().all(|m| m.constant(ctx) == Some(c));
    let whole = op.result(ctx, 0).ty(ctx).rank(ctx) == Some(shape.len())
        && all(&slice.offsets, 0)
        && all(&slice.strides, 1)
        && slice
            .sizes
            .iter()
            .zip(shape)
            .all(|(s, d)| s.constant(ctx) == Some(*d));
    if !whole {
        return false;
    }
    replace_with_cast(rw, op, source);
    true
}

pub(crate) fn reinterpret_cast(p: &mut PatternSet) {
    p.add::<ReinterpretCastOp>(reinterpret_of_metadata);
    p.add::<ReinterpretCastOp>(constant_reinterpret);
}

/// Offset, sizes and strides as numbers wherever type or values tell.
fn known_slice(ctx: &Context, op: ReinterpretCastOp) -> Option<Slice> {
    let ty = op.op().result(ctx, 0).ty(ctx);
    let s = layout::strides_and_offset(ctx, ty)?;
    let mut slice = op.slice(ctx)?;
    let known = |list: &mut [Mixed], from_type: &[i64]| {
        for (m, t) in list.iter_mut().zip(from_type) {
            if *t != DYNAMIC {
                *m = Mixed::Static(*t);
            } else if let Some(c) = m.constant(ctx).filter(|c| *c != DYNAMIC) {
                *m = Mixed::Static(c);
            }
        }
    };
    known(&mut slice.offsets, &[s.offset]);
    known(&mut slice.sizes, ty.shape(ctx)?);
    known(&mut slice.strides, &s.strides);
    Some(slice)
}

/// The slice that the results of taking a memref apart describe.
fn metadata_slice(ctx: &Context, op: ExtractStridedMetadataOp) -> Option<Slice> {
    let known = op.static_values(ctx)?;
    let results = op.op().results(ctx);
    let mut list: Vec<Mixed> = results
        .iter()
        .skip(1)
        .zip(known)
        .map(|(v, k)| {
            if k == DYNAMIC {
                Mixed::Value(*v)
            } else {
                Mixed::Static(k)
            }
        })
        .collect();
    let strides = list.split_off(1 + (list.len() - 1) / 2);
    let sizes = list.split_off(1);
    Some(Slice {
        offsets: list,
        sizes,
        strides,
    })
}

/// Putting a memref together from its own parts gives it back; from others, the base
/// is still that of the memref.
fn reinterpret_of_metadata(rw: &mut Rewriter, op: Op) -> bool {
    let ctx = &*rw.ctx;
    let Some(parts) = defined_by::<ExtractStridedMetadataOp>(ctx, op.operand(ctx, 0)) else {
        return false;
    };
    let source = parts.op().operand(ctx, 0);
    let same = known_slice(ctx, ReinterpretCastOp::wrap(op)) == metadata_slice(ctx, parts);
    if same {
        replace_with_cast(rw, op, source);
    } else {
        rw.set_operand(op, 0, source);
    }
    true
}

/// Constants go into the op.
fn constant_reinterpret(rw: &mut Rewriter, op: Op) -> bool {
    let ctx = &*rw.ctx;
    let cast = ReinterpretCastOp::wrap(op);
    let (Some(old), Some(new)) = (cast.slice(ctx), known_slice(ctx, cast)) else {
        return false;
    };
    if old == new {
        return false;
    }
    let source = op.operand(ctx, 0);
    let v = ReinterpretCastOp::build(rw, source, &new);
    replace_with_cast(rw, op, v);
    true
}

pub(crate) fn view(p: &mut PatternSet) {
    p.add::<ViewOp>(constant_view);
    p.add::<ViewOp>(|rw, op| {
        let ctx = &*rw.ctx;
        let Some(cast) = defined_by::<CastOp>(ctx, op.operand(ctx, 0)) else {
            return false;
        };
        let source = cast.op().operand(ctx, 0);
        if !source.ty(ctx).is_memref(ctx) {
            return false;
        }
        rw.set_operand(op, 0, source);
        true
    });
}

/// Sizes that are constants go into the type.
fn constant_view(rw: &mut Rewriter, op: Op) -> bool {
    let ctx = &*rw.ctx;
    let view = ViewOp::wrap(op);
    let ty = op.result(ctx, 0).ty(ctx);
    let known = |v: &terrace_ir::Value| ctx.constant_int(*v).filter(|c| *c >= 0);
    let sizes = view.sizes(ctx);
    let Some((shape, kept)) = static_sizes(ty.shape(ctx).unwrap_or(&[]), &sizes, known) else {
        return false;
    };
    if kept.len() == sizes.len() {
        return false;
    }
    let layout = ty.memref_parts(ctx).and_then(|p| p.0);
    let ty = layout::with_shape_and_layout(ctx, ty, shape, layout);
    let operands: Vec<_> = [op.operand(ctx, 0), view.byte_shift(ctx)]
        .into_iter()
        .chain(kept)
        .collect();
    let v = rw.value::<ViewOp>(&operands, ty, &[]);
    replace_with_cast(rw, op, v);
    true
}
