//! The cube root without a division: `g`, first guessed from the bits, comes closer to
//! `1 / cbrt x` by `g (1 + h/3 + 2 h^2 / 9)` with `h = 1 - x g^3`, the first terms of
//! `(1 - h)^(-1/3)`. Then `x g^2` is the root, of which a last step takes the rounding
//! errors out.

use super::super::emit::Emit;
use terrace_dialects::arith::{self, CmpIPredicate};
use terrace_ir::Value;

/// From this a third of the bits of a positive number are subtracted: what is left has
/// the exponent, and about the fraction, of one over the cube root, within 3.3 percent.
const GUESS: i64 = 0x54a2_1d2a;

/// Within 0.9 units.
pub(super) fn cbrt(e: &mut Emit, x: Value) -> Value {
    let a = e.abs(x);
    let small = e.is_less(a, f64::from(f32::MIN_POSITIVE));
    let up = e.c(16777216.0);
    let lifted = e.mul(a, up);
    let b = e.select(small, lifted, a);
    let bits = e.bits(b);
    let (three, guess, ty) = (e.ci(3), e.ci(GUESS), e.int_type());
    let third = e.b.value::<arith::DivUIOp>(&[bits, three], ty, &[]);
    let g = e.isub(guess, third);
    let mut g = e.of_bits(g);
    let (one, of_h, of_square) = (e.c(1.0), e.c(1.0 / 3.0), e.c(2.0 / 9.0));
    for _ in 0..2 {
        let square = e.mul(g, g);
        let product = e.mul(b, g);
        let minus = e.neg(product);
        let h = e.fma(minus, square, one);
        let s = e.fma(h, of_square, of_h);
        let step = e.mul(g, h);
        g = e.fma(step, s, g);
    }
    // The slope of the cube is 3 (x g^2)^2, and g is about 1 / (x g^2).
    let square = e.mul(g, g);
    let c = e.mul(b, square);
    let minus = e.neg(c);
    let minus_square = e.mul(minus, c);
    let rest = e.fma(minus_square, c, b);
    let step = e.mul(rest, square);
    let v = e.fma(step, of_h, c);
    let down = e.c(1.0 / 256.0);
    let lowered = e.mul(v, down);
    let v = e.select(small, lowered, v);
    let v = e.copysign(v, x);
    // Zero, infinity and NaN are their own roots.
    let usual = is_usual(e, a);
    e.select(usual, v, x)
}

/// Whether a number without its sign is neither zero nor infinite nor NaN.
pub(super) fn is_usual(e: &mut Emit, a: Value) -> Value {
    let bits = e.bits(a);
    let minus_one = e.ci(-1);
    let before = e.iadd(bits, minus_one);
    let last = e.ci(i64::from(f32::INFINITY.to_bits()) - 1);
    e.icmp(CmpIPredicate::Ult, before, last)
}
