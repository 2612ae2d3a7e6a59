//! Transformations of loops.

use super::types::HANDLE;
use terrace_ir::constraint::{
    AttrConstraint, AttrSyntax, BOOL_ATTR, I64_ATTR, STRING_ATTR, UNIT_ATTR,
};
use terrace_ir::op;

pub(super) const POSITIVE_I64: AttrConstraint = AttrConstraint::new(
    "64-bit signless integer attribute whose value is positive",
    |c, a| a.typed(c) == Some(c.i64()) && a.as_i64(c).is_some_and(|v| v > 0),
)
.syntax(AttrSyntax::Typed(|c| c.i64()));

op! {
    /// Makes one loop of a perfect nest.
    CoalesceOp = "transform.loop.coalesce" {
        operands: [target: HANDLE],
        results: [transformed: HANDLE],
        format: "$target attr-dict `:` functional-type($target, $transformed)",
    }

    /// `scf.forall` to a nest of `scf.for`.
    ForallToForOp = "transform.loop.forall_to_for" {
        operands: [target: HANDLE],
        results: [transformed: HANDLE.variadic()],
        format: "$target attr-dict `:` functional-type(operands, results)",
    }

    /// `scf.forall` to `scf.parallel`.
    ForallToParallelOp = "transform.loop.forall_to_parallel" {
        operands: [target: HANDLE],
        results: [transformed: HANDLE.variadic()],
        format: "$target attr-dict `:` functional-type(operands, results)",
    }

    /// `scf.parallel` to a nest of `scf.for`.
    ParallelToNestedForsOp = "transform.loop.parallel_for_to_nested_fors" {
        operands: [target: HANDLE],
        results: [transformed: HANDLE.variadic()],
        format: "$target attr-dict `:` functional-type(operands, results)",
    }

    /// Makes one loop of two in the same block.
    FuseSiblingOp = "transform.loop.fuse_sibling" {
        operands: [target: HANDLE, source: HANDLE],
        results: [fused_loop: HANDLE],
        format: "$target `into` $source attr-dict `:` functional-type(operands, results)",
    }

    /// Moves a loop into a function of its own.
    OutlineOp = "transform.loop.outline" {
        operands: [target: HANDLE],
        results: [function: HANDLE, call: HANDLE],
        attrs: [func_name: STRING_ATTR],
        format: "$target attr-dict `:` functional-type(operands, results)",
    }

    /// Splits off the iterations that no full step covers.
    PeelOp = "transform.loop.peel" {
        operands: [target: HANDLE],
        results: [peeled_loop: HANDLE, remainder_loop: HANDLE],
        attrs: [
            peel_front: BOOL_ATTR.default(|c| c.bool_attr(false)),
            fail_if_already_divisible: BOOL_ATTR.default(|c| c.bool_attr(false)),
        ],
        format: "$target attr-dict `:` functional-type(operands, results)",
    }

    /// Overlaps iterations.
    PipelineOp = "transform.loop.pipeline" {
        operands: [target: HANDLE],
        results: [transformed: HANDLE],
        attrs: [
            iteration_interval: I64_ATTR.default(|c| c.i64_attr(1)),
            read_latency: I64_ATTR.default(|c| c.i64_attr(10)),
        ],
        format: "$target attr-dict `:` functional-type(operands, results)",
    }

    /// Puts the body of a loop of one iteration in its place.
    PromoteOp = "transform.loop.promote_if_one_iteration" {
        operands: [target: HANDLE],
        format: "$target attr-dict `:` type($target)",
    }

    /// Keeps one branch of an `scf.if`, taking its condition for granted.
    TakeAssumedBranchOp = "transform.scf.take_assumed_branch" {
        operands: [target: HANDLE],
        attrs: [take_else_branch: UNIT_ATTR],
        format: "$target (`take_else_branch` $take_else_branch^)? attr-dict `:` functional-type(operands, results)",
    }

    /// Repeats the body `factor` times.
    UnrollOp = "transform.loop.unroll" {
        operands: [target: HANDLE],
        attrs: [factor: POSITIVE_I64],
        format: "$target attr-dict `:` type($target)",
    }

    /// Unrolls, and makes one loop of the inner ones.
    UnrollAndJamOp = "transform.loop.unroll_and_jam" {
        operands: [target: HANDLE],
        attrs: [factor: POSITIVE_I64],
        format: "$target attr-dict `:` type($target)",
    }
}
