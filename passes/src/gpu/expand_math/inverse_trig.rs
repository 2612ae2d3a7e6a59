//! Arc functions: all from the arc tangent between 0 and 1, by the symmetry
//! `atan(1/t) = pi/2 - atan(t)`.

use super::emit::Emit;
use terrace_dialects::arith::CmpIPredicate;
use terrace_ir::Value;

/// pi/2 and pi, each with what a double leaves of it.
const PI_2: (f64, f64) = (std::f64::consts::FRAC_PI_2, 6.123233995736766e-17);
const PI: (f64, f64) = (std::f64::consts::PI, 1.2246467991473532e-16);

/// `(atan t - t) / t^3` in `t^2`, `0 <= t <= 1`, to 3e-17.
const ATAN: [f64; 20] = [
    -0.3333333333333333,
    0.1999999999999753,
    -0.14285714285384132,
    0.11111111093490827,
    -0.09090908590891934,
    0.07692298971033217,
    -0.06666564699289104,
    0.05881506877793656,
    -0.052579733342841106,
    0.04737749579527779,
    -0.04260356632601652,
    0.03749486812535247,
    -0.031277189066996385,
    0.023696731580048622,
    -0.015535152475414177,
    0.008368931178450162,
    -0.0034958859739163094,
    0.0010496035084968515,
    -0.00019996189377901382,
    1.806195461861215e-05,
];

/// `atan t` for `0 <= t <= 1`.
fn between(e: &mut Emit, t: Value) -> Value {
    let z = e.mul(t, t);
    let p = e.polynomial(z, &ATAN);
    let cube = e.mul(t, z);
    e.fma(cube, p, t)
}

/// `c - v` for a constant in two parts.
fn from(e: &mut Emit, c: (f64, f64), v: Value) -> Value {
    let (hi, lo) = (e.c(c.0), e.c(c.1));
    let v = e.sub(v, lo);
    e.sub(hi, v)
}

pub(super) fn atan(e: &mut Emit, x: Value) -> Value {
    let ax = e.abs(x);
    let one = e.c(1.0);
    let large = e.lt(one, ax);
    let inverse = e.div(one, ax);
    let t = e.select(large, inverse, ax);
    let p = between(e, t);
    let other = from(e, PI_2, p);
    let v = e.select(large, other, p);
    e.copysign(v, x)
}

/// The angle of the point `(x, y)`.
pub(super) fn atan2(e: &mut Emit, y: Value, x: Value) -> Value {
    let (ax, ay) = (e.abs(x), e.abs(y));
    let steep = e.lt(ax, ay);
    let below = e.select(steep, ay, ax);
    let above = e.select(steep, ax, ay);
    let t = e.div(above, below);
    // 0/0 is taken as 0, infinity through infinity as 1.
    let (zero, one) = (e.c(0.0), e.c(1.0));
    let origin = e.eq(below, zero);
    let t = e.select(origin, zero, t);
    let far = e.is(above, f64::INFINITY);
    let t = e.select(far, one, t);
    let p = between(e, t);
    let other = from(e, PI_2, p);
    let p = e.select(steep, other, p);
    let (bits, none) = (e.bits(x), e.ci(0));
    let left = e.icmp(CmpIPredicate::Slt, bits, none);
    let other = from(e, PI, p);
    let p = e.select(left, other, p);
    let v = e.copysign(p, y);
    let nan = e.nan(x, y);
    let sum = e.add(x, y);
    e.select(nan, sum, v)
}

/// `sqrt(1 - x^2)`, without cancellation.
fn opposite(e: &mut Emit, x: Value) -> Value {
    let one = e.c(1.0);
    let (minus, plus) = (e.sub(one, x), e.add(one, x));
    let product = e.mul(minus, plus);
    e.sqrt(product)
}

pub(super) fn asin(e: &mut Emit, x: Value) -> Value {
    let c = opposite(e, x);
    atan2(e, x, c)
}

pub(super) fn acos(e: &mut Emit, x: Value) -> Value {
    let s = opposite(e, x);
    atan2(e, s, x)
}
