//! Tensors of another shape.

use super::{RANKED, TENSOR};
use crate::memref::REASSOCIATION;
use terrace_ir::constraint::{DENSE_I64, I64_ATTR, INDEX, UNIT_ATTR};
use terrace_ir::op;

op! {
    /// Merges the dimensions that each entry of `reassociation` lists.
    CollapseShapeOp = "tensor.collapse_shape" {
        operands: [src: TENSOR],
        results: [result: TENSOR],
        attrs: [reassociation: REASSOCIATION],
        traits: PURE,
        format: "$src $reassociation attr-dict `:` type($src) `into` type($result)",
        result_names: |_, _| vec![Some("collapsed".to_string())],
    }

    /// Tensors one behind the other along a dimension.
    ConcatOp = "tensor.concat" {
        operands: [inputs: RANKED.variadic()],
        results: [result: RANKED],
        attrs: [dim: I64_ATTR],
        traits: PURE,
        format: "`dim` `(` $dim `)` $inputs attr-dict `:` functional-type(operands, results)",
        result_names: |_, _| vec![Some("concat".to_string())],
    }

    /// Splits dimensions: dimension `i` becomes those that `reassociation[i]` lists.
    ExpandShapeOp = "tensor.expand_shape" {
        operands: [src: TENSOR, output_shape: INDEX.variadic()],
        results: [result: TENSOR],
        attrs: [reassociation: REASSOCIATION, static_output_shape: DENSE_I64],
        traits: PURE,
        format: "$src $reassociation `output_shape` custom<DynamicIndexList>($output_shape, $static_output_shape) attr-dict `:` type($src) `into` type($result)",
        result_names: |_, _| vec![Some("expanded".to_string())],
    }

    /// The tensor with more elements around it, which the body computes.
    PadOp = "tensor.pad" {
        operands: [source: RANKED, low: INDEX.variadic(), high: INDEX.variadic()],
        results: [result: RANKED],
        attrs: [static_low: DENSE_I64, static_high: DENSE_I64, nofold: UNIT_ATTR],
        regions: [region: OneBlock],
        traits: PURE | ATTR_SIZED_OPERANDS | SINGLE_BLOCK,
        format: "$source (`nofold` $nofold^)? `low` `` custom<DynamicIndexList>($low, $static_low) `high` `` custom<DynamicIndexList>($high, $static_high) $region attr-dict `:` type($source) `to` type($result)",
        result_names: |_, _| vec![Some("padded".to_string())],
    }

    /// The same elements in row-major order with the sizes that `shape` holds.
    ReshapeOp = "tensor.reshape" {
        operands: [source: TENSOR, shape: RANKED],
        results: [result: TENSOR],
        traits: PURE,
        format: "$source `(` $shape `)` attr-dict `:` functional-type(operands, results)",
        result_names: |_, _| vec![Some("reshape".to_string())],
    }
}
