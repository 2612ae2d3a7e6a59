//! The `linalg` dialect, as far as it is read, checked and written: `linalg.fill`.

mod fill;

use terrace_ir::{DialectDef, OpKind};

pub use fill::{FillOp, YieldOp};

/// Operations on whole arrays.
pub static DIALECT: DialectDef = DialectDef {
    name: "linalg",
    doc: "Operations on whole arrays.",
    ops: &[FillOp::DEF, YieldOp::DEF],
    ..DialectDef::EMPTY
};
