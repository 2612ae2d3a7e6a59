//! The `math` dialect: functions of integers and floats beyond arithmetic.

mod float;
mod fold;
mod functions;
mod integer;

use terrace_ir::{DialectDef, OpKind};

pub use float::*;
pub use functions::{Function, function, has_approximation, library_function};
pub use integer::*;

/// Mathematical functions of numbers.
pub static DIALECT: DialectDef = DialectDef {
    name: "math",
    doc: "Functions of integers and floats beyond arithmetic.",
    ops: &[
        AbsFOp::DEF,
        AbsIOp::DEF,
        AcosOp::DEF,
        AcoshOp::DEF,
        AsinOp::DEF,
        AsinhOp::DEF,
        Atan2Op::DEF,
        AtanOp::DEF,
        AtanhOp::DEF,
        CbrtOp::DEF,
        CeilOp::DEF,
        ClampFOp::DEF,
        CopySignOp::DEF,
        CosOp::DEF,
        CoshOp::DEF,
        CountLeadingZerosOp::DEF,
        CountTrailingZerosOp::DEF,
        CtPopOp::DEF,
        ErfOp::DEF,
        ErfcOp::DEF,
        Exp2Op::DEF,
        ExpM1Op::DEF,
        ExpOp::DEF,
        FPowIOp::DEF,
        FloorOp::DEF,
        FmaOp::DEF,
        IPowIOp::DEF,
        IsFiniteOp::DEF,
        IsInfOp::DEF,
        IsNaNOp::DEF,
        IsNormalOp::DEF,
        Log10Op::DEF,
        Log1pOp::DEF,
        Log2Op::DEF,
        LogOp::DEF,
        PowFOp::DEF,
        RoundEvenOp::DEF,
        RoundOp::DEF,
        RsqrtOp::DEF,
        SinOp::DEF,
        SincosOp::DEF,
        SinhOp::DEF,
        SqrtOp::DEF,
        TanOp::DEF,
        TanhOp::DEF,
        TruncOp::DEF,
    ],
    materialize: Some(crate::arith::materialize),
    ..DialectDef::EMPTY
};
