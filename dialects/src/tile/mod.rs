//! The `tile` dialect: what a block of threads, or a core, does on tiles.
//!
//! A tile is a builtin vector of static shape and any rank, which a whole block holds. All of
//! `arith` and `math` works on tiles element by element. The ops here bring tiles from memory and
//! back, and combine elements with each other.

mod access;
mod bounds;
mod convert;
mod reduce;
mod syntax;

use terrace_ir::{DialectDef, OpKind};

pub use access::{LoadOp, StoreOp, TileAccess};
pub use bounds::{Bound, bounds_attrs};
pub use convert::ConvertOp;
pub use reduce::{MaskOp, ReduceOp};

/// What a block does on tiles.
pub static DIALECT: DialectDef = DialectDef {
    name: "tile",
    doc: "What a block of threads, or a core, does on tiles.",
    ops: &[
        ConvertOp::DEF,
        LoadOp::DEF,
        MaskOp::DEF,
        ReduceOp::DEF,
        StoreOp::DEF,
    ],
    ..DialectDef::EMPTY
};
