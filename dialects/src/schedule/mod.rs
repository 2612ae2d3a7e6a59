//! The `schedule` dialect.

use terrace_ir::DialectDef;

pub static DIALECT: DialectDef = DialectDef {
    name: "schedule",
    ..DialectDef::EMPTY
};
