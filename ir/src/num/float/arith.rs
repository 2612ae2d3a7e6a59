//! Arithmetic, comparison, minimum and maximum.
//!
//! `f32` and `f64` use the host's own operations, which IEEE 754 fixes to the
//! bit; only NaN results are made canonical here, since hosts differ in them.
//! Narrower formats have at most 11 significant bits: a sum, difference,
//! product, quotient or root rounded to the 53 bits of `f64` and then to
//! theirs equals the one rounded once (53 >= 2 * 11 + 2; Figueroa, "When is
//! double rounding innocuous?", 1995).

use super::big::{Big, on_big};
use super::codec::{Class, Unpacked};
use super::{Float, FloatKind, Rounding};
use rustc_apfloat::{Float as _, Round};
use std::cmp::Ordering;

impl Float {
    /// The sum.
    pub fn add(&self, rhs: &Float) -> Float {
        self.binary(
            rhs,
            |a, b| a + b,
            |a, b| a + b,
            |a, b| on_big!(a, b, |x, y| (x + y).value),
        )
    }

    /// The difference.
    pub fn sub(&self, rhs: &Float) -> Float {
        self.binary(
            rhs,
            |a, b| a - b,
            |a, b| a - b,
            |a, b| on_big!(a, b, |x, y| (x - y).value),
        )
    }

    /// The product.
    pub fn mul(&self, rhs: &Float) -> Float {
        self.binary(
            rhs,
            |a, b| a * b,
            |a, b| a * b,
            |a, b| on_big!(a, b, |x, y| (x * y).value),
        )
    }

    /// The quotient; by zero, an infinity or NaN.
    pub fn div(&self, rhs: &Float) -> Float {
        self.binary(
            rhs,
            |a, b| a / b,
            |a, b| a / b,
            |a, b| on_big!(a, b, |x, y| (x / y).value),
        )
    }

    /// The exact remainder of the quotient rounded towards zero, with the sign
    /// of the dividend: C's `fmod`, `arith.remf`.
    pub fn rem(&self, rhs: &Float) -> Float {
        self.binary(
            rhs,
            |a, b| a % b,
            |a, b| a % b,
            |a, b| on_big!(a, b, |x, y| x.c_fmod(y).value),
        )
    }

    /// `self * factor + addend`, rounded once.
    pub fn fma(&self, factor: &Float, addend: &Float) -> Float {
        let (factor, addend) = (factor.convert(self.kind), addend.convert(self.kind));
        if let Some(nan) = first_nan(&[*self, factor, addend]) {
            return nan;
        }
        let out = match self.kind {
            FloatKind::F32 => {
                Float::from_f32(self.to_f32().mul_add(factor.to_f32(), addend.to_f32()))
            }
            FloatKind::F64 => {
                let v = self.to_f64().mul_add(factor.to_f64(), addend.to_f64());
                Float::from_f64(self.kind, v)
            }
            FloatKind::F80 | FloatKind::F128 => {
                match (Big::new(self), Big::new(&factor), Big::new(&addend)) {
                    (Big::Extended(a), Big::Extended(b), Big::Extended(c)) => {
                        Float::from_bits(self.kind, a.mul_add(b, c).value.to_bits())
                    }
                    (Big::Quad(a), Big::Quad(b), Big::Quad(c)) => {
                        Float::from_bits(self.kind, a.mul_add(b, c).value.to_bits())
                    }
                    _ => unreachable!("operands were brought to one format"),
                }
            }
            // The product of two 11-bit significands is exact.
            _ => {
                let product = self.to_f64() * factor.to_f64();
                Float::from_f64(self.kind, add_to_odd(product, addend.to_f64()))
            }
        };
        out.canonical_nan()
    }

    /// The square root; NaN below zero, and -0 for -0.
    pub fn sqrt(&self) -> Float {
        if self.is_nan() {
            return self.quiet();
        }
        let out = match self.kind {
            FloatKind::F32 => Float::from_f32(self.to_f32().sqrt()),
            FloatKind::F80 | FloatKind::F128 => self.sqrt_big(),
            _ => Float::from_f64(self.kind, self.to_f64().sqrt()),
        };
        out.canonical_nan()
    }

