//! `arith.constant`.

use super::abi::Scalar;
use super::lower::{Lower, R};
use cranelift_codegen::ir::immediates::{Ieee32, Ieee64};
use cranelift_codegen::ir::{self, InstBuilder, types};
use terrace_ir::num::{Float, FloatKind, Int};
use terrace_ir::{AttrData, Op};

pub(super) fn lower(l: &mut Lower, op: Op) -> R {
    let ctx = l.ctx;
    let kind = l.scalar_of(op.result(ctx, 0))?;
    let v = match op.attr(ctx, "value").map(|a| a.data(ctx)) {
        Some(AttrData::Integer { value, .. }) => int(l, value, kind)?,
        Some(AttrData::Float { value, .. }) => float(l, value, kind),
        _ => return Err("needs an integer or float value".into()),
    };
    l.bind_one(op, v);
    Ok(())
}

fn int(l: &mut Lower, value: &Int, kind: Scalar) -> R<ir::Value> {
    let Some(bits) = value.to_u128() else {
        return Err("has a value of more than 128 bits".into());
    };
    Ok(int_bits(l, bits, kind.clif()))
}

/// An integer constant from its bits.
pub(super) fn int_bits(l: &mut Lower, bits: u128, ty: ir::Type) -> ir::Value {
    if ty == types::I128 {
        let lo = l.b.ins().iconst(types::I64, bits as u64 as i64);
        let hi = l.b.ins().iconst(types::I64, (bits >> 64) as u64 as i64);
        return l.b.ins().iconcat(lo, hi);
    }
    l.iconst(ty, bits as u64 as i64)
}

fn float(l: &mut Lower, value: &Float, kind: Scalar) -> ir::Value {
    match kind {
        Scalar::F64 => {
            let bits = value.convert(FloatKind::F64).to_bits() as u64;
            l.b.ins().f64const(Ieee64::with_bits(bits))
        }
        _ => {
            let bits = value.convert(FloatKind::F32).to_bits() as u32;
            l.b.ins().f32const(Ieee32::with_bits(bits))
        }
    }
}

/// The float constant `v` of type `kind`.
pub(super) fn float_const(l: &mut Lower, v: f64, kind: Scalar) -> ir::Value {
    match kind {
        Scalar::F64 => l.b.ins().f64const(v),
        _ => l.b.ins().f32const(v as f32),
    }
}
