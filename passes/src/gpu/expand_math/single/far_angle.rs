//! The quadrant of a large angle and the rest, by the product with 96 bits of 2/pi, those
//! that are neither multiples of a full turn nor too small (M. Payne and R. Hanek, Radian
//! reduction for trigonometric functions, 1983). No float comes closer than about 2^-30 to
//! a multiple of pi/2, of which 62 bits of fraction leave enough.

use super::super::emit::Emit;
use super::super::quadrant::TWO_OVER_PI;
use terrace_dialects::arith::{self, CmpIPredicate};
use terrace_ir::Value;

/// pi/2, and what a float leaves of it.
const PI_2: (f64, f64) = (1.570_796_370_506_286_6, -4.371139000186243e-8);

/// The first 96 bits that count for `m 2^(exponent - 150)`: 64 and 32.
fn window(e: &mut Emit, exponent: Value) -> (Value, Value) {
    // Bit t of the table is worth 2^(63 - t), and the first that counts 2^(151 - exponent).
    let bias = e.ci(-88);
    let first = e.iadd(exponent, bias);
    let word = e.shr_by(first, 6);
    let low = e.ci(63);
    let shift = e.iand(first, low);
    let rest = e.isub(low, shift);
    // The largest float begins in word 2.
    let (one, two) = (e.ci(1), e.ci(2));
    let is_1 = e.icmp(CmpIPredicate::Eq, word, one);
    let is_2 = e.icmp(CmpIPredicate::Eq, word, two);
    let parts = [0, 1, 2].map(|i| {
        let [a, b, c] = [0, 1, 2].map(|at| e.ci(TWO_OVER_PI[i + at].cast_signed()));
        let v = e.select(is_1, b, a);
        e.select(is_2, c, v)
    });
    // A shift by 64 is done as one by 1 and one by 63.
    let mut joined = |i: usize| {
        let high = e.shl(parts[i], shift);
        let below = e.shr_by(parts[i + 1], 1);
        let below = e.shr(below, rest);
        e.ior(high, below)
    };
    let (high, low) = (joined(0), joined(1));
    (high, e.shr_by(low, 32))
}

/// The quadrant, of which the lowest two bits count, and the rest; NaN for what is not
/// finite. From 2^15 on.
pub(super) fn reduce(e: &mut Emit, x: Value) -> (Value, Value) {
    let (int, float) = (e.int_type(), e.float_type());
    let ax = e.abs(x);
    let bits = e.bits(ax);
    let wide = e.b.ctx.i64();
    let bits = e.b.value::<arith::ExtUIOp>(&[bits], wide, &[]);
    let w = &mut Emit::new(e.b);
    let exponent = w.shr_by(bits, 23);
    let mask = w.ci((1 << 23) - 1);
    let fraction = w.iand(bits, mask);
    let leading = w.ci(1 << 23);
    let m = w.ior(fraction, leading);
    let (high, low) = window(w, exponent);
    // Two bits of quadrant, 62 of fraction; of the signed fraction the upper half belongs
    // to the next quadrant.
    let carried = w.imul(m, low);
    let carried = w.shr_by(carried, 32);
    let product = w.imul(m, high);
    let product = w.iadd(product, carried);
    let q = w.shr_by(product, 62);
    let fraction = w.shl_by(product, 2);
    let up = w.shr_by(fraction, 63);
    let q = w.iadd(q, up);
    // Of the magnitude 24 bits, which are exact, and 40, which are only if they are small:
    // of a negative number close to 0 they would not be.
    let sign = w.sar_by(fraction, 63);
    let flipped = w.ixor(fraction, sign);
    let fraction = w.isub(flipped, sign);
    let upper = w.shr_by(fraction, 40);
    let mask = w.ci((1 << 40) - 1);
    let lower = w.iand(fraction, mask);
    let q = e.b.value::<arith::TruncIOp>(&[q], int, &[]);
    let below = {
        let w = &mut Emit::new(e.b);
        let zero = w.ci(0);
        w.icmp(CmpIPredicate::Slt, sign, zero)
    };
    let upper = e.b.value::<arith::SIToFPOp>(&[upper], float, &[]);
    let lower = e.b.value::<arith::SIToFPOp>(&[lower], float, &[]);
    let (of_upper, of_lower) = (e.c(2f64.powi(-24)), e.c(2f64.powi(-64)));
    let (upper, lower) = (e.mul(upper, of_upper), e.mul(lower, of_lower));
    let quarter = e.fast_two_sum(upper, lower);
    let (pi, pi_low) = (e.c(PI_2.0), e.c(PI_2.1));
    let r = e.mul(quarter.lo, pi);
    let r = e.fma(quarter.hi, pi_low, r);
    let r = e.fma(quarter.hi, pi, r);
    let minus = e.neg(r);
    let r = e.select(below, minus, r);
    // The angle of a negative number lies on the other side.
    let negative = e.is_less(x, 0.0);
    let (zero, minus) = (e.ci(0), e.neg(r));
    let other = e.isub(zero, q);
    let q = e.select(negative, other, q);
    let r = e.select(negative, minus, r);
    let finite = e.is_less(ax, f64::INFINITY);
    let nan = e.c(f64::NAN);
    (q, e.select(finite, r, nan))
}