    fn sqrt_big(&self) -> Float {
        let v = self.unpack();
        match v.class {
            Class::Finite { significand: 0, .. } => *self,
            Class::Infinite if !v.sign => *self,
            Class::Finite {
                significand,
                exponent,
            } if !v.sign => {
                // Two bits more than any precision, then one for what is below.
                let (root, exponent) = integer_sqrt(significand, exponent, 115);
                Float::pack(self.kind, &Unpacked::finite(false, root, exponent)).0
            }
            _ => Float::nan(self.kind),
        }
    }

    /// The sign inverted, of a NaN too; unchanged where a format has none, or
    /// where negative zero is the NaN.
    pub fn neg(&self) -> Float {
        self.with_sign(!self.is_negative())
    }

    /// The sign cleared, of a NaN too.
    pub fn abs(&self) -> Float {
        self.with_sign(false)
    }

    /// The magnitude of `self` with the sign of `sign`.
    pub fn copysign(&self, sign: &Float) -> Float {
        self.with_sign(sign.is_negative())
    }

    fn with_sign(&self, negative: bool) -> Float {
        if self.is_negative() == negative {
            return *self;
        }
        let flipped = self.to_bits() ^ 1 << (self.kind.width() - 1);
        let out = Float::from_bits(self.kind, flipped);
        // Only then is the top bit a sign, and the value another of its class.
        if out.is_nan() == self.is_nan() && out.is_negative() == negative {
            out
        } else {
            *self
        }
    }

    /// Rounded to an integral value.
    pub fn round(&self, rounding: Rounding) -> Float {
        if !self.is_finite() {
            return if self.is_nan() { self.quiet() } else { *self };
        }
        if !self.kind.fits_f64() {
            let round = match rounding {
                Rounding::NearestEven => Round::NearestTiesToEven,
                Rounding::NearestAway => Round::NearestTiesToAway,
                Rounding::TowardZero => Round::TowardZero,
                Rounding::Down => Round::TowardNegative,
                Rounding::Up => Round::TowardPositive,
            };
            return on_big!(Big::new(self), |x| x.round_to_integral(round).value);
        }
        let v = self.to_f64();
        let rounded = match rounding {
            Rounding::NearestEven => v.round_ties_even(),
            Rounding::NearestAway => v.round(),
            Rounding::TowardZero => v.trunc(),
            Rounding::Down => v.floor(),
            Rounding::Up => v.ceil(),
        };
        Float::from_f64(self.kind, rounded)
    }

    /// The order of two numbers; `None` with a NaN. Zeros are equal whatever
    /// their signs.
    pub fn compare(&self, rhs: &Float) -> Option<Ordering> {
        if self.kind.fits_f64() && rhs.kind.fits_f64() {
            return self.to_f64().partial_cmp(&rhs.to_f64());
        }
        let (a, b) = (self, rhs.convert(self.kind));
        match (Big::new(a), Big::new(&b)) {
            (Big::Extended(a), Big::Extended(b)) => a.partial_cmp(&b),
            (Big::Quad(a), Big::Quad(b)) => a.partial_cmp(&b),
            _ => None,
        }
    }

    /// The greater, NaN if either is one, +0 above -0: `arith.maximumf`.
    pub fn maximum(&self, rhs: &Float) -> Float {
        first_nan(&[*self, *rhs]).unwrap_or_else(|| self.pick(rhs, Ordering::Greater))
    }

    /// The lesser, NaN if either is one, -0 below +0: `arith.minimumf`.
    pub fn minimum(&self, rhs: &Float) -> Float {
        first_nan(&[*self, *rhs]).unwrap_or_else(|| self.pick(rhs, Ordering::Less))
    }

    /// The greater, the number if one is NaN: `arith.maxnumf`.
    pub fn maxnum(&self, rhs: &Float) -> Float {
        self.number(rhs)
            .unwrap_or_else(|| self.pick(rhs, Ordering::Greater))
    }

    /// The lesser, the number if one is NaN: `arith.minnumf`.
    pub fn minnum(&self, rhs: &Float) -> Float {
        self.number(rhs)
            .unwrap_or_else(|| self.pick(rhs, Ordering::Less))
    }

