//! Rows of so few bytes that a thread does all of one: the three colours of a pixel, the coordinates of
//! a point.
//!
//! A thread for each element would compute its place and load what the row shares as often as there are
//! elements, for a byte or four. Neighbouring threads have neighbouring rows, so that they use the same
//! sectors.

use crate::analysis::linear::Linear;
use crate::analysis::memref_region::element_bytes;
use crate::loops::sequentialize::affine_in_order;
use terrace_dialects::affine::{Access, ParallelOp};
use terrace_ir::effects::only_reads;
use terrace_ir::{Context, Op, OpKind, Value};

/// Bytes of such a row, at most: what one access moves.
const MAX_BYTES: i64 = 16;
/// Rows that fill a machine with a thread for each.
const MANY: i64 = 1 << 16;

/// Makes the innermost loop of a nest one of each thread, where it goes along such rows. Whether it did.
pub(super) fn give_to_threads(ctx: &mut Context, root: ParallelOp) -> bool {
    let band = nested(ctx, root);
    let Some((last, around)) = band.split_last().filter(|(_, a)| !a.is_empty()) else {
        return false;
    };
    let (Some(extents), ivs) = (last.constant_ranges(ctx), last.ivs(ctx)) else {
        return false;
    };
    let ([extent], [iv]) = (&extents[..], &ivs[..]) else {
        return false;
    };
    let (extent, iv) = (*extent, *iv);
    let known: Option<i64> = around
        .iter()
        .map(|p| Some(p.constant_ranges(ctx)?.iter().product::<i64>()))
        .product();
    let few = known.is_some_and(|n| n < MANY);
    match row_bytes(ctx, *last, iv, extent) {
        Some(bytes) if bytes <= MAX_BYTES && extent > 1 && !few => {
            affine_in_order(ctx, *last).is_some()
        }
        _ => false,
    }
}

/// The parallel loops of a nest, from the outside in: each holds the next, and in front of that what only
/// reads and computes.
fn nested(ctx: &Context, root: ParallelOp) -> Vec<ParallelOp> {
    let mut found = vec![root];
    let mut p = root;
    loop {
        let mut ops = p.body(ctx).ops(ctx);
        ops.pop();
        let inner = ops.pop().and_then(|o| o.cast::<ParallelOp>(ctx));
        let simple = |o: &Op| o.num_regions(ctx) == 0 && only_reads(ctx, *o);
        match inner {
            Some(inner) if inner.op().num_results(ctx) == 0 && ops.iter().all(simple) => {
                found.push(inner);
                p = inner;
            }
            _ => return found,
        }
    }
}

/// Bytes of the widest row along a counter; `None` where some access goes along it otherwise than
/// from neighbour to neighbour, or none does.
fn row_bytes(ctx: &Context, p: ParallelOp, iv: Value, extent: i64) -> Option<i64> {
    let mut widest = None;
    for op in p.op().pre_order(ctx) {
        let Some(a) = Access::of(ctx, op) else {
            continue;
        };
        let m = a.composed(ctx);
        let at = Linear::of_map(&m.map, &m.operands)?;
        let Some((last, others)) = at.split_last() else {
            continue;
        };
        if others.iter().any(|l| l.coefficient(iv) != 0) {
            return None;
        }
        match last.coefficient(iv) {
            0 => {}
            1 => {
                let elem = a.memref.ty(ctx).element_or_self(ctx);
                let bytes = element_bytes(ctx, elem)? * extent;
                widest = widest.max(Some(bytes));
            }
            _ => return None,
        }
    }
    widest
}
