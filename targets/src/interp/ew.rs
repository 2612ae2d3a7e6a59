//! Element-wise ops: one definition for scalars and, lane by lane, for vectors.

use super::error::{Fault, Run};
use super::float::{self, FloatBin, float};
use super::int::{self, Flags, IntBin};
use super::math::{self, Class, IntFn, MathFn};
use super::value::{Elem, Value, VectorValue, wrong};
use smallvec::SmallVec;
use std::rc::Rc;
use terrace_dialects::arith::{CmpFPredicate, CmpIPredicate};
use terrace_ir::num::{Float, FloatKind, Int, Rounding};

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum EwOp {
    Int(IntBin, Flags),
    CmpI(CmpIPredicate),
    Float(FloatBin),
    Neg,
    CmpF(CmpFPredicate),
    Select,
    /// The unsigned sum and the carry.
    AddCarry,
    /// Low and high half of the product.
    MulExtended {
        signed: bool,
    },
    Extend {
        signed: bool,
        non_negative: bool,
    },
    Truncate(Flags),
    ConvertFloat(Rounding),
    IntToFloat {
        signed: bool,
        non_negative: bool,
    },
    FloatToInt {
        signed: bool,
    },
    IndexCast {
        signed: bool,
    },
    Bitcast,
    /// A narrow float times a power of two.
    ScalingExtend,
    /// A float divided by a power of two and rounded.
    ScalingTruncate(Rounding),
    Math(MathFn),
    Atan2,
    Powf,
    Powi,
    IPowi,
    CopySign,
    Clamp,
    Fma,
    SinCos,
    Class(Class),
    IntFn(IntFn),
}

/// One or two results.
pub(super) type Results = (Value, Option<Value>);

/// `op` on scalars or vectors; `out` is the scalar type of the first result. Scalar
/// operands beside vectors count for every lane.
pub(super) fn eval(op: EwOp, out: Elem, args: &[&Value]) -> Run<Results> {
    let Some(shape) = args.iter().find_map(|v| match v {
        Value::Vector(v) => Some(v.shape.clone()),
        _ => None,
    }) else {
        return scalar(op, out, args);
    };
    // A scalar condition chooses between whole vectors.
    if op == EwOp::Select && !matches!(args[0], Value::Vector(_)) {
        return scalar(op, out, args);
    }
    let count = shape.iter().product::<i64>() as usize;
    let mut first = Vec::with_capacity(count);
    let mut second = Vec::new();
    for i in 0..count {
        let lanes: SmallVec<[&Value; 3]> = args
            .iter()
            .map(|v| match v {
                Value::Vector(v) => v
                    .lanes
                    .get(i)
                    .ok_or_else(|| Fault::new("vectors differ in shape")),
                v => Ok(*v),
            })
            .collect::<Run<_>>()?;
        let (a, b) = scalar(op, out, &lanes)?;
        first.push(a);
        second.extend(b);
    }
    let vector = |lanes: Vec<Value>, elem| {
        Value::Vector(Rc::new(VectorValue {
            shape: shape.clone(),
            elem,
            lanes,
        }))
    };
    let carry = if op == EwOp::AddCarry {
        Elem::Int(1)
    } else {
        out
    };
    let second = (!second.is_empty()).then(|| vector(second, carry));
    Ok((vector(first, out), second))
}

fn int(v: &Value) -> Run<Int> {
    v.to_int().ok_or_else(|| wrong("an integer", v))
}

/// An integer as a value of `out`.
fn int_value(out: Elem, i: Int) -> Value {
    match out {
        Elem::Index => Value::Index(i.to_i64().unwrap_or(0)),
        _ => Value::from_int(i),
    }
}

fn float_kind(out: Elem) -> Run<FloatKind> {
    match out {
        Elem::Float(kind) => Ok(kind),
        _ => Err("expected a float type as the result".into()),
    }
}

/// Combines two values, as reductions and atomic updates do.
pub(super) fn combine(op: EwOp, a: &Value, b: &Value) -> Run<Value> {
    if let Value::Vector(v) = a {
        return Ok(eval(op, v.elem, &[a, b])?.0);
    }
    match op {
        EwOp::Int(op, flags) => binary_int(op, flags, a, b),
        EwOp::Float(op) => float::binary(op, a, b),
        op => Err(Fault::new(format!("{op:?} does not combine two values"))),
    }
}

fn binary_int(op: IntBin, flags: Flags, a: &Value, b: &Value) -> Run<Value> {
    Ok(match (a, b) {
        (Value::Index(a), Value::Index(b)) => {
            Value::Index(int::binary(op, flags, 64, *a as u64, *b as u64)? as i64)
        }
        (Value::Int { width, bits }, Value::Int { bits: b, .. }) => {
            Value::int(*width, int::binary(op, flags, *width, *bits, *b)?)
        }
        _ => Value::from_int(int::binary_wide(op, flags, &int(a)?, &int(b)?)?),
    })
}

