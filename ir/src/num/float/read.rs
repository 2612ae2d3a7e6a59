//! Floats from text.

use super::big::Big;
use super::codec::{self, Unpacked};
use super::decimal::{Decimal, Scaled};
use super::{Class, Float, FloatKind};
use crate::num::Int;
use std::cmp::Ordering;
use std::fmt;

/// Why a text is no float of the wanted format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ParseFloatError {
    /// Not `[+-]digits[.digits][e[+-]digits]`.
    Syntax,
    /// Not hexadecimal digits after `0x`.
    HexSyntax,
    /// More bits than the format has.
    HexOutOfRange(FloatKind),
    /// A negative number in a format without a sign.
    Negative(FloatKind),
}

impl fmt::Display for ParseFloatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ParseFloatError::Syntax => {
                f.write_str("expected a floating-point literal such as `1.5` or `-2.0e-3`")
            }
            ParseFloatError::HexSyntax => f.write_str("expected hexadecimal digits after `0x`"),
            ParseFloatError::HexOutOfRange(kind) => write!(
                f,
                "hexadecimal float constant out of range for type: {} has {} bits",
                kind.name(),
                kind.width()
            ),
            ParseFloatError::Negative(kind) => {
                write!(
                    f,
                    "negative float constant, but {} has no sign",
                    kind.name()
                )
            }
        }
    }
}

impl std::error::Error for ParseFloatError {}

/// Digits that can matter: halfway points of `f128` have at most about 11,570.
const MAX_DIGITS: usize = 12_000;

impl Float {
    /// The value of the format nearest to the decimal number, ties to even, in
    /// one rounding. Beyond the largest number that is infinity, or what takes
    /// its place.
    pub fn parse(kind: FloatKind, text: &str) -> Result<Float, ParseFloatError> {
        let literal = Literal::split(text).ok_or(ParseFloatError::Syntax)?;
        if literal.negative && !literal.is_zero() && kind == FloatKind::F8E8M0FNU {
            return Err(ParseFloatError::Negative(kind));
        }
        let magnitude = match kind {
            FloatKind::F32 => text.parse::<f32>().ok().map(|v| Float::from_f32(v.abs())),
            FloatKind::F64 => text
                .parse::<f64>()
                .ok()
                .map(|v| Float::from_f64(kind, v.abs())),
            FloatKind::F80 | FloatKind::F128 => Big::parse(kind, &bounded(&literal.decimal())),
            _ => text
                .parse::<f64>()
                .ok()
                .map(|v| nearest(kind, v.abs(), &literal)),
        };
        let magnitude = magnitude.ok_or(ParseFloatError::Syntax)?;
        Ok(if literal.negative {
            magnitude.neg()
        } else {
            magnitude
        })
    }

    /// As upstream reads a literal: to the nearest `f64`, and from there to the
    /// format. Differs from [`Float::parse`] in the last bit where rounding
    /// twice does, and in `f80` and `f128` beyond what `f64` holds.
    pub(crate) fn parse_through_f64(kind: FloatKind, text: &str) -> Result<Float, ParseFloatError> {
        let double = Float::parse(FloatKind::F64, text)?;
        if kind == FloatKind::F8E8M0FNU && double.is_negative() && !double.is_zero() {
            return Err(ParseFloatError::Negative(kind));
        }
        Ok(double.convert(kind))
    }

    /// The value whose bits are `0xdigits`.
    pub(crate) fn parse_hex(kind: FloatKind, text: &str) -> Result<Float, ParseFloatError> {
        let digits = text.strip_prefix("0x").ok_or(ParseFloatError::HexSyntax)?;
        if digits.is_empty() || !digits.bytes().all(|c| c.is_ascii_hexdigit()) {
            return Err(ParseFloatError::HexSyntax);
        }
        let bits = Int::parse_magnitude(text).ok();
        let bits = bits.filter(|v| v.active_bits() <= kind.width());
        let bits = bits.and_then(|v| v.to_u128());
        let bits = bits.ok_or(ParseFloatError::HexOutOfRange(kind))?;
        Ok(Float::from_bits(kind, bits))
    }
}

/// The parts of `[+-]whole[.fraction][e exponent]`.
struct Literal<'a> {
    negative: bool,
    whole: &'a str,
    fraction: &'a str,
    exponent: i64,
}

impl<'a> Literal<'a> {
    fn split(text: &'a str) -> Option<Literal<'a>> {
        let rest = text.strip_prefix(['+', '-']).unwrap_or(text);
        let (number, exponent) = match rest.find(['e', 'E']) {
            Some(at) => (&rest[..at], parse_exponent(&rest[at + 1..])?),
            None => (rest, 0),
        };
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        let is_digits = |s: &str| s.bytes().all(|c| c.is_ascii_digit());
        let valid = !whole.is_empty() && is_digits(whole) && is_digits(fraction);
        let negative = text.starts_with('-');
        valid.then_some(Literal {
            negative,
            whole,
            fraction,
            exponent,
        })
    }

    fn is_zero(&self) -> bool {
        let zeros = |s: &str| s.bytes().all(|c| c == b'0');
        zeros(self.whole) && zeros(self.fraction)
    }

    fn decimal(&self) -> Decimal {
        let exponent = self.exponent.saturating_sub(self.fraction.len() as i64);
        Decimal::new([self.whole, self.fraction].concat(), exponent)
    }
}

/// An exponent, held at a bound far beyond any format.
fn parse_exponent(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|c| c.is_ascii_digit()) {
        return None;
    }
    let magnitude = digits.bytes().fold(0i64, |v, c| {
        v.saturating_mul(10).saturating_add(i64::from(c - b'0'))
    });
    Some(if text.starts_with('-') {
        -magnitude
    } else {
        magnitude
    })
}

/// A text of limited length that rounds as the number does: digits that
/// cannot decide anything are replaced by a single one.
fn bounded(v: &Decimal) -> String {
    if v.digits.is_empty() {
        return "0".to_string();
    }
    let (mut digits, mut exponent) = (v.digits.clone(), v.exponent);
    if digits.len() > MAX_DIGITS {
        exponent = exponent.saturating_add((digits.len() - MAX_DIGITS - 1) as i64);
        digits.truncate(MAX_DIGITS);
        digits.push('1');
    }
    // Nothing with so few digits comes back from beyond these exponents.
    format!("{digits}e{}", exponent.clamp(-100_000, 100_000))
}

/// The value of a format within `f64` nearest to a decimal number, given the
/// nearest `f64`. Only where that lies halfway between two values does it
/// matter on which side of it the number itself is.
fn nearest(kind: FloatKind, v: f64, literal: &Literal) -> Float {
    let pack = |v: f64| {
        let v = Float::from_f64(FloatKind::F64, v).unpack();
        (v, codec::pack(kind.format(), &v))
    };
    let (unpacked, packed) = pack(v);
    let packed = match unpacked {
        Unpacked {
            class:
                Class::Finite {
                    significand,
                    exponent,
                },
            ..
        } if packed.tie => {
            match literal
                .decimal()
                .cmp(&Scaled::new(significand, exponent).digits())
            {
                Ordering::Less => pack(v.next_down()).1,
                Ordering::Equal => packed,
                Ordering::Greater => pack(v.next_up()).1,
            }
        }
        _ => packed,
    };
    Float::from_bits(kind, packed.bits)
}
