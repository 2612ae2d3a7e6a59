//! Patterns of masks, and of their parts.

use super::*;
use crate::arith::{CmpIOp, CmpIPredicate, ConstantOp, MulIOp, SelectOp, SubIOp};
use crate::vector::elements::ExtractOp;
use crate::vector::mask::{ConstantMaskOp, CreateMaskOp, MaskOp, YieldOp};
use crate::vector::shape::{StepOp, VectorScaleOp};
use crate::vector::types::element_bits;
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
    let value = bits_of(ctx, ty, all);
    replace_with_constant(rw, op, value)
}

fn bits_of(ctx: &Context, ty: Type, set: bool) -> Attr {
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
    let mut set = true;
    for (k, i) in at.iter().enumerate() {
        let none = sizes[k].is_some_and(|n| n <= 0);
        match sizes[k] {
            _ if none => set = false,
            Some(n) if *i >= 0 => set &= *i < n,
            _ => return false,
        }
    }
    if !set {
        let value = bits_of(ctx, r, false);
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

/// Dimensions of 1 at the end of a mask that are set, and that a cast takes away.
pub(super) fn without_last_ones(rw: &mut Rewriter, op: Op) -> bool {
    let ctx = &*rw.ctx;
    let source = op.operand(ctx, 0);
    let r = op.result(ctx, 0).ty(ctx);
    let (dims, kept) = (dims_of(ctx, source.ty(ctx)), dims_of(ctx, r));
    let (flags, n) = (scalable(ctx, source.ty(ctx)), kept.len());
    let fits = n > 0 && n < dims.len() && dims[..n] == *kept && flags[..n] == scalable(ctx, r)[..];
    if !fits || (n..dims.len()).any(|k| dims[k] != 1 || flags[k]) {
        return false;
    }
    let v = if let Some(def) = made_by::<CreateMaskOp>(ctx, source) {
        let sizes = def.operands(ctx);
        if sizes[n..].iter().any(|v| ctx.constant_int(*v) != Some(1)) {
            return false;
        }
        rw.value::<CreateMaskOp>(&sizes[..n], r, &[])
    } else if let Some(def) = made_by::<ConstantMaskOp>(ctx, source) {
        let sizes = ints(ctx, def, "mask_dim_sizes");
        if sizes[n..].iter().any(|s| *s != 1) {
            return false;
        }
        let sizes = rw.ctx.i64_array(&sizes[..n]);
        rw.value::<ConstantMaskOp>(&[], r, &[("mask_dim_sizes", sizes)])
    } else {
        return false;
    };
    replace(rw, op, v)
}

pub(crate) fn mask(p: &mut PatternSet) {
    p.add::<MaskOp>(of_nothing);
    p.add::<MaskOp>(of_all);
}

/// A mask around no op.
fn of_nothing(rw: &mut Rewriter, op: Op) -> bool {
    let ctx = &*rw.ctx;
    let Some(end) = op
        .body(ctx, 0)
        .first_op(ctx)
        .filter(|o| o.isa::<YieldOp>(ctx))
    else {
        return false;
    };
    let given = end.operands(ctx);
    let mask = op.operand(ctx, 0);
    let values = match op.operands(ctx).get(1).copied() {
        None => given,
        Some(other) => match given.as_slice() {
            [v] => {
                let ty = v.ty(ctx);
                vec![rw.value::<SelectOp>(&[mask, *v, other], ty, &[])]
            }
            _ => return false,
        },
    };
    rw.replace_op(op, &values);
    true
}

/// A mask that is set everywhere.
fn of_all(rw: &mut Rewriter, op: Op) -> bool {
    let ctx = &*rw.ctx;
    let set = ctx.constant_of(op.operand(ctx, 0)).is_some_and(|a| {
        matches!(a.data(ctx), AttrData::Dense { data: DenseData::Raw { splat: true, bytes }, .. } if bytes[..] == [1])
    });
    let body = op.body(ctx, 0);
    let end = body.last_op(ctx).filter(|o| o.isa::<YieldOp>(ctx));
    let (true, Some(end)) = (set, end) else {
        return false;
    };
    let values = end.operands(ctx);
    rw.erase(end);
    rw.inline_block_before(body, op, &[]);
    rw.replace_op(op, &values);
    true
}

pub(crate) fn step(p: &mut PatternSet) {
    p.add::<StepOp>(compared);
}

/// The indices of a vector, compared with a number that is on one side of all of them.
fn compared(rw: &mut Rewriter, op: Op) -> bool {
    let ctx = &*rw.ctx;
    let (v, ty) = (op.result(ctx, 0), op.result(ctx, 0).ty(ctx));
    let ([n], false) = (dims_of(ctx, ty), scalable(ctx, ty).contains(&true)) else {
        return false;
    };
    let last = n - 1;
    let bits = u32::try_from(element_bits(ctx, ty.element_or_self(ctx)).unwrap_or(0)).unwrap_or(0);
    if last < 0 || bits == 0 || bits > 64 || bits < 64 && last >> (bits - 1).min(62) != 0 {
        return false;
    }
    for user in v.users(ctx) {
        if !user.isa::<CmpIOp>(ctx) {
            continue;
        }
        let (a, b) = (user.operand(ctx, 0), user.operand(ctx, 1));
        let other = if a == v { b } else { a };
        let Some(number) = ctx.constant_of(other).and_then(|a| splat_bits(ctx, a)) else {
            continue;
        };
        let Some(p) = CmpIOp::wrap(user).predicate(ctx) else {
            continue;
        };
        let holds = |i: i64| {
            let i = terrace_ir::num::Int::from_u64(bits, i as u64);
            let c = terrace_ir::num::Int::from_u64(bits, number);
            match a == v {
                true => p.eval(&i, &c),
                false => p.eval(&c, &i),
            }
        };
        // Between the ends an order changes its mind once at most; equality may hold inside.
        let inside = number <= last as u64;
        let equality = matches!(p, CmpIPredicate::Eq | CmpIPredicate::Ne);
        if holds(0) != holds(last) || equality && inside && last > 0 {
            continue;
        }
        let set = holds(0);
        let r = user.result(ctx, 0).ty(ctx);
        let value = bits_of(ctx, r, set);
        rw.set_before(user);
        return replace_with_constant(rw, user, value);
    }
    false
}

/// The bits of the elements of a constant that are all the same.
fn splat_bits(ctx: &Context, a: Attr) -> Option<u64> {
    let AttrData::Dense {
        data: DenseData::Raw { splat: true, bytes },
        ..
    } = a.data(ctx)
    else {
        return None;
    };
    let mut wide = [0u8; 8];
    wide.get_mut(..bytes.len())?.copy_from_slice(bytes);
    Some(u64::from_le_bytes(wide))
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