fn scalar(op: EwOp, out: Elem, a: &[&Value]) -> Run<Results> {
    let one = |v: Value| Ok((v, None));
    match op {
        EwOp::Int(op, flags) => one(binary_int(op, flags, a[0], a[1])?),
        EwOp::CmpI(p) => one(Value::bool(match (a[0], a[1]) {
            (Value::Wide(_), _) => p.eval(&int(a[0])?, &int(a[1])?),
            (x, y) => p.eval_i64(x.i64()?, y.i64()?),
        })),
        EwOp::Float(op) => one(float::binary(op, a[0], a[1])?),
        EwOp::Neg => one(Value::float(float(a[0])?.neg())),
        EwOp::CmpF(p) => one(Value::bool(p.eval(&float(a[0])?, &float(a[1])?))),
        EwOp::Select => one(if a[0].is_true()? {
            a[1].clone()
        } else {
            a[2].clone()
        }),
        EwOp::AddCarry => {
            let (sum, carry) = int(a[0])?.add_carry(&int(a[1])?);
            Ok((int_value(out, sum), Some(Value::bool(carry))))
        }
        EwOp::MulExtended { signed } => {
            let (x, y) = (int(a[0])?, int(a[1])?);
            let (low, high) = if signed {
                x.mul_extended_s(&y)
            } else {
                x.mul_extended_u(&y)
            };
            Ok((int_value(out, low), Some(int_value(out, high))))
        }
        EwOp::Extend {
            signed,
            non_negative,
        } => {
            let v = int(a[0])?;
            check_non_negative(non_negative, &v)?;
            one(int_value(
                out,
                if signed {
                    v.sext(out.bits())
                } else {
                    v.zext(out.bits())
                },
            ))
        }
        EwOp::Truncate(flags) => {
            let v = int(a[0])?;
            let t = v.trunc(out.bits());
            if flags.nsw && t.sext(v.width()) != v || flags.nuw && t.zext(v.width()) != v {
                return Err("the truncated value does not fit, which the op promises".into());
            }
            one(int_value(out, t))
        }
        EwOp::ConvertFloat(mode) => one(match (a[0], out) {
            (Value::F32(f), Elem::Float(FloatKind::F64)) => Value::F64(f64::from(*f)),
            (Value::F64(f), Elem::Float(FloatKind::F32)) if mode == Rounding::NearestEven => {
                Value::F32(*f as f32)
            }
            (v, out) => Value::float(float::convert(&float(v)?, float_kind(out)?, mode)),
        }),
        EwOp::IntToFloat {
            signed,
            non_negative,
        } => {
            let v = int(a[0])?;
            check_non_negative(non_negative, &v)?;
            one(Value::float(Float::from_int(float_kind(out)?, &v, signed)))
        }
        EwOp::FloatToInt { signed } => {
            let f = float(a[0])?;
            let sign = if signed { "a signed" } else { "an unsigned" };
            let i = f.to_int(out.bits(), signed);
            one(int_value(
                out,
                i.ok_or_else(|| {
                    Fault::new(format!(
                        "{f} does not fit {sign} integer of {} bits",
                        out.bits()
                    ))
                })?,
            ))
        }
        EwOp::IndexCast { signed } => {
            let v = int(a[0])?;
            one(int_value(
                out,
                if signed {
                    v.sext(out.bits())
                } else {
                    v.zext(out.bits())
                },
            ))
        }
        EwOp::Bitcast => {
            let mut bytes: SmallVec<[u8; 16]> = SmallVec::from_elem(0, out.size());
            from_elem(a[0])?.write(a[0], &mut bytes)?;
            one(out.read(&bytes))
        }
        EwOp::ScalingExtend => {
            let kind = float_kind(out)?;
            let (v, s) = (float(a[0])?.convert(kind), scale(a[1])?.convert(kind));
            one(Value::float(v.mul(&s)))
        }
        EwOp::ScalingTruncate(mode) => {
            let v = float(a[0])?;
            let quotient = v.div(&scale(a[1])?.convert(v.kind()));
            one(Value::float(float::convert(
                &quotient,
                float_kind(out)?,
                mode,
            )))
        }
        EwOp::Math(f) => one(f.eval(a[0])?),
        EwOp::Atan2 => one(math::two(a[0], a[1], f64::atan2)?),
        EwOp::Powf => one(math::two(a[0], a[1], f64::powf)?),
        EwOp::Powi => one(math::fpowi(a[0], a[1])?),
        EwOp::IPowi => one(math::ipowi(a[0], a[1])?),
        EwOp::CopySign => one(math::copysign(a[0], a[1])?),
        EwOp::Clamp => one(math::clamp(a[0], a[1], a[2])?),
        EwOp::Fma => one(float::fma(a[0], a[1], a[2])?),
        EwOp::SinCos => Ok((MathFn::Sin.eval(a[0])?, Some(MathFn::Cos.eval(a[0])?))),
        EwOp::Class(c) => one(math::is_class(c, a[0])?),
        EwOp::IntFn(f) => one(math::int_fn(f, a[0])?),
    }
}

fn check_non_negative(promised: bool, v: &Int) -> Run<()> {
    if promised && v.is_negative() {
        return Err("the operand is negative, which the op promises not to happen (nneg)".into());
    }
    Ok(())
}

/// The scalar type of a value.
fn from_elem(v: &Value) -> Run<Elem> {
    Ok(match v {
        Value::Int { width, .. } => Elem::Int(*width),
        Value::Wide(i) => Elem::Int(i.width()),
        Value::Index(_) => Elem::Index,
        Value::F32(_) => Elem::Float(FloatKind::F32),
        Value::F64(_) => Elem::Float(FloatKind::F64),
        Value::Float { kind, .. } => Elem::Float(*kind),
        Value::WideFloat(f) => Elem::Float(f.kind()),
        v => return Err(wrong("a scalar", v)),
    })
}

/// The scale of a microscaling format: only the exponent of the operand counts.
fn scale(v: &Value) -> Run<Float> {
    let f = float(v)?;
    Ok(float::convert(
        &f.abs(),
        FloatKind::F8E8M0FNU,
        Rounding::TowardZero,
    ))
}
