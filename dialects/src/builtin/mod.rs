//! The `builtin` dialect: the module, and casts that a conversion leaves behind.

mod module;

use terrace_ir::constraint::ANY;
use terrace_ir::opdef::{Fold, FoldResult};
use terrace_ir::{Attr, Context, DialectDef, Op, OpKind, Value, op};

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
        fold: fold_cast,
    }
}

/// A cast to the types it comes from is nothing; one that undoes another whole cast
/// is that one's operands.
fn fold_cast(ctx: &Context, op: Op, _: &[Option<Attr>]) -> Fold {
    let (inputs, results) = (op.operands(ctx), op.result_types(ctx));
    let values = |v: Vec<Value>| Fold::Results(v.into_iter().map(FoldResult::Value).collect());
    if op.operand_types(ctx) == results {
        return values(inputs);
    }
    let earlier = inputs.first().and_then(|v| v.def_op());
    match earlier.filter(|e| e.isa::<UnrealizedConversionCastOp>(ctx)) {
        Some(e) if e.results(ctx) == inputs && e.operand_types(ctx) == results => {
            values(e.operands(ctx))
        }
        _ => Fold::No,
    }
}

/// Modules and casts that are not resolved yet.
pub static DIALECT: DialectDef = DialectDef {
    name: "builtin",
    doc: "Modules, and what every other dialect builds on.",
    ops: &[ModuleOp::DEF, UnrealizedConversionCastOp::DEF],
    ..DialectDef::EMPTY
};
