//! Patterns of `vector.extract_strided_slice`.

use super::*;
use crate::vector::slice::{ExtractStridedSliceOp, InsertStridedSliceOp};
use crate::vector::types::vector_type;
use terrace_ir::rewrite::PatternSet;

pub(crate) fn extract_strided_slice(p: &mut PatternSet) {
    p.add::<ExtractStridedSliceOp>(of_poison);
    p.add::<ExtractStridedSliceOp>(of_constant);
    p.add::<ExtractStridedSliceOp>(of_broadcast);
    p.add::<ExtractStridedSliceOp>(of_inserted);
    p.add::<ExtractStridedSliceOp>(super::masks::sliced);
}

pub(crate) fn insert_strided_slice(p: &mut PatternSet) {
    p.add::<InsertStridedSliceOp>(super::constants::same_everywhere);
    p.add::<InsertStridedSliceOp>(back_again);
    p.add::<InsertStridedSliceOp>(into_constant);
}

/// A box that is put where it was taken.
fn back_again(rw: &mut Rewriter, op: Op) -> bool {
    let ctx = &*rw.ctx;
    let Some(def) = made_by::<ExtractStridedSliceOp>(ctx, op.operand(ctx, 0)) else {
        return false;
    };
    let dest = op.operand(ctx, 1);
    let mut from = ints(ctx, def, "offsets");
    from.resize(dims_of(ctx, dest.ty(ctx)).len(), 0);
    let same = def.operand(ctx, 0) == dest && from == ints(ctx, op, "offsets");
    same && replace(rw, op, dest)
}

fn into_constant(rw: &mut Rewriter, op: Op) -> bool {
    let ctx = &*rw.ctx;
    let (value, dest) = (op.operand(ctx, 0), op.operand(ctx, 1));
    let r = op.result(ctx, 0).ty(ctx);
    let found = || {
        let mut all = Elements::of(ctx, dest)?;
        let part = Elements::of(ctx, value)?;
        let own = dims_of(ctx, value.ty(ctx));
        let lead = dims_of(ctx, r).len() - own.len();
        let sizes: Vec<i64> = vec![1; lead]
            .into_iter()
            .chain(own.iter().copied())
            .collect();
        let which = in_box(dims_of(ctx, r), &ints(ctx, op, "offsets"), &sizes)?;
        for (k, place) in which.into_iter().enumerate() {
            all.set(place, part.get(k)?)?;
        }
        all.attr(ctx, r)
    };
    let Some(new) = found() else { return false };
    replace_with_constant(rw, op, new)
}

/// A box of a vector, one whose elements lie side by side.
fn build(rw: &mut Rewriter, source: Value, offsets: &[i64], sizes: &[i64], ty: Type) -> Value {
    if source.ty(rw.ctx) == ty {
        return source;
    }
    let ones = vec![1; offsets.len()];
    let attrs = [
        ("offsets", i64s(rw.ctx, offsets)),
        ("sizes", i64s(rw.ctx, sizes)),
        ("strides", i64s(rw.ctx, &ones)),
    ];
    rw.value::<ExtractStridedSliceOp>(&[source], ty, &attrs)
}

fn of_constant(rw: &mut Rewriter, op: Op) -> bool {
    let ctx = &*rw.ctx;
    let (source, r) = (op.operand(ctx, 0), op.result(ctx, 0).ty(ctx));
    let Some(a) = ctx.constant_of(source) else {
        return false;
    };
    let found = match a.data(ctx) {
        AttrData::Dense {
            data: DenseData::Raw { splat: true, .. },
            ..
        } => crate::vector::shape::splat(ctx, a, r),
        _ => {
            let dims = dims_of(ctx, source.ty(ctx));
            let which = in_box(dims, &ints(ctx, op, "offsets"), &ints(ctx, op, "sizes"));
            let all = Elements::of(ctx, source);
            which
                .and_then(|w| all?.chosen(w))
                .and_then(|e| e.attr(ctx, r))
        }
    };
    found.is_some_and(|value| replace_with_constant(rw, op, value))
}

/// The box of what was broadcast, broadcast.
fn of_broadcast(rw: &mut Rewriter, op: Op) -> bool {
    let ctx = &*rw.ctx;
    let Some(def) = made_by::<BroadcastOp>(ctx, op.operand(ctx, 0)) else {
        return false;
    };
    let (source, r) = (def.operand(ctx, 0), op.result(ctx, 0).ty(ctx));
    let from = source.ty(ctx);
    let own = dims_of(ctx, from).to_vec();
    let lead = dims_of(ctx, r).len() - own.len();
    let (offsets, sizes) = (ints(ctx, op, "offsets"), ints(ctx, op, "sizes"));
    let (mut first, mut count) = (Vec::new(), Vec::new());
    for (i, n) in own.iter().enumerate() {
        let (Some(o), Some(s)) = (offsets.get(lead + i), sizes.get(lead + i)) else {
            break;
        };
        let stretched = *n == 1;
        first.push(if stretched { 0 } else { *o });
        count.push(if stretched { 1 } else { *s });
    }
    let mut kept = count.clone();
    kept.extend(&own[count.len()..]);
    let elem = from.element_or_self(ctx);
    let part = match from.is_vector(ctx) {
        true => {
            let ty = vector_type(ctx, &kept, elem, &scalable(ctx, from));
            build(rw, source, &first, &count, ty)
        }
        false => source,
    };
    let v = broadcast_to(rw, part, r);
    replace(rw, op, v)
}

/// The box of what was inserted as a larger one, or of what is beside it.
fn of_inserted(rw: &mut Rewriter, op: Op) -> bool {
    let ctx = &*rw.ctx;
    let Some(def) = made_by::<InsertStridedSliceOp>(ctx, op.operand(ctx, 0)) else {
        return false;
    };
    let r = op.result(ctx, 0).ty(ctx);
    let (value, dest) = (def.operand(ctx, 0), def.operand(ctx, 1));
    let (own, dims) = (dims_of(ctx, value.ty(ctx)), dims_of(ctx, dest.ty(ctx)));
    let (offsets, sizes) = (ints(ctx, op, "offsets"), ints(ctx, op, "sizes"));
    let into = ints(ctx, def, "offsets");
    if own.len() != dims.len() || offsets.len() != dims.len() || into.len() != dims.len() {
        return false;
    }
    let ranges = |k: usize| (offsets[k]..offsets[k] + sizes[k], into[k]..into[k] + own[k]);
    let apart = (0..dims.len()).any(|k| {
        let (a, b) = ranges(k);
        a.end <= b.start || b.end <= a.start
    });
    if apart {
        let v = build(rw, dest, &offsets, &sizes, r);
        return replace(rw, op, v);
    }
    let within = (0..dims.len()).all(|k| {
        let (a, b) = ranges(k);
        b.start <= a.start && a.end <= b.end
    });
    if !within {
        return false;
    }
    let first: Vec<i64> = offsets.iter().zip(&into).map(|(o, i)| o - i).collect();
    let v = build(rw, value, &first, &sizes, r);
    replace(rw, op, v)
}
