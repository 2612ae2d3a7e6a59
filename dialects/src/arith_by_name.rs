//! Ops of the arith dialect that the patterns of the control flow dialects make.
//!
//! They are looked up by name in the context: where the arith dialect is not
//! registered there is no such op, and the pattern that wants it does not apply.

use terrace_ir::{Attr, Builder, OpState, Type, Value};

fn one_result(b: &mut Builder, name: &str, operands: &[Value], ty: Type) -> Option<Value> {
    let def = b.ctx.op_def(name)?;
    let state = OpState::new(def, b.loc).operands(operands).results(&[ty]);
    let op = b.create(state);
    Some(op.result(b.ctx, 0))
}

/// Whether `arith.select` and the like can be made.
pub fn available(b: &Builder) -> bool {
    b.ctx.op_def("arith.select").is_some() && b.ctx.op_def("arith.constant").is_some()
}

/// `condition ? a : b`; `a` and `b` have one type.
pub fn select(b: &mut Builder, condition: Value, on_true: Value, on_false: Value) -> Option<Value> {
    let ty = on_true.ty(b.ctx);
    one_result(b, "arith.select", &[condition, on_true, on_false], ty)
}

/// An integer, index or float constant.
pub fn constant(b: &mut Builder, value: Attr, ty: Type) -> Option<Value> {
    let materialize = b.ctx.dialect("arith")?.materialize?;
    let op = materialize(b, value, ty)?;
    Some(op.result(b.ctx, 0))
}

pub(crate) fn bool_constant(b: &mut Builder, value: bool) -> Option<Value> {
    let (attr, ty) = (b.ctx.bool_attr(value), b.ctx.i1());
    constant(b, attr, ty)
}

/// `not x` of a boolean, as `x xor true`.
pub fn not(b: &mut Builder, x: Value) -> Option<Value> {
    let one = bool_constant(b, true)?;
    let ty = x.ty(b.ctx);
    one_result(b, "arith.xori", &[x, one], ty)
}

/// `a and b` of booleans.
pub fn and(b: &mut Builder, x: Value, y: Value) -> Option<Value> {
    let ty = x.ty(b.ctx);
    one_result(b, "arith.andi", &[x, y], ty)
}