    /// With a NaN among the two: the other one, or a quiet NaN for two.
    fn number(&self, rhs: &Float) -> Option<Float> {
        match (self.is_nan(), rhs.is_nan()) {
            (false, false) => None,
            (true, false) => Some(*rhs),
            (false, true) => Some(*self),
            (true, true) => Some(self.quiet()),
        }
    }

    /// The one of two numbers that compares as `wanted` with the other.
    fn pick(&self, rhs: &Float, wanted: Ordering) -> Float {
        // Equal numbers differ in the sign of zero at most.
        let by_sign = rhs.is_negative().cmp(&self.is_negative());
        let order = self.compare(rhs).unwrap_or(Ordering::Equal).then(by_sign);
        if order == wanted.reverse() {
            *rhs
        } else {
            *self
        }
    }

    fn binary(
        &self,
        rhs: &Float,
        single: impl Fn(f32, f32) -> f32,
        double: impl Fn(f64, f64) -> f64,
        big: impl Fn(Big, Big) -> Float,
    ) -> Float {
        let rhs = rhs.convert(self.kind);
        if let Some(nan) = first_nan(&[*self, rhs]) {
            return nan;
        }
        let out = match self.kind {
            FloatKind::F32 => Float::from_f32(single(self.to_f32(), rhs.to_f32())),
            FloatKind::F80 | FloatKind::F128 => big(Big::new(self), Big::new(&rhs)),
            _ => Float::from_f64(self.kind, double(self.to_f64(), rhs.to_f64())),
        };
        out.canonical_nan()
    }

    /// A NaN that an operation made, in the form that is the same everywhere.
    fn canonical_nan(&self) -> Float {
        if self.is_nan() {
            Float::nan(self.kind)
        } else {
            *self
        }
    }

    /// A NaN that an operation passes on, never signalling.
    fn quiet(&self) -> Float {
        Float::pack(self.kind, &self.unpack()).0
    }
}

fn first_nan(operands: &[Float]) -> Option<Float> {
    operands.iter().find(|v| v.is_nan()).map(Float::quiet)
}

/// The sum rounded to odd: inexact sums end in a set bit, so that a second
/// rounding to at least two bits fewer goes where a single one would have
/// gone (Boldo and Melquiond, "Emulation of a FMA and correctly rounded sums",
/// 2008).
fn add_to_odd(a: f64, b: f64) -> f64 {
    let sum = a + b;
    if !sum.is_finite() {
        return sum;
    }
    // Knuth's two-sum: the rounding error, exactly.
    let b_part = sum - a;
    let error = (a - (sum - b_part)) + (b - b_part);
    let bits = sum.to_bits();
    if error == 0.0 || bits & 1 == 1 {
        return sum;
    }
    let away_from_zero = (error > 0.0) == (sum > 0.0);
    f64::from_bits(if away_from_zero { bits + 1 } else { bits - 1 })
}

/// The root of `v * 2^exponent` in at least `bits` bits, as a significand
/// whose lowest bit is set if anything was cut off, and its exponent.
fn integer_sqrt(v: u128, exponent: i32, bits: u32) -> (u128, i32) {
    // An even exponent, and the highest pair of bits at the top of the word; a
    // significand of at most 113 bits leaves the room.
    let mut shift = v.leading_zeros();
    if (exponent - shift as i32) % 2 != 0 {
        shift -= 1;
    }
    let (mut radicand, exponent) = (v << shift, exponent - shift as i32);
    let (mut root, mut rest) = (0u128, 0u128);
    for _ in 0..bits {
        rest = rest << 2 | radicand >> 126;
        radicand <<= 2;
        let trial = root << 2 | 1;
        root <<= 1;
        if rest >= trial {
            rest -= trial;
            root |= 1;
        }
    }
    // The root of the 64 pairs of the word, and of pairs of zeros beyond it.
    let below = bits as i32 - 64;
    let sticky = u128::from(rest != 0 || radicand != 0);
    (root << 1 | sticky, exponent / 2 - below - 1)
}
