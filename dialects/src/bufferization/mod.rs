//! The `bufferization` dialect: the border between tensors and memrefs. Read, checked
//! and written only.

mod alloc;

use crate::tensor::TENSOR;
use terrace_ir::constraint::{ANY_MEMREF, I1, SHAPED, UNIT_ATTR};
use terrace_ir::opdef::{Invalid, Verified};
use terrace_ir::{Context, DialectDef, Op, OpKind, op};

pub use alloc::AllocTensorOp;

op! {
    /// A memref with the content of another; which of the two is whose is left open.
    CloneOp = "bufferization.clone" {
        operands: [input: ANY_MEMREF],
        results: [output: ANY_MEMREF],
        format: "$input attr-dict `:` type($input) `to` type($output)",
    }

    /// Frees those memrefs whose condition holds and that are not retained.
    DeallocOp = "bufferization.dealloc" {
        operands: [memrefs: ANY_MEMREF.variadic(), conditions: I1.variadic(), retained: ANY_MEMREF.variadic()],
        results: [updatedConditions: I1.variadic()],
        traits: ATTR_SIZED_OPERANDS,
        format: "(` ` `(` $memrefs^ `:` type($memrefs) `)` `if` ` ` `(` $conditions `)`)? (`retain` ` ` `(` $retained^ `:` type($retained) `)`)? attr-dict",
        infer: |ctx, s| {
            let sizes = s.get_attr(ctx, "operandSegmentSizes").and_then(|a| a.as_i64_array(ctx));
            let retained = sizes.and_then(|s| usize::try_from(*s.get(2)?).ok()).unwrap_or(0);
            Ok(vec![ctx.i1(); retained])
        },
        verify: verify_dealloc,
    }

    /// Ends the life of a tensor that was allocated.
    DeallocTensorOp = "bufferization.dealloc_tensor" {
        operands: [tensor: TENSOR],
        format: "$tensor attr-dict `:` type($tensor)",
    }

    /// Says that a tensor is to be held in a given place.
    MaterializeInDestinationOp = "bufferization.materialize_in_destination" {
        operands: [source: TENSOR, dest: SHAPED],
        results: [result: TENSOR.optional()],
        attrs: [restrict: UNIT_ATTR, writable: UNIT_ATTR],
        format: "$source `in` (`restrict` $restrict^)? (`writable` $writable^)? $dest attr-dict `:` functional-type(operands, results)",
    }

    /// The memory of a tensor.
    ToBufferOp = "bufferization.to_buffer" {
        operands: [tensor: TENSOR],
        results: [buffer: ANY_MEMREF],
        attrs: [read_only: UNIT_ATTR],
        traits: PURE,
        format: "$tensor (`read_only` $read_only^)? attr-dict `:` type($tensor) `to` type($buffer)",
    }

    /// The tensor that a memref holds.
    ToTensorOp = "bufferization.to_tensor" {
        operands: [buffer: ANY_MEMREF],
        results: [result: TENSOR],
        attrs: [restrict: UNIT_ATTR, writable: UNIT_ATTR],
        format: "$buffer (`restrict` $restrict^)? (`writable` $writable^)? attr-dict `:` type($buffer) `to` type($result)",
    }
}

fn verify_dealloc(ctx: &Context, op: Op) -> Verified {
    let count = |group| op.operand_group(ctx, group).len();
    if count("memrefs") != count("conditions") {
        return Err(Invalid::from(
            "must have the same number of conditions as memrefs to deallocate",
        ));
    }
    if op.num_results(ctx) != count("retained") {
        return Err(Invalid::from(
            "must have the same number of updated conditions (results) as retained operands",
        ));
    }
    Ok(())
}

/// From tensors to memrefs and back.
pub static DIALECT: DialectDef = DialectDef {
    name: "bufferization",
    doc: "The border between tensors and memrefs.",
    ops: &[
        AllocTensorOp::DEF,
        CloneOp::DEF,
        DeallocOp::DEF,
        DeallocTensorOp::DEF,
        MaterializeInDestinationOp::DEF,
        ToBufferOp::DEF,
        ToTensorOp::DEF,
    ],
    ..DialectDef::EMPTY
};
