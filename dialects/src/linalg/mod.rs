//! The `linalg` dialect, as far as it is read, checked and written: `linalg.generic`, and of the ops
//! that have a name for their body those that are elementwise, and products.
//!
//! `structured.rs` has what they share, `named.rs` the table of those with a name, `body.rs` makes
//! their bodies, which are not written.

mod attrs;
mod body;
mod generic;
mod named;
mod structured;

use terrace_ir::DialectDef;

pub use generic::{GenericOp, IndexOp, YieldOp};
pub use named::FillOp;

/// Operations on whole arrays.
pub static DIALECT: DialectDef = DialectDef {
    name: "linalg",
    doc: "Operations on whole arrays.",
    ops: named::OPS,
    attrs: attrs::ATTRS,
    ..DialectDef::EMPTY
};
