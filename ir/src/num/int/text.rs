//! Integers from and to text.

use super::{Int, limbs};
use std::fmt;

/// Why a text is no integer of the wanted width.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ParseIntError {
    /// No digits at all.
    Empty,
    /// A character that is no digit of the radix.
    InvalidDigit(char),
    /// More decimal digits than `Int::MAX_DECIMAL_DIGITS`.
    TooManyDigits(usize),
    /// The value does not fit the width, or the signedness asked for.
    OutOfRange,
}

impl fmt::Display for ParseIntError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ParseIntError::Empty => f.write_str("expected an integer, found no digits"),
            ParseIntError::InvalidDigit(c) => write!(f, "invalid digit {c:?} in an integer"),
            ParseIntError::TooManyDigits(n) => write!(
                f,
                "an integer of {n} decimal digits; at most {} are allowed, write larger ones in \
                 hexadecimal",
                Int::MAX_DECIMAL_DIGITS
            ),
            ParseIntError::OutOfRange => f.write_str("integer constant out of range"),
        }
    }
}

impl std::error::Error for ParseIntError {}

/// The largest power of ten below two to the 64, and its exponent.
const CHUNK: u64 = 10_000_000_000_000_000_000;
const CHUNK_DIGITS: usize = 19;

impl Int {
    /// The longest decimal text that is read, without leading zeros. Converting
    /// takes time that grows with the square of the length.
    pub(crate) const MAX_DECIMAL_DIGITS: usize = 5000;

    /// Reads `[-]digits` or `[-]0xdigits` into `width` bits.
    ///
    /// A value fits if either its signed or its unsigned reading does, MLIR's
    /// rule for `iN`; with `signed` only the signed one counts, its rule for
    /// `siN` and `index`. A sign before zero is out of range, as upstream has
    /// it.
    pub fn parse(width: u32, text: &str, signed: bool) -> Result<Int, ParseIntError> {
        let (negative, digits) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let magnitude = Int::parse_magnitude(digits)?;
        if magnitude.active_bits() > width {
            return Err(ParseIntError::OutOfRange);
        }
        let value = magnitude.zext(width);
        let value = if negative { value.neg() } else { value };
        let fits = if negative {
            value.is_negative()
        } else {
            !(signed && value.is_negative())
        };
        if fits {
            Ok(value)
        } else {
            Err(ParseIntError::OutOfRange)
        }
    }

    /// Reads `digits` or `0xdigits` into the fewest bits that hold the value
    /// as unsigned, at least one.
    pub(crate) fn parse_magnitude(text: &str) -> Result<Int, ParseIntError> {
        let limbs = match text.strip_prefix("0x").or(text.strip_prefix("0X")) {
            Some(digits) => hex_limbs(digits)?,
            None => decimal_limbs(text)?,
        };
        Ok(Int::from_limbs(limbs::bit_len(&limbs).max(1), &limbs))
    }

    /// The signed value in decimal.
    pub fn to_string_signed(&self) -> String {
        if let Some(v) = self.to_i64() {
            return v.to_string();
        }
        if self.is_negative() {
            format!("-{}", self.neg().to_string_unsigned())
        } else {
            self.to_string_unsigned()
        }
    }

    /// The unsigned value in decimal.
    pub fn to_string_unsigned(&self) -> String {
        if let Some(v) = self.to_u128() {
            return v.to_string();
        }
        let mut rest = limbs::trimmed(self.limbs()).to_vec();
        let mut chunks = Vec::new();
        while !rest.is_empty() {
            chunks.push(limbs::div_small(&mut rest, CHUNK));
            rest.truncate(limbs::trimmed(&rest).len());
        }
        let mut text = chunks.pop().unwrap_or(0).to_string();
        for chunk in chunks.iter().rev() {
            text.push_str(&format!("{chunk:0CHUNK_DIGITS$}"));
        }
        text
    }
}

fn checked_digits(text: &str, radix: u32) -> Result<&str, ParseIntError> {
    if text.is_empty() {
        return Err(ParseIntError::Empty);
    }
    if let Some(c) = text.chars().find(|c| !c.is_digit(radix)) {
        return Err(ParseIntError::InvalidDigit(c));
    }
    Ok(text.trim_start_matches('0'))
}

fn decimal_limbs(text: &str) -> Result<Vec<u64>, ParseIntError> {
    let digits = checked_digits(text, 10)?;
    if digits.len() > Int::MAX_DECIMAL_DIGITS {
        return Err(ParseIntError::TooManyDigits(digits.len()));
    }
    let mut limbs = Vec::new();
    for chunk in digits.as_bytes().chunks(CHUNK_DIGITS) {
        let (mut value, mut scale) = (0, 1);
        for digit in chunk {
            value = value * 10 + u64::from(digit - b'0');
            scale *= 10;
        }
        limbs::mul_add_small(&mut limbs, scale, value);
    }
    Ok(limbs)
}

fn hex_limbs(text: &str) -> Result<Vec<u64>, ParseIntError> {
    let digits = checked_digits(text, 16)?;
    // Nothing wider has a type, and the length in bits must fit 32 of them.
    if digits.len() > Int::MAX_WIDTH.div_ceil(4) as usize {
        return Err(ParseIntError::OutOfRange);
    }
    let limb = |chunk: &[u8]| {
        let digit = |c: &u8| u64::from((*c as char).to_digit(16).unwrap_or(0));
        chunk.iter().fold(0, |limb, c| limb << 4 | digit(c))
    };
    Ok(digits.as_bytes().rchunks(16).map(limb).collect())
}
