//! The cube root: of `m 2^(3q + r)` it is that of `m 2^r` times `2^q`; a polynomial
//! gives 16 bits and two steps of Newton's method the rest, the last with the residual
//! computed in one rounding.

use super::emit::Emit;
use super::log::split;
use terrace_dialects::arith::{self, CmpIPredicate};
use terrace_ir::Value;

/// The cube root between 0.7 and 1.42, to 1.2e-5.
const CBRT: [f64; 5] = [
    0.4532758395601006,
    0.8981809263807481,
    -0.5256005450566293,
    0.2103513032100199,
    -0.03620010175855689,
];

pub(super) fn cbrt(e: &mut Emit, x: Value) -> Value {
    let ax = e.abs(x);
    let (kf, f) = split(e, ax);
    let one = e.c(1.0);
    let m = e.add(f, one);
    let ty = e.int_type();
    let k = e.b.value::<arith::FPToSIOp>(&[kf], ty, &[]);
    // k = 3 q + r with r at least 0: the offset makes the dividend positive.
    let (offset, three, third) = (e.ci(3 * 400), e.ci(3), e.ci(400));
    let positive = e.iadd(k, offset);
    let q = e.b.value::<arith::DivUIOp>(&[positive, three], ty, &[]);
    let tripled = e.imul(q, three);
    let r = e.isub(positive, tripled);
    let q = e.isub(q, third);
    let power = e.power_of_two(r);
    let a = e.mul(m, power);
    let p = e.polynomial(m, &CBRT);
    let (n1, n2) = (e.ci(1), e.ci(2));
    let (is_1, is_2) = (
        e.icmp(CmpIPredicate::Eq, r, n1),
        e.icmp(CmpIPredicate::Eq, r, n2),
    );
    let (c1, c2) = (e.c(1.2599210498948732), e.c(1.5874010519681996));
    let c = e.select(is_1, c1, one);
    let c = e.select(is_2, c2, c);
    let mut y = e.mul(p, c);
    let minus = e.neg(a);
    for _ in 0..2 {
        let square = e.mul(y, y);
        let residual = e.fma(square, y, minus);
        let factor = e.c(3.0);
        let slope = e.mul(factor, square);
        let step = e.div(residual, slope);
        y = e.sub(y, step);
    }
    let scale = e.power_of_two(q);
    let y = e.mul(y, scale);
    let v = e.copysign(y, x);
    // Zero, infinity and NaN are their own roots.
    let (zero, inf) = (e.c(0.0), e.c(f64::INFINITY));
    let (some, finite) = (e.lt(zero, ax), e.lt(ax, inf));
    let usual = e.and(some, finite);
    e.select(usual, v, x)
}
