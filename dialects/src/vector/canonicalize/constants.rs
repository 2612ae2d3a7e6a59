//! Patterns of `vector.insert` and `vector.from_elements`.

use super::*;
use crate::vector::elements::{ExtractOp, FromElementsOp, InsertOp, ToElementsOp};
use crate::vector::shape::ShapeCastOp;
use terrace_ir::rewrite::PatternSet;

pub(crate) fn insert(p: &mut PatternSet) {
    p.add::<InsertOp>(nowhere);
    p.add::<InsertOp>(over_all);
    p.add::<InsertOp>(into_constant);
    p.add::<InsertOp>(over_insert);
    p.add::<InsertOp>(same_everywhere);
    p.add::<InsertOp>(all_elements);
}

pub(crate) fn to_elements(p: &mut PatternSet) {
    p.add::<ToElementsOp>(elements_of_broadcast);
}

/// The elements of what was broadcast, several times.
fn elements_of_broadcast(rw: &mut Rewriter, op: Op) -> bool {
    let ctx = &*rw.ctx;
    let Some(def) = made_by::<BroadcastOp>(ctx, op.operand(ctx, 0)) else {
        return false;
    };
    let (source, whole) = (def.operand(ctx, 0), def.result(ctx, 0).ty(ctx));
    let from = source.ty(ctx);
    let (own, dims) = (dims_of(ctx, from).to_vec(), dims_of(ctx, whole).to_vec());
    let count = from.num_elements(ctx).and_then(|n| usize::try_from(n).ok());
    let (true, Some(count)) = (from.is_vector(ctx), count) else {
        return false;
    };
    let Some(all) = in_box(&dims, &[], &[]) else {
        return false;
    };
    let ty = from.element_or_self(ctx);
    let parts = rw.op::<ToElementsOp>(&[source], &vec![ty; count], &[]);
    let parts = parts.results(rw.ctx);
    let new: Option<Vec<Value>> = all
        .into_iter()
        .map(|p| parts.get(source_place(&own, &dims, p)).copied())
        .collect();
    let Some(new) = new else { return false };
    rw.replace_op(op, &new);
    true
}

pub(crate) fn from_elements(p: &mut PatternSet) {
    p.add::<FromElementsOp>(of_constants);
    p.add::<FromElementsOp>(of_one);
    p.add::<FromElementsOp>(of_part);
}

/// Where no element is.
fn nowhere(rw: &mut Rewriter, op: Op) -> bool {
    let none = ints(rw.ctx, op, "static_position").contains(&-1);
    none && replace_with_poison(rw, op)
}

/// What replaces all elements.
fn over_all(rw: &mut Rewriter, op: Op) -> bool {
    let ctx = &*rw.ctx;
    let (value, r) = (op.operand(ctx, 0), op.result(ctx, 0).ty(ctx));
    let at = ints(ctx, op, "static_position");
    let dims = dims_of(ctx, r);
    let flags = scalable(ctx, r);
    let ones = (0..at.len()).all(|k| dims.get(k) == Some(&1) && !flags[k]);
    if at.is_empty() || !ones || !broadcasts(ctx, value.ty(ctx), r) {
        return false;
    }
    let v = broadcast_to(rw, value, r);
    replace(rw, op, v)
}

/// Constants of so many elements may stand beside others that were made of them.
const SMALL: i64 = 256;

/// What is inserted over what was inserted in the same place.
fn over_insert(rw: &mut Rewriter, op: Op) -> bool {
    let ctx = &*rw.ctx;
    let Some(def) = made_by::<InsertOp>(ctx, op.operand(ctx, 1)) else {
        return false;
    };
    let same = op.operands(ctx)[2..] == def.operands(ctx)[2..]
        && ints(ctx, op, "static_position") == ints(ctx, def, "static_position")
        && op.operand(ctx, 0).ty(ctx) == def.operand(ctx, 0).ty(ctx);
    if !same {
        return false;
    }
    let dest = def.operand(ctx, 1);
    rw.set_operand(op, 1, dest);
    true
}

