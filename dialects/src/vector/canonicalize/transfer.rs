//! Patterns of `vector.transfer_read` and `vector.transfer_write`.

use super::*;
use crate::memref::CastOp;
use crate::vector::transfer::{TransferReadOp, TransferWriteOp};
use terrace_ir::affine::{AffineExpr, AffineMap};
use terrace_ir::rewrite::PatternSet;
use terrace_ir::types::DYNAMIC;

pub(crate) fn transfer_read(p: &mut PatternSet) {
    p.add::<TransferReadOp>(|rw, op| {
        let read = TransferReadOp::wrap(op);
        let vector = op.result(rw.ctx, 0).ty(rw.ctx);
        simpler(rw, op, read.base(rw.ctx), (read.indices(rw.ctx), vector))
    });
}

pub(crate) fn transfer_write(p: &mut PatternSet) {
    p.add::<TransferWriteOp>(|rw, op| {
        let write = TransferWriteOp::wrap(op);
        let vector = write.value(rw.ctx).ty(rw.ctx);
        simpler(rw, op, write.base(rw.ctx), (write.indices(rw.ctx), vector))
    });
}

/// The memref before a cast that only forgot sizes; and dimensions that are within it for sure.
fn simpler(
    rw: &mut Rewriter,
    op: Op,
    base: Option<Value>,
    (indices, vector): (Vec<Value>, Type),
) -> bool {
    let Some(base) = base else { return false };
    let cast = made_by::<CastOp>(rw.ctx, base).map(CastOp::wrap);
    if let Some(c) = cast.filter(|c| c.can_fold_into_consumer(rw.ctx)) {
        let source = c.op().operand(rw.ctx, 0);
        let place = op.operands(rw.ctx).iter().position(|v| *v == base);
        if let Some(k) = place {
            rw.set_operand(op, k, source);
            return true;
        }
    }
    let ctx = &*rw.ctx;
    let Some(map) = op.attr(ctx, "permutation_map").and_then(|a| a.as_map(ctx)) else {
        return false;
    };
    let old = op.attr(ctx, "in_bounds").and_then(|a| a.as_array(ctx));
    let old: Vec<bool> = old.map_or_else(Vec::new, |v| {
        v.iter().map(|a| a.as_i64(ctx) == Some(1)).collect()
    });
    let new: Vec<bool> = (old.iter().enumerate())
        .map(|(k, known)| *known || within(ctx, base.ty(ctx), &indices, (map, k), vector))
        .collect();
    if new == old {
        return false;
    }
    let bits = new.iter().map(|b| ctx.bool_attr(*b));
    let bits = ctx.array_attr(bits.collect());
    rw.set_attr(op, "in_bounds", bits);
    true
}

/// Whether a dimension of a vector surely stays within what it is read from or written to.
fn within(
    ctx: &Context,
    base: Type,
    indices: &[Value],
    (map, k): (&AffineMap, usize),
    vector: Type,
) -> bool {
    let along = match map.results().get(k) {
        Some(AffineExpr::Dim(d)) => *d as usize,
        // One element, repeated.
        Some(AffineExpr::Constant(0)) => return true,
        _ => return false,
    };
    let flags = scalable(ctx, vector);
    let (Some(size), Some(index), Some(n)) = (
        base.shape(ctx).and_then(|s| s.get(along).copied()),
        indices.get(along).and_then(|v| ctx.constant_int(*v)),
        dims_of(ctx, vector).get(k),
    ) else {
        return false;
    };
    let end = index.checked_add(*n);
    size != DYNAMIC && !flags[k] && index >= 0 && end.is_some_and(|e| e <= size)
}
