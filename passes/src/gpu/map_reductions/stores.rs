//! Stores that go along each thread's row: what a tile's iterations store lies in workgroup memory
//! until all of them are done, and the threads that copy bring it to its array.
//!
//! Between an iteration and that, nobody may look at the elements. So a loop has no other access to
//! the array, but for loads of the very element that the iteration stores: those of a tile are copied
//! before the tile is begun, and no tile has elements of another one.

use super::plan::{Around, Way, access};
use crate::analysis::linear::coefficient;
use crate::analysis::memory::{base, is_root, may_be_same};
use terrace_dialects::memref::layout::strides_and_offset;
use terrace_dialects::{memref, scf};
use terrace_ir::{Context, Op, Type, Value};

/// A store of a loop whose elements wait in a tile.
#[derive(Debug)]
pub(crate) struct Store {
    pub op: Op,
    pub memref: Value,
    pub at: Vec<Value>,
    /// The ops in the parallel loop that compute the subscripts, in their order.
    pub slice: Vec<Op>,
    /// Which of the kernel's buffers for what is stored.
    pub tile: usize,
}

/// How the elements at `at` lie for the threads of the parallel loop and for the iterations of `l`.
pub(super) fn way(
    ctx: &Context,
    around: &Around,
    at: &[Value],
    j: Value,
    of_thread: bool,
) -> Option<Way> {
    // By how much the last subscript grows with a counter, where no other one does.
    let along = |iv: Value| {
        let (last, others) = at.split_last()?;
        let fixed = others.iter().all(|v| coefficient(ctx, *v, iv) == Some(0));
        coefficient(ctx, *last, iv).filter(|_| fixed)
    };
    match (of_thread, along(around.iv), along(j)) {
        (false, ..) => Some(Way::Vector),
        (true, Some(1), _) => Some(Way::Columns),
        (true, _, Some(1 | -1)) => Some(Way::Rows),
        _ => None,
    }
}

/// Whether an array's elements can go through a tile: plain numbers in global memory, one behind
/// the other.
pub(super) fn goes_through_tiles(ctx: &Context, around: &Around, memref: Value) -> Option<bool> {
    let ty = memref.ty(ctx);
    let elem = ty.element(ctx)?;
    let simple = (elem.is_int_or_index(ctx) && elem != ctx.index()) || elem.is_float(ctx);
    let from = base(ctx, memref);
    let in_global_memory = is_root(ctx, from)
        && !from.def_op().is_some_and(|o| {
            matches!(
                o.name(ctx),
                memref::AllocaOp::NAME | memref::GetGlobalOp::NAME
            )
        })
        && ty.memref_parts(ctx)?.1.is_none();
    Some(
        simple
            && matches!(elem.bit_width(ctx)?, 32 | 64)
            && in_global_memory
            && !around.inside(ctx, memref)
            && strides_and_offset(ctx, ty)?.strides.last() == Some(&1),
    )
}

/// The stores among `ops`, the body of `l`, whose elements can wait, with tiles in `pool`.
pub(super) fn waiting(
    ctx: &Context,
    around: &Around,
    l: scf::ForOp,
    ops: &[Op],
    pool: &mut Vec<Type>,
) -> Vec<Store> {
    let j = l.induction_var(ctx);
    let mut found: Vec<Store> = Vec::new();
    for op in ops.iter().filter(|o| o.isa::<memref::StoreOp>(ctx)) {
        let Some((memref, at)) = access(ctx, *op) else {
            continue;
        };
        if goes_through_tiles(ctx, around, memref) != Some(true) || !is_alone(ctx, *op, ops) {
            continue;
        }
        let Some((slice, of_thread)) = around.slice(ctx, &at, j) else {
            continue;
        };
        let Some(elem) = memref.ty(ctx).element(ctx) else {
            continue;
        };
        if way(ctx, around, &at, j, of_thread) != Some(Way::Rows) {
            continue;
        }
        let used = |t: usize| found.iter().any(|s| s.tile == t);
        let free = (0..pool.len()).find(|t| pool[*t] == elem && !used(*t));
        let tile = free.unwrap_or_else(|| {
            pool.push(elem);
            pool.len() - 1
        });
        found.push(Store {
            op: *op,
            memref,
            at,
            slice,
            tile,
        });
    }
    found
}

/// Whether no other access of a loop's body may be to the array, but for loads of the same element
/// in front of the store.
fn is_alone(ctx: &Context, store: Op, ops: &[Op]) -> bool {
    let Some((memref, at)) = access(ctx, store) else {
        return false;
    };
    let own = base(ctx, memref);
    let mut in_front = true;
    ops.iter().all(|op| {
        in_front &= *op != store;
        let Some((other, place)) = access(ctx, *op).filter(|_| *op != store) else {
            return true;
        };
        let same = in_front && op.isa::<memref::LoadOp>(ctx) && other == memref && place == at;
        same || !may_be_same(ctx, own, base(ctx, other))
    })
}
