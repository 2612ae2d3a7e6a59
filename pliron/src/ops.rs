//! Ops of other dialects that loops are made with: numbers, memory and functions.

use crate::attrs::IndexAttr;

use crate::types::{IndexType, MemrefType};
use pliron::builtin::attributes::{FPDoubleAttr, IdentifierAttr, IntegerAttr};
use pliron::builtin::op_interfaces::{
    IsTerminatorInterface, NOpdsInterface, NResultsInterface, OneResultInterface,
    SameOperandsAndResultType, SameOperandsType, SameResultsType,
};
use pliron::builtin::ops::ConstantOp;
use pliron::builtin::types::{IntegerType, Signedness};
use pliron::context::Context;
use pliron::derive::pliron_op;
use pliron::ident;
use pliron::op::Op;
use pliron::operation::Operation;
use pliron::r#type::{TypeHandle, Typed, TypedHandle};
use pliron::utils::apint::APInt;
use pliron::value::Value;
use std::num::NonZero;

/// Declares an op of pliron by the name that terrace has for it.
#[macro_export]
#[doc(hidden)]
macro_rules! op {
    ($(#[$doc:meta])* $name:ident = $id:literal [$($interfaces:tt)*] $(verifier = $v:literal)?) => {
        $(#[$doc])*
        #[pliron_op(name = $id, format, interfaces = [$($interfaces)*] $(, verifier = $v)?)]
        pub struct $name;
    };
}

/// Ops of two operands of one type, which is that of the result.
macro_rules! binary {
    ($($(#[$doc:meta])* $name:ident = $id:literal;)*) => { $(
        op! {
            $(#[$doc])*
            $name = $id [
                OneResultInterface, NResultsInterface<1>, NOpdsInterface<2>, SameOperandsType,
                SameResultsType, SameOperandsAndResultType
            ] verifier = "succ"
        }

        impl $name {
            /// Of two values of one type.
            pub fn new(ctx: &mut Context, lhs: Value, rhs: Value) -> $name {
                let ty = lhs.get_type(ctx);
                let info = Self::get_concrete_op_info();
                let op = Operation::new(ctx, info, vec![ty], vec![lhs, rhs], vec![], 0);
                $name { op }
            }
        }
    )* };
}

binary! {
    /// The sum of floats.
    AddFOp = "arith.addf";
    /// The difference of floats.
    SubFOp = "arith.subf";
    /// The product of floats.
    MulFOp = "arith.mulf";
    /// The quotient of floats.
    DivFOp = "arith.divf";
    /// The greater of two floats; NaN where one is.
    MaximumFOp = "arith.maximumf";
    /// The lesser of two floats; NaN where one is.
    MinimumFOp = "arith.minimumf";
    /// The sum of integers, which wraps.
    AddIOp = "arith.addi";
    /// The difference of integers, which wraps.
    SubIOp = "arith.subi";
    /// The product of integers, which wraps.
    MulIOp = "arith.muli";
    /// The quotient of signed integers, rounded to zero.
    DivSIOp = "arith.divsi";
    /// What is left of a signed division.
    RemSIOp = "arith.remsi";
}

/// Ops of one operand whose result is of a type that is given.
macro_rules! casts {
    ($($(#[$doc:meta])* $name:ident = $id:literal;)*) => { $(
        op! {
            $(#[$doc])*
            $name = $id [OneResultInterface, NResultsInterface<1>, NOpdsInterface<1>]
            verifier = "succ"
        }

        impl $name {
            /// A value as one of another type.
            pub fn new(ctx: &mut Context, value: Value, to: TypeHandle) -> $name {
                let info = Self::get_concrete_op_info();
                let op = Operation::new(ctx, info, vec![to], vec![value], vec![], 0);
                $name { op }
            }
        }
    )* };
}

casts! {
    /// An index as an integer, or back.
    IndexCastOp = "arith.index_cast";
    /// A signed integer as a float.
    SIToFPOp = "arith.sitofp";
    /// A float as a signed integer.
    FPToSIOp = "arith.fptosi";
    /// A float as a wider one.
    ExtFOp = "arith.extf";
    /// A float as a narrower one.
    TruncFOp = "arith.truncf";
}

/// A constant of type `index`.
pub fn index_constant(ctx: &mut Context, value: i64) -> ConstantOp {
    ConstantOp::new(ctx, Box::new(IndexAttr(value)))
}

/// A constant of type `f64`.
pub fn f64_constant(ctx: &mut Context, value: f64) -> ConstantOp {
    ConstantOp::new(ctx, Box::new(FPDoubleAttr::from(value)))
}

/// A constant of a signless integer type of so many bits, which the value wraps to.
pub fn int_constant(ctx: &mut Context, bits: NonZero<u32>, value: i64) -> ConstantOp {
    let ty = IntegerType::get(ctx, bits.get(), Signedness::Signless);
    let wide = APInt::from_i64(value, NonZero::new(64).unwrap_or(NonZero::<usize>::MIN));
    let width = NonZero::<usize>::try_from(bits).unwrap_or(NonZero::<usize>::MIN);
    let value = match bits.get() {
        0..64 => wide.trunc(width),
        64 => wide,
        _ => wide.sext(width),
    };
    ConstantOp::new(ctx, Box::new(IntegerAttr::new(ty, value)))
}

op! {
    /// Memory, until it is freed.
    AllocOp = "memref.alloc" [OneResultInterface, NResultsInterface<1>] verifier = "succ"
}

impl AllocOp {
    /// Of a type; an operand for each size that the type leaves open.
    pub fn new(ctx: &mut Context, ty: TypedHandle<MemrefType>, sizes: Vec<Value>) -> AllocOp {
        use pliron::builtin::attributes::OperandSegmentSizesAttr;
        let info = Self::get_concrete_op_info();
        let dynamic = u32::try_from(sizes.len()).unwrap_or(u32::MAX);
        let op = Operation::new(ctx, info, vec![ty.into()], sizes, vec![], 0);
        let segments = OperandSegmentSizesAttr(vec![dynamic, 0]);
        op.deref_mut(ctx)
            .attributes
            .set(ident!("operandSegmentSizes"), segments);
        AllocOp { op }
    }
}

op! {
    /// Frees memory.
    DeallocOp = "memref.dealloc" [NResultsInterface<0>, NOpdsInterface<1>] verifier = "succ"
}

impl DeallocOp {
    /// That an [`AllocOp`] gave.
    pub fn new(ctx: &mut Context, memref: Value) -> DeallocOp {
        let info = Self::get_concrete_op_info();
        let op = Operation::new(ctx, info, vec![], vec![memref], vec![], 0);
        DeallocOp { op }
    }
}

op! {
    /// A size of a memref.
    DimOp = "memref.dim" [OneResultInterface, NResultsInterface<1>, NOpdsInterface<2>]
    verifier = "succ"
}

impl DimOp {
    /// Along the axis of this number, an index.
    pub fn new(ctx: &mut Context, memref: Value, axis: Value) -> DimOp {
        let index = IndexType::get(ctx).into();
        let info = Self::get_concrete_op_info();
        let op = Operation::new(ctx, info, vec![index], vec![memref, axis], vec![], 0);
        DimOp { op }
    }
}

op! {
    /// Ends a function, and gives back its operands.
    ReturnOp = "func.return" [IsTerminatorInterface, NResultsInterface<0>] verifier = "succ"
}

impl ReturnOp {
    /// Gives these back.
    pub fn new(ctx: &mut Context, values: Vec<Value>) -> ReturnOp {
        let info = Self::get_concrete_op_info();
        let op = Operation::new(ctx, info, vec![], values, vec![], 0);
        ReturnOp { op }
    }
}

op! {
    /// Calls a function of the module.
    CallOp = "func.call" [] verifier = "succ"
}

impl CallOp {
    /// By its name.
    pub fn new(
        ctx: &mut Context,
        callee: IdentifierAttr,
        arguments: Vec<Value>,
        results: Vec<TypeHandle>,
    ) -> CallOp {
        let info = Self::get_concrete_op_info();
        let op = Operation::new(ctx, info, results, arguments, vec![], 0);
        op.deref_mut(ctx).attributes.set(ident!("callee"), callee);
        CallOp { op }
    }
}
