//! The `func` dialect: functions and calls.

mod ops;

use terrace_ir::{DialectDef, OpKind};

pub use ops::{CallIndirectOp, CallOp, ConstantOp, FuncOp, ReturnOp};

/// Functions and calls.
pub static DIALECT: DialectDef = DialectDef {
    name: "func",
    doc: "Functions and calls.",
    ops: &[
        CallIndirectOp::DEF,
        CallOp::DEF,
        ConstantOp::DEF,
        FuncOp::DEF,
        ReturnOp::DEF,
    ],
    materialize: Some(ops::materialize),
    ..DialectDef::EMPTY
};
