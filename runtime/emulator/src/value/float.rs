//! Singles and doubles. Rounding to nearest is the host's own; the directed
//! modes, which code seldom uses, go through an exact software float.

use rustc_apfloat::ieee::{BFloat, Double, Half as IeeeHalf, Single};
use rustc_apfloat::{Float, Round};

/// A float format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    F16,
    Bf16,
    F32,
    F64,
}

/// A rounding.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Mode {
    #[default]
    Nearest,
    Zero,
    Down,
    Up,
}

impl Mode {
    pub const fn round(self) -> Round {
        match self {
            Mode::Nearest => Round::NearestTiesToEven,
            Mode::Zero => Round::TowardZero,
            Mode::Down => Round::TowardNegative,
            Mode::Up => Round::TowardPositive,
        }
    }
}

/// What [`apfloat`] computes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operation {
    Add,
    Sub,
    Mul,
    Div,
    /// `a * b + c` with one rounding.
    Fma,
}

/// An operation in any format and rounding. NaNs are the machine's.
pub fn apfloat(format: Format, op: Operation, a: u64, b: u64, c: u64, mode: Mode) -> u64 {
    fn run<F: Float>(op: Operation, a: u64, b: u64, c: u64, round: Round, nan: u64) -> u64 {
        let from = |v: u64| F::from_bits(u128::from(v));
        let (a, b, c) = (from(a), from(b), from(c));
        let result = match op {
            Operation::Add => a.add_r(b, round),
            Operation::Sub => a.sub_r(b, round),
            Operation::Mul => a.mul_r(b, round),
            Operation::Div => a.div_r(b, round),
            Operation::Fma => a.mul_add_r(b, c, round),
        };
        if result.value.is_nan() {
            nan
        } else {
            result.value.to_bits() as u64
        }
    }
    let round = mode.round();
    match format {
        Format::F16 => run::<IeeeHalf>(op, a, b, c, round, 0x7fff),
        Format::Bf16 => run::<BFloat>(op, a, b, c, round, 0x7fff),
        Format::F32 => run::<Single>(op, a, b, c, round, NAN_32),
        Format::F64 => {
            let used = match op {
                Operation::Fma => [a, b, c],
                _ => [a, b, b],
            };
            run::<Double>(op, a, b, c, round, first_nan(used))
        }
    }
}

/// The NaN that operations on singles give.
pub const NAN_32: u64 = 0x7fff_ffff;
/// The NaN that operations on doubles give whose operands are none.
pub const NAN_64: u64 = 0xfff8_0000_0000_0000;

/// Quiet if it is a NaN.
const QUIET_64: u64 = 1 << 51;

/// The bits of a double that was computed from others: a NaN is the first one of
/// them, made quiet.
#[inline]
pub fn result64(v: f64, from: [u64; 3]) -> u64 {
    if v.is_nan() {
        first_nan(from)
    } else {
        v.to_bits()
    }
}

/// `changed`, or the double itself, made quiet, where it is a NaN.
#[inline]
pub fn quiet64(v: u64, changed: u64) -> u64 {
    if f64::from_bits(v).is_nan() {
        v | QUIET_64
    } else {
        changed
    }
}

#[cold]
fn first_nan(from: [u64; 3]) -> u64 {
    let nan = from.into_iter().find(|v| f64::from_bits(*v).is_nan());
    nan.map_or(NAN_64, |v| v | QUIET_64)
}

/// Bits of a single to its value.
#[inline]
pub fn f32_of(v: u64) -> f32 {
    f32::from_bits(v as u32)
}

/// The bits of a single, NaNs as the machine has them.
#[inline]
pub fn bits32(v: f32) -> u64 {
    if v.is_nan() {
        NAN_32
    } else {
        u64::from(v.to_bits())
    }
}

/// Bits of a double to its value.
#[inline]
pub fn f64_of(v: u64) -> f64 {
    f64::from_bits(v)
}

/// The bits of a double, NaNs as the machine has them.
#[inline]
pub fn bits64(v: f64) -> u64 {
    if v.is_nan() { NAN_64 } else { v.to_bits() }
}

/// `.ftz`: a subnormal single becomes a zero of its sign.
#[inline]
pub fn flush(v: u64) -> u64 {
    if v & 0x7f80_0000 == 0 {
        v & 0x8000_0000
    } else {
        v
    }
}

/// `.sat` on a single: into [0, 1], NaN to 0.
pub fn saturate32(v: u64) -> u64 {
    let x = f32_of(v);
    if x.is_nan() || x <= 0.0 {
        0
    } else {
        bits32(x.min(1.0))
    }
}

/// `.sat` on a double.
pub fn saturate64(v: u64) -> u64 {
    let x = f64_of(v);
    if x.is_nan() || x <= 0.0 {
        0
    } else {
        bits64(x.min(1.0))
    }
}

/// `sqrt` with any rounding, on the bits of a format of 32 or 64 bits.
pub fn sqrt(v: u64, format: Format, mode: Mode) -> u64 {
    // The root of a single is right to far more than its 24 bits in double
    // precision, except that it is exact only if its square is the operand.
    if format == Format::F32 {
        let x = f64::from(f32_of(v));
        let nearest = bits32(f32_of(v).sqrt());
        return directed(nearest, mode, f64::from(f32_of(nearest)), |r| x - r * r, 32);
    }
    let x = f64_of(v);
    let nearest = result64(x.sqrt(), [v; 3]);
    // Scaled so that the residual does not vanish.
    let scale = if x.abs() < 1e-200 {
        (400f64).exp2()
    } else {
        1.0
    };
    let root_scale = scale.sqrt();
    directed(
        nearest,
        mode,
        f64_of(nearest),
        |r| (-(r * root_scale)).mul_add(r * root_scale, x * scale),
        64,
    )
}

/// The nearest result moved to the neighbour that a direction asks for, by the
/// sign of what is left over.
fn directed(nearest: u64, mode: Mode, value: f64, residual: impl Fn(f64) -> f64, bits: u32) -> u64 {
    if mode == Mode::Nearest || !value.is_finite() || value == 0.0 {
        return nearest;
    }
    let left = residual(value);
    // Roots are positive: up in value is up in bits.
    debug_assert!(value > 0.0 && bits >= 32);
    match mode {
        Mode::Up if left > 0.0 => nearest + 1,
        Mode::Down | Mode::Zero if left < 0.0 => nearest - 1,
        _ => nearest,
    }
}

/// The smaller or larger of two floats: -0 below +0, NaN only if both are or if
/// it is to be propagated.
pub fn min_max(a: u64, b: u64, format: Format, max: bool, propagate: bool) -> u64 {
    let (x, y, nan) = match format {
        Format::F64 => (f64_of(a), f64_of(b), NAN_64),
        _ => (f64::from(f32_of(a)), f64::from(f32_of(b)), NAN_32),
    };
    if x.is_nan() || y.is_nan() {
        return match (x.is_nan(), y.is_nan()) {
            _ if propagate => nan,
            (true, true) => nan,
            (true, false) => b,
            _ => a,
        };
    }
    let less = x < y || x == y && x.is_sign_negative() && !y.is_sign_negative();
    if less != max { a } else { b }
}
