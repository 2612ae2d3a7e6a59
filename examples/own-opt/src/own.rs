//! The `own` dialect.

use terrace::dialects::arith;
use terrace::ir::constraint::SIGNLESS_INT_LIKE;
use terrace::ir::opdef::Fold;
use terrace::ir::{AttrData, DialectDef, OpKind, op};

op! {
    /// Twice a value, wrapping.
    TwiceOp = "own.twice" {
        operands: [value: SIGNLESS_INT_LIKE],
        results: [result: SIGNLESS_INT_LIKE],
        traits: PURE | ELEMENTWISE | SAME_OPERANDS_AND_RESULT_TYPE,
        format: "$value attr-dict `:` type($result)",
        fold: |ctx, _, operands| Fold::maybe(operands[0].and_then(|a| {
            let v = a.as_int(ctx)?;
            Some(ctx.attr(AttrData::Integer { ty: a.typed(ctx)?, value: v.add(v) }))
        })),
    }
}

pub static DIALECT: DialectDef = DialectDef {
    name: "own",
    doc: "What this tool knows and terrace-opt does not.",
    ops: &[TwiceOp::DEF],
    materialize: Some(arith::materialize),
    ..DialectDef::EMPTY
};
