//! The functions of the `math` dialect.
//!
//! Functions that cannot be exact are computed in f64 and rounded to the format of the
//! operand, so that every format but f64 gets the rounded true value (but for very few
//! double roundings), and f64 what the platform's library gives.

use super::error::{Fault, Run};
use super::float::float;
use super::int::{Flags, IntBin, binary_wide};
use super::value::{Value, wrong};
use terrace_ir::num::{Float, FloatKind, Int, Rounding};

/// A function of one float.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MathFn {
    Abs,
    Acos,
    Acosh,
    Asin,
    Asinh,
    Atan,
    Atanh,
    Cbrt,
    Ceil,
    Cos,
    Cosh,
    Erf,
    Erfc,
    Exp,
    Exp2,
    ExpM1,
    Floor,
    Log,
    Log10,
    Log1p,
    Log2,
    Round,
    RoundEven,
    Rsqrt,
    Sin,
    Sinh,
    Sqrt,
    Tan,
    Tanh,
    Trunc,
}

impl MathFn {
    /// The function of `math.NAME`.
    pub fn from_name(name: &str) -> Option<MathFn> {
        use MathFn::*;
        Some(match name {
            "absf" => Abs,
            "acos" => Acos,
            "acosh" => Acosh,
            "asin" => Asin,
            "asinh" => Asinh,
            "atan" => Atan,
            "atanh" => Atanh,
            "cbrt" => Cbrt,
            "ceil" => Ceil,
            "cos" => Cos,
            "cosh" => Cosh,
            "erf" => Erf,
            "erfc" => Erfc,
            "exp" => Exp,
            "exp2" => Exp2,
            "expm1" => ExpM1,
            "floor" => Floor,
            "log" => Log,
            "log10" => Log10,
            "log1p" => Log1p,
            "log2" => Log2,
            "round" => Round,
            "roundeven" => RoundEven,
            "rsqrt" => Rsqrt,
            "sin" => Sin,
            "sinh" => Sinh,
            "sqrt" => Sqrt,
            "tan" => Tan,
            "tanh" => Tanh,
            "trunc" => Trunc,
            _ => return None,
        })
    }

    fn f64(self, x: f64) -> f64 {
        use MathFn::*;
        match self {
            Abs => x.abs(),
            Acos => x.acos(),
            Acosh => x.acosh(),
            Asin => x.asin(),
            Asinh => x.asinh(),
            Atan => x.atan(),
            Atanh => x.atanh(),
            Cbrt => x.cbrt(),
            Ceil => x.ceil(),
            Cos => x.cos(),
            Cosh => x.cosh(),
            Erf => libm::erf(x),
            Erfc => libm::erfc(x),
            Exp => x.exp(),
            Exp2 => x.exp2(),
            ExpM1 => x.exp_m1(),
            Floor => x.floor(),
            Log => x.ln(),
            Log10 => x.log10(),
            Log1p => x.ln_1p(),
            Log2 => x.log2(),
            Round => x.round(),
            RoundEven => x.round_ties_even(),
            Rsqrt => 1.0 / x.sqrt(),
            Sin => x.sin(),
            Sinh => x.sinh(),
            Sqrt => x.sqrt(),
            Tan => x.tan(),
            Tanh => x.tanh(),
            Trunc => x.trunc(),
        }
    }

    pub fn eval(self, v: &Value) -> Run<Value> {
        match v {
            Value::F64(x) => Ok(Value::F64(self.f64(*x))),
            Value::F32(x) => Ok(Value::F32(self.f64(f64::from(*x)) as f32)),
            Value::Float { kind, .. } => Ok(Value::from_f64(*kind, self.f64(float(v)?.to_f64()))),
            v => self.eval_wide(&float(v)?),
        }
    }

    /// Formats wider than f64: only what is exact.
    fn eval_wide(self, x: &Float) -> Run<Value> {
        let y = match self {
            MathFn::Abs => x.abs(),
            MathFn::Sqrt => x.sqrt(),
            MathFn::Ceil => x.round(Rounding::Up),
            MathFn::Floor => x.round(Rounding::Down),
            MathFn::Round => x.round(Rounding::NearestAway),
            MathFn::RoundEven => x.round(Rounding::NearestEven),
            MathFn::Trunc => x.round(Rounding::TowardZero),
            _ => {
                return Err(Fault::new(format!(
                    "the function is not available for {}",
                    x.kind().name()
                )));
            }
        };
        Ok(Value::float(y))
    }
}

