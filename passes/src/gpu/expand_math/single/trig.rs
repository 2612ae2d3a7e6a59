//! Sine, cosine and tangent. Below 48,000 the rest of the angle comes from subtracting
//! `n pi/2` with `pi/2` in three parts, each product exact within its fma (W. J. Cody
//! and W. Waite); beyond, where programs hardly are, from `far_angle`.

use super::super::emit::Emit;
use super::super::quadrant;
use super::super::trig::{Parts, cosine, sine, tangent};
use super::far_angle;
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
            let (q, r) = quadrant::subtracted(e, x, &PI_2);
            vec![q, r]
        },
        |e| {
            let (q, r) = far_angle::reduce(e, x);
            vec![q, r]
        },
    );
    match v[..] {
        [q, r] => (q, r),
        _ => (x, x),
    }
}

fn parts(e: &mut Emit, x: Value) -> Parts {
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
    let p = parts(e, x);
    tangent(e, x, p)
}
