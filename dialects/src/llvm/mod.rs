//! The `llvm` dialect, as far as other people's loops have it: values that are undefined, zero or
//! constant. Its types and attributes are kept as text.

use terrace_ir::constraint::{ANY, ANY_ATTR};
use terrace_ir::{DialectDef, OpKind, op};

op! {
    /// A value that may be any, and another at each use.
    UndefOp = "llvm.mlir.undef" {
        results: [res: ANY],
        traits: PURE,
        format: "attr-dict `:` type($res)",
    }

    /// A value that nothing may depend on.
    PoisonOp = "llvm.mlir.poison" {
        results: [res: ANY],
        traits: PURE,
        format: "attr-dict `:` type($res)",
    }

    /// A value of which all bits are 0.
    ZeroOp = "llvm.mlir.zero" {
        results: [res: ANY],
        traits: PURE,
        format: "attr-dict `:` type($res)",
    }

    /// A value that is known.
    ConstantOp = "llvm.mlir.constant" {
        results: [res: ANY],
        attrs: [value: ANY_ATTR],
        traits: PURE,
        format: "`(` $value `)` attr-dict `:` type($res)",
    }
}

/// What becomes LLVM's IR.
pub static DIALECT: DialectDef = DialectDef {
    name: "llvm",
    doc: "What becomes LLVM's IR: of it the values that loops of other people have.",
    ops: &[UndefOp::DEF, PoisonOp::DEF, ZeroOp::DEF, ConstantOp::DEF],
    ..DialectDef::EMPTY
};
