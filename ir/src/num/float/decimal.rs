//! Binary significands as exact decimal numbers.

use crate::num::Int;
use crate::num::int::limbs;
use std::cmp::Ordering;

/// The largest power of five, and of ten, that fit a limb.
const FIVES: u64 = 5u64.pow(27);
const FIVES_EXPONENT: u32 = 27;
const TENS: u64 = 10u64.pow(19);
const TENS_EXPONENT: u32 = 19;

/// `limbs * 10^exponent`.
pub(super) struct Scaled {
    pub limbs: Vec<u64>,
    pub exponent: i32,
}

impl Scaled {
    /// Exactly `significand * 2^exponent`, by `n * 2^-e == n * 5^e * 10^-e`.
    /// The significand must not be zero.
    pub(crate) fn new(significand: u128, exponent: i32) -> Scaled {
        let zeros = significand.trailing_zeros();
        let (odd, exponent) = (significand >> zeros, exponent + zeros as i32);
        let words = [odd as u64, (odd >> 64) as u64];
        let mut limbs = limbs::trimmed(&words).to_vec();
        if exponent >= 0 {
            let up = exponent.unsigned_abs();
            let mut shifted = vec![0; limbs.len() + up.div_ceil(64) as usize];
            limbs::shl(&mut shifted, &limbs, up);
            return Scaled {
                limbs: shifted,
                exponent: 0,
            };
        }
        let mut fives = exponent.unsigned_abs();
        while fives >= FIVES_EXPONENT {
            limbs::mul_add_small(&mut limbs, FIVES, 0);
            fives -= FIVES_EXPONENT;
        }
        limbs::mul_add_small(&mut limbs, 5u64.pow(fives), 0);
        Scaled { limbs, exponent }
    }

    /// The number of bits.
    pub(crate) fn bit_len(&self) -> u32 {
        limbs::bit_len(&self.limbs)
    }

    /// Cuts off the last `count` decimal digits.
    pub(crate) fn drop_digits(&mut self, count: u32) {
        self.exponent += count as i32;
        let mut left = count;
        while left > 0 {
            let step = left.min(TENS_EXPONENT);
            let divisor = if step == TENS_EXPONENT {
                TENS
            } else {
                10u64.pow(step)
            };
            limbs::div_small(&mut self.limbs, divisor);
            let used = limbs::trimmed(&self.limbs).len();
            self.limbs.truncate(used);
            left -= step;
        }
    }

    /// Digits and exponent, with the zeros at the end moved into the exponent.
    pub fn digits(&self) -> Decimal {
        let width = self.bit_len().max(1);
        let text = Int::from_limbs(width, &self.limbs).to_string_unsigned();
        Decimal::new(text, i64::from(self.exponent))
    }
}

/// `digits * 10^exponent`, with neither leading nor trailing zeros; zero has
/// no digits.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Decimal {
    pub digits: String,
    pub exponent: i64,
}

impl Decimal {
    pub(crate) fn new(mut digits: String, exponent: i64) -> Decimal {
        let kept = digits.trim_end_matches('0').len();
        let zeros = digits.len() - kept;
        digits.truncate(kept);
        let leading = digits.len() - digits.trim_start_matches('0').len();
        digits.drain(..leading);
        let exponent = exponent.saturating_add(zeros as i64);
        Decimal { digits, exponent }
    }

    /// Compares two numbers that are not zero.
    pub fn cmp(&self, rhs: &Decimal) -> Ordering {
        let magnitude = |d: &Decimal| d.exponent.saturating_add(d.digits.len() as i64);
        let order = magnitude(self).cmp(&magnitude(rhs));
        order.then_with(|| self.digits.cmp(&rhs.digits))
    }
}
