//! Canonicalisation patterns.

mod reshape;
mod scope;
mod view;

use super::access::{CopyOp, LoadOp, StoreOp};
use super::alloc::{AllocOp, AllocaOp, DeallocOp, ReallocOp};
use super::cast::CastOp;
use super::fold::defined_by;
use super::layout;
use super::reshape::ReshapeOp;
use super::shape::{DimOp, ExtractStridedMetadataOp};
use terrace_ir::rewrite::{PatternSet, Rewriter};
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Attr, Builder, Op, OpKind, OpState, Type, Value};

pub(super) use reshape::{collapse_shape, expand_shape};
pub(super) use scope::alloca_scope;
pub(super) use view::{reinterpret_cast, subview, view};

/// An op of another dialect with one result, where that dialect is loaded. Patterns
/// need a few scalar ops; naming them here keeps the dialects apart.
fn foreign(b: &mut Builder, name: &str, operands: &[Value], ty: Type) -> Option<OpState> {
    let def = b.ctx.op_def(name)?;
    Some(OpState::new(def, b.loc).operands(operands).results(&[ty]))
}

/// `arith.constant`, for folds.
pub(super) fn materialize(b: &mut Builder, value: Attr, ty: Type) -> Option<Op> {
    if value.typed(b.ctx) != Some(ty) {
        return None;
    }
    let state = foreign(b, "arith.constant", &[], ty)?.attr(b.ctx, "value", value);
    Some(b.create(state))
}

/// A constant of type index.
fn index_constant(rw: &mut Rewriter, v: i64) -> Option<Value> {
    let (a, ty) = (rw.ctx.index_attr(v), rw.ctx.index());
    let op = materialize(rw, a, ty)?;
    Some(op.result(rw.ctx, 0))
}

/// Replace an op with one result by `v`, through a cast where the types differ.
fn replace_with_cast(rw: &mut Rewriter, op: Op, v: Value) {
    let ty = op.result(rw.ctx, 0).ty(rw.ctx);
    let v = if v.ty(rw.ctx) == ty {
        v
    } else {
        CastOp::build(rw, v, ty)
    };
    rw.replace_op(op, &[v]);
}

pub(super) fn alloc(p: &mut PatternSet) {
    p.add::<AllocOp>(constant_sizes::<AllocOp>);
    p.add::<AllocOp>(dead_allocation);
}

pub(super) fn alloca(p: &mut PatternSet) {
    p.add::<AllocaOp>(constant_sizes::<AllocaOp>);
    p.add::<AllocaOp>(dead_allocation);
}

pub(super) fn realloc(p: &mut PatternSet) {
    p.add::<ReallocOp>(dead_allocation);
}

/// Sizes that are constants go into the type.
fn constant_sizes<K: OpKind>(rw: &mut Rewriter, op: Op) -> bool {
    let ctx = &*rw.ctx;
    let sizes = op.operand_group(ctx, "dynamicSizes");
    let known = |v: &Value| ctx.constant_int(*v).filter(|c| *c >= 0);
    if !sizes.iter().any(|v| known(v).is_some()) {
        return false;
    }
    let ty = op.result(ctx, 0).ty(ctx);
    let Some((shape, kept)) = static_sizes(ty.shape(ctx).unwrap_or(&[]), &sizes, known) else {
        return false;
    };
    let layout = ty.memref_parts(ctx).and_then(|p| p.0);
    let ty = layout::with_shape_and_layout(ctx, ty, shape, layout);
    let symbols = op.operand_group(ctx, "symbolOperands");
    let count = |v: &[Value]| i32::try_from(v.len()).unwrap_or(i32::MAX);
    let segments = ctx.i32_array(&[count(&kept), count(&symbols)]);
    let alignment = op.attr(ctx, "alignment");
    let mut state = rw
        .state::<K>()
        .operands(&kept)
        .operands(&symbols)
        .results(&[ty]);
    state.set_attr(rw.ctx, "operandSegmentSizes", segments);
    if let Some(a) = alignment {
        state.set_attr(rw.ctx, "alignment", a);
    }
    let new = rw.create(state);
    let v = new.result(rw.ctx, 0);
    replace_with_cast(rw, op, v);
    true
}

/// The shape with its dynamic sizes replaced where `known`, and the values of the
/// others; `None` where there are fewer values than dynamic sizes.
fn static_sizes(
    shape: &[i64],
    sizes: &[Value],
    known: impl Fn(&Value) -> Option<i64>,
) -> Option<(Vec<i64>, Vec<Value>)> {
    let mut sizes = sizes.iter();
    let (mut new, mut kept) = (Vec::with_capacity(shape.len()), Vec::new());
    for d in shape {
        if *d != DYNAMIC {
            new.push(*d);
            continue;
        }
        let v = sizes.next()?;
        new.push(known(v).unwrap_or_else(|| {
            kept.push(*v);
            DYNAMIC
        }));
    }
    Some((new, kept))
}

