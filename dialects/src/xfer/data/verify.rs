//! What data ops must be like.

use super::super::ops::compatible_shapes;
use super::super::space::device_number;
use super::clause::{Clause, OF_EXIT, OF_REGION, STRUCTURED, clauses};
use super::{DataOp, is_structured};
use crate::memref::layout::{has_identity_layout, row_major_strides, strides_and_offset};
use terrace_ir::opdef::Verified;
use terrace_ir::{Context, Op, OpKind, Type};

/// Whether the elements of a memref lie in a row, wherever it starts.
fn is_in_a_row(ctx: &Context, ty: Type) -> bool {
    has_identity_layout(ctx, ty)
        || strides_and_offset(ctx, ty)
            .zip(ty.shape(ctx))
            .is_some_and(|(s, shape)| s.strides == row_major_strides(shape))
}

pub(super) fn verify_array(ctx: &Context, does: &str, ty: Type) -> Verified {
    if device_number(ctx, ty).is_some() {
        return Err(format!(
            "{does} an array of the host, but '{}' lies on a device; only deviceptr takes that",
            ctx.type_text(ty)
        )
        .into());
    }
    if !is_in_a_row(ctx, ty) {
        return Err(format!(
            "{does} row-major arrays only, but the elements of '{}' are not in a row",
            ctx.type_text(ty)
        )
        .into());
    }
    Ok(())
}

pub(super) fn verify_clauses(ctx: &Context, op: Op, allowed: &[Clause]) -> Verified {
    let list = clauses(ctx, op);
    let numbers = op.attr(ctx, "clauses").and_then(|a| a.as_i64_array(ctx));
    let (arrays, given) = (op.num_operands(ctx), numbers.map_or(0, |n| n.len()));
    if given != arrays {
        return Err(
            format!("has {arrays} arrays and {given} clauses: each array needs a clause").into(),
        );
    }
    if list.len() != arrays {
        let last = Clause::ALL.len() - 1;
        return Err(format!("has a clause of a number that none has; they are 0 to {last}").into());
    }
    if list.is_empty() {
        return Err("needs an array in a clause".into());
    }
    for (i, (array, clause)) in list.iter().enumerate() {
        if !allowed.contains(clause) {
            let words: Vec<&str> = allowed.iter().map(|c| c.word()).collect();
            return Err(format!(
                "takes the clauses {}, not {}",
                words.join(", "),
                clause.word()
            )
            .into());
        }
        if let Some((_, before)) = list[..i].iter().find(|c| c.0 == *array) {
            return Err(format!(
                "has one array in two clauses, {} and {}; one of them is enough",
                before.word(),
                clause.word()
            )
            .into());
        }
        let ty = array.ty(ctx);
        if *clause != Clause::DevicePtr {
            verify_array(ctx, &format!("{} takes", clause.word()), ty)?;
        } else if device_number(ctx, ty).is_none() {
            return Err(format!(
                "deviceptr is of a buffer on the device, but '{}' lies in the host's memory; copy, copyin, copyout and create make one",
                ctx.type_text(ty)
            )
            .into());
        }
    }
    Ok(())
}

pub(super) fn verify_data(ctx: &Context, op: Op) -> Verified {
    verify_clauses(ctx, op, OF_REGION)
}

pub(super) fn verify_data_body(ctx: &Context, op: Op) -> Verified {
    let buffers = DataOp::wrap(op).buffers(ctx);
    let list = clauses(ctx, op);
    if buffers.len() != list.len() {
        return Err(format!(
            "has {} arrays, but its region {} arguments: each array needs its buffer",
            list.len(),
            buffers.len()
        )
        .into());
    }
    for ((array, clause), buffer) in list.into_iter().zip(buffers) {
        let (a, b) = (array.ty(ctx), buffer.ty(ctx));
        if clause == Clause::DevicePtr && a != b {
            return Err(format!(
                "deviceptr of '{}' is no '{}': a buffer keeps its type",
                ctx.type_text(a),
                ctx.type_text(b)
            )
            .into());
        }
        if clause != Clause::DevicePtr {
            verify_buffer(ctx, a, b)?;
        }
    }
    Ok(())
}

/// Whether a memref can be the buffer of a present array.
fn verify_buffer(ctx: &Context, array: Type, buffer: Type) -> Verified {
    let text = |t| ctx.type_text(t);
    if device_number(ctx, buffer) != Some(0) {
        return Err(format!(
            "gives a buffer on device 0 (#xfer.device), but '{}' lies elsewhere",
            text(buffer)
        )
        .into());
    }
    if array.element(ctx) != buffer.element(ctx) || !compatible_shapes(ctx, array, buffer) {
        return Err(format!(
            "'{}' is no buffer for '{}': element type and shape must be the same",
            text(buffer),
            text(array)
        )
        .into());
    }
    if !has_identity_layout(ctx, buffer) {
        return Err(format!(
            "gives a row-major buffer, but '{}' has a layout",
            text(buffer)
        )
        .into());
    }
    Ok(())
}

pub(super) fn verify_exit(ctx: &Context, op: Op) -> Verified {
    if !is_structured(ctx, op) {
        return verify_clauses(ctx, op, OF_EXIT);
    }
    if op.attr(ctx, "finalize").is_some() {
        return Err(
            "finalize is of what 'xfer.enter_data' entered, not of the end of a structured region"
                .into(),
        );
    }
    verify_clauses(ctx, op, STRUCTURED)
}

pub(super) fn verify_present(ctx: &Context, op: Op) -> Verified {
    let array = op.operand(ctx, 0).ty(ctx);
    verify_array(ctx, "looks up", array)?;
    verify_buffer(ctx, array, op.result(ctx, 0).ty(ctx))
}
