//! Floating-point values of every builtin format.

mod arith;
mod big;
mod codec;
mod decimal;
mod kind;
mod print;
mod read;

#[cfg(test)]
mod print_table;
#[cfg(test)]
mod tests;

use super::Int;
use std::fmt;

pub use kind::FloatKind;
pub use read::ParseFloatError;

use codec::{Class, Unpacked};

/// A value of a floating-point format: the format and its bits.
///
/// Equality and hashing are on the bits. Encodings of `f80` that name no value
/// of their own (without the integer bit a normal number has) are brought to
/// the form upstream stores when a value is made: a NaN, or the equal normal
/// number.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Float {
    kind: FloatKind,
    /// Low and high half; two halves so that a value takes 24 bytes, not 32.
    bits: [u64; 2],
}

/// How a float is rounded to an integral float.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rounding {
    /// To the nearest, ties to the even one.
    NearestEven,
    /// To the nearest, ties away from zero.
    NearestAway,
    /// Towards zero.
    TowardZero,
    /// Towards negative infinity.
    Down,
    /// Towards positive infinity.
    Up,
}

impl Float {
    /// From the bit pattern; bits beyond the width are dropped.
    pub fn from_bits(kind: FloatKind, bits: u128) -> Float {
        let bits = codec::canonical(kind.format(), bits);
        let bits = [bits as u64, (bits >> 64) as u64];
        Float { kind, bits }
    }

    /// From an `f32`, exactly.
    pub fn from_f32(v: f32) -> Float {
        Float::from_bits(FloatKind::F32, u128::from(v.to_bits()))
    }

    /// The nearest value of the format, ties to even.
    ///
    /// What a format lacks is replaced as upstream does it: infinity by NaN,
    /// and both by the largest value where there is neither; zero by the
    /// smallest value where there is no zero. A negative number becomes NaN in
    /// a format without a sign.
    pub fn from_f64(kind: FloatKind, v: f64) -> Float {
        Float::from_f64_checked(kind, v).0
    }

    /// As [`Float::from_f64`]; also whether the value changed.
    pub(crate) fn from_f64_checked(kind: FloatKind, v: f64) -> (Float, bool) {
        let double = Float::from_bits(FloatKind::F64, u128::from(v.to_bits()));
        double.convert_checked(kind)
    }

    /// Positive zero (the smallest value where a format has none).
    pub fn zero(kind: FloatKind) -> Float {
        Float::pack(kind, &Unpacked::finite(false, 0, 0)).0
    }

    /// One.
    pub fn one(kind: FloatKind) -> Float {
        Float::pack(kind, &Unpacked::finite(false, 1, 0)).0
    }

    /// The canonical quiet NaN, or what takes its place in the format.
    pub fn nan(kind: FloatKind) -> Float {
        let class = Class::Nan { payload: 0 };
        Float::pack(kind, &Unpacked { sign: false, class }).0
    }

    /// Infinity, or what takes its place in the format.
    pub fn infinity(kind: FloatKind, negative: bool) -> Float {
        let class = Class::Infinite;
        Float::pack(
            kind,
            &Unpacked {
                sign: negative,
                class,
            },
        )
        .0
    }

    /// The finite value furthest from zero on the given side.
    pub fn largest(kind: FloatKind, negative: bool) -> Float {
        Float::from_bits(kind, codec::largest(kind.format(), negative))
    }

    /// The format.
    pub fn kind(&self) -> FloatKind {
        self.kind
    }

    /// The bit pattern, in the low bits.
    pub fn to_bits(&self) -> u128 {
        u128::from(self.bits[0]) | u128::from(self.bits[1]) << 64
    }

    /// The nearest `f64`; inexact only for `f80` and `f128`.
    pub fn to_f64(&self) -> f64 {
        match self.kind {
            FloatKind::F64 => f64::from_bits(self.bits[0]),
            _ => f64::from_bits(self.convert(FloatKind::F64).bits[0]),
        }
    }

    /// The nearest `f32`, ties to even.
    pub fn to_f32(&self) -> f32 {
        f32::from_bits(self.convert(FloatKind::F32).bits[0] as u32)
    }

