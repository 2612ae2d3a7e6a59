//! The `arith` dialect: integer, index and float arithmetic on scalars, and element
//! by element on vectors and tensors.

mod attrs;
mod canonicalize;
mod canonicalize_compare;
mod cast;
mod compare;
mod constant;
pub mod elements;
mod float;
mod fold_cast;
mod fold_compare;
mod fold_float;
mod fold_int;
mod integer;
mod names;
mod predicate;
mod rmw;
mod verify;

use terrace_ir::{DialectDef, OpKind};

pub use attrs::{
    ATOMIC_RMW_KIND, FASTMATH, OVERFLOW, fastmath, fastmath_of, overflow, overflow_of, rounding_of,
};
pub(crate) use attrs::{FASTMATH_ATTR, i1_like};
pub use cast::*;
pub use compare::{CmpFOp, CmpIOp, SelectOp};
pub use constant::{
    ConstantOp, constant, constant_bool, constant_float, constant_index, constant_int, materialize,
    splat_float, splat_int,
};
pub(crate) use elements::float_of;
pub use elements::{Elements, Number, int_of};
pub use float::*;
pub use integer::*;
pub use predicate::{CmpFPredicate, CmpIPredicate};
pub use rmw::AtomicRmwKind;

/// The attribute of fast-math flags.
pub const ATTR_FASTMATH: &str = "fastmath";
/// The attribute of overflow flags.
pub const ATTR_OVERFLOW: &str = "overflowFlags";

/// Arithmetic on integers and floats, and on vectors and tensors of them.
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
    materialize: Some(materialize),
    ..DialectDef::EMPTY
};
