//! Patterns of masks, and of their parts.

use super::*;
use crate::arith::{ConstantOp, MulIOp, SubIOp};
use crate::vector::elements::ExtractOp;
use crate::vector::mask::{ConstantMaskOp, CreateMaskOp};
use crate::vector::shape::VectorScaleOp;
use terrace_ir::rewrite::PatternSet;

pub(crate) fn constant_mask(p: &mut PatternSet) {
    p.add::<ConstantMaskOp>(all_or_none);
}

pub(crate) fn create_mask(p: &mut PatternSet) {
    p.add::<CreateMaskOp>(of_constants);
}

/// A mask of all bits, or of none, is a constant.
fn all_or_none(rw: &mut Rewriter, op: Op) -> bool {
    let ctx = &*rw.ctx;
    let ty = op.result(ctx, 0).ty(ctx);
    let sizes = ints(ctx, op, "mask_dim_sizes");
    let dims = dims_of(ctx, ty);
    let all = match dims.is_empty() {
        true => sizes == [1],
        false => sizes == dims,
    };
    if !all && !sizes.contains(&0) {
        return false;
    }
    let value = bits(ctx, ty, all);
    replace_with_constant(rw, op, value)
}

fn bits(ctx: &Context, ty: Type, set: bool) -> Attr {
    let data = DenseData::Raw {
        splat: true,
        bytes: [u8::from(set)].into(),
    };
    ctx.attr(AttrData::Dense { ty, data })
}

/// The size that a value says of a dimension: between 0 and the dimension's own. Of a scalable
/// dimension it is 0 or all of it, where that is known.
fn size(ctx: &Context, v: Value, dim: i64, scalable: bool) -> Option<i64> {
    match (ctx.constant_int(v), scalable) {
        (Some(n), false) => Some(n.clamp(0, dim)),
        (Some(n), true) if n <= 0 => Some(0),
        (Some(_), true) => None,
        (None, _) => {
            // So many times as long as written.
            let product = made_by::<MulIOp>(ctx, v).filter(|_| scalable)?;
            let (a, b) = (product.operand(ctx, 0), product.operand(ctx, 1));
            let times = |v, s| made_by::<VectorScaleOp>(ctx, s).and_then(|_| ctx.constant_int(v));
            let n = times(a, b).or_else(|| times(b, a))?;
            (n >= dim).then_some(dim)
        }
    }
}

fn of_constants(rw: &mut Rewriter, op: Op) -> bool {
    let ctx = &*rw.ctx;
    let ty = op.result(ctx, 0).ty(ctx);
    let mut dims = dims_of(ctx, ty).to_vec();
    let mut flags = scalable(ctx, ty);
    if dims.is_empty() {
        dims.push(1);
        flags.push(false);
    }
    let each = op.operands(ctx).into_iter().zip(dims.iter().zip(flags));
    let sizes: Option<Vec<i64>> = each.map(|(v, (d, f))| size(ctx, v, *d, f)).collect();
    let Some(mut sizes) = sizes else { return false };
    if sizes.contains(&0) {
        sizes.fill(0);
    }
    let sizes = rw.ctx.i64_array(&sizes);
    let v = rw.value::<ConstantMaskOp>(&[], ty, &[("mask_dim_sizes", sizes)]);
    replace(rw, op, v)
}

/// Part of a mask, at positions that are known to be set or not.
pub(super) fn extracted(rw: &mut Rewriter, op: Op) -> bool {
    let ctx = &*rw.ctx;
    debug_assert!(op.isa::<ExtractOp>(ctx));
    let source = op.operand(ctx, 0);
    let Some(def) = source.def_op() else {
        return false;
    };
    let (whole, r) = (source.ty(ctx), op.result(ctx, 0).ty(ctx));
    let at = ints(ctx, op, "static_position");
    let dims = dims_of(ctx, whole);
    if at.is_empty() || at.len() > dims.len() || !r.is_vector(ctx) {
        return false;
    }
    let sizes: Vec<Option<i64>> = if def.isa::<CreateMaskOp>(ctx) {
        def.operands(ctx)
            .iter()
            .map(|v| ctx.constant_int(*v))
            .collect()
    } else if def.isa::<ConstantMaskOp>(ctx) {
        let sizes = ints(ctx, def, "mask_dim_sizes");
        sizes.into_iter().map(Some).collect()
    } else {
        return false;
    };
    let flags = scalable(ctx, whole);
    let mut set = true;
    for (k, i) in at.iter().enumerate() {
        let none = sizes[k].is_some_and(|n| n <= 0);
        match sizes[k] {
            _ if none => set = false,
            Some(n) if *i >= 0 && !flags[k] => set &= *i < n,
            _ => return false,
        }
    }
    if !set {
        let value = bits(ctx, r, false);
        return replace_with_constant(rw, op, value);
    }
    let n = at.len();
    let v = match def.isa::<CreateMaskOp>(ctx) {
        true => {
            let rest = def.operands(ctx)[n..].to_vec();
            rw.value::<CreateMaskOp>(&rest, r, &[])
        }
        false => {
            let rest: Vec<i64> = sizes[n..].iter().flatten().copied().collect();
            let rest = rw.ctx.i64_array(&rest);
            rw.value::<ConstantMaskOp>(&[], r, &[("mask_dim_sizes", rest)])
        }
    };
    replace(rw, op, v)
}

/// A box of a mask.
pub(super) fn sliced(rw: &mut Rewriter, op: Op) -> bool {
    let ctx = &*rw.ctx;
    let source = op.operand(ctx, 0);
    let r = op.result(ctx, 0).ty(ctx);
    let offsets = ints(ctx, op, "offsets");
    if let Some(def) = made_by::<ConstantMaskOp>(ctx, source) {
        let kept = dims_of(ctx, r);
        let sizes = ints(ctx, def, "mask_dim_sizes");
        let mut sizes: Vec<i64> = (sizes.iter().enumerate())
            .map(|(k, n)| (n - offsets.get(k).unwrap_or(&0)).clamp(0, kept[k]))
            .collect();
        if sizes.contains(&0) {
            sizes.fill(0);
        }
        let sizes = rw.ctx.i64_array(&sizes);
        let v = rw.value::<ConstantMaskOp>(&[], r, &[("mask_dim_sizes", sizes)]);
        return replace(rw, op, v);
    }
    let Some(def) = made_by::<CreateMaskOp>(ctx, source) else {
        return false;
    };
    let mut sizes = def.operands(ctx);
    let index = ctx.index();
    for (v, offset) in sizes.iter_mut().zip(&offsets) {
        if *offset != 0 {
            let value = rw.ctx.index_attr(*offset);
            let by = rw.value::<ConstantOp>(&[], index, &[("value", value)]);
            *v = rw.value::<SubIOp>(&[*v, by], index, &[]);
        }
    }
    let v = rw.value::<CreateMaskOp>(&sizes, r, &[]);
    replace(rw, op, v)
}
