//! `rows.row`: a row of an array with tables of pointers.

use super::abi::{Desc, Part, Val};
use super::lower::{Lower, R};
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, types};
use terrace_dialects::rows;
use terrace_ir::Op;

/// Bytes of a pointer.
const POINTER: i64 = 8;

/// Loads the row's pointer from the table. Sizes and strides of the dimensions inside are those
/// of the array.
pub(super) fn lower(l: &mut Lower, op: Op) -> R {
    let ctx = l.ctx;
    let array = op.operand(ctx, 0);
    let Val::Mem(d) = l.val(array)? else {
        return Err("needs a memref where a number stands".into());
    };
    let distances = rows::distances(ctx, array.ty(ctx)).unwrap_or_default();
    let Some(distance) = distances.first() else {
        return Err(format!(
            "needs a memref with tables of rows, found '{}'",
            ctx.type_text(array.ty(ctx))
        ));
    };
    let bytes = Part::Const(distance.wrapping_mul(POINTER));
    let (index, constant) = l.index(op.operand(ctx, 1))?;
    let index = index.map_or(Part::Const(0), Part::Val);
    let index = l.add(index, Part::Const(constant));
    let far = l.mul(index, bytes);
    let at = l.add(Part::Val(d.ptr), far);
    let at = l.part(at);
    // C's pointers are aligned, and the table has this one where the op runs.
    let row = l.b.ins().load(types::I64, MemFlagsData::trusted(), at, 0);
    let d = Desc {
        elem: d.elem,
        ptr: row,
        offset: Part::Const(0),
        sizes: d.sizes.get(1..).unwrap_or_default().to_vec(),
        strides: d.strides.get(1..).unwrap_or_default().to_vec(),
    };
    l.bind_mem(op.result(ctx, 0), d)
}
