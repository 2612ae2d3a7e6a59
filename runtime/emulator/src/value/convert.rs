//! `cvt`: between integers and floats of every width.

use super::float::{Format, Mode, NAN_32, NAN_64};
use super::half::{bf16_to_f32, f16_to_f32};
use super::int::{low, number, range, saturate};
use rustc_apfloat::ieee::{BFloat, Double, Half, Single};
use rustc_apfloat::{Float, FloatConvert};

/// Rounding to a whole number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Whole {
    Nearest,
    Zero,
    Down,
    Up,
}

impl Whole {
    fn apply(self, v: f64) -> f64 {
        match self {
            Whole::Nearest => v.round_ties_even(),
            Whole::Zero => v.trunc(),
            Whole::Down => v.floor(),
            Whole::Up => v.ceil(),
        }
    }
}

/// A float's value; every format fits a double.
pub fn value(v: u64, format: Format) -> f64 {
    match format {
        Format::F16 => f64::from(f16_to_f32(low(v, 16))),
        Format::Bf16 => f64::from(bf16_to_f32(low(v, 16))),
        Format::F32 => f64::from(f32::from_bits(v as u32)),
        Format::F64 => f64::from_bits(v),
    }
}

const fn nan(format: Format) -> u64 {
    match format {
        Format::F16 | Format::Bf16 => 0x7fff,
        Format::F32 => NAN_32,
        Format::F64 => NAN_64,
    }
}

/// Bits of the fraction and of all.
const fn widths(format: Format) -> (u32, u32) {
    match format {
        Format::F16 => (10, 16),
        Format::Bf16 => (7, 16),
        Format::F32 => (23, 32),
        Format::F64 => (52, 64),
    }
}

/// A NaN in another format. Doubles, and bf16 made wider, keep sign and leading bits
/// of the fraction and become quiet; everything else gives the one NaN.
fn convert_nan(v: u64, from: Format, to: Format) -> u64 {
    let widened_bf16 = from == Format::Bf16 && to == Format::F32;
    if from != Format::F64 && to != Format::F64 && !widened_bf16 {
        return nan(to);
    }
    let ((from_fraction, from_bits), (to_fraction, to_bits)) = (widths(from), widths(to));
    let sign = v >> (from_bits - 1) & 1;
    let fraction = v & ((1 << from_fraction) - 1);
    let fraction = if to_fraction >= from_fraction {
        fraction << (to_fraction - from_fraction)
    } else {
        fraction >> (from_fraction - to_fraction)
    };
    let exponent = (1u64 << (to_bits - 1 - to_fraction)) - 1;
    let quiet = if widened_bf16 {
        0
    } else {
        1 << (to_fraction - 1)
    };
    sign << (to_bits - 1) | exponent << to_fraction | fraction | quiet
}

/// An integer to another width, the low bits of it.
pub fn int_to_int(v: u64, from: (u32, bool), to: u32) -> u64 {
    low(number(v, from.0, from.1) as u64, to)
}

/// An integer to the nearest one of another type.
pub fn int_to_int_saturating(v: u64, from: (u32, bool), to: (u32, bool)) -> u64 {
    saturate(number(v, from.0, from.1), to.0, to.1)
}

/// An integer to a float.
pub fn int_to_float(v: u64, from: (u32, bool), to: Format, mode: Mode) -> u64 {
    let n = number(v, from.0, from.1);
    let round = mode.round();
    match (to, mode) {
        (Format::F32, Mode::Nearest) => u64::from((n as f32).to_bits()),
        (Format::F64, Mode::Nearest) => (n as f64).to_bits(),
        (Format::F32, _) => Single::from_i128_r(n, round).value.to_bits() as u64,
        (Format::F64, _) => Double::from_i128_r(n, round).value.to_bits() as u64,
        (Format::F16, _) => Half::from_i128_r(n, round).value.to_bits() as u64,
        (Format::Bf16, _) => BFloat::from_i128_r(n, round).value.to_bits() as u64,
    }
}

/// A float to an integer: out of range gives the nearest number there is. NaN
/// gives 0, but where 64 bits are on either side the number with only the top bit
/// set.
pub fn float_to_int(v: u64, from: Format, to: (u32, bool), whole: Whole) -> u64 {
    let (bits, is_signed) = to;
    let x = value(v, from);
    if x.is_nan() {
        return if from == Format::F64 || bits == 64 {
            1 << (bits - 1)
        } else {
            0
        };
    }
    let x = whole.apply(x);
    let (least, most) = range(bits, is_signed);
    // `as` saturates at the limits of i128, which lie beyond those of any type.
    low((x as i128).clamp(least, most) as u64, bits)
}

/// A float to another format.
pub fn float_to_float(v: u64, from: Format, to: Format, mode: Mode) -> u64 {
    let x = value(v, from);
    if x.is_nan() {
        return convert_nan(v, from, to);
    }
    let wide = Double::from_bits(u128::from(x.to_bits()));
    let mut exact = false;
    let round = mode.round();
    match (to, mode) {
        (Format::F64, _) => x.to_bits(),
        (Format::F32, Mode::Nearest) => u64::from((x as f32).to_bits()),
        (Format::F32, _) => {
            let narrow: Single = wide.convert_r(round, &mut exact).value;
            narrow.to_bits() as u64
        }
        (Format::F16, _) => {
            let narrow: Half = wide.convert_r(round, &mut exact).value;
            narrow.to_bits() as u64
        }
        (Format::Bf16, _) => {
            let narrow: BFloat = wide.convert_r(round, &mut exact).value;
            narrow.to_bits() as u64
        }
    }
}

/// A float to a whole number of the same format, with the sign of the float.
pub fn round_to_whole(v: u64, format: Format, whole: Whole) -> u64 {
    let x = value(v, format);
    if x.is_nan() {
        return convert_nan(v, format, format);
    }
    let rounded = whole.apply(x).copysign(x);
    float_to_float(rounded.to_bits(), Format::F64, format, Mode::Nearest)
}

/// A single to tf32: 10 bits after the point, nearest, halves away from zero.
pub fn to_tf32(v: u64) -> u64 {
    let v = v as u32;
    if v & 0x7f80_0000 == 0x7f80_0000 {
        return u64::from(v & !0x1fff);
    }
    u64::from(v.wrapping_add(0x1000) & !0x1fff)
}
