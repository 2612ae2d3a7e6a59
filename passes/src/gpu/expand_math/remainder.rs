//! `arith.remf`, C's `fmod`: exactly, by subtracting the divisor times powers of two
//! from the dividend, the largest first. Each step takes at least one bit away.

use super::emit::Emit;
use terrace_dialects::arith::{MaxSIOp, MinSIOp};
use terrace_dialects::scf;
use terrace_ir::{InsertPoint, OpKind, Value};

pub(super) fn remf(e: &mut Emit, x: Value, y: Value) -> Value {
    let (ax, b) = (e.abs(x), e.abs(y));
    let zero = e.c(0.0);
    let inf = e.c(f64::INFINITY);
    // Nothing to do but for a finite dividend and a divisor that is not zero.
    let (finite, some) = (e.lt(ax, inf), e.lt(zero, b));
    let valid = e.and(finite, some);
    let start = e.select(valid, ax, zero);
    let eb = e.exponent(b);
    let ty = e.float_type();
    let (op, before, after) = scf::WhileOp::build(e.b, &[start], &[ty]);
    e.b.with_point(InsertPoint::End(before), |builder| {
        let a = before.arg(builder.ctx, 0);
        let mut e = Emit::new(builder);
        let enough = e.le(b, a);
        let more = e.and(enough, some);
        builder.op::<scf::ConditionOp>(&[more, a], &[], &[]);
    });
    e.region(InsertPoint::End(after), |e| {
        let a = after.arg(e.b.ctx, 0);
        let ea = e.exponent(a);
        let (one, none) = (e.ci(1), e.ci(0));
        let k = e.isub(ea, eb);
        let k = e.isub(k, one);
        let ty = e.int_type();
        let k = e.b.value::<MaxSIOp>(&[k, none], ty, &[]);
        // Exact: products with powers of two that are not above the dividend. In three
        // steps, since the least divisor may be 2^2098 below it (2^277 in `f32`).
        let most = e.ci(e.largest_power());
        let first = e.b.value::<MinSIOp>(&[k, most], ty, &[]);
        let rest = e.isub(k, first);
        let power = e.power_of_two(first);
        let t = e.mul(b, power);
        let t = e.scale(t, rest);
        let two = e.c(2.0);
        let twice = e.mul(t, two);
        let fits = e.le(twice, a);
        let t = e.select(fits, twice, t);
        vec![e.sub(a, t)]
    });
    let r = op.op().result(e.b.ctx, 0);
    let r = e.copysign(r, x);
    let nan = e.c(f64::NAN);
    let r = e.select(valid, r, nan);
    let unknown = e.nan(x, y);
    e.select(unknown, nan, r)
}
