//! Arc sine and cosine, and the angle of a point. From a half on,
//! `asin x = pi/2 - 2 asin sqrt((1 - x) / 2)` (both differences are exact there), so that
//! one polynomial on a short interval does; the arc tangent needs one quotient.

use super::super::emit::Emit;
use super::other::ATAN;
use terrace_dialects::arith::{CmpIPredicate, XOrIOp};
use terrace_ir::Value;

/// `(asin s - s) / s^3` in `s^2`, `s <= 0.5657`, to 2.1e-9 of `asin s`.
const ASIN: [f64; 6] = [
    0.16666628420352936,
    0.07502249628305435,
    0.04420750215649605,
    0.03418353945016861,
    0.006199381779879332,
    0.048113975673913956,
];

/// Up to where the polynomial is taken of the argument itself.
const NEAR: f64 = 0.5625;

/// pi/2 and pi, each in two parts.
const PI_2: (f64, f64) = (1.570_796_370_506_286_6, -4.371139000186243e-8);
const PI: (f64, f64) = (2.0 * PI_2.0, 2.0 * PI_2.1);

/// Whether a positive number is near zero, and `s`: its arc sine there, else half its
/// arc cosine.
fn arc(e: &mut Emit, a: Value) -> (Value, Value) {
    let near = e.is_less(a, NEAR);
    let (half, minus_half) = (e.c(0.5), e.c(-0.5));
    let rest = e.fma(a, minus_half, half);
    let square = e.mul(a, a);
    let u = e.select(near, square, rest);
    let root = e.sqrt(rest);
    let w = e.select(near, a, root);
    let q = e.polynomial(u, &ASIN);
    let cube = e.mul(w, u);
    (near, e.fma(cube, q, w))
}

/// Within 1.4 units.
pub(super) fn asin(e: &mut Emit, x: Value) -> Value {
    let a = e.abs(x);
    let (near, s) = arc(e, a);
    let (minus_two, high, low) = (e.c(-2.0), e.c(PI_2.0), e.c(PI_2.1));
    let far = e.fma(minus_two, s, high);
    let far = e.add(far, low);
    let v = e.select(near, s, far);
    e.copysign(v, x)
}

/// Within 1.1 units.
pub(super) fn acos(e: &mut Emit, x: Value) -> Value {
    let a = e.abs(x);
    let (near, s) = arc(e, a);
    let signed = e.copysign(s, x);
    let middle = from(e, PI_2, signed);
    let twice = e.add(s, s);
    let left = from(e, PI, twice);
    let negative = e.is_less(x, 0.0);
    let outer = e.select(negative, left, twice);
    e.select(near, middle, outer)
}

/// `c - v` for a constant in two parts.
fn from(e: &mut Emit, c: (f64, f64), v: Value) -> Value {
    let (high, low) = (e.c(c.0), e.c(c.1));
    let v = e.sub(v, low);
    e.sub(high, v)
}

/// The angle of the point `(x, y)`: the arc tangent of the smaller coordinate through
/// the larger one, beside the axis that is next. Within 1.7 units.
pub(super) fn atan2(e: &mut Emit, y: Value, x: Value) -> Value {
    let (ax, ay) = (e.abs(x), e.abs(y));
    let steep = e.lt(ax, ay);
    let below = e.select(steep, ay, ax);
    let above = e.select(steep, ax, ay);
    let t = e.div(above, below);
    // 0/0 is taken as 0, infinity through infinity as 1.
    let (zero, one) = (e.c(0.0), e.c(1.0));
    let origin = e.eq(below, zero);
    let equal = e.select(origin, zero, one);
    let same = e.eq(above, below);
    let t = e.select(same, equal, t);
    let z = e.mul(t, t);
    let q = e.polynomial(z, &ATAN);
    let cube = e.mul(t, z);
    let p = e.fma(cube, q, t);
    let (bits, none) = (e.bits(x), e.ci(0));
    let left = e.icmp(CmpIPredicate::Slt, bits, none);
    let mut axis = [zero; 2];
    for (part, (of_left, of_steep)) in axis.iter_mut().zip([(PI.0, PI_2.0), (PI.1, PI_2.1)]) {
        let (of_left, of_steep) = (e.c(of_left), e.c(of_steep));
        let level = e.select(left, of_left, zero);
        *part = e.select(steep, of_steep, level);
    }
    let [high, low] = axis;
    // From the y axis to the right and from the negative x axis it is subtracted.
    let ty = e.b.ctx.i1();
    let backwards = e.b.value::<XOrIOp>(&[steep, left], ty, &[]);
    let minus = e.neg(p);
    let p = e.select(backwards, minus, p);
    let rest = e.add(p, low);
    let v = e.add(high, rest);
    e.copysign(v, y)
}
