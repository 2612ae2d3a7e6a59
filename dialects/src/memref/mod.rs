//! The `memref` dialect: memory with a shape, a layout and a memory space.

mod access;
mod alloc;
mod cast;
mod constraints;
mod effects;
mod fold;
mod global;
pub mod layout;
mod shape;

use terrace_ir::{DialectDef, OpKind};

pub use access::{LoadOp, StoreOp};
pub use alloc::{AllocOp, AllocaOp, DeallocOp, ReallocOp};
pub use cast::CastOp;
pub use global::{GetGlobalOp, GlobalOp};
pub use shape::DimOp;

pub static DIALECT: DialectDef = DialectDef {
    name: "memref",
    doc: "Memory with a shape, a layout and a memory space.",
    ops: &[
        AllocOp::DEF,
        AllocaOp::DEF,
        CastOp::DEF,
        DeallocOp::DEF,
        DimOp::DEF,
        GetGlobalOp::DEF,
        GlobalOp::DEF,
        LoadOp::DEF,
        ReallocOp::DEF,
        StoreOp::DEF,
    ],
    ..DialectDef::EMPTY
};
