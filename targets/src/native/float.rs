//! Float arithmetic. Halves are computed in `f32` and rounded, which gives the same as
//! rounding the exact result: `f32` has more than twice their digits and two more.

use super::abi::Scalar;
use super::lower::{Lower, R};
use cranelift_codegen::ir::condcodes::FloatCC;
use cranelift_codegen::ir::{self, InstBuilder, types};
use terrace_dialects::arith::{CmpFOp, CmpFPredicate, ConstantOp, SelectOp};
use terrace_ir::{AttrData, Context, DenseData, Op, OpKind, Value};

pub(super) fn is_float_op(name: &str) -> bool {
    matches!(
        name,
        "addf"
            | "subf"
            | "mulf"
            | "divf"
            | "remf"
            | "negf"
            | "maximumf"
            | "minimumf"
            | "maxnumf"
            | "minnumf"
    )
}

pub(super) fn lower(l: &mut Lower, op: Op, name: &str) -> R {
    let ctx = l.ctx;
    if let Some(terms) = super::fused::terms(l, op)? {
        let v = super::fused::number(l, &terms)?;
        l.bind_one(op, v);
        return Ok(());
    }
    let kind = l.scalar_of(op.operand(ctx, 0))?;
    let a = l.one(op.operand(ctx, 0))?;
    if name == "negf" {
        let v = l.b.ins().fneg(a);
        l.bind_one(op, v);
        return Ok(());
    }
    let b = l.one(op.operand(ctx, 1))?;
    let v = match name {
        "addf" => l.b.ins().fadd(a, b),
        "subf" => l.b.ins().fsub(a, b),
        "mulf" => l.b.ins().fmul(a, b),
        "divf" => l.b.ins().fdiv(a, b),
        "maximumf" => l.b.ins().fmax(a, b),
        "minimumf" => l.b.ins().fmin(a, b),
        "maxnumf" | "minnumf" => {
            let known = is_number(ctx, op.operand(ctx, 1));
            number(l, a, b, (name == "maxnumf", known))
        }
        "remf" => {
            let f = if kind == Scalar::F64 { "fmod" } else { "fmodf" };
            l.helper1(f, &[a, b], kind.clif())?
        }
        _ => return Err(super::check::advice(op.name(ctx))),
    };
    let v = match name {
        "addf" | "subf" | "mulf" | "divf" => round(l, v, kind)?,
        _ => v,
    };
    l.bind_one(op, v);
    Ok(())
}

/// The greater or lesser of two, the number where one of them is NaN, which `b` may be known not
/// to be.
pub(super) fn number(
    l: &mut Lower,
    a: ir::Value,
    b: ir::Value,
    (greater, known): (bool, bool),
) -> ir::Value {
    let mut v = match greater {
        true => l.b.ins().fmax(a, b),
        false => l.b.ins().fmin(a, b),
    };
    if !known {
        let b_nan = l.b.ins().fcmp(FloatCC::Unordered, b, b);
        v = l.b.ins().select(b_nan, a, v);
    }
    let a_nan = l.b.ins().fcmp(FloatCC::Unordered, a, a);
    l.b.ins().select(a_nan, b, v)
}

/// Whether floats, one or all lanes, are certainly no NaN: constants, and what an ordered comparison
/// with such a one chooses, as loops do that look for the greatest of numbers.
pub(super) fn is_number(ctx: &Context, v: Value) -> bool {
    let Some(def) = v.def_op() else { return false };
    if def.isa::<ConstantOp>(ctx) {
        return match def.attr(ctx, "value").map(|a| a.data(ctx)) {
            Some(AttrData::Float { value, .. }) => !value.is_nan(),
            Some(AttrData::Dense {
                data: DenseData::Raw { splat: true, bytes },
                ..
            }) => match bytes[..] {
                [a, b, c, d] => !f32::from_le_bytes([a, b, c, d]).is_nan(),
                [a, b, c, d, e, f, g, h] => !f64::from_le_bytes([a, b, c, d, e, f, g, h]).is_nan(),
                _ => false,
            },
            _ => false,
        };
    }
    let Some(chosen) = def.cast::<SelectOp>(ctx) else {
        return false;
    };
    let of = chosen.op().operands(ctx);
    let compare = of[0].def_op().and_then(|c| c.cast::<CmpFOp>(ctx));
    compare.is_some_and(|c| {
        use CmpFPredicate::{Oeq, Oge, Ogt, Ole, Olt, One};
        // It holds of no NaN, so that what is chosen where it does is none.
        let ordered = matches!(c.predicate(ctx), Some(Oeq | Ogt | Oge | Olt | Ole | One));
        ordered && c.op().operands(ctx).contains(&of[1]) && is_number(ctx, of[2])
    })
}

/// A result computed in the machine type of `kind`, rounded to `kind`.
pub(super) fn round(l: &mut Lower, v: ir::Value, kind: Scalar) -> R<ir::Value> {
    let name = match kind {
        Scalar::F16 => "terrace_round_f16",
        Scalar::BF16 => "terrace_round_bf16",
        _ => return Ok(v),
    };
    l.helper1(name, &[v], types::F32)
}

/// The bits of a half that is held as `f32`, as an `i16`.
pub(super) fn half_bits(l: &mut Lower, v: ir::Value, kind: Scalar) -> R<ir::Value> {
    let name = match kind {
        Scalar::F16 => "terrace_f16_bits",
        _ => "terrace_bf16_bits",
    };
    let bits = l.helper1(name, &[v], types::I32)?;
    Ok(l.b.ins().ireduce(types::I16, bits))
}

/// The inverse of [`half_bits`].
pub(super) fn half_value(l: &mut Lower, bits: ir::Value, kind: Scalar) -> R<ir::Value> {
    let wide = l.b.ins().uextend(types::I32, bits);
    if kind == Scalar::BF16 {
        let by = l.iconst(types::I32, 16);
        let v = l.b.ins().ishl(wide, by);
        return Ok(l.b.ins().bitcast(types::F32, ir::MemFlagsData::new(), v));
    }
    l.helper1("terrace_f16_value", &[wide], types::F32)
}
