//! f16 and bf16: computed exactly, then rounded once.

use super::float::{Format, Mode, Operation, apfloat};

/// The value of f16 bits, exact.
pub fn f16_to_f32(h: u64) -> f32 {
    let h = h as u32;
    let (sign, exponent, fraction) = (h >> 15 & 1, h >> 10 & 31, h & 1023);
    let magnitude = match exponent {
        0 => fraction as f32 * (-24f32).exp2(),
        31 if fraction == 0 => f32::INFINITY,
        31 => f32::from_bits(0x7f80_0000 | fraction << 13),
        _ => f32::from_bits((exponent + 112) << 23 | fraction << 13),
    };
    if sign == 1 { -magnitude } else { magnitude }
}

/// The value of bf16 bits, exact.
pub fn bf16_to_f32(h: u64) -> f32 {
    f32::from_bits((h as u32) << 16)
}

/// One of the two formats of 16 bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Half {
    F16,
    Bf16,
}

impl Half {
    pub const fn format(self) -> Format {
        match self {
            Half::F16 => Format::F16,
            Half::Bf16 => Format::Bf16,
        }
    }

    pub fn to_f32(self, bits: u64) -> f32 {
        match self {
            Half::F16 => f16_to_f32(bits & 0xffff),
            Half::Bf16 => bf16_to_f32(bits & 0xffff),
        }
    }

    /// The NaN that operations give.
    pub const fn nan(self) -> u64 {
        0x7fff
    }

    /// The rounding of a single.
    pub fn of_f32(self, v: f32, mode: Mode) -> u64 {
        super::convert::float_to_float(u64::from(v.to_bits()), Format::F32, self.format(), mode)
    }

    /// Add, subtract, multiply or multiply and add, rounded to nearest.
    pub fn compute(self, op: Operation, a: u64, b: u64, c: u64) -> u64 {
        apfloat(
            self.format(),
            op,
            a & 0xffff,
            b & 0xffff,
            c & 0xffff,
            Mode::Nearest,
        )
    }

    /// The smaller or larger one.
    pub fn min_max(self, a: u64, b: u64, max: bool, propagate: bool) -> u64 {
        let (a, b) = (a & 0xffff, b & 0xffff);
        let (x, y) = (self.to_f32(a), self.to_f32(b));
        if x.is_nan() || y.is_nan() {
            return match (x.is_nan(), y.is_nan()) {
                _ if propagate => self.nan(),
                (true, true) => self.nan(),
                (true, false) => b,
                _ => a,
            };
        }
        let less = x < y || x == y && a >> 15 > b >> 15;
        if less != max { a } else { b }
    }
}

/// Both halves of packed pairs.
pub fn pairs(f: impl Fn(u64, u64, u64) -> u64, a: u64, b: u64, c: u64) -> u64 {
    let half = |v: u64, i: u32| v >> (16 * i) & 0xffff;
    let one = |i| f(half(a, i), half(b, i), half(c, i)) & 0xffff;
    one(1) << 16 | one(0)
}
