//! `x^y = 2^(y log2 |x|)`, the logarithm as a sum of two floats to about 2^-36, since an
//! error in it is multiplied by up to 150, and the special cases of C (ISO/IEC 9899,
//! annex F, pow).
//!
//! The logarithm as in `log2` of the wider format: `log2 m = s (A + z (B + z R(z)))`, `z = s^2`,
//! with `s = (m - 1) / (m + 1)`. The quotient is a product with the reciprocal of `m + 1`,
//! which lies between 1.7 and 2.42, so that a parabola and one step give it to a float;
//! what rounding took from `s` is computed after. Sums of two floats as T. J. Dekker has
//! them (A floating-point technique for extending the available precision, 1971).

use super::super::emit::{Double, Emit};
use super::cbrt::is_usual;
use super::exp::EXP2;
use terrace_dialects::arith::{self, CmpIPredicate};
use terrace_ir::Value;

/// `R(z)` for `z <= 0.02944`, to 9e-12 of the logarithm.
const REST: [f64; 3] = [0.5770801901817322, 0.4118499159812927, 0.33782100677490234];

/// `2 / ln 2` and `2 / (3 ln 2)`, each with what a float leaves of it.
const A: (f64, f64) = (2.885390043258667, 3.851926067000022e-08);
const B: (f64, f64) = (0.9617967009544373, -7.028461812552678e-09);

/// `1 / p` for `p` between 1.7071 and 2.4143, to 0.0013.
const RECIPROCAL: [f64; 3] = [1.4777603149414062, -0.7224477529525757, 0.11686363071203232];

/// `log2` of a positive finite number; something finite of the others.
fn log2(e: &mut Emit, x: Value) -> Double {
    let small = e.is_less(x, f64::from(f32::MIN_POSITIVE));
    let up = e.c(33554432.0);
    let lifted = e.mul(x, up);
    let x = e.select(small, lifted, x);
    let bits = e.bits(x);
    let root = e.ci(i64::from(std::f32::consts::FRAC_1_SQRT_2.to_bits()));
    let above = e.isub(bits, root);
    let mask = e.ci(i64::from(0xff80_0000u32.cast_signed()));
    let exponent = e.iand(above, mask);
    let m = e.isub(bits, exponent);
    let m = e.of_bits(m);
    let k = e.signed(exponent);
    let unit = e.c(1.0 / 8388608.0);
    let k = e.mul(k, unit);
    let (down, none) = (e.c(-25.0), e.c(0.0));
    let k0 = e.select(small, down, none);
    let k = e.add(k, k0);

    // s and what it lacks.
    let one = e.c(1.0);
    let f = e.sub(m, one);
    let p = e.add(m, one);
    let back = e.sub(p, one);
    let p_low = e.sub(m, back);
    let q = e.polynomial(p, &RECIPROCAL);
    let minus = e.neg(p);
    let h = e.fma(minus, q, one);
    let h = e.fma(h, h, h);
    let q = e.fma(q, h, q);
    let s = e.mul(f, q);
    let minus = e.neg(s);
    let rest = e.fma(minus, p, f);
    let rest = e.fma(minus, p_low, rest);
    let s_low = e.mul(rest, q);

    let z = e.two_product(s, s);
    let twice = e.add(s, s);
    let z_low = e.fma(twice, s_low, z.lo);
    let w = e.polynomial(z.hi, &REST);
    let (b, b_low) = (e.c(B.0), e.c(B.1));
    let w = e.fma(z.hi, w, b_low);
    let c = e.fast_two_sum(b, w);
    let u = e.two_product(z.hi, c.hi);
    let u_low = e.fma(z.hi, c.lo, u.lo);
    let u_low = e.fma(z_low, c.hi, u_low);
    let (a, a_low) = (e.c(A.0), e.c(A.1));
    let v = e.fast_two_sum(a, u.hi);
    let low = e.add(u_low, a_low);
    let v_low = e.add(v.lo, low);
    let l = e.two_product(s, v.hi);
    let l_low = e.fma(s, v_low, l.lo);
    let l_low = e.fma(s_low, v.hi, l_low);
    let t = e.fast_two_sum(k, l.hi);
    let t_low = e.add(t.lo, l_low);
    e.fast_two_sum(t.hi, t_low)
}

