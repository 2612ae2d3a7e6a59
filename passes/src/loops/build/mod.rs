//! Arithmetic as ops, folded where its operands are constants.

pub(crate) mod float;
pub(crate) mod index;

use terrace_ir::{Builder, OpKind, Value};

/// An op of two operands of one type, which its result has too.
pub(crate) fn binary<K: OpKind>(b: &mut Builder, x: Value, y: Value) -> Value {
    let ty = x.ty(b.ctx);
    b.value::<K>(&[x, y], ty, &[])
}
