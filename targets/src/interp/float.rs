//! Float arithmetic: on machine numbers for f32 and f64, by [`Float`] for the other
//! formats, always rounded once to the format of the operands.

use super::error::Run;
use super::value::{Value, wrong};
use terrace_ir::num::{Float, FloatKind, Rounding};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FloatBin {
    Add,
    Sub,
    Mul,
    Div,
    /// The remainder of the quotient rounded towards zero, as C's `fmod`.
    Rem,
    /// NaN where either operand is; +0 is greater than -0.
    Maximum,
    Minimum,
    /// The number where one operand is NaN.
    MaxNum,
    MinNum,
}

macro_rules! machine {
    ($name:ident, $t:ty) => {
        #[inline]
        pub(super) fn $name(op: FloatBin, a: $t, b: $t) -> $t {
            use FloatBin::*;
            let greater = |a: $t, b: $t| {
                if a > b || a == b && b.is_sign_negative() {
                    a
                } else {
                    b
                }
            };
            let lesser = |a: $t, b: $t| {
                if a < b || a == b && a.is_sign_negative() {
                    a
                } else {
                    b
                }
            };
            match op {
                Add => a + b,
                Sub => a - b,
                Mul => a * b,
                Div => a / b,
                Rem => a % b,
                Maximum | Minimum if a.is_nan() || b.is_nan() => <$t>::NAN,
                MaxNum | MinNum if a.is_nan() => b,
                MaxNum | MinNum if b.is_nan() => a,
                Maximum | MaxNum => greater(a, b),
                Minimum | MinNum => lesser(a, b),
            }
        }
    };
}

machine!(binary_f32, f32);
machine!(binary_f64, f64);

fn binary_soft(op: FloatBin, a: &Float, b: &Float) -> Float {
    use FloatBin::*;
    match op {
        Add => a.add(b),
        Sub => a.sub(b),
        Mul => a.mul(b),
        Div => a.div(b),
        Rem => a.rem(b),
        Maximum => a.maximum(b),
        Minimum => a.minimum(b),
        MaxNum => a.maxnum(b),
        MinNum => a.minnum(b),
    }
}

/// `a op b`, both of one format.
pub(super) fn binary(op: FloatBin, a: &Value, b: &Value) -> Run<Value> {
    Ok(match (a, b) {
        (Value::F64(a), Value::F64(b)) => Value::F64(binary_f64(op, *a, *b)),
        (Value::F32(a), Value::F32(b)) => Value::F32(binary_f32(op, *a, *b)),
        _ => Value::float(binary_soft(op, &float(a)?, &float(b)?)),
    })
}

pub(super) fn float(v: &Value) -> Run<Float> {
    v.to_float().ok_or_else(|| wrong("a float", v))
}

/// `a * b + c` with one rounding.
pub(super) fn fma(a: &Value, b: &Value, c: &Value) -> Run<Value> {
    Ok(match (a, b, c) {
        (Value::F64(a), Value::F64(b), Value::F64(c)) => Value::F64(a.mul_add(*b, *c)),
        (Value::F32(a), Value::F32(b), Value::F32(c)) => Value::F32(a.mul_add(*b, *c)),
        _ => Value::float(float(a)?.fma(&float(b)?, &float(c)?)),
    })
}

/// A float in another format, rounded as the mode says.
pub(super) fn convert(v: &Float, to: FloatKind, mode: Rounding) -> Float {
    let (near, changed) = v.convert_checked(to);
    if !changed || v.is_nan() || near.is_nan() || mode == Rounding::NearestEven {
        return near;
    }
    // Compared in a format that holds both exactly.
    let exact = near.convert(FloatKind::F128);
    let source = v.convert(FloatKind::F128);
    let larger = exact
        .abs()
        .compare(&source.abs())
        .is_some_and(|o| o.is_gt());
    let away = match mode {
        Rounding::TowardZero => false,
        Rounding::Down => v.is_negative(),
        Rounding::Up => !v.is_negative(),
        Rounding::NearestEven => return near,
        Rounding::NearestAway => {
            // Only a tie that went to the even neighbour below is another one here.
            let up = step(&near, true).convert(FloatKind::F128);
            let (below, above) = (source.abs().sub(&exact.abs()), up.abs().sub(&source.abs()));
            return if !larger && below == above {
                step(&near, true)
            } else {
                near
            };
        }
    };
    match (away, larger) {
        (true, false) => step(&near, true),
        (false, true) => step(&near, false),
        _ => near,
    }
}

/// The neighbour of a finite or infinite float away from zero or towards it.
fn step(v: &Float, away: bool) -> Float {
    if away && v.is_inf() {
        return *v;
    }
    // Magnitudes of a format are in the order of their bit patterns.
    let bits = v.to_bits();
    Float::from_bits(v.kind(), if away { bits + 1 } else { bits - 1 })
}
