//! Patterns of ops that reshape and reorder, and of sums of one element.

use super::*;
use crate::vector::attrs::kind_of;
use crate::vector::elements::{ExtractOp, FromElementsOp};
use crate::vector::mask::{ConstantMaskOp, CreateMaskOp};
use crate::vector::reduce::ReductionOp;
use crate::vector::shape::{ShapeCastOp, ShuffleOp, TransposeOp};
use terrace_ir::OpState;
use terrace_ir::rewrite::PatternSet;

pub(crate) fn broadcast(p: &mut PatternSet) {
    p.add::<BroadcastOp>(of_poison);
    p.add::<BroadcastOp>(broadcast_of_broadcast);
    p.add::<BroadcastOp>(broadcast_of_cast);
}

pub(crate) fn shape_cast(p: &mut PatternSet) {
    p.add::<ShapeCastOp>(of_poison);
    p.add::<ShapeCastOp>(cast_of_broadcast);
    p.add::<ShapeCastOp>(super::masks::without_last_ones);
}

pub(crate) fn transpose(p: &mut PatternSet) {
    p.add::<TransposeOp>(of_poison);
    p.add::<TransposeOp>(transpose_of_transpose);
    p.add::<TransposeOp>(transpose_of_splat);
    p.add::<TransposeOp>(transpose_of_broadcast);
    p.add::<TransposeOp>(transpose_between_casts);
    p.add::<TransposeOp>(transpose_of_elements);
    p.add::<TransposeOp>(transpose_of_mask);
    p.add::<TransposeOp>(transpose_of_constant);
}

pub(crate) fn shuffle(p: &mut PatternSet) {
    p.add::<ShuffleOp>(shuffle_of_poison);
    p.add::<ShuffleOp>(shuffle_of_one_value);
    p.add::<ShuffleOp>(shuffle_of_constants);
}

pub(crate) fn reduction(p: &mut PatternSet) {
    p.add::<ReductionOp>(of_one_element);
}

fn broadcast_of_broadcast(rw: &mut Rewriter, op: Op) -> bool {
    let ctx = &*rw.ctx;
    let Some(def) = made_by::<BroadcastOp>(ctx, op.operand(ctx, 0)) else {
        return false;
    };
    let (source, r) = (def.operand(ctx, 0), op.result(ctx, 0).ty(ctx));
    let v = broadcast_to(rw, source, r);
    replace(rw, op, v)
}

/// Dimensions of 1 in front change nothing of what is broadcast.
fn broadcast_of_cast(rw: &mut Rewriter, op: Op) -> bool {
    let ctx = &*rw.ctx;
    let Some(def) = made_by::<ShapeCastOp>(ctx, op.operand(ctx, 0)) else {
        return false;
    };
    let (source, r) = (def.operand(ctx, 0), op.result(ctx, 0).ty(ctx));
    let bare = |t: Type| {
        let dims: Vec<(i64, bool)> = (dims_of(ctx, t).iter().copied())
            .zip(scalable(ctx, t))
            .skip_while(|d| *d == (1, false))
            .collect();
        dims
    };
    let cast = def.result(ctx, 0).ty(ctx);
    if bare(source.ty(ctx)) != bare(cast) || !broadcasts(ctx, source.ty(ctx), r) {
        return false;
    }
    let v = broadcast_to(rw, source, r);
    replace(rw, op, v)
}

/// A cast or a broadcast of what was broadcast first.
fn cast_of_broadcast(rw: &mut Rewriter, op: Op) -> bool {
    let ctx = &*rw.ctx;
    let Some(def) = made_by::<BroadcastOp>(ctx, op.operand(ctx, 0)) else {
        return false;
    };
    let (source, r) = (def.operand(ctx, 0), op.result(ctx, 0).ty(ctx));
    let from = source.ty(ctx);
    let same_count = from.is_vector(ctx)
        && product(dims_of(ctx, from)) == product(dims_of(ctx, r))
        && scalable(ctx, from).iter().filter(|s| **s).count()
            == scalable(ctx, r).iter().filter(|s| **s).count();
    // A broadcast that makes no more elements only puts ones in front.
    if same_count {
        let v = match from == r {
            true => source,
            false => rw.value::<ShapeCastOp>(&[source], r, &[]),
        };
        return replace(rw, op, v);
    }
    // Each element must come from where it came from.
    let whole = def.result(ctx, 0).ty(ctx);
    let placed = broadcasts(ctx, from, r) && same_source(ctx, from, whole, r);
    if placed {
        let v = broadcast_to(rw, source, r);
        return replace(rw, op, v);
    }
    false
}

