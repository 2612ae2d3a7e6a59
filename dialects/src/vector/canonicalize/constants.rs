//! Patterns of `vector.insert` and `vector.from_elements`.

use super::*;
use crate::vector::elements::{FromElementsOp, InsertOp};
use terrace_ir::rewrite::PatternSet;

pub(crate) fn insert(p: &mut PatternSet) {
    p.add::<InsertOp>(nowhere);
    p.add::<InsertOp>(over_all);
    p.add::<InsertOp>(into_constant);
}

pub(crate) fn from_elements(p: &mut PatternSet) {
    p.add::<FromElementsOp>(of_constants);
    p.add::<FromElementsOp>(of_one);
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

fn into_constant(rw: &mut Rewriter, op: Op) -> bool {
    let ctx = &*rw.ctx;
    let (value, dest) = (op.operand(ctx, 0), op.operand(ctx, 1));
    let r = op.result(ctx, 0).ty(ctx);
    let at = ints(ctx, op, "static_position");
    // The old constant would stay beside the new one.
    if !dest.has_one_use(ctx) {
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
