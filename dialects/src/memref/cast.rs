//! Changes of type without a change of memory: `memref.cast`.

use terrace_ir::constraint::ANY_MEMREF;
use terrace_ir::op;

op! {
    /// The same memory with less or more known about shape and layout.
    CastOp = "memref.cast" {
        operands: [source: ANY_MEMREF],
        results: [dest: ANY_MEMREF],
        traits: PURE | SAME_OPERANDS_AND_RESULT_SHAPE,
        format: "$source attr-dict `:` type($source) `to` type($dest)",
        result_names: |_, _| vec![Some("cast".to_string())],
    }
}
