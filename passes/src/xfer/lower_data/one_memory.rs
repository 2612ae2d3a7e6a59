//! Data ops where host and device have one memory: nothing is left of them, and the
//! buffer of an array is the array.

use super::is_data_op;
use terrace_dialects::arith;
use terrace_dialects::memref::layout::has_identity_layout;
use terrace_dialects::memref::{CastOp, MemorySpaceCastOp};
use terrace_dialects::xfer::{self, DataOp, IsPresentOp, PresentOp};
use terrace_ir::{Builder, Context, Op, Type, Value};

/// Takes out the data ops of a function.
///
/// # Errors
///
/// Sections that a buffer's type cannot tell.
pub fn take_out(ctx: &mut Context, function: Op) -> Vec<(Op, String)> {
    let mut errors = Vec::new();
    let mut all = function.pre_order(ctx);
    all.retain(|o| is_data_op(ctx, *o));
    for op in all {
        if let Some(r) = op.cast::<DataOp>(ctx) {
            for ((array, _), buffer) in r.clauses(ctx).into_iter().zip(r.buffers(ctx)) {
                let ty = buffer.ty(ctx);
                match seen_as(ctx, op, array, ty) {
                    Ok(same) => buffer.replace_all_uses(ctx, same),
                    Err(why) => errors.push((op, why)),
                }
            }
            if !errors.is_empty() {
                continue;
            }
            for inner in r.body(ctx).ops(ctx) {
                if !inner.isa::<xfer::EndDataOp>(ctx) {
                    inner.move_before(ctx, op);
                }
            }
            op.erase(ctx);
        } else if let Some(p) = op.cast::<PresentOp>(ctx) {
            let ty = p.buffer(ctx).ty(ctx);
            match seen_as(ctx, op, p.array(ctx), ty) {
                Ok(same) => op.replace(ctx, &[same]),
                Err(why) => errors.push((op, why)),
            }
        } else if op.isa::<IsPresentOp>(ctx) {
            let mut b = Builder::before(ctx, op);
            let yes = arith::constant_bool(&mut b, true);
            op.replace(ctx, &[yes]);
        } else {
            op.erase(ctx);
        }
    }
    errors
}

/// The array in the type of its buffer.
fn seen_as(ctx: &mut Context, at: Op, array: Value, ty: Type) -> Result<Value, String> {
    if array.ty(ctx) == ty {
        return Ok(array);
    }
    if !has_identity_layout(ctx, array.ty(ctx)) {
        return Err(format!(
            "has the section '{}', which has no buffer where host and device have one memory; use the whole array",
            ctx.type_text(array.ty(ctx))
        ));
    }
    let own = xfer::buffer_type(ctx, array.ty(ctx));
    let mut b = Builder::before(ctx, at);
    let seen = match array.ty(b.ctx) == own {
        true => array,
        false => b.value::<MemorySpaceCastOp>(&[array], own, &[]),
    };
    Ok(match own == ty {
        true => seen,
        false => b.value::<CastOp>(&[seen], ty, &[]),
    })
}
