//! The `memref` dialect.

use terrace_ir::DialectDef;

pub static DIALECT: DialectDef = DialectDef {
    name: "memref",
    ..DialectDef::EMPTY
};
