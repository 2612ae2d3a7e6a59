//! Sine, cosine and tangent: the angle's rest in its quadrant, polynomials for both
//! functions there, and the one that the quadrant asks for.

use super::emit::Emit;
use super::quadrant::reduce;
use terrace_dialects::arith::CmpIPredicate;
use terrace_ir::Value;

/// `(sin r - r) / r^3` in `r^2`, `|r| <= pi/4`, to 1e-20.
const SIN: [f64; 7] = [
    -0.16666666666666666,
    0.008333333333333331,
    -0.0001984126984126506,
    2.755731921933466e-06,
    -2.505210623088241e-08,
    1.6058531370931902e-10,
    -7.586682497157786e-13,
];

/// `(cos r - 1 + r^2/2) / r^4` in `r^2`, to 6e-22.
const COS: [f64; 7] = [
    0.041666666666666664,
    -0.0013888888888888887,
    2.4801587301584642e-05,
    -2.755731922140032e-07,
    2.0876755790210228e-09,
    -1.1470460749696862e-11,
    4.7458637732829623e-14,
];

fn parts(e: &mut Emit, x: Value) -> Parts {
    let (q, r) = reduce(e, x);
    let z = e.mul(r, r);
    let p = e.polynomial(z, &SIN);
    let cube = e.mul(r, z);
    let s = e.fma(cube, p, r);
    let p = e.polynomial(z, &COS);
    let half = e.c(-0.5);
    let p = e.fma(z, p, half);
    let one = e.c(1.0);
    let c = e.fma(z, p, one);
    (q, s, c)
}

fn has_bit(e: &mut Emit, q: Value, bit: i64) -> Value {
    let (mask, zero) = (e.ci(bit), e.ci(0));
    let masked = e.iand(q, mask);
    e.icmp(CmpIPredicate::Ne, masked, zero)
}

/// `v`, negated where the quadrant has bit 1.
fn turned(e: &mut Emit, q: Value, v: Value) -> Value {
    let half_turn = has_bit(e, q, 2);
    let minus = e.neg(v);
    e.select(half_turn, minus, v)
}

/// The quadrant, and sine and cosine of the rest.
pub(super) type Parts = (Value, Value, Value);

/// The sine of `x` from its parts.
pub(super) fn sine(e: &mut Emit, x: Value, (q, s, c): Parts) -> Value {
    let odd = has_bit(e, q, 1);
    let v = e.select(odd, c, s);
    let v = turned(e, q, v);
    // A zero keeps its sign.
    let zero = e.is(x, 0.0);
    e.select(zero, x, v)
}

pub(super) fn cosine(e: &mut Emit, (q, s, c): Parts) -> Value {
    let odd = has_bit(e, q, 1);
    let v = e.select(odd, s, c);
    // The cosine is the sine a quadrant later.
    let one = e.ci(1);
    let next = e.iadd(q, one);
    turned(e, next, v)
}

pub(super) fn tangent(e: &mut Emit, x: Value, (q, s, c): Parts) -> Value {
    let odd = has_bit(e, q, 1);
    let minus = e.neg(c);
    let above = e.select(odd, minus, s);
    let below = e.select(odd, s, c);
    let v = e.div(above, below);
    let zero = e.is(x, 0.0);
    e.select(zero, x, v)
}

pub(super) fn sincos(e: &mut Emit, x: Value) -> (Value, Value) {
    let p = parts(e, x);
    (sine(e, x, p), cosine(e, p))
}

pub(super) fn sin(e: &mut Emit, x: Value) -> Value {
    let p = parts(e, x);
    sine(e, x, p)
}

pub(super) fn cos(e: &mut Emit, x: Value) -> Value {
    let p = parts(e, x);
    cosine(e, p)
}

pub(super) fn tan(e: &mut Emit, x: Value) -> Value {
    let p = parts(e, x);
    tangent(e, x, p)
}
