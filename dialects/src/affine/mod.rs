//! The `affine` dialect.

use terrace_ir::DialectDef;

pub static DIALECT: DialectDef = DialectDef {
    name: "affine",
    ..DialectDef::EMPTY
};
