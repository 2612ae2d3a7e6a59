//! `arith.constant`, and helpers that make constants and look for them.

use super::attrs::{VALUE_ATTR, is_constant_value};
use super::{names, verify};
use crate::ub;
use terrace_ir::constraint::ANY;
use terrace_ir::num::{Float, Int};
use terrace_ir::opdef::Fold;
use terrace_ir::{
    Attr, AttrData, Builder, Context, DenseData, Op, OpKind, OpState, Type, TypeData, Value, op,
};

op! {
    /// A constant integer, index, float, or vector or tensor of them.
    ConstantOp = "arith.constant" {
        results: [result: ANY],
        attrs: [value: VALUE_ATTR],
        traits: PURE | CONSTANT_LIKE,
        format: "attr-dict $value",
        infer: infer_constant,
        verify_types: verify::constant_types,
        verify: verify::constant,
        fold: |ctx, op, _| Fold::maybe(op.attr(ctx, "value")),
        result_names: names::constant,
    }
}

impl ConstantOp {
    /// The constant; `None` for a malformed op.
    pub fn value(self, ctx: &Context) -> Option<Attr> {
        self.op().attr(ctx, "value")
    }
}

fn infer_constant(ctx: &Context, s: &OpState) -> Result<Vec<Type>, String> {
    let value = s
        .get_attr(ctx, "value")
        .ok_or("requires attribute 'value'")?;
    match verify::value_type(ctx, value) {
        Some(t) => Ok(vec![t]),
        None => Err("value must be an integer, float, or elements attribute".into()),
    }
}

/// `arith.constant` of an attribute that has a type.
pub fn constant(b: &mut Builder, value: Attr) -> Value {
    let ty = value.typed(b.ctx).unwrap_or_else(|| b.ctx.none_type());
    b.value::<ConstantOp>(&[], ty, &[("value", value)])
}

/// A constant of type `index`.
pub fn constant_index(b: &mut Builder, v: i64) -> Value {
    let a = b.ctx.index_attr(v);
    constant(b, a)
}

/// An integer or index constant of type `ty`, wrapped to its width; a splat where
/// `ty` is a vector or tensor.
pub fn constant_int(b: &mut Builder, v: i64, ty: Type) -> Value {
    let elem = ty.element_or_self(b.ctx);
    let width = elem.int_width(b.ctx).unwrap_or(64);
    let a = splat_int(b.ctx, ty, &Int::from_i64(width, v));
    constant(b, a)
}

/// An `i1` constant.
pub fn constant_bool(b: &mut Builder, v: bool) -> Value {
    let a = b.ctx.bool_attr(v);
    constant(b, a)
}

/// A float constant of type `ty`, rounded to nearest; a splat where `ty` is a vector
/// or tensor.
pub fn constant_float(b: &mut Builder, v: f64, ty: Type) -> Value {
    let elem = ty.element_or_self(b.ctx);
    let kind = elem
        .float_kind(b.ctx)
        .unwrap_or(terrace_ir::num::FloatKind::F64);
    let a = splat_float(b.ctx, ty, &Float::from_f64(kind, v));
    constant(b, a)
}

/// The constant of `ty` (scalar, or splat vector or tensor) with this integer value.
pub fn splat_int(ctx: &Context, ty: Type, value: &Int) -> Attr {
    match ty.element(ctx) {
        Some(_) => {
            let bytes = value.to_le_bytes().into();
            ctx.attr(AttrData::Dense {
                ty,
                data: DenseData::Raw { splat: true, bytes },
            })
        }
        None => ctx.attr(AttrData::Integer {
            ty,
            value: value.clone(),
        }),
    }
}

/// The constant of `ty` (scalar, or splat vector or tensor) with this float value.
pub fn splat_float(ctx: &Context, ty: Type, value: &Float) -> Attr {
    match ty.element(ctx) {
        Some(_) => {
            let n = (value.kind().width() as usize).div_ceil(8);
            let bytes = value.to_bits().to_le_bytes()[..n].into();
            ctx.attr(AttrData::Dense {
                ty,
                data: DenseData::Raw { splat: true, bytes },
            })
        }
        None => ctx.attr(AttrData::Float { ty, value: *value }),
    }
}

/// Makes `arith.constant` for integer, index, float and elements values, and `ub.poison` for poison.
pub fn materialize(b: &mut Builder, value: Attr, ty: Type) -> Option<Op> {
    if let Some(poison) = ub::materialize(b, value, ty) {
        return Some(poison);
    }
    let signless = !matches!(ty.data(b.ctx), TypeData::Integer { .. }) || ty.is_signless_int(b.ctx);
    let fits = value.typed(b.ctx) == Some(ty) && signless && is_constant_value(b.ctx, value);
    fits.then(|| b.op::<ConstantOp>(&[], &[ty], &[("value", value)]))
}
