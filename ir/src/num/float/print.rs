//! Floats as MLIR's printer writes them.

use super::Float;
use super::codec::{Class, Unpacked};
use super::decimal::Scaled;
use std::fmt::{self, Write};

/// Significant digits of the first try.
const SHORT_DIGITS: usize = 6;

/// Zeros the long form may insert before it turns to an exponent.
const MAX_PADDING: i32 = 3;

/// An attribute's text: six significant digits with an exponent where that
/// reads back as the same value (`1.000000e+00`), else as many digits as the
/// format may need if that has a decimal point (`3.14159274`), else the bits
/// in hexadecimal (`0x7FC00000`), as for infinities and NaN.
impl fmt::Display for Float {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Unpacked { sign, class } = self.unpack();
        let Class::Finite {
            significand,
            exponent,
        } = class
        else {
            return write!(f, "0x{:X}", self.to_bits());
        };
        let sign = if sign { "-" } else { "" };
        if significand == 0 {
            return write!(f, "{sign}0.000000e+00");
        }
        let mut text = String::with_capacity(40);
        text.push_str(sign);
        scientific(&mut text, &round(significand, exponent, SHORT_DIGITS))?;
        // Of small whole numbers all digits are there.
        let exact = (0..=16).contains(&exponent) && significand <= 15;
        if exact || self.is_read_from(&text) {
            return f.write_str(&text);
        }
        text.truncate(sign.len());
        let digits = 2 + self.kind().precision() as usize * 59 / 196;
        long(&mut text, &round(significand, exponent, digits), digits)?;
        if text.contains('.') && self.is_read_from(&text) {
            return f.write_str(&text);
        }
        write!(f, "0x{:X}", self.to_bits())
    }
}

impl Float {
    fn is_read_from(&self, text: &str) -> bool {
        Float::parse(self.kind(), text) == Ok(*self)
    }
}

/// `digits * 10^exponent`, without zeros at the end.
struct Rounded {
    digits: Vec<u8>,
    exponent: i32,
}

impl Rounded {
    /// The first digit, the digits after it, and the exponent of the first.
    fn normalized(&self) -> (String, String, i32) {
        let exponent = self.exponent + self.digits.len() as i32 - 1;
        let mut digits = self.digits.iter().map(|&d| d as char);
        let leading = digits.by_ref().take(1).collect();
        (leading, digits.collect(), exponent)
    }
}

/// At most `precision` digits, rounded half up. Where dropping digits by the
/// estimate from the length in bits leaves just that many, the value is cut
/// off rather than rounded: upstream does so, and 0.1 in f16 prints as
/// `9.997550e-02` for it.
fn round(significand: u128, exponent: i32, precision: usize) -> Rounded {
    let mut value = Scaled::new(significand, exponent);
    // 59/196 is a lower bound of the decimal logarithm of 2.
    let needed_bits = (precision as u32 * 196).div_ceil(59);
    let excess = value.bit_len().saturating_sub(needed_bits);
    value.drop_digits(excess * 59 / 196);
    let mut decimal = value.digits();
    let mut exponent = decimal.exponent as i32;
    let cut = decimal.digits.len().saturating_sub(precision);
    let up = cut > 0 && decimal.digits.as_bytes()[precision] >= b'5';
    decimal.digits.truncate(precision);
    exponent += cut as i32;
    let mut digits = decimal.digits.into_bytes();
    let carried = if up { b'9' } else { b'0' };
    while cut > 0 && digits.last() == Some(&carried) {
        digits.pop();
        exponent += 1;
    }
    if up {
        match digits.last_mut() {
            Some(last) => *last += 1,
            None => digits.push(b'1'),
        }
    }
    Rounded { digits, exponent }
}

/// `d.dddddde+XX`, the fraction padded to six digits.
fn scientific(out: &mut String, v: &Rounded) -> fmt::Result {
    let (leading, fraction, exponent) = v.normalized();
    write!(out, "{leading}.{fraction:0<SHORT_DIGITS$}e{exponent:+03}")
}

/// Without an exponent where that takes few zeros.
fn long(out: &mut String, v: &Rounded, precision: usize) -> fmt::Result {
    let count = v.digits.len() as i32;
    let leading = v.exponent + count - 1;
    let use_exponent = if v.exponent >= 0 {
        v.exponent > MAX_PADDING || count + v.exponent > precision as i32
    } else {
        leading < -MAX_PADDING
    };
    if use_exponent {
        let (leading, fraction, exponent) = v.normalized();
        return write!(out, "{leading}.{fraction:0<1}E{exponent:+}");
    }
    let mut digits: String = v.digits.iter().map(|&d| d as char).collect();
    if v.exponent >= 0 {
        digits.extend((0..v.exponent).map(|_| '0'));
    } else {
        let zeros = (-leading).max(0);
        digits.insert_str(0, &"0".repeat(zeros as usize));
        let point = digits.len() - v.exponent.unsigned_abs() as usize;
        digits.insert(point, '.');
    }
    out.push_str(&digits);
    Ok(())
}
