//! Transformations that other dialects bring: memref, func, affine, debugging.

use super::loops::POSITIVE_I64;
use super::types::{ANY_HANDLE, HANDLE, VALUE_HANDLE};
use terrace_ir::constraint::{DENSE_I32, DENSE_I64, I64_ATTR, STRING_ATTR, SYMBOL_REF, UNIT_ATTR};
use terrace_ir::op;

op! {
    /// Pattern: heap to stack.
    AllocToAllocaPatternsOp = "transform.apply_patterns.memref.alloc_to_alloca" {
        attrs: [size_limit: I64_ATTR.optional()],
        format: "(`size_limit` `(` $size_limit^ `)`)? attr-dict",
    }

    /// Patterns: metadata of views computed.
    ExpandStridedMetadataPatternsOp = "transform.apply_patterns.memref.expand_strided_metadata" {
        format: "attr-dict",
    }

    /// Patterns: address computations taken out of accesses.
    ExtractAddressComputationsPatternsOp = "transform.apply_patterns.memref.extract_address_computations" {
        format: "attr-dict",
    }

    /// Patterns: views folded into accesses.
    FoldMemrefAliasPatternsOp = "transform.apply_patterns.memref.fold_memref_alias_ops" {
        format: "attr-dict",
    }

    /// Stack to global memory.
    AllocaToGlobalOp = "transform.memref.alloca_to_global" {
        operands: [alloca: HANDLE],
        results: [getGlobal: HANDLE, global: HANDLE],
        format: "$alloca attr-dict `:` functional-type(operands, results)",
    }

    /// Removes memory that is only written.
    EraseDeadAllocAndStoresOp = "transform.memref.erase_dead_alloc_and_stores" {
        operands: [target: HANDLE],
        format: "$target attr-dict `:` functional-type($target, results)",
    }

    /// Makes an allocation independent of the innermost loops around it.
    MakeLoopIndependentOp = "transform.memref.make_loop_independent" {
        operands: [target: HANDLE],
        results: [transformed: HANDLE],
        attrs: [num_loops: I64_ATTR],
        format: "$target attr-dict `:` functional-type($target, $transformed)",
    }

    /// Gives `factor` iterations in turn memory of their own.
    MultiBufferOp = "transform.memref.multibuffer" {
        operands: [target: HANDLE],
        results: [transformed: HANDLE],
        attrs: [factor: POSITIVE_I64, skip_analysis: UNIT_ATTR],
        format: "$target attr-dict `:` functional-type(operands, results)",
    }

    /// Puts in a call, and casts around it.
    CastAndCallOp = "transform.func.cast_and_call" {
        operands: [insertion_point: HANDLE, inputs: VALUE_HANDLE.optional(), outputs: VALUE_HANDLE.optional(), function: HANDLE.optional()],
        results: [result: HANDLE],
        attrs: [insert_after: UNIT_ATTR, function_name: SYMBOL_REF.optional()],
        regions: [conversions: AtMostOneBlock],
        traits: ATTR_SIZED_OPERANDS | NO_TERMINATOR,
        format: "($function_name^)? ($function^)? (`(` $inputs^ `)`)? (`->` $outputs^)? (`after` $insert_after^) : (`before`)? $insertion_point ($conversions^)? attr-dict `:` functional-type(operands, results)",
    }

    /// Makes one of arguments that are always the same.
    DeduplicateFuncArgsOp = "transform.func.deduplicate_func_args" {
        operands: [module: HANDLE],
        results: [transformed_module: HANDLE, transformed_function: HANDLE],
        attrs: [function_name: SYMBOL_REF],
        format: "$function_name `at` $module attr-dict `:` functional-type(operands, results)",
    }

    /// Permutes arguments and results of a function.
    ReplaceFuncSignatureOp = "transform.func.replace_func_signature" {
        operands: [module: HANDLE],
        results: [transformed_module: HANDLE, transformed_function: HANDLE],
        attrs: [function_name: SYMBOL_REF, args_interchange: DENSE_I32, results_interchange: DENSE_I32, adjust_func_calls: UNIT_ATTR],
        format: "$function_name `args_interchange` `=` $args_interchange `results_interchange` `=` $results_interchange `at` $module attr-dict `:` functional-type(operands, results)",
    }

    /// Simplifies affine ops with bounds on the values they use.
    SimplifyBoundedOp = "transform.affine.simplify_bounded_affine_ops" {
        operands: [target: HANDLE, bounded_values: HANDLE.variadic()],
        attrs: [lower_bounds: DENSE_I64, upper_bounds: DENSE_I64],
        format: "$target `with` `[` ($bounded_values^ `:` type($bounded_values))? `]` `within` $lower_bounds `and` $upper_bounds attr-dict `:` type($target)",
    }

    /// Simplifies `affine.min` and `affine.max`.
    SimplifyMinMaxOp = "transform.affine.simplify_min_max_affine_ops" {
        operands: [target: HANDLE],
        format: "$target attr-dict `:` type($target)",
    }

    /// A remark at what a handle stands for.
    EmitRemarkAtOp = "transform.debug.emit_remark_at" {
        operands: [at: ANY_HANDLE],
        attrs: [message: STRING_ATTR],
        format: "$at `,` $message attr-dict `:` type($at)",
    }
}
