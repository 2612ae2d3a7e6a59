//! The `cf` dialect: branches between the blocks of a region.

mod canonicalize;
mod ops;
mod switch;
mod switch_canonicalize;

use terrace_ir::{DialectDef, OpKind};

pub use ops::{AssertOp, BranchOp, CondBranchOp};
pub use switch::{SwitchCase, SwitchOp};

/// Branches between blocks.
pub static DIALECT: DialectDef = DialectDef {
    name: "cf",
    doc: "Branches between the blocks of a region.",
    ops: &[
        AssertOp::DEF,
        BranchOp::DEF,
        CondBranchOp::DEF,
        SwitchOp::DEF,
    ],
    ..DialectDef::EMPTY
};
