//! The `arith` dialect.

use terrace_ir::DialectDef;

pub static DIALECT: DialectDef = DialectDef {
    name: "arith",
    ..DialectDef::EMPTY
};
