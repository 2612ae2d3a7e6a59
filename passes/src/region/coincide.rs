//! Pairs of arrays that may be the same memory all the same.
//!
//! A region is compiled as if its arrays were different memory, which the runtime
//! looks at. Arrays that coincide from the first byte to the last do no harm
//! where both are touched at the same subscripts only, in one block, all reads before
//! all writes, and each element in one iteration of the loops around: what happens between
//! them then happens within an iteration, in an order that nothing changes. An element that a
//! further loop comes back to, as that over k in `z[i] = x[i] * 0.5 + a[i][k]`, would be read
//! once for all of its iterations.

use crate::analysis::linear::Linear;
use crate::analysis::memory::base;
use crate::analysis::source;
use crate::analysis::work::LoopLike;
use terrace_dialects::affine::Access;
use terrace_dialects::offsets::Mixed;
use terrace_dialects::{affine, memref};
use terrace_ir::{Context, Op, Value};

/// How deep subscripts are compared.
const MAX_DEPTH: u32 = 16;

/// Accesses of one array: each op, and whether it writes.
type Accesses = Vec<(Op, bool)>;

/// Whether two arrays of a function, given by their arguments, may coincide.
pub(super) fn may_coincide(ctx: &Context, function: Op, a: Value, b: Value) -> bool {
    if a.ty(ctx) != b.ty(ctx) {
        return false;
    }
    let mut all = Accesses::new();
    let mut plain = true;
    function.walk(ctx, &mut |op| {
        let uses = op.operands(ctx).iter().any(|v| {
            let of = base(ctx, *v);
            of == a || of == b
        });
        if !uses {
            return;
        }
        match writes(ctx, op) {
            Some(writes) => all.push((op, writes)),
            None => plain &= op.isa::<memref::DimOp>(ctx) || is_view_of_rows(ctx, op),
        }
    });
    let Some((first, _)) = all.first().copied() else {
        return false;
    };
    let same_place = |(op, _): &(Op, bool)| {
        op.block(ctx) == first.block(ctx)
            && row_sizes(ctx, first) == row_sizes(ctx, *op)
            && same_subscripts(ctx, first, *op)
    };
    plain
        && all.iter().all(same_place)
        && reads_come_first(ctx, &all)
        && is_touched_once(ctx, function, first)
}

/// Whether an access touches each element in one iteration of all loops around it in the
/// function: each loop moves a subscript that no other one does.
fn is_touched_once(ctx: &Context, function: Op, access: Op) -> bool {
    let mut ivs = Vec::new();
    let mut at = access.parent(ctx);
    while let Some(op) = at.filter(|op| *op != function) {
        if let Some(l) = LoopLike::of(ctx, op) {
            if l.ivs.is_empty() {
                return false;
            }
            ivs.extend(l.ivs);
        }
        at = op.parent(ctx);
    }
    let Some(subscripts) = linear_subscripts(ctx, access) else {
        return false;
    };
    let moved_by = |s: &Linear| -> Vec<Value> {
        let moves = ivs.iter().filter(|iv| s.coefficient(**iv) != 0);
        moves.copied().collect()
    };
    let alone: Vec<Vec<Value>> = subscripts.iter().map(moved_by).collect();
    ivs.iter().all(|iv| alone.iter().any(|m| m[..] == [*iv]))
}

/// The subscripts of an access as sums; `None` where one is none.
fn linear_subscripts(ctx: &Context, access: Op) -> Option<Vec<Linear>> {
    if let Some(a) = Access::of(ctx, access) {
        let composed = a.composed(ctx);
        return Linear::of_map(&composed.map, &composed.operands);
    }
    let (_, indices) = source::indices(ctx, access)?;
    indices.iter().map(|v| Linear::of_value(ctx, *v)).collect()
}

/// Whether an op gives an array the dimensions that its subscripts have.
fn is_view_of_rows(ctx: &Context, op: Op) -> bool {
    let cast = op.cast::<memref::ReinterpretCastOp>(ctx);
    cast.is_some_and(|c| c.is_row_major(ctx))
}

/// The sizes of all dimensions but the first of the view that an op accesses; none where it is
/// the array itself.
fn row_sizes(ctx: &Context, access: Op) -> Vec<Mixed> {
    let views = access.operands(ctx).into_iter().filter_map(|v| v.def_op());
    let mut casts = views.filter_map(|o| o.cast::<memref::ReinterpretCastOp>(ctx));
    let slice = casts.next().and_then(|c| c.slice(ctx));
    slice.map_or_else(Vec::new, |s| s.sizes[1..].to_vec())
}

/// Whether an op that loads or stores one element writes it; `None` for other ops.
fn writes(ctx: &Context, op: Op) -> Option<bool> {
    match op.name(ctx) {
        affine::LoadOp::NAME | memref::LoadOp::NAME => Some(false),
        affine::StoreOp::NAME | memref::StoreOp::NAME => Some(true),
        _ => None,
    }
}

fn reads_come_first(ctx: &Context, all: &Accesses) -> bool {
    let (writes, reads): (Accesses, Accesses) = all.iter().partition(|(_, writes)| *writes);
    reads
        .iter()
        .all(|(read, _)| writes.iter().all(|(write, _)| read.is_before(ctx, *write)))
}

fn same_subscripts(ctx: &Context, a: Op, b: Op) -> bool {
    match (Access::of(ctx, a), Access::of(ctx, b)) {
        (Some(x), Some(y)) => x.map == y.map && same_all(ctx, &x.operands, &y.operands, 0),
        (None, None) => {
            let (x, y) = (source::indices(ctx, a), source::indices(ctx, b));
            matches!((x, y), (Some((_, x)), Some((_, y))) if same_all(ctx, &x, &y, 0))
        }
        _ => false,
    }
}

fn same_all(ctx: &Context, a: &[Value], b: &[Value], depth: u32) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(ctx, *a, *b, depth))
}

/// Whether two values are computed by the same arithmetic of the same values.
fn same(ctx: &Context, a: Value, b: Value, depth: u32) -> bool {
    if a == b {
        return true;
    }
    let (Some(x), Some(y)) = (a.def_op(), b.def_op()) else {
        return false;
    };
    depth < MAX_DEPTH
        && x.name(ctx) == y.name(ctx)
        && (matches!(x.dialect(ctx), "arith" | "index") || x.name(ctx) == affine::ApplyOp::NAME)
        && x.attrs(ctx) == y.attrs(ctx)
        && same_all(ctx, &x.operands(ctx), &y.operands(ctx), depth + 1)
}
