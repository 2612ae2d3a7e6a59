//! `math.ipowi`: by squaring, modulo the width; a negative exponent gives what an
//! integer division of one by the power gives.

use terrace_dialects::arith::{self, CmpIPredicate};
use terrace_dialects::scf;
use terrace_ir::{Builder, InsertPoint, OpKind, Value};

pub(super) fn ipowi(b: &mut Builder, base: Value, exponent: Value) -> Value {
    let ty = base.ty(b.ctx);
    let zero = arith::constant_int(b, 0, ty);
    let one = arith::constant_int(b, 1, ty);
    let minus_one = arith::constant_int(b, -1, ty);
    let (op, before, after) = scf::WhileOp::build(b, &[one, base, exponent], &[ty, ty, ty]);
    b.with_point(InsertPoint::End(before), |b| {
        let v = before.args(b.ctx);
        let more = arith::CmpIOp::build(b, CmpIPredicate::Sgt, v[2], zero);
        b.op::<scf::ConditionOp>(&[more, v[0], v[1], v[2]], &[], &[]);
    });
    b.with_point(InsertPoint::End(after), |b| {
        let v = after.args(b.ctx);
        let bit = b.value::<arith::AndIOp>(&[v[2], one], ty, &[]);
        let odd = arith::CmpIOp::build(b, CmpIPredicate::Ne, bit, zero);
        let product = b.value::<arith::MulIOp>(&[v[0], v[1]], ty, &[]);
        let result = arith::SelectOp::build(b, odd, product, v[0]);
        let square = b.value::<arith::MulIOp>(&[v[1], v[1]], ty, &[]);
        let rest = b.value::<arith::ShRUIOp>(&[v[2], one], ty, &[]);
        b.op::<scf::YieldOp>(&[result, square, rest], &[], &[]);
    });
    let power = op.op().result(b.ctx, 0);
    let is_one = arith::CmpIOp::build(b, CmpIPredicate::Eq, base, one);
    let is_minus = arith::CmpIOp::build(b, CmpIPredicate::Eq, base, minus_one);
    let bit = b.value::<arith::AndIOp>(&[exponent, one], ty, &[]);
    let odd = arith::CmpIOp::build(b, CmpIPredicate::Ne, bit, zero);
    let sign = arith::SelectOp::build(b, odd, minus_one, one);
    let inverse = arith::SelectOp::build(b, is_minus, sign, zero);
    let inverse = arith::SelectOp::build(b, is_one, one, inverse);
    let negative = arith::CmpIOp::build(b, CmpIPredicate::Slt, exponent, zero);
    arith::SelectOp::build(b, negative, inverse, power)
}
