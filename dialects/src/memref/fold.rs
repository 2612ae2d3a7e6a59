//! Folds.

use super::alloc::{AllocOp, AllocaOp, num_dynamic};
use super::cast::CastOp;
use terrace_ir::opdef::Fold;
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Attr, Context, Op, OpKind, TypeData, Value};

/// Look through casts from ranked memrefs in the operands, except one that is
/// `inner`: an access that must keep its type.
fn through_casts(ctx: &Context, op: Op, inner: Option<Value>) -> Fold {
    let mut folded = false;
    for (i, v) in op.operands(ctx).into_iter().enumerate() {
        let Some(cast) = v.def_op().filter(|d| d.isa::<CastOp>(ctx)) else { continue };
        let source = cast.operand(ctx, 0);
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

/// Static sizes, and dynamic ones that the defining op was given.
pub(super) fn dim(ctx: &Context, op: Op, constants: &[Option<Attr>]) -> Fold {
    let Some(i) = constants.get(1).copied().flatten().and_then(|a| a.as_i64(ctx)) else {
        return Fold::No;
    };
    let source = op.operand(ctx, 0);
    let TypeData::MemRef { shape, .. } = source.ty(ctx).data(ctx) else { return Fold::No };
    let Some(i) = usize::try_from(i).ok().filter(|i| *i < shape.len()) else { return Fold::No };
    if shape[i] != DYNAMIC {
        return Fold::attr(ctx.index_attr(shape[i]));
    }
    let nth = num_dynamic(&shape[..i]);
    if let Some(def) = source.def_op() {
        let sizes = if let Some(a) = def.cast::<AllocOp>(ctx) {
            a.dynamic_sizes(ctx)
        } else if let Some(a) = def.cast::<AllocaOp>(ctx) {
            a.dynamic_sizes(ctx)
        } else {
            Vec::new()
        };
        if let Some(v) = sizes.get(nth) {
            return Fold::value(*v);
        }
    }
    through_casts(ctx, op, None)
}