/// The value that is in each place of a vector: what was broadcast to it.
pub(super) fn in_each_place(ctx: &Context, v: Value) -> Option<Value> {
    match v.ty(ctx).is_vector(ctx) {
        false => Some(v),
        true => {
            let from = made_by::<BroadcastOp>(ctx, v)?.operand(ctx, 0);
            (!from.ty(ctx).is_vector(ctx)).then_some(from)
        }
    }
}

/// What is in each place already.
pub(super) fn same_everywhere(rw: &mut Rewriter, op: Op) -> bool {
    let ctx = &*rw.ctx;
    let (value, dest) = (op.operand(ctx, 0), op.operand(ctx, 1));
    if !dest.ty(ctx).is_vector(ctx) || made_by::<BroadcastOp>(ctx, dest).is_none() {
        return false;
    }
    let same = in_each_place(ctx, value).zip(in_each_place(ctx, dest));
    same.is_some_and(|(a, b)| a == b) && replace(rw, op, dest)
}

/// A row of inserts that leaves nothing of the vector that it begins with.
fn all_elements(rw: &mut Rewriter, op: Op) -> bool {
    let ctx = &*rw.ctx;
    let r = op.result(ctx, 0).ty(ctx);
    // The last of the row.
    let goes_on = |u: &Op| u.isa::<InsertOp>(ctx) && u.operand(ctx, 1) == op.result(ctx, 0);
    let dims = dims_of(ctx, r);
    let count = product(dims).and_then(|n| usize::try_from(n).ok());
    let Some(count) = count.filter(|n| (1..=64).contains(n)) else {
        return false;
    };
    if scalable(ctx, r).contains(&true) || op.result(ctx, 0).users(ctx).iter().any(goes_on) {
        return false;
    }
    // Which element of which value, from the last insert to the first.
    let mut places: Vec<Option<(Value, usize)>> = vec![None; count];
    let mut last = Some(op);
    let mut row = Vec::new();
    while let Some(o) = last {
        let at = ints(ctx, o, "static_position");
        let alone = o == op || o.result(ctx, 0).has_one_use(ctx);
        if !alone || at.iter().any(|i| *i < 0) {
            break;
        }
        let Some(which) = in_box(dims, &at, &vec![1; at.len()]) else {
            break;
        };
        let value = o.operand(ctx, 0);
        let mut used = false;
        for (k, place) in which.into_iter().enumerate() {
            if places[place].is_none() {
                places[place] = Some((value, k));
                used = true;
            }
        }
        row.push((o, value, used));
        last = made_by::<InsertOp>(ctx, o.operand(ctx, 1));
    }
    if places.iter().any(Option::is_none) {
        return false;
    }
    let mut elements = vec![None; count];
    for (_, value, used) in row.iter().rev() {
        if !used {
            continue;
        }
        let parts = match value.ty(rw.ctx).is_vector(rw.ctx) {
            false => vec![*value],
            true => {
                let n = value.ty(rw.ctx).num_elements(rw.ctx).unwrap_or(0) as usize;
                let ty = value.ty(rw.ctx).element_or_self(rw.ctx);
                rw.op::<ToElementsOp>(&[*value], &vec![ty; n], &[])
                    .results(rw.ctx)
            }
        };
        for (place, e) in places.iter().zip(&mut elements) {
            if let Some((v, k)) = place
                && v == value
            {
                *e = parts.get(*k).copied();
            }
        }
    }
    let elements: Option<Vec<Value>> = elements.into_iter().collect();
    let Some(elements) = elements else {
        return false;
    };
    let v = rw.value::<FromElementsOp>(&elements, r, &[]);
    replace(rw, op, v)
}

