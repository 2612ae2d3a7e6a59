//! The `cf` dialect.

use terrace_ir::DialectDef;

pub static DIALECT: DialectDef = DialectDef { name: "cf", ..DialectDef::EMPTY };
