//! The `arith` dialect: integer, index and float arithmetic on scalars, and element
//! by element on vectors and tensors.

mod attrs;
mod cast;
mod compare;
mod constant;
mod float;
mod integer;
mod names;
mod rmw;
mod verify;

use terrace_ir::{DialectDef, OpKind};

pub use attrs::{
    ATOMIC_RMW_KIND, CMPF, CMPI, CmpFPredicate, CmpIPredicate, FASTMATH, FASTMATH_ATTR,
    FIXED_INT_LIKE, OPTIONAL_FASTMATH, OVERFLOW, OVERFLOW_ATTR, ROUNDING, ROUNDING_ATTR, fastmath,
    fastmath_of, i1_like, is_constant_value, overflow, overflow_of, rounding_of,
};
pub use cast::*;
pub use compare::{CmpFOp, CmpIOp, SelectOp};
pub use constant::{
    ConstantOp, constant, constant_bool, constant_float, constant_i64, constant_index,
    constant_int, constant_of, splat_float, splat_int,
};
pub use float::*;
pub use integer::*;
pub use rmw::AtomicRmwKind;

pub static DIALECT: DialectDef = DialectDef {
    name: "arith",
    doc: "Integer, index and float arithmetic.",
    ops: &[
        AddFOp::DEF,
        AddIOp::DEF,
        AddUIExtendedOp::DEF,
        AndIOp::DEF,
        BitcastOp::DEF,
        CeilDivSIOp::DEF,
        CeilDivUIOp::DEF,
        CmpFOp::DEF,
        CmpIOp::DEF,
        ConstantOp::DEF,
        DivFOp::DEF,
        DivSIOp::DEF,
        DivUIOp::DEF,
        ExtFOp::DEF,
        ExtSIOp::DEF,
        ExtUIOp::DEF,
        FPToSIOp::DEF,
        FPToUIOp::DEF,
        FloorDivSIOp::DEF,
        IndexCastOp::DEF,
        IndexCastUIOp::DEF,
        MaxNumFOp::DEF,
        MaxSIOp::DEF,
        MaxUIOp::DEF,
        MaximumFOp::DEF,
        MinNumFOp::DEF,
        MinSIOp::DEF,
        MinUIOp::DEF,
        MinimumFOp::DEF,
        MulFOp::DEF,
        MulIOp::DEF,
        MulSIExtendedOp::DEF,
        MulUIExtendedOp::DEF,
        NegFOp::DEF,
        OrIOp::DEF,
        RemFOp::DEF,
        RemSIOp::DEF,
        RemUIOp::DEF,
        SIToFPOp::DEF,
        ScalingExtFOp::DEF,
        ScalingTruncFOp::DEF,
        SelectOp::DEF,
        ShLIOp::DEF,
        ShRSIOp::DEF,
        ShRUIOp::DEF,
        SubFOp::DEF,
        SubIOp::DEF,
        TruncFOp::DEF,
        TruncIOp::DEF,
        UIToFPOp::DEF,
        XOrIOp::DEF,
    ],
    attrs: &attrs::ATTRS,
    materialize: Some(constant::materialize),
    ..DialectDef::EMPTY
};