/// Whether a broadcast to one type and a cast to the other is a broadcast to the other, for as many
/// elements as are looked at one by one.
fn same_source(ctx: &Context, from: Type, whole: Type, r: Type) -> bool {
    let own = dims_of(ctx, from);
    // All elements are one.
    if own.iter().all(|d| *d == 1) && !scalable(ctx, from).contains(&true) {
        return true;
    }
    let (a, b) = (dims_of(ctx, whole), dims_of(ctx, r));
    // Nothing is stretched, and rows stay whole.
    if a.ends_with(own) && b.ends_with(own) && scalable(ctx, whole).ends_with(&scalable(ctx, from))
    {
        return true;
    }
    let fixed = [whole, r]
        .iter()
        .all(|t| !scalable(ctx, *t).contains(&true));
    let count = product(a).filter(|n| fixed && *n <= MOST_ELEMENTS as i64);
    let count = count.and_then(|n| usize::try_from(n).ok());
    count.is_some_and(|n| (0..n).all(|p| source_place(own, a, p) == source_place(own, b, p)))
}

fn order(ctx: &Context, op: Op) -> Vec<usize> {
    let order = ints(ctx, op, "permutation");
    order
        .into_iter()
        .filter_map(|p| usize::try_from(p).ok())
        .collect()
}

fn transpose_of_transpose(rw: &mut Rewriter, op: Op) -> bool {
    let ctx = &*rw.ctx;
    let Some(def) = made_by::<TransposeOp>(ctx, op.operand(ctx, 0)) else {
        return false;
    };
    let first = order(ctx, def);
    let both: Vec<i64> = (order(ctx, op).into_iter())
        .filter_map(|p| first.get(p).map(|q| *q as i64))
        .collect();
    let (source, r) = (def.operand(ctx, 0), op.result(ctx, 0).ty(ctx));
    let both = rw.ctx.i64_array(&both);
    let v = rw.value::<TransposeOp>(&[source], r, &[("permutation", both)]);
    replace(rw, op, v)
}

/// Elements that are all the same have no order.
fn transpose_of_splat(rw: &mut Rewriter, op: Op) -> bool {
    let ctx = &*rw.ctx;
    let Some(def) = made_by::<BroadcastOp>(ctx, op.operand(ctx, 0)) else {
        return false;
    };
    let (source, r) = (def.operand(ctx, 0), op.result(ctx, 0).ty(ctx));
    let one = dims_of(ctx, source.ty(ctx)).iter().all(|d| *d == 1)
        && !scalable(ctx, source.ty(ctx)).contains(&true);
    if !one || !broadcasts(ctx, source.ty(ctx), r) {
        return false;
    }
    let v = broadcast_to(rw, source, r);
    replace(rw, op, v)
}

/// A broadcast of the source itself, where dimensions that it has stay in their order among
/// themselves, and those that were put in front or stretched go elsewhere.
fn transpose_of_broadcast(rw: &mut Rewriter, op: Op) -> bool {
    let ctx = &*rw.ctx;
    let Some(def) = made_by::<BroadcastOp>(ctx, op.operand(ctx, 0)) else {
        return false;
    };
    let (source, r) = (def.operand(ctx, 0), op.result(ctx, 0).ty(ctx));
    let (from, whole) = (source.ty(ctx), def.result(ctx, 0).ty(ctx));
    if !from.is_vector(ctx) || !broadcasts(ctx, from, r) {
        return false;
    }
    let order = order(ctx, op);
    let lead = dims_of(ctx, whole).len() - dims_of(ctx, from).len();
    let own = dims_of(ctx, from);
    let flags = scalable(ctx, from);
    // A dimension of the source that is more than 1 must stand where it stood.
    let moved = |k: usize| own[k] != 1 || flags[k];
    let stays = (0..own.len()).all(|k| !moved(k) || order.get(lead + k) == Some(&(lead + k)));
    if !stays {
        return false;
    }
    let v = broadcast_to(rw, source, r);
    replace(rw, op, v)
}

