//! Tiles that change threads.

use super::access::TILE;
use terrace_ir::{Builder, Value, op};

op! {
    /// The same tile. It is the only op whose result other threads may hold than its operand:
    /// which do says the attribute `tile.layout` of both.
    ConvertOp = "tile.convert" {
        operands: [value: TILE],
        results: [result: TILE],
        traits: PURE,
        same_type: [[value, result]],
        format: "$value attr-dict `:` type($value)",
    }
}

impl ConvertOp {
    /// The tile `value`, held by others.
    pub fn build(b: &mut Builder, value: Value) -> Value {
        let ty = value.ty(b.ctx);
        b.value::<ConvertOp>(&[value], ty, &[])
    }
}