/// `2^(hi + lo)`.
fn exp2(e: &mut Emit, p: Double) -> Value {
    // Far out the small part means nothing, and may be large itself.
    let size = e.abs(p.hi);
    let (near, zero) = (e.is_less(size, 200.0), e.c(0.0));
    let lo = e.select(near, p.lo, zero);
    let hi = e.bounded(p.hi, -152.0, 130.0);
    let (kf, k) = e.nearest(hi);
    let r = e.sub(hi, kf);
    let r = e.add(r, lo);
    let q = e.polynomial(r, &EXP2);
    let one = e.c(1.0);
    let m = e.fma(r, q, one);
    e.scale(m, k)
}

/// An exponent, not beyond 2^31.
struct Exponent {
    value: Value,
    /// What one float leaves of it.
    low: Option<Value>,
    /// Whether it is an odd integer.
    odd: Value,
    /// Whether it is no integer.
    fraction: Option<Value>,
}

/// The power where neither is NaN, and the exponent is not zero unless the base is usual.
fn power(e: &mut Emit, x: Value, y: &Exponent) -> Value {
    let ax = e.abs(x);
    let l = log2(e, ax);
    let p = e.two_product(y.value, l.hi);
    let mut lo = e.fma(y.value, l.lo, p.lo);
    if let Some(low) = y.low {
        lo = e.fma(low, l.hi, lo);
    }
    let mut r = exp2(e, Double { hi: p.hi, lo });
    // A negative number has no power that is not an integer.
    if let Some(fraction) = y.fraction {
        let negative = e.is_less(x, 0.0);
        let undefined = e.and(negative, fraction);
        let nan = e.c(f64::NAN);
        r = e.select(undefined, nan, r);
    }
    // Of zero and infinity: one of them, and the bits of infinity make one the other.
    let usual = is_usual(e, ax);
    let (bits, infinity) = (e.bits(ax), e.ci(i64::from(f32::INFINITY.to_bits())));
    let ty = e.int_type();
    let other = e.b.value::<arith::XOrIOp>(&[bits, infinity], ty, &[]);
    let other = e.of_bits(other);
    let down = e.is_less(y.value, 0.0);
    let limit = e.select(down, other, ax);
    r = e.select(usual, r, limit);
    let (bits, none) = (e.bits(x), e.ci(0));
    let signed = e.icmp(CmpIPredicate::Slt, bits, none);
    let flipped = e.and(signed, y.odd);
    let minus = e.neg(r);
    e.select(flipped, minus, r)
}

/// Within one unit.
pub(super) fn pow(e: &mut Emit, x: Value, y: Value) -> Value {
    // Beyond 2^31 every power is zero, one or infinite, and the exponent even.
    let c = e.bounded(y, -2147483648.0, 2147483648.0);
    let (half, minus_two, zero) = (e.c(0.5), e.c(-2.0), e.c(0.0));
    let halved = e.mul(c, half);
    let whole = e.trunc(halved);
    let rest = e.fma(minus_two, whole, c);
    let rest = e.abs(rest);
    let (even, odd) = (e.eq(rest, zero), e.is(rest, 1.0));
    let integer = e.or(even, odd);
    let exponent = Exponent {
        value: c,
        low: None,
        odd,
        fraction: Some(e.not(integer)),
    };
    let r = power(e, x, &exponent);
    let (unknown, nan) = (e.nan(x, y), e.c(f64::NAN));
    let r = e.select(unknown, nan, r);
    // These hold for whatever the other is.
    let (none, one) = (e.eq(y, zero), e.c(1.0));
    let of_one = e.eq(x, one);
    let trivial = e.or(none, of_one);
    e.select(trivial, one, r)
}

/// The power to an integer of 32 bits, which is a sum of two floats. Within one unit.
pub(super) fn powi(e: &mut Emit, x: Value, n: Value) -> Value {
    let (low, high, bit, none) = (e.ci(0xff), e.ci(-0x100), e.ci(1), e.ci(0));
    let (upper, lower) = (e.iand(n, high), e.iand(n, low));
    let (upper, lower) = (e.signed(upper), e.signed(lower));
    let value = e.fast_two_sum(upper, lower);
    let last = e.iand(n, bit);
    let exponent = Exponent {
        value: value.hi,
        low: Some(value.lo),
        odd: e.icmp(CmpIPredicate::Ne, last, none),
        fraction: None,
    };
    let r = power(e, x, &exponent);
    let (unknown, nan) = (e.nan(x, x), e.c(f64::NAN));
    let r = e.select(unknown, nan, r);
    let (zeroth, one) = (e.icmp(CmpIPredicate::Eq, n, none), e.c(1.0));
    e.select(zeroth, one, r)
}