/// Memory that is only written and freed is not needed.
fn dead_allocation(rw: &mut Rewriter, op: Op) -> bool {
    let ctx = &*rw.ctx;
    let memory = op.result(ctx, 0);
    let users = memory.users(ctx);
    let useless = |u: &Op| match u.cast::<StoreOp>(ctx) {
        Some(s) => s.value(ctx) != memory,
        None => u.isa::<DeallocOp>(ctx),
    };
    if !users.iter().all(useless) {
        return false;
    }
    for u in users {
        rw.erase(u);
    }
    rw.erase(op);
    true
}

pub(super) fn copy(p: &mut PatternSet) {
    p.add::<CopyOp>(|rw, op| {
        let ctx = &*rw.ctx;
        let (from, to) = (op.operand(ctx, 0), op.operand(ctx, 1));
        let empty = |v: Value| v.ty(ctx).shape(ctx).is_some_and(|s| s.contains(&0));
        if from != to && !empty(from) && !empty(to) {
            return false;
        }
        rw.erase(op);
        true
    });
}

pub(super) fn dim(p: &mut PatternSet) {
    p.add::<DimOp>(dim_of_reshape);
}

/// A size of a reshape is read from the shape it was given, just after it: later that
/// memory may hold something else.
fn dim_of_reshape(rw: &mut Rewriter, op: Op) -> bool {
    let ctx = &*rw.ctx;
    let dim = DimOp::wrap(op);
    let index = dim.index(ctx);
    let Some(reshape) = defined_by::<ReshapeOp>(ctx, dim.source(ctx)) else {
        return false;
    };
    let reshape = reshape.op();
    if !available_at(rw, index, reshape, op) {
        return false;
    }
    let shape = reshape.operand(rw.ctx, 1);
    let loc = op.loc(rw.ctx);
    rw.set_after(reshape);
    rw.loc = loc;
    let index_ty = rw.ctx.index();
    let elem = shape.ty(rw.ctx).element_or_self(rw.ctx);
    if elem != index_ty && rw.ctx.op_def("arith.index_cast").is_none() {
        return false;
    }
    let mut v = LoadOp::build(rw, shape, &[index]);
    if elem != index_ty {
        let Some(state) = foreign(rw, "arith.index_cast", &[v], index_ty) else {
            return false;
        };
        let cast = rw.create(state);
        v = cast.result(rw.ctx, 0);
    }
    rw.replace_op(op, &[v]);
    true
}

/// Whether `v` is defined before `at`, by a cheap test that may say no for yes.
fn available_at(rw: &Rewriter, v: Value, at: Op, user: Op) -> bool {
    let ctx = &*rw.ctx;
    let (Some(home), Some(place)) = (v.block(ctx), at.block(ctx)) else {
        return false;
    };
    if home == place {
        return v.def_op().is_none_or(|d| !at.is_before(ctx, d));
    }
    if user.block(ctx) == Some(place) {
        return true;
    }
    match (home.region(ctx), place.region(ctx)) {
        (Some(outer), Some(inner)) => outer != inner && outer.contains(ctx, inner),
        _ => false,
    }
}

/// Offset, sizes and strides that the type of the source tells are constants; then the
/// source may as well be one before a cast.
pub(super) fn metadata(p: &mut PatternSet) {
    p.add::<ExtractStridedMetadataOp>(|rw, op| {
        let Some(known) = ExtractStridedMetadataOp::wrap(op).static_values(rw.ctx) else {
            return false;
        };
        let mut changed = false;
        for (v, known) in op.results(rw.ctx).into_iter().skip(1).zip(known) {
            if known == DYNAMIC || !v.has_uses(rw.ctx) {
                continue;
            }
            let Some(c) = index_constant(rw, known) else {
                return changed;
            };
            rw.replace_all_uses(v, c);
            changed = true;
        }
        let source = op.operand(rw.ctx, 0);
        let cast = defined_by::<CastOp>(rw.ctx, source).map(|c| c.op().operand(rw.ctx, 0));
        if let Some(before) = cast.filter(|v| layout::is_strided(rw.ctx, v.ty(rw.ctx))) {
            rw.set_operand(op, 0, before);
            changed = true;
        }
        changed
    });
}
