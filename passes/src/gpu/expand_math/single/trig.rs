//! Sine, cosine and tangent. Below 48,000 the rest of the angle comes from subtracting
//! `n pi/2` with `pi/2` in three parts, each product exact within its fma (W. J. Cody
//! and W. Waite); beyond, where programs hardly are, from the reduction in `f64`.

use super::super::emit::Emit;
use super::super::quadrant;
use super::super::trig::{has_bit, turned};
use terrace_dialects::arith;
use terrace_ir::Value;

/// pi/2 in three parts.
const PI_2: [f64; 3] = [
    1.570_796_370_506_286_6,
    -4.371139000186243e-8,
    -1.71512425635759e-15,
];

/// `(sin r - r) / r^3` in `r^2`, `|r| <= pi/4`.
const SIN: [f64; 4] = [
    -0.1666666716337204,
    0.008333331905305386,
    -0.00019840082677546889,
    2.724938894971274e-06,
];

/// `(cos r - 1) / r^2` in `r^2`.
const COS: [f64; 4] = [
    -0.5,
    0.0416666641831398,
    -0.0013888301327824593,
    2.454753666825127e-05,
];

/// The quadrant, of which the lowest two bits count, and the rest; NaN for what is not
/// finite.
fn reduce(e: &mut Emit, x: Value) -> (Value, Value) {
    let ax = e.abs(x);
    let near = e.is_less(ax, 48000.0);
    let types = [e.int_type(), e.float_type()];
    let v = e.either(
        near,
        &types,
        |e| {
            let c = e.c(std::f64::consts::FRAC_2_PI);
            let quotient = e.mul(x, c);
            let (n, q) = e.nearest(quotient);
            let mut r = x;
            for part in PI_2 {
                let part = e.c(-part);
                r = e.fma(n, part, r);
            }
            vec![q, r]
        },
        |e| {
            let (int, float) = (e.int_type(), e.float_type());
            let wide = e.b.ctx.f64();
            let x = e.b.value::<arith::ExtFOp>(&[x], wide, &[]);
            let (q, r) = quadrant::reduce(&mut Emit::new(e.b), x);
            let q = e.b.value::<arith::TruncIOp>(&[q], int, &[]);
            let r = e.b.value::<arith::TruncFOp>(&[r], float, &[]);
            vec![q, r]
        },
    );
    match v[..] {
        [q, r] => (q, r),
        _ => (x, x),
    }
}

/// The quadrant, and sine and cosine of the rest.
fn parts(e: &mut Emit, x: Value) -> (Value, Value, Value) {
    let (q, r) = reduce(e, x);
    let z = e.mul(r, r);
    let p = e.polynomial(z, &SIN);
    let cube = e.mul(r, z);
    let s = e.fma(cube, p, r);
    let p = e.polynomial(z, &COS);
    let one = e.c(1.0);
    let c = e.fma(z, p, one);
    (q, s, c)
}

fn sine(e: &mut Emit, x: Value, (q, s, c): (Value, Value, Value)) -> Value {
    let odd = has_bit(e, q, 1);
    let v = e.select(odd, c, s);
    let v = turned(e, q, v);
    // A zero keeps its sign.
    let zero = e.is(x, 0.0);
    e.select(zero, x, v)
}

fn cosine(e: &mut Emit, (q, s, c): (Value, Value, Value)) -> Value {
    let odd = has_bit(e, q, 1);
    let v = e.select(odd, s, c);
    // The cosine is the sine a quadrant later.
    let one = e.ci(1);
    let next = e.iadd(q, one);
    turned(e, next, v)
}

/// Within 1.5 units.
pub(super) fn sin(e: &mut Emit, x: Value) -> Value {
    let p = parts(e, x);
    sine(e, x, p)
}

/// Within 1.5 units.
pub(super) fn cos(e: &mut Emit, x: Value) -> Value {
    let p = parts(e, x);
    cosine(e, p)
}

pub(super) fn sincos(e: &mut Emit, x: Value) -> (Value, Value) {
    let p = parts(e, x);
    (sine(e, x, p), cosine(e, p))
}

/// Within 3.5 units.
pub(super) fn tan(e: &mut Emit, x: Value) -> Value {
    let (q, s, c) = parts(e, x);
    let odd = has_bit(e, q, 1);
    let minus = e.neg(c);
    let above = e.select(odd, minus, s);
    let below = e.select(odd, s, c);
    let v = e.div(above, below);
    let zero = e.is(x, 0.0);
    e.select(zero, x, v)
}
