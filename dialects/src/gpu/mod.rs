//! The `gpu` dialect.

use terrace_ir::DialectDef;

pub static DIALECT: DialectDef = DialectDef {
    name: "gpu",
    ..DialectDef::EMPTY
};
