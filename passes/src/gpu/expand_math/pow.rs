//! `x^y = e^(y log |x|)`, the logarithm to 66 bits, and the many special cases of C
//! (ISO/IEC 9899, annex F, pow).

use super::emit::Emit;
use super::exp::exp;
use super::log::log_double;
use terrace_dialects::arith::CmpIPredicate;
use terrace_ir::Value;

pub(super) fn pow(e: &mut Emit, x: Value, y: Value) -> Value {
    let ax = e.abs(x);
    let l = log_double(e, ax);
    let p = e.two_product(y, l.hi);
    let lo = e.fma(y, l.lo, p.lo);
    // Far out the small part means nothing, and may be no number.
    let size = e.abs(p.hi);
    let near = e.is_less(size, 1000.0);
    let zero = e.c(0.0);
    let lo = e.select(near, lo, zero);
    let mut r = exp(e, p.hi, Some(lo));

    let inf = e.c(f64::INFINITY);
    let one = e.c(1.0);
    let floor = e.floor(y);
    let integer = e.eq(floor, y);
    let half = e.c(0.5);
    let halved = e.mul(y, half);
    let floor = e.floor(halved);
    let even = e.eq(floor, halved);
    let not_even = e.not(even);
    let odd = e.and(integer, not_even);
    let bits = e.bits(x);
    let none = e.ci(0);
    let signed = e.icmp(CmpIPredicate::Slt, bits, none);
    let flipped = e.and(signed, odd);
    let y_negative = e.lt(y, zero);

    // Of zero and infinity: zero or infinity.
    let is_zero = e.eq(ax, zero);
    let is_inf = e.eq(ax, inf);
    let of_zero = e.select(y_negative, inf, zero);
    let of_inf = e.select(y_negative, zero, inf);
    r = e.select(is_zero, of_zero, r);
    r = e.select(is_inf, of_inf, r);
    let minus = e.neg(r);
    r = e.select(flipped, minus, r);
    // A negative number has no power that is not an integer.
    let x_negative = e.lt(x, zero);
    let finite = e.lt(ax, inf);
    let fraction = e.not(integer);
    let undefined = e.and(x_negative, fraction);
    let undefined = e.and(undefined, finite);
    let nan = e.c(f64::NAN);
    r = e.select(undefined, nan, r);
    // To infinity: it matters whether |x| is above one.
    let ay = e.abs(y);
    let to_inf = e.eq(ay, inf);
    let above = e.lt(one, ax);
    let below = e.lt(ax, one);
    let shrinks = e.select(y_negative, above, below);
    let limit = e.select(shrinks, zero, inf);
    let is_one = e.eq(ax, one);
    let limit = e.select(is_one, one, limit);
    r = e.select(to_inf, limit, r);
    let any_nan = e.nan(x, y);
    r = e.select(any_nan, nan, r);
    // These hold for whatever the other is.
    let y_zero = e.eq(y, zero);
    let x_one = e.eq(x, one);
    let trivial = e.or(y_zero, x_one);
    e.select(trivial, one, r)
}
