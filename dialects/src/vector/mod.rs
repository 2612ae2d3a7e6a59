//! The `vector` dialect.

use terrace_ir::DialectDef;

pub static DIALECT: DialectDef = DialectDef {
    name: "vector",
    ..DialectDef::EMPTY
};
