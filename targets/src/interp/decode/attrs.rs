//! Attributes as the interpreter needs them.

use crate::interp::error::{Fault, Run};
use crate::interp::ew::EwOp;
use crate::interp::float::FloatBin;
use crate::interp::int::{Flags, IntBin};
use crate::interp::value::{Elem, Value, VectorValue};
use std::rc::Rc;
use terrace_ir::num::Rounding;
use terrace_ir::{Attr, AttrData, Context, DenseData, Op, Type};

/// The keyword of an enumeration attribute: `add` of `#vector.kind<add>`.
pub(super) fn keyword(ctx: &Context, op: Op, name: &str) -> Option<String> {
    let a = op.attr(ctx, name)?;
    if let Some(s) = a.as_str(ctx) {
        return Some(s.to_string());
    }
    let text = ctx.attr_text(a);
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let end = text.trim_end_matches(|c| !word(c));
    end.rsplit(|c| !word(c))
        .next()
        .map(str::to_string)
        .filter(|s| !s.is_empty())
}

/// Whether the text of a flags attribute names `flag`.
fn has_flag(ctx: &Context, op: Op, name: &str, flag: &str) -> bool {
    op.attr(ctx, name).is_some_and(|a| {
        let text = ctx.attr_text(a);
        text.split(|c: char| !c.is_ascii_alphanumeric())
            .any(|w| w == flag)
    })
}

pub(super) fn flags(ctx: &Context, op: Op) -> Flags {
    Flags {
        nsw: has_flag(ctx, op, "overflowFlags", "nsw"),
        nuw: has_flag(ctx, op, "overflowFlags", "nuw"),
        exact: op.attr(ctx, "isExact").is_some(),
    }
}

pub(super) fn rounding(ctx: &Context, op: Op) -> Rounding {
    match op.int_attr(ctx, "roundingmode") {
        Some(1) => Rounding::Down,
        Some(2) => Rounding::Up,
        Some(3) => Rounding::TowardZero,
        Some(4) => Rounding::NearestAway,
        _ => Rounding::NearestEven,
    }
}

fn int(op: IntBin) -> EwOp {
    EwOp::Int(op, Flags::default())
}

/// A kind of atomic update or reduction by its number in `arith`.
pub(super) fn atomic_kind(kind: i64) -> Run<EwOp> {
    Ok(match kind {
        0 => EwOp::Float(FloatBin::Add),
        1 => int(IntBin::Add),
        2 => int(IntBin::And),
        3 => int(IntBin::Second),
        4 => EwOp::Float(FloatBin::Maximum),
        5 => EwOp::Float(FloatBin::MaxNum),
        6 => int(IntBin::MaxS),
        7 => int(IntBin::MaxU),
        8 => EwOp::Float(FloatBin::Minimum),
        9 => EwOp::Float(FloatBin::MinNum),
        10 => int(IntBin::MinS),
        11 => int(IntBin::MinU),
        12 => EwOp::Float(FloatBin::Mul),
        13 => int(IntBin::Mul),
        14 => int(IntBin::Or),
        15 => int(IntBin::Xor),
        k => return Err(Fault::new(format!("there is no atomic kind {k}"))),
    })
}

/// A combination by its keyword in `vector` and `gpu`.
pub(super) fn combining_kind(kind: &str, elem: Elem) -> Run<EwOp> {
    let float = matches!(elem, Elem::Float(_));
    Ok(match (kind, float) {
        ("add", false) => int(IntBin::Add),
        ("mul", false) => int(IntBin::Mul),
        ("minui", _) => int(IntBin::MinU),
        ("minsi", _) => int(IntBin::MinS),
        ("maxui", _) => int(IntBin::MaxU),
        ("maxsi", _) => int(IntBin::MaxS),
        ("and", _) => int(IntBin::And),
        ("or", _) => int(IntBin::Or),
        ("xor", _) => int(IntBin::Xor),
        ("add", true) => EwOp::Float(FloatBin::Add),
        ("mul", true) => EwOp::Float(FloatBin::Mul),
        ("minnumf", _) => EwOp::Float(FloatBin::MinNum),
        ("maxnumf", _) => EwOp::Float(FloatBin::MaxNum),
        ("minimumf", _) => EwOp::Float(FloatBin::Minimum),
        ("maximumf", _) => EwOp::Float(FloatBin::Maximum),
        _ => return Err(Fault::new(format!("there is no reduction '{kind}'"))),
    })
}