/// A function of two f64, on any format that f64 holds.
pub(super) fn two(a: &Value, b: &Value, f: fn(f64, f64) -> f64) -> Run<Value> {
    let kind = float(a)?.kind();
    if !kind.fits_f64() {
        return Err(Fault::new(format!(
            "the function is not available for {}",
            kind.name()
        )));
    }
    Ok(Value::from_f64(
        kind,
        f(float(a)?.to_f64(), float(b)?.to_f64()),
    ))
}

pub(super) fn copysign(a: &Value, b: &Value) -> Run<Value> {
    Ok(Value::float(float(a)?.copysign(&float(b)?)))
}

/// `min(max(value, low), high)`.
pub(super) fn clamp(v: &Value, low: &Value, high: &Value) -> Run<Value> {
    use super::float::{FloatBin, binary};
    binary(FloatBin::Minimum, &binary(FloatBin::Maximum, v, low)?, high)
}

/// `math.fpowi`: a float to an integer power.
pub(super) fn fpowi(a: &Value, b: &Value) -> Run<Value> {
    let (base, exponent) = (float(a)?, b.i64()?);
    if !base.kind().fits_f64() {
        return Err(Fault::new(format!(
            "the function is not available for {}",
            base.kind().name()
        )));
    }
    Ok(Value::from_f64(
        base.kind(),
        base.to_f64().powf(exponent as f64),
    ))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    Finite,
    Inf,
    Nan,
    Normal,
}

pub(super) fn is_class(class: Class, v: &Value) -> Run<Value> {
    let f = float(v)?;
    Ok(Value::bool(match class {
        Class::Finite => f.is_finite(),
        Class::Inf => f.is_inf(),
        Class::Nan => f.is_nan(),
        Class::Normal => is_normal(&f),
    }))
}

fn is_normal(f: &Float) -> bool {
    match f.kind() {
        FloatKind::F32 => f.to_f32().is_normal(),
        FloatKind::F64 => f.to_f64().is_normal(),
        kind if !f.is_finite() || f.is_zero() => kind == FloatKind::F8E8M0FNU && f.is_finite(),
        FloatKind::F8E8M0FNU => true,
        // The exponent field follows the sign; behind it the stored significand.
        kind => {
            let stored = if kind == FloatKind::F80 {
                64
            } else {
                kind.precision() - 1
            };
            let exponent = (f.to_bits() & !(1 << (kind.width() - 1))) >> stored;
            exponent != 0
        }
    }
}

/// A function of one integer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum IntFn {
    /// The smallest value stays what it is.
    Abs,
    LeadingZeros,
    TrailingZeros,
    Ones,
}

pub(super) fn int_fn(f: IntFn, v: &Value) -> Run<Value> {
    let i = v.to_int().ok_or_else(|| wrong("an integer", v))?;
    let count = |n: u32| Int::from_u64(i.width(), u64::from(n));
    Ok(like(
        v,
        match f {
            IntFn::Abs => i.magnitude_s(),
            IntFn::LeadingZeros => count(i.leading_zeros()),
            IntFn::TrailingZeros => count(i.trailing_zeros()),
            IntFn::Ones => count(i.count_ones()),
        },
    ))
}

/// An integer as a value of the type of `v`.
pub(super) fn like(v: &Value, i: Int) -> Value {
    match v {
        Value::Index(_) => Value::Index(i.to_i64().unwrap_or(0)),
        _ => Value::from_int(i),
    }
}

/// `math.ipowi`: the power, wrapped; a negative power of 0 is an error, and of others
/// the truncated quotient 1 / |power|.
pub(super) fn ipowi(a: &Value, b: &Value) -> Run<Value> {
    let int = |v: &Value| v.to_int().ok_or_else(|| wrong("an integer", v));
    let (base, exponent) = (int(a)?, int(b)?);
    let width = base.width();
    let mul = |x: &Int, y: &Int| binary_wide(IntBin::Mul, Flags::default(), x, y);
    if exponent.is_negative() {
        let r = match () {
            _ if base.is_zero() => return Err("0 to a negative power".into()),
            _ if base.is_one() => Int::one(width),
            _ if base.is_all_ones() && exponent.bit(0) => base,
            _ if base.is_all_ones() => Int::one(width),
            _ => Int::zero(width),
        };
        return Ok(like(a, r));
    }
    let mut result = Int::one(width);
    let mut square = base;
    for bit in 0..exponent.active_bits() {
        if exponent.bit(bit) {
            result = mul(&result, &square)?;
        }
        square = mul(&square, &square)?;
    }
    Ok(like(a, result))
}
