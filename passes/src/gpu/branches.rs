//! What is done under conditions.

use terrace_dialects::scf;
use terrace_ir::{Builder, InsertPoint, OpKind, Type, Value};

/// Does one thing or another, as the program finds.
pub(crate) fn either(
    b: &mut Builder,
    first: Value,
    then: impl FnOnce(&mut Builder),
    otherwise: impl FnOnce(&mut Builder),
) {
    let (_, one, other) = scf::IfOp::build(b, first, &[], true);
    b.with_point(InsertPoint::End(one), |b| {
        then(b);
        scf::YieldOp::build(b, &[]);
    });
    let Some(other) = other else { return };
    b.with_point(InsertPoint::End(other), |b| {
        otherwise(b);
        scf::YieldOp::build(b, &[]);
    });
}

/// The same of what may turn out not to be possible.
pub(crate) fn try_either(
    b: &mut Builder,
    first: Value,
    then: impl FnOnce(&mut Builder) -> Option<()>,
    otherwise: impl FnOnce(&mut Builder) -> Option<()>,
) -> Option<()> {
    let (mut one, mut other) = (None, None);
    either(b, first, |b| one = then(b), |b| other = otherwise(b));
    one.and(other)
}

/// Does something where it is to be done.
pub(crate) fn when(b: &mut Builder, condition: Value, does: impl FnOnce(&mut Builder)) {
    let (_, then, _) = scf::IfOp::build(b, condition, &[], false);
    b.with_point(InsertPoint::End(then), |b| {
        does(b);
        scf::YieldOp::build(b, &[]);
    });
}

/// Values of one kind of these types or of another, as the program finds.
pub(crate) fn values_of(
    b: &mut Builder,
    condition: Value,
    types: &[Type],
    then: impl FnOnce(&mut Builder) -> Vec<Value>,
    otherwise: impl FnOnce(&mut Builder) -> Vec<Value>,
) -> Vec<Value> {
    let (op, one, other) = scf::IfOp::build(b, condition, types, true);
    b.with_point(InsertPoint::End(one), |b| {
        let values = then(b);
        scf::YieldOp::build(b, &values);
    });
    if let Some(other) = other {
        b.with_point(InsertPoint::End(other), |b| {
            let values = otherwise(b);
            scf::YieldOp::build(b, &values);
        });
    }
    op.op().results(b.ctx)
}
