//! The `index` dialect: arithmetic on values of type `index` alone. Of it only the
//! constant, which files for MLIR's affine passes use.

use terrace_ir::constraint::{INDEX, INDEX_ATTR};
use terrace_ir::opdef::Fold;
use terrace_ir::{AttrData, Context, DialectDef, Op, OpKind, op};

op! {
    /// A constant of type `index`.
    ConstantOp = "index.constant" {
        results: [result: INDEX],
        attrs: [value: INDEX_ATTR],
        traits: PURE | CONSTANT_LIKE,
        format: "attr-dict $value",
        fold: |ctx, op, _| Fold::maybe(op.attr(ctx, "value")),
        result_names: name,
    }
}

/// `%idx4`.
fn name(ctx: &Context, op: Op) -> Vec<Option<String>> {
    let name = match op.attr(ctx, "value").map(|a| a.data(ctx)) {
        Some(AttrData::Integer { value, .. }) => Some(format!("idx{}", value.to_string_signed())),
        _ => None,
    };
    vec![name]
}

/// Arithmetic on values of type `index`.
pub static DIALECT: DialectDef = DialectDef {
    name: "index",
    doc: "Arithmetic on index values.",
    ops: &[ConstantOp::DEF],
    ..DialectDef::EMPTY
};
