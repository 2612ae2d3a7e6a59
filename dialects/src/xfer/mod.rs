//! The `xfer` dialect.

use terrace_ir::DialectDef;

pub static DIALECT: DialectDef = DialectDef {
    name: "xfer",
    ..DialectDef::EMPTY
};
