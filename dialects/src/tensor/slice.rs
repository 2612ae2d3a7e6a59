//! Parts of tensors: `tensor.extract_slice`, `insert_slice`, `parallel_insert_slice`.

use super::RANKED;
use crate::memref::layout::is_rank_reduction;
use crate::offsets;
use terrace_ir::constraint::{DENSE_I64, INDEX};
use terrace_ir::opdef::Verified;
use terrace_ir::{Context, Op, Type, TypeData, op};

op! {
    /// The part that starts at `offsets`, has `sizes`, and steps by `strides`.
    ExtractSliceOp = "tensor.extract_slice" {
        operands: [source: RANKED, offsets: INDEX.variadic(), sizes: INDEX.variadic(), strides: INDEX.variadic()],
        results: [result: RANKED],
        attrs: [static_offsets: DENSE_I64, static_sizes: DENSE_I64, static_strides: DENSE_I64],
        traits: PURE | ATTR_SIZED_OPERANDS,
        format: "$source `` custom<DynamicIndexList>($offsets, $static_offsets) custom<DynamicIndexList>($sizes, $static_sizes) custom<DynamicIndexList>($strides, $static_strides) attr-dict `:` type($source) `to` type($result)",
        verify: |ctx, op| verify(ctx, op, op.operand(ctx, 0).ty(ctx), op.result(ctx, 0).ty(ctx)),
        result_names: |_, _| vec![Some("extracted_slice".to_string())],
    }

    /// `dest` with the part replaced by `source`.
    InsertSliceOp = "tensor.insert_slice" {
        operands: [source: RANKED, dest: RANKED, offsets: INDEX.variadic(), sizes: INDEX.variadic(), strides: INDEX.variadic()],
        results: [result: RANKED],
        attrs: [static_offsets: DENSE_I64, static_sizes: DENSE_I64, static_strides: DENSE_I64],
        traits: PURE | ATTR_SIZED_OPERANDS,
        same_type: [[dest, result]],
        format: "$source `into` $dest `` custom<DynamicIndexList>($offsets, $static_offsets) custom<DynamicIndexList>($sizes, $static_sizes) custom<DynamicIndexList>($strides, $static_strides) attr-dict `:` type($source) `into` type($dest)",
        verify: verify_insert,
        result_names: |_, _| vec![Some("inserted_slice".to_string())],
    }

    /// What one iteration of a parallel loop puts into a result of the loop.
    ParallelInsertSliceOp = "tensor.parallel_insert_slice" {
        operands: [source: RANKED, dest: RANKED, offsets: INDEX.variadic(), sizes: INDEX.variadic(), strides: INDEX.variadic()],
        attrs: [static_offsets: DENSE_I64, static_sizes: DENSE_I64, static_strides: DENSE_I64],
        traits: ATTR_SIZED_OPERANDS,
        parents: ["scf.forall.in_parallel"],
        format: "$source `into` $dest `` custom<DynamicIndexList>($offsets, $static_offsets) custom<DynamicIndexList>($sizes, $static_sizes) custom<DynamicIndexList>($strides, $static_strides) attr-dict `:` type($source) `into` type($dest)",
        verify: verify_insert,
    }
}

fn verify_insert(ctx: &Context, op: Op) -> Verified {
    let (source, dest) = (op.operand(ctx, 0).ty(ctx), op.operand(ctx, 1).ty(ctx));
    verify(ctx, op, dest, source)
}

/// `part` is the type of a slice of `whole`, maybe without dimensions of size 1.
fn verify(ctx: &Context, op: Op, whole: Type, part: Type) -> Verified {
    let rank = whole.rank(ctx).unwrap_or(0);
    offsets::verify_slice(ctx, op, [rank; 3])?;
    let sizes = op
        .attr(ctx, "static_sizes")
        .and_then(|a| a.as_i64_array(ctx))
        .unwrap_or_default();
    let TypeData::Tensor { elem, encoding, .. } = whole.data(ctx) else {
        return Ok(());
    };
    let shape = part.shape(ctx).unwrap_or(&[]);
    let what = if shape.len() > sizes.len() {
        "rank is greater than"
    } else if is_rank_reduction(&sizes, shape).is_none() {
        "size mismatch"
    } else if part.element(ctx) != Some(*elem) {
        "element type mismatch"
    } else {
        return Ok(());
    };
    let expected = ctx.type_text(ctx.ty(TypeData::Tensor {
        shape: sizes,
        elem: *elem,
        encoding: *encoding,
    }));
    Err(format!("expected type to be '{expected}' or a rank-reduced version. ({what}) ").into())
}
