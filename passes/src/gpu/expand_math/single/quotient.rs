//! Quotients by numbers of moderate size as products: the machine's exact division calls a
//! subroutine of 90 instructions where a quotient may overflow or be subnormal.

use super::super::emit::Emit;
use terrace_ir::Value;

/// From this the bits of a positive number are subtracted: what is left has the exponent,
/// and about the fraction, of its reciprocal, within 12 percent.
const GUESS: i64 = 0x7ef3_11c7;

/// `1 / d` for `d` between 2^-100 and 2^100, within a unit or so: twice
/// `t (1 + h + h^2)` with `h = 1 - d t`, which leaves the cube of the error.
pub(super) fn reciprocal(e: &mut Emit, d: Value) -> Value {
    let (bits, guess, one) = (e.bits(d), e.ci(GUESS), e.c(1.0));
    let t = e.isub(guess, bits);
    let mut t = e.of_bits(t);
    let minus = e.neg(d);
    for _ in 0..2 {
        let h = e.fma(minus, t, one);
        let h = e.fma(h, h, h);
        t = e.fma(t, h, t);
    }
    t
}

/// `a / d` for such `d`, within a little more than half a unit, but for subnormal `a`.
pub(super) fn quotient(e: &mut Emit, a: Value, d: Value) -> Value {
    let t = reciprocal(e, d);
    let q = e.mul(a, t);
    let minus = e.neg(q);
    let rest = e.fma(minus, d, a);
    e.fma(rest, t, q)
}
