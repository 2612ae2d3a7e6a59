//! What of the host's code a thread of the device can do, with the same result.

use super::memory::{base, is_root, side_of};
use terrace_dialects::memref;
use terrace_dialects::memref::layout::has_identity_layout;
use terrace_dialects::xfer::Side;
use terrace_dialects::{arith, math, scf};
use terrace_ir::{Context, Op, OpKind, Type, Value};

/// The memref that an op loads from or stores to.
pub(crate) fn accessed(ctx: &Context, op: Op) -> Option<Value> {
    if let Some(l) = op.cast::<memref::LoadOp>(ctx) {
        return Some(l.op().operand(ctx, 0));
    }
    op.cast::<memref::StoreOp>(ctx)
        .map(|s| s.op().operand(ctx, 1))
}

/// Whether a thread of the device can do what `op` does, with what is nested in it, and
/// comes to the same result.
pub(crate) fn can_move(ctx: &Context, op: Op) -> bool {
    op.pre_order(ctx).into_iter().all(|o| {
        let types = o.result_types(ctx).into_iter().chain(o.operand_types(ctx));
        let args = o.blocks(ctx).into_iter().flat_map(|b| b.args(ctx));
        let known = types
            .chain(args.map(|v| v.ty(ctx)))
            .all(|t| t.is_memref(ctx) || is_number(ctx, t));
        known && is_known(ctx, o)
    })
}

/// Whether an op is a quotient or a remainder of whole numbers.
pub(crate) fn divides_integers(ctx: &Context, op: Op) -> bool {
    matches!(
        op.name(ctx),
        arith::DivSIOp::NAME
            | arith::DivUIOp::NAME
            | arith::RemSIOp::NAME
            | arith::RemUIOp::NAME
            | arith::CeilDivSIOp::NAME
            | arith::CeilDivUIOp::NAME
            | arith::FloorDivSIOp::NAME
    )
}

fn is_known(ctx: &Context, op: Op) -> bool {
    if let Some(m) = accessed(ctx, op) {
        return can_be_mirrored(ctx, m);
    }
    match op.name(ctx) {
        scf::ForOp::NAME | scf::IfOp::NAME | scf::YieldOp::NAME | memref::DimOp::NAME => true,
        _ if divides_integers(ctx, op) => ctx
            .constant_int(op.operand(ctx, 1))
            .is_some_and(|n| n != 0 && n != -1),
        // Those that are rounded correctly everywhere, or not at all.
        math::SqrtOp::NAME
        | math::FmaOp::NAME
        | math::AbsFOp::NAME
        | math::AbsIOp::NAME
        | math::CopySignOp::NAME
        | math::FloorOp::NAME
        | math::CeilOp::NAME
        | math::TruncOp::NAME => true,
        name => name.starts_with("arith.") && name != arith::RemFOp::NAME,
    }
}

/// Types of numbers that both sides compute with.
pub(crate) fn is_number(ctx: &Context, t: Type) -> bool {
    if t.is_index(ctx) {
        return true;
    }
    let bits = t.bit_width(ctx);
    match t.is_float(ctx) {
        true => t == ctx.f32() || t == ctx.f64(),
        false => t.is_int_or_index(ctx) && matches!(bits, Some(1 | 8 | 16 | 32 | 64)),
    }
}

/// Whether `xfer-insert` makes a mirror of the array for as long as it lasts.
fn can_be_mirrored(ctx: &Context, m: Value) -> bool {
    let root = base(ctx, m);
    let ty = root.ty(ctx);
    is_root(ctx, root)
        && side_of(ctx, m) == Side::Host
        && has_identity_layout(ctx, ty)
        && ty
            .element(ctx)
            .is_some_and(|e| is_number(ctx, e) && e.bit_width(ctx) != Some(1))
}
