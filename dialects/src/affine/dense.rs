//! Dense integer elements, which `affine.parallel` keeps its groups in.

use terrace_ir::num::{Float, Int};
use terrace_ir::{Attr, AttrData, Context, DenseData, Type, TypeData};

/// Element `i` of dense data of shaped type `ty`, an integer, index or float.
pub(super) fn element(ctx: &Context, ty: Type, bytes: &[u8], i: usize) -> Option<Attr> {
    let ty = ty.element(ctx)?;
    let width = if ty.is_index(ctx) {
        64
    } else {
        ty.bit_width(ctx)?
    };
    let size = (width as usize).div_ceil(8).max(1);
    let bytes = bytes.get(i.checked_mul(size)?..)?.get(..size)?;
    if let Some(kind) = ty.float_kind(ctx) {
        let bits = bytes.iter().rev().try_fold(0u128, |v, b| {
            (v.leading_zeros() >= 8).then_some(v << 8 | u128::from(*b))
        })?;
        return Some(ctx.attr(AttrData::Float {
            ty,
            value: Float::from_bits(kind, bits),
        }));
    }
    Some(ctx.attr(AttrData::Integer {
        ty,
        value: Int::from_le_bytes(width, bytes),
    }))
}

/// The elements of a dense attribute of `i32`.
pub(super) fn i32_elements(ctx: &Context, a: Attr) -> Option<Vec<i64>> {
    let AttrData::Dense {
        ty,
        data: DenseData::Raw { splat, bytes },
    } = a.data(ctx)
    else {
        return None;
    };
    if ty.element(ctx) != Some(ctx.i32()) {
        return None;
    }
    let n = usize::try_from(ty.num_elements(ctx)?).ok()?;
    // A splat holds one element, however many it stands for.
    if *splat {
        let v = element(ctx, *ty, bytes, 0)?.as_i64(ctx)?;
        return (n <= 1 << 16).then(|| vec![v; n]);
    }
    (0..n)
        .map(|i| element(ctx, *ty, bytes, i)?.as_i64(ctx))
        .collect()
}

/// `dense<[...]> : tensor<Nxi32>`, equal elements stored once.
pub(super) fn i32_tensor(ctx: &Context, values: &[i32]) -> Attr {
    let shape = vec![i64::try_from(values.len()).unwrap_or(i64::MAX)];
    let ty = ctx.ty(TypeData::Tensor {
        shape,
        elem: ctx.i32(),
        encoding: None,
    });
    let splat = values
        .first()
        .is_some_and(|f| values.iter().all(|v| v == f));
    let kept = if splat { &values[..1] } else { values };
    let bytes = kept.iter().flat_map(|v| v.to_le_bytes()).collect();
    ctx.attr(AttrData::Dense {
        ty,
        data: DenseData::Raw { splat, bytes },
    })
}