/// The value that changes nothing it is combined with, of a scalar type.
pub(super) fn neutral(op: EwOp, elem: Elem) -> Run<Value> {
    use terrace_ir::num::{Float, Int};
    let width = elem.bits();
    let int = |i: Int| match elem {
        Elem::Index => Value::Index(i.to_i64().unwrap_or(0)),
        _ => Value::from_int(i),
    };
    Ok(match (op, elem) {
        (EwOp::Int(k, _), _) => int(match k {
            IntBin::Add | IntBin::Or | IntBin::Xor | IntBin::MaxU => Int::zero(width),
            IntBin::Mul => Int::one(width),
            IntBin::And | IntBin::MinU => Int::all_ones(width),
            IntBin::MinS => Int::signed_max(width),
            IntBin::MaxS => Int::signed_min(width),
            _ => return Err("the reduction has no neutral value".into()),
        }),
        (EwOp::Float(k), Elem::Float(kind)) => Value::float(match k {
            // 0 and -0 are 0: the sum of nothing but -0 keeps its sign by -0.
            FloatBin::Add => Float::zero(kind).neg(),
            FloatBin::Mul => Float::one(kind),
            FloatBin::Maximum | FloatBin::MaxNum => Float::infinity(kind, true),
            FloatBin::Minimum | FloatBin::MinNum => Float::infinity(kind, false),
            _ => return Err("the reduction has no neutral value".into()),
        }),
        _ => return Err("the reduction does not fit its type".into()),
    })
}

/// A constant of `arith.constant`, of a scalar or vector type.
pub(super) fn constant(ctx: &Context, a: Attr, ty: Type) -> Run<Value> {
    let bad = || Fault::new(format!("the constant {} cannot be used", ctx.attr_text(a)));
    Ok(match a.data(ctx) {
        AttrData::Integer { ty, value } if ty.is_index(ctx) => {
            Value::Index(value.to_i64().ok_or_else(bad)?)
        }
        AttrData::Integer { value, .. } => Value::from_int(value.clone()),
        AttrData::Float { value, .. } => Value::float(*value),
        AttrData::Dense { .. } => {
            let elem = Elem::of(ctx, ty.element(ctx).ok_or_else(bad)?).ok_or_else(bad)?;
            let shape = ty.shape(ctx).ok_or_else(bad)?.to_vec();
            let lanes = dense(ctx, a, elem).ok_or_else(bad)?;
            Value::Vector(Rc::new(VectorValue { shape, elem, lanes }))
        }
        _ => return Err(bad()),
    })
}

/// The elements of a dense attribute.
pub(in crate::interp) fn dense(ctx: &Context, a: Attr, elem: Elem) -> Option<Vec<Value>> {
    let AttrData::Dense {
        ty,
        data: DenseData::Raw { splat, bytes },
    } = a.data(ctx)
    else {
        return None;
    };
    let count = usize::try_from(ty.num_elements(ctx)?).ok()?;
    if *splat {
        return Some(vec![elem.read(bytes); count]);
    }
    Some(bytes.chunks(elem.size()).map(|b| elem.read(b)).collect())
}

/// Groups of dimensions: `[[0, 1], [2]]`.
pub(super) fn reassociation(ctx: &Context, op: Op) -> Run<Vec<Vec<usize>>> {
    let list = |a: &Attr| -> Option<Vec<usize>> {
        a.as_i64_array(ctx)?
            .into_iter()
            .map(|d| usize::try_from(d).ok())
            .collect()
    };
    op.attr(ctx, "reassociation")
        .and_then(|a| a.as_array(ctx)?.iter().map(list).collect())
        .ok_or_else(|| "lacks 'reassociation'".into())
}

pub(super) fn i64s(ctx: &Context, op: Op, name: &str) -> Run<Vec<i64>> {
    op.attr(ctx, name)
        .and_then(|a| a.as_i64_array(ctx))
        .ok_or_else(|| Fault::new(format!("lacks the numbers '{name}'")))
}
