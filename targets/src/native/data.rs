//! Data regions, through callbacks: the runtime has the table of what is present.
//!
//! What a clause asks for is one word: the clause's number in the low byte, and the
//! flags above.

use super::abi::Val;
use super::gpu::fail_if_error;
use super::lower::{Lower, R};
use super::memref::{all_bytes, bind_new, fail_if_null};
use cranelift_codegen::ir::{self, InstBuilder, types};
use terrace_dialects::xfer::{Clause, PresentOp, array_words, clauses};
use terrace_ir::{Op, OpKind, Value};

/// Counted as a region, not as `enter data`.
pub const STRUCTURED: u32 = 1 << 8;
/// `exit data finalize`.
pub const FINALIZE: u32 = 1 << 9;
/// What is absent is no error.
pub const IF_PRESENT: u32 = 1 << 10;

/// Whether an op of this name is one of these; `xfer.` is left out.
pub(super) fn is_data_op(name: &str) -> bool {
    matches!(
        name,
        "enter_data" | "exit_data" | "update" | "present" | "is_present"
    )
}

pub(super) fn lower(l: &mut Lower, op: Op, name: &str) -> R {
    let ctx = l.ctx;
    let has = |flag: &str, bit: u32| match op.attr(ctx, flag) {
        Some(_) => bit,
        None => 0,
    };
    let flags =
        has("structured", STRUCTURED) | has("finalize", FINALIZE) | has("if_present", IF_PRESENT);
    let callback = match name {
        "enter_data" => "terrace_gpu_enter",
        "exit_data" => "terrace_gpu_exit",
        "update" => "terrace_gpu_update",
        "present" => return present(l, op, flags),
        _ => return is_present(l, op),
    };
    for (array, clause) in clauses(ctx, op) {
        let args = arguments(l, op, array, Some(clause as u32 | flags))?;
        let status = l.helper1(callback, &args, types::I32)?;
        fail_if_error(l, op, status)?;
    }
    Ok(())
}

/// Address, bytes, what is wanted, the number of the array's name, the op.
fn arguments(l: &mut Lower, op: Op, array: Value, how: Option<u32>) -> R<Vec<ir::Value>> {
    if !l.mem_ty(array)?.contiguous {
        return Err(format!(
            "is about a memref with gaps or of unknown strides, '{}'",
            l.ctx.type_text(array.ty(l.ctx))
        ));
    }
    let d = l.mem(array)?;
    let (at, bytes) = (l.start(&d)?, all_bytes(l, &d));
    let words = array_words(l.ctx, array);
    let name = l.s.array_id(&words);
    let (name, id) = (l.iconst(types::I32, i64::from(name)), l.op_id(op)?);
    let mut args = vec![at, bytes];
    if let Some(how) = how {
        args.push(l.iconst(types::I32, i64::from(how)));
    }
    args.extend([name, id]);
    Ok(args)
}

fn present(l: &mut Lower, op: Op, flags: u32) -> R {
    let p = PresentOp::wrap(op);
    let (array, buffer) = (p.array(l.ctx), p.buffer(l.ctx));
    let args = arguments(l, op, array, Some(Clause::Present as u32 | flags))?;
    let ptr = l.helper1("terrace_gpu_present", &args, types::I64)?;
    fail_if_null(l, ptr, op)?;
    let sizes = l.mem(array)?.sizes.clone();
    let ty = l.mem_ty(buffer)?;
    bind_new(l, buffer, &ty, ptr, sizes)
}

fn is_present(l: &mut Lower, op: Op) -> R {
    let array = op.operand(l.ctx, 0);
    let args = arguments(l, op, array, None)?;
    let found = l.helper1("terrace_gpu_is_present", &args, types::I32)?;
    let bit = l.b.ins().ireduce(types::I8, found);
    l.bind(op.result(l.ctx, 0), Val::One(bit));
    Ok(())
}