fn into_constant(rw: &mut Rewriter, op: Op) -> bool {
    let ctx = &*rw.ctx;
    let (value, dest) = (op.operand(ctx, 0), op.operand(ctx, 1));
    let r = op.result(ctx, 0).ty(ctx);
    let at = ints(ctx, op, "static_position");
    // A large constant would stay beside the new one.
    let small = product(dims_of(ctx, r)).is_some_and(|n| n <= SMALL);
    if !small && !dest.has_one_use(ctx) {
        return false;
    }
    let found = || {
        let mut all = Elements::of(ctx, dest)?;
        let part = Elements::of(ctx, value)?;
        let which = in_box(dims_of(ctx, r), &at, &vec![1; at.len()])?;
        for (k, place) in which.into_iter().enumerate() {
            all.set(place, part.get(k)?)?;
        }
        all.attr(ctx, r)
    };
    let Some(new) = found() else { return false };
    replace_with_constant(rw, op, new)
}

fn of_constants(rw: &mut Rewriter, op: Op) -> bool {
    let ctx = &*rw.ctx;
    let r = op.result(ctx, 0).ty(ctx);
    let found = || {
        let (mut bytes, mut size) = (Vec::new(), 0);
        for v in op.operands(ctx) {
            let e = Elements::of(ctx, v)?;
            size = e.size;
            bytes.extend(e.bytes);
        }
        (size > 0).then_some(Elements { bytes, size })?.attr(ctx, r)
    };
    let Some(value) = found() else { return false };
    replace_with_constant(rw, op, value)
}

/// One value in all places.
fn of_one(rw: &mut Rewriter, op: Op) -> bool {
    let ctx = &*rw.ctx;
    let all = op.operands(ctx);
    let Some(first) = all.first().copied() else {
        return false;
    };
    if all.iter().any(|v| *v != first) {
        return false;
    }
    let r = op.result(ctx, 0).ty(ctx);
    let v = broadcast_to(rw, first, r);
    replace(rw, op, v)
}

/// Elements that stand side by side in another vector are a part of it, in another shape.
fn of_part(rw: &mut Rewriter, op: Op) -> bool {
    let ctx = &*rw.ctx;
    let all = op.operands(ctx);
    let r = op.result(ctx, 0).ty(ctx);
    let found = || {
        let source = made_by::<ExtractOp>(ctx, *all.first()?)?.operand(ctx, 0);
        let dims = dims_of(ctx, source.ty(ctx)).to_vec();
        let n = i64::try_from(all.len()).ok()?;
        let mut first = None;
        for (k, v) in all.iter().enumerate() {
            let def = made_by::<ExtractOp>(ctx, *v)?;
            let at = ints(ctx, def, "static_position");
            let known = def.operand(ctx, 0) == source
                && at.len() == dims.len()
                && at.iter().all(|i| *i >= 0);
            let place = at
                .iter()
                .zip(&dims)
                .try_fold(0i64, |p, (i, d)| p.checked_mul(*d)?.checked_add(*i))?;
            let begin = place - k as i64;
            if !known || *first.get_or_insert(begin) != begin {
                return None;
            }
        }
        // The part is all of the last dimensions.
        let begin = first.filter(|b| *b >= 0 && b % n == 0)?;
        let lead = (0..=dims.len()).find(|k| product(&dims[*k..]) == Some(n))?;
        let (mut rest, mut at) = (begin / n, vec![0; lead]);
        for k in (0..lead).rev() {
            at[k] = rest % dims[k];
            rest /= dims[k];
        }
        Some((source, at))
    };
    if scalable(ctx, r).contains(&true) || all.len() < 2 {
        return false;
    }
    let Some((source, at)) = found() else {
        return false;
    };
    if scalable(ctx, source.ty(ctx)).contains(&true) {
        return false;
    }
    let part = match at.is_empty() {
        true => source,
        false => ExtractOp::build(rw, source, &at),
    };
    let v = match part.ty(rw.ctx) == r {
        true => part,
        false => rw.value::<ShapeCastOp>(&[part], r, &[]),
    };
    replace(rw, op, v)
}
