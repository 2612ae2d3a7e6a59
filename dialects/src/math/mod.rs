//! The `math` dialect.

use terrace_ir::DialectDef;

pub static DIALECT: DialectDef = DialectDef {
    name: "math",
    ..DialectDef::EMPTY
};
