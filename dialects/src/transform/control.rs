//! The script itself: sequences, and how handles are come by.

use super::types::{ANY_HANDLE, HANDLE, VALUE_HANDLE};
use crate::function::{parse_function, print_function};
use terrace_ir::constraint::{
    ARRAY_ATTR, BOOL_ATTR, DICT_ATTR, FUNCTION_TYPE_ATTR, I64_ATTR, STRING_ATTR, SYMBOL_NAME,
    TYPE_ATTR, UNIT_ATTR,
};
use terrace_ir::op;

op! {
    /// A script with a name.
    NamedSequenceOp = "transform.named_sequence" {
        attrs: [
            sym_name: SYMBOL_NAME,
            function_type: FUNCTION_TYPE_ATTR,
            sym_visibility: STRING_ATTR.optional(),
            arg_attrs: ARRAY_ATTR.optional(),
            res_attrs: ARRAY_ATTR.optional(),
        ],
        regions: [body: AtMostOneBlock],
        traits: ISOLATED | SYMBOL | FUNCTION_LIKE,
        custom: (parse_function, print_function),
    }

    /// The end of a script or of a part of it, with the handles it hands on.
    YieldOp = "transform.yield" {
        operands: [operands: ANY_HANDLE.variadic()],
        traits: PURE | TERMINATOR | RETURN_LIKE,
        format: "operands attr-dict (`:` type($operands)^)?",
    }

    /// The nested ops of these names, attributes and types.
    MatchOp = "transform.structured.match" {
        operands: [target: HANDLE],
        results: [results: HANDLE],
        attrs: [
            ops: ARRAY_ATTR.optional(),
            op_attrs: DICT_ATTR.optional(),
            filter_result_type: TYPE_ATTR.optional(),
            filter_operand_types: ARRAY_ATTR.optional(),
        ],
        format: "(`ops` `{` $ops^ `}`)? (`attributes` $op_attrs^)? (`filter_result_type` `=` $filter_result_type^)? (`filter_operand_types` `=` $filter_operand_types^)? `in` $target attr-dict `:` functional-type($target, results)",
    }

    /// The same handle with another type.
    CastOp = "transform.cast" {
        operands: [input: HANDLE],
        results: [output: HANDLE],
        format: "$input attr-dict `:` type($input) `to` type($output)",
    }

    /// The ops around others.
    GetParentOp = "transform.get_parent_op" {
        operands: [target: HANDLE],
        results: [parent: HANDLE],
        attrs: [
            isolated_from_above: UNIT_ATTR,
            allow_empty_results: UNIT_ATTR,
            op_name: STRING_ATTR.optional(),
            deduplicate: UNIT_ATTR,
            nth_parent: I64_ATTR.default(|c| c.i64_attr(1)),
        ],
        format: "$target attr-dict `:` functional-type(operands, results)",
    }

    /// The ops that define values.
    GetDefiningOp = "transform.get_defining_op" {
        operands: [target: VALUE_HANDLE],
        results: [result: HANDLE],
        format: "$target attr-dict `:` functional-type(operands, results)",
    }

    /// A handle for each of the things that one handle stands for.
    SplitHandleOp = "transform.split_handle" {
        operands: [handle: ANY_HANDLE],
        results: [results: ANY_HANDLE.variadic()],
        attrs: [
            pass_through_empty_handle: BOOL_ATTR.default(|c| c.bool_attr(true)),
            fail_on_payload_too_small: BOOL_ATTR.default(|c| c.bool_attr(true)),
            overflow_result: I64_ATTR.optional(),
        ],
        format: "$handle attr-dict `:` functional-type(operands, results)",
    }

    /// One handle to all that several stand for.
    MergeHandlesOp = "transform.merge_handles" {
        operands: [handles: ANY_HANDLE.variadic()],
        results: [result: ANY_HANDLE],
        attrs: [deduplicate: UNIT_ATTR],
        same_type: [[handles, result]],
        format: "(`deduplicate` $deduplicate^)? $handles attr-dict `:` type($result)",
    }

    /// Runs its body once for each thing that the handles stand for.
    ForeachOp = "transform.foreach" {
        operands: [targets: ANY_HANDLE.variadic()],
        results: [results: ANY_HANDLE.variadic()],
        attrs: [with_zip_shortest: UNIT_ATTR],
        regions: [body: OneBlock],
        implicit_terminator: "transform.yield",
        format: "$targets (`with_zip_shortest` $with_zip_shortest^)? `:` type($targets) (`->` type($results)^)? $body attr-dict",
    }

    /// Shows what a handle stands for.
    PrintOp = "transform.print" {
        operands: [target: HANDLE.optional()],
        attrs: [
            name: STRING_ATTR.optional(),
            assume_verified: UNIT_ATTR,
            use_local_scope: UNIT_ATTR,
            skip_regions: UNIT_ATTR,
        ],
        format: "$target attr-dict (`:` type($target)^)?",
    }

    /// Rewrites with the patterns that the ops in its body stand for.
    ApplyPatternsOp = "transform.apply_patterns" {
        operands: [target: HANDLE],
        attrs: [
            apply_cse: UNIT_ATTR,
            max_iterations: I64_ATTR.default(|c| c.i64_attr(-1)),
            max_num_rewrites: I64_ATTR.default(|c| c.i64_attr(-1)),
        ],
        regions: [patterns: AtMostOneBlock],
        traits: NO_TERMINATOR,
        format: "`to` $target $patterns attr-dict `:` type($target)",
    }

    /// The canonicalisation patterns of all ops.
    ApplyCanonicalizationOp = "transform.apply_patterns.canonicalization" {
        format: "attr-dict",
    }

    /// Common subexpression elimination.
    ApplyCseOp = "transform.apply_cse" {
        operands: [target: HANDLE],
        format: "`to` $target attr-dict `:` type($target)",
    }

    /// Dead code elimination.
    ApplyDceOp = "transform.apply_dce" {
        operands: [target: HANDLE],
        format: "`to` $target attr-dict `:` type($target)",
    }

    /// Loop-invariant code motion.
    ApplyLicmOp = "transform.apply_licm" {
        operands: [target: HANDLE],
        format: "`to` $target attr-dict `:` type($target)",
    }
}
