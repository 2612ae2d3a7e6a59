//! The `builtin` dialect: the module, and casts that a conversion leaves behind.

mod module;

use terrace_ir::constraint::ANY;
use terrace_ir::{DialectDef, OpKind, op};

pub use module::ModuleOp;

op! {
    /// A cast between types that some conversion has not reconciled yet.
    UnrealizedConversionCastOp = "builtin.unrealized_conversion_cast" {
        operands: [inputs: ANY.variadic()],
        results: [outputs: ANY.variadic()],
        traits: PURE,
        format: "($inputs^ `:` type($inputs))? `to` type($outputs) attr-dict",
        verify: |ctx, op| {
            if op.num_results(ctx) == 0 {
                return Err("expected at least one result for cast operation".into());
            }
            Ok(())
        },
    }
}

pub static DIALECT: DialectDef = DialectDef {
    name: "builtin",
    doc: "Modules, and what every other dialect builds on.",
    ops: &[ModuleOp::DEF, UnrealizedConversionCastOp::DEF],
    ..DialectDef::EMPTY
};