    /// The nearest value of another format, rounded once, ties to even; see
    /// [`Float::from_f64`] for what formats lack.
    pub fn convert(&self, kind: FloatKind) -> Float {
        self.convert_checked(kind).0
    }

    /// As [`Float::convert`]; also whether the value changed.
    pub fn convert_checked(&self, kind: FloatKind) -> (Float, bool) {
        if kind == self.kind {
            return (*self, false);
        }
        Float::pack(kind, &self.unpack())
    }

    /// The nearest value to an integer, ties to even, in one rounding.
    pub fn from_int(kind: FloatKind, v: &Int, signed: bool) -> Float {
        Float::from_int_checked(kind, v, signed).0
    }

    /// As [`Float::from_int`]; also whether the value changed.
    pub(crate) fn from_int_checked(kind: FloatKind, v: &Int, signed: bool) -> (Float, bool) {
        let sign = signed && v.is_negative();
        let magnitude = if sign { v.neg() } else { v.clone() };
        let excess = magnitude.active_bits().saturating_sub(128);
        let (significand, sticky) = match excess {
            0 => (magnitude.to_u128().unwrap_or(0), false),
            _ => {
                let top = magnitude.lshr_bits(excess).and_then(|v| v.to_u128());
                (top.unwrap_or(0), magnitude.any_bit_below(excess))
            }
        };
        let class = Class::Finite {
            // The lowest of 128 bits is far below what any format keeps.
            significand: significand | u128::from(sticky),
            exponent: excess as i32,
        };
        Float::pack(kind, &Unpacked { sign, class })
    }

    /// Rounded towards zero to an integer of `width` bits; `None` for NaN,
    /// infinity and what does not fit.
    pub fn to_int(&self, width: u32, signed: bool) -> Option<Int> {
        let v = self.unpack();
        let Class::Finite {
            significand,
            exponent,
        } = v.class
        else {
            return None;
        };
        let (significand, shift) = match u32::try_from(exponent) {
            Ok(up) => (significand, up),
            Err(_) => (
                significand
                    .checked_shr(exponent.unsigned_abs())
                    .unwrap_or(0),
                0,
            ),
        };
        if significand == 0 {
            return Some(Int::zero(width));
        }
        if u128::BITS - significand.leading_zeros() + shift > width {
            return None;
        }
        let value = Int::from_u128(width, significand).shl_bits(shift)?;
        match (signed, v.sign) {
            (false, true) => None,
            (true, true) => Some(value.neg()).filter(Int::is_negative),
            (true, false) => Some(value).filter(|v| !v.is_negative()),
            (false, false) => Some(value),
        }
    }

    /// Whether this is not a number.
    pub fn is_nan(&self) -> bool {
        matches!(self.unpack().class, Class::Nan { .. })
    }

    /// Whether this is an infinity.
    pub fn is_inf(&self) -> bool {
        self.unpack().class == Class::Infinite
    }

    /// Whether this is neither an infinity nor NaN.
    pub fn is_finite(&self) -> bool {
        matches!(self.unpack().class, Class::Finite { .. })
    }

    /// Whether the sign is set, of a zero and a NaN too.
    pub fn is_negative(&self) -> bool {
        self.unpack().sign
    }

    /// Whether this is a zero of either sign.
    pub fn is_zero(&self) -> bool {
        let zero = |c| matches!(c, Class::Finite { significand: 0, .. });
        zero(self.unpack().class)
    }

    /// Whether this is zero with the sign clear.
    pub fn is_pos_zero(&self) -> bool {
        self.is_zero() && !self.is_negative()
    }

    /// Whether this is zero with the sign set.
    pub fn is_neg_zero(&self) -> bool {
        self.is_zero() && self.is_negative()
    }

    /// Whether this is exactly one.
    pub fn is_one(&self) -> bool {
        *self == Float::one(self.kind)
    }

    fn unpack(&self) -> Unpacked {
        codec::unpack(self.kind.format(), self.to_bits())
    }

    /// The nearest value of the format and whether it is another one.
    fn pack(kind: FloatKind, v: &Unpacked) -> (Float, bool) {
        let packed = codec::pack(kind.format(), v);
        (Float::from_bits(kind, packed.bits), packed.inexact)
    }
}

impl fmt::Debug for Float {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self} : {}", self.kind.name())
    }
}