/// A transpose that only moves dimensions of 1 is a cast.
fn transpose_between_casts(rw: &mut Rewriter, op: Op) -> bool {
    let ctx = &*rw.ctx;
    let Some(def) = made_by::<ShapeCastOp>(ctx, op.operand(ctx, 0)) else {
        return false;
    };
    let dims = dims_of(ctx, def.result(ctx, 0).ty(ctx));
    let flags = scalable(ctx, def.result(ctx, 0).ty(ctx));
    let order: Vec<usize> = (order(ctx, op).into_iter())
        .filter(|k| dims.get(*k) != Some(&1) || flags[*k])
        .collect();
    if !order.is_sorted() {
        return false;
    }
    let (source, r) = (def.operand(ctx, 0), op.result(ctx, 0).ty(ctx));
    let v = match source.ty(ctx) == r {
        true => source,
        false => rw.value::<ShapeCastOp>(&[source], r, &[]),
    };
    replace(rw, op, v)
}

/// The elements in their new order.
fn transpose_of_elements(rw: &mut Rewriter, op: Op) -> bool {
    let ctx = &*rw.ctx;
    let source = op.operand(ctx, 0);
    let Some(def) = made_by::<FromElementsOp>(ctx, source) else {
        return false;
    };
    let r = op.result(ctx, 0).ty(ctx);
    let all = def.operands(ctx);
    let which = transposed(dims_of(ctx, source.ty(ctx)), &order(ctx, op));
    let new = which.and_then(|w| w.into_iter().map(|i| all.get(i).copied()).collect());
    let Some(new): Option<Vec<Value>> = new else {
        return false;
    };
    let v = rw.value::<FromElementsOp>(&new, r, &[]);
    replace(rw, op, v)
}

/// The numbers of the elements of an array of this shape in the order of its transpose.
fn transposed(dims: &[i64], order: &[usize]) -> Option<Vec<usize>> {
    let mut steps = vec![1usize; dims.len()];
    for k in (1..dims.len()).rev() {
        steps[k - 1] = steps[k].checked_mul(usize::try_from(dims[k]).ok()?)?;
    }
    let mut which = vec![0usize];
    for k in order {
        let n = usize::try_from(*dims.get(*k)?).ok()?;
        which = (which.iter())
            .flat_map(|at| (0..n).map(move |i| (at, i)))
            .map(|(at, i)| at + i * steps[*k])
            .collect();
        if which.len() > MOST_ELEMENTS {
            return None;
        }
    }
    Some(which)
}

fn transpose_of_mask(rw: &mut Rewriter, op: Op) -> bool {
    let ctx = &*rw.ctx;
    let source = op.operand(ctx, 0);
    let (r, order) = (op.result(ctx, 0).ty(ctx), order(ctx, op));
    let v = if let Some(def) = made_by::<CreateMaskOp>(ctx, source) {
        let sizes = def.operands(ctx);
        let sizes: Vec<Value> = order
            .iter()
            .filter_map(|k| sizes.get(*k).copied())
            .collect();
        rw.value::<CreateMaskOp>(&sizes, r, &[])
    } else if let Some(def) = made_by::<ConstantMaskOp>(ctx, source) {
        let sizes = ints(ctx, def, "mask_dim_sizes");
        let sizes: Vec<i64> = order
            .iter()
            .filter_map(|k| sizes.get(*k).copied())
            .collect();
        let sizes = rw.ctx.i64_array(&sizes);
        rw.value::<ConstantMaskOp>(&[], r, &[("mask_dim_sizes", sizes)])
    } else {
        return false;
    };
    replace(rw, op, v)
}

fn transpose_of_constant(rw: &mut Rewriter, op: Op) -> bool {
    let ctx = &*rw.ctx;
    let (source, r) = (op.operand(ctx, 0), op.result(ctx, 0).ty(ctx));
    let order = order(ctx, op);
    let found = || {
        let all = Elements::of(ctx, source)?;
        let which = transposed(dims_of(ctx, source.ty(ctx)), &order)?;
        all.chosen(which)?.attr(ctx, r)
    };
    let Some(value) = found() else { return false };
    replace_with_constant(rw, op, value)
}

