//! The `scf` dialect.

use terrace_ir::DialectDef;

pub static DIALECT: DialectDef = DialectDef { name: "scf", ..DialectDef::EMPTY };