/// Where nothing but poison is chosen from.
fn shuffle_of_poison(rw: &mut Rewriter, op: Op) -> bool {
    let ctx = &*rw.ctx;
    let poison = |k| made_by::<PoisonOp>(ctx, op.operand(ctx, k)).is_some();
    let none = ints(ctx, op, "mask").iter().all(|m| *m < 0);
    (none || poison(0) && poison(1)) && replace_with_poison(rw, op)
}

/// Values that are all the same, whichever are chosen.
fn shuffle_of_one_value(rw: &mut Rewriter, op: Op) -> bool {
    let ctx = &*rw.ctx;
    let (a, b, r) = (
        op.operand(ctx, 0),
        op.operand(ctx, 1),
        op.result(ctx, 0).ty(ctx),
    );
    let mask = ints(ctx, op, "mask");
    let chosen = if let [m @ 0..=1] = mask.as_slice()
        && dims_of(ctx, a.ty(ctx)).is_empty()
    {
        Some(if *m == 0 { a } else { b })
    } else {
        let value = super::constants::in_each_place(ctx, a);
        value.filter(|v| super::constants::in_each_place(ctx, b) == Some(*v))
    };
    let Some(v) = chosen else { return false };
    let v = broadcast_to(rw, v, r);
    replace(rw, op, v)
}

/// Slices of constants along the first dimension.
fn shuffle_of_constants(rw: &mut Rewriter, op: Op) -> bool {
    let ctx = &*rw.ctx;
    let (a, b) = (op.operand(ctx, 0), op.operand(ctx, 1));
    let r = op.result(ctx, 0).ty(ctx);
    let found = || {
        let (x, y) = (Elements::of(ctx, a)?, Elements::of(ctx, b)?);
        let rows = |v: Value| dims_of(ctx, v.ty(ctx)).first().map_or(1, |n| *n as usize);
        let row = x.bytes.len() / x.size / rows(a).max(1);
        let mut bytes = Vec::new();
        for m in ints(ctx, op, "mask") {
            // What stands where nothing is chosen is up to nobody.
            let m = usize::try_from(m.max(0)).ok()?;
            let (from, m) = match m < rows(a) {
                true => (&x, m),
                false => (&y, m - rows(a)),
            };
            for i in m * row..(m + 1) * row {
                bytes.extend_from_slice(from.get(i)?);
            }
        }
        let size = x.size;
        Elements { bytes, size }.attr(ctx, r)
    };
    let Some(value) = found() else { return false };
    replace_with_constant(rw, op, value)
}

/// The one element that there is.
fn of_one_element(rw: &mut Rewriter, op: Op) -> bool {
    let ctx = &*rw.ctx;
    let source = op.operand(ctx, 0);
    let t = source.ty(ctx);
    let one = dims_of(ctx, t).iter().all(|d| *d == 1) && !scalable(ctx, t).contains(&true);
    if !one {
        return false;
    }
    let at = vec![0; dims_of(ctx, t).len()];
    let ty = t.element_or_self(ctx);
    let Some(acc) = op.operands(ctx).get(1).copied() else {
        let v = ExtractOp::build(rw, source, &at);
        return replace(rw, op, v);
    };
    let kind = kind_of(ctx, op);
    let float = ty.is_float(ctx);
    let name = match (kind.as_str(), float) {
        ("add", false) => "arith.addi",
        ("add", true) => "arith.addf",
        ("mul", false) => "arith.muli",
        ("mul", true) => "arith.mulf",
        ("minui", _) => "arith.minui",
        ("minsi", _) => "arith.minsi",
        ("maxui", _) => "arith.maxui",
        ("maxsi", _) => "arith.maxsi",
        ("minnumf", _) => "arith.minnumf",
        ("maxnumf", _) => "arith.maxnumf",
        ("minimumf", _) => "arith.minimumf",
        ("maximumf", _) => "arith.maximumf",
        ("and", _) => "arith.andi",
        ("or", _) => "arith.ori",
        ("xor", _) => "arith.xori",
        _ => return false,
    };
    let Some(def) = ctx.op_def(name) else {
        return false;
    };
    let flags = op.attr(ctx, "fastmath").filter(|_| float);
    let v = ExtractOp::build(rw, source, &at);
    let mut state = OpState::new(def, rw.loc).operands(&[v, acc]).results(&[ty]);
    if let Some(f) = flags {
        state = state.attr(rw.ctx, "fastmath", f);
    }
    let made = rw.create(state);
    rw.replace_op_with(op, made);
    true
}
