//! The parts of what an iteration of a nest does: its loops, each with what stands around it.

use super::from_affine::{coefficient, is_fold};
use crate::analysis::bounds::constant_trip_count;
use terrace_dialects::affine::{Access, ForOp, ParallelOp};
use terrace_ir::effects::is_pure;
use terrace_ir::{Context, Op, OpKind, Value};

/// Loops with fewer iterations are left to one thread.
const MIN_EXTENT: i64 = 16;

/// What an op of an iteration is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    /// Iterations of its own that do not depend on each other.
    Elements,
    /// A loop that combines values and does nothing else.
    Fold,
    /// Any other loop.
    InOrder,
    /// No loop.
    Single,
}

fn role(ctx: &Context, op: Op) -> Role {
    if let Some(p) = op.cast::<ParallelOp>(ctx) {
        return match p.op().num_results(ctx) {
            0 => Role::Elements,
            _ => Role::Fold,
        };
    }
    if let Some(l) = op.cast::<ForOp>(ctx) {
        return match is_fold(ctx, l) {
            true => Role::Fold,
            false => Role::InOrder,
        };
    }
    match op.num_regions(ctx) {
        0 => Role::Single,
        _ if op.pre_order(ctx).iter().any(|o| is_loop(ctx, *o)) => Role::InOrder,
        _ => Role::Single,
    }
}

fn is_loop(ctx: &Context, op: Op) -> bool {
    op.isa::<ParallelOp>(ctx) || op.isa::<ForOp>(ctx)
}

/// Whether a loop has few iterations, as far as that is known.
fn is_short(ctx: &Context, op: Op) -> bool {
    let few = |n: i64| n < MIN_EXTENT;
    match op.cast::<ParallelOp>(ctx) {
        Some(p) => (p.constant_ranges(ctx)).is_some_and(|all| few(all.into_iter().product())),
        None => (op.cast::<ForOp>(ctx))
            .and_then(|l| constant_trip_count(ctx, l))
            .is_some_and(|n| few(n as i64)),
    }
}

/// What the iterations of a band do, op by op, but for what only computes.
fn statements(ctx: &Context, band: &[ParallelOp]) -> Vec<(Op, Role)> {
    let mut ops = band.last().map_or(Vec::new(), |p| p.body(ctx).ops(ctx));
    ops.pop();
    ops.retain(|o| !is_pure(ctx, *o));
    ops.into_iter().map(|o| (o, role(ctx, o))).collect()
}

pub(super) fn has_several_loops(ctx: &Context, band: &[ParallelOp]) -> bool {
    let all = statements(ctx, band);
    all.iter().filter(|(_, r)| *r != Role::Single).count() > 1
}

/// Whether what iterations read and write lies next to each other along the innermost parallel loop
/// rather than along the loops inside: a thread for each iteration goes along a column, and reads it
/// once where it fits the caches.
pub(super) fn goes_along_columns(ctx: &Context, band: &[ParallelOp]) -> bool {
    let (Some(root), Some(last)) = (band.first(), band.last()) else {
        return false;
    };
    let Some(column) = last.ivs(ctx).last().copied() else {
        return false;
    };
    let (mut across, mut along) = (0, 0);
    for a in Access::all(ctx, root.op()) {
        let m = a.composed(ctx);
        let Some(place) = m.map.num_results().checked_sub(1) else {
            continue;
        };
        let moves = |v: &Value| matches!(coefficient(&m, place, *v), Some(1 | -1));
        let inside = |v: &&Value| {
            let owner = v.arg_block().and_then(|b| b.parent_op(ctx));
            owner.is_some_and(|o| last.op() != o && last.op().is_ancestor_of(ctx, o))
        };
        across += usize::from(moves(&column));
        along += usize::from(m.operands.iter().filter(inside).any(moves));
    }
    across > along
}

/// Whether one of the loops that iterations hold is one that several threads can go along.
pub(super) fn is_worth_it(ctx: &Context, band: &[ParallelOp]) -> bool {
    let together =
        |(o, r): &(Op, Role)| matches!(r, Role::Elements | Role::Fold) && !is_short(ctx, *o);
    statements(ctx, band).iter().any(together)
}

/// The parts of what an iteration does: cut around the loop that holds `failing`, or behind the
/// first loop where none does. `None` where nothing is gained.
pub(super) fn parts(ctx: &Context, band: &[ParallelOp], failing: Op) -> Option<Vec<Vec<Op>>> {
    let body = band.last()?.body(ctx);
    let (ops, roles): (Vec<Op>, Vec<Role>) = statements(ctx, band).into_iter().unzip();
    let loops: Vec<usize> = (0..ops.len())
        .filter(|i| roles[*i] != Role::Single)
        .collect();
    let own = failing.ancestor_in(ctx, body);
    let at = own.and_then(|o| ops.iter().position(|p| *p == o));
    let at = match at {
        Some(i) if roles[i] != Role::Single => i,
        _ => *loops.first()?,
    };
    // What stands in front of the first loop goes with it, what stands behind one with that one; but
    // nothing with elements, which would no longer be a thread each.
    let begin = match loops.iter().any(|i| *i < at) {
        true => at,
        false => 0,
    };
    let next = loops.iter().copied().find(|i| *i > at).unwrap_or(ops.len());
    let end = match roles[at] {
        Role::Elements => at + 1,
        _ => next,
    };
    let cuts = [&ops[..begin], &ops[begin..end], &ops[end..]];
    let parts: Vec<Vec<Op>> = (cuts.into_iter().filter(|c| !c.is_empty()))
        .map(<[Op]>::to_vec)
        .collect();
    (parts.len() > 1).then_some(parts)
}

/// A part for each loop of an iteration. What stands behind a loop goes with it, but for one with
/// elements: that goes with the loop that comes next.
pub(super) fn all_parts(ctx: &Context, band: &[ParallelOp]) -> Vec<Vec<Op>> {
    let mut all: Vec<Vec<Op>> = Vec::new();
    // Whether the last part takes an op that is no loop, and whether it takes a loop.
    let (mut open, mut wants_loop) = (false, false);
    for (op, role) in statements(ctx, band) {
        let is_loop = role != Role::Single;
        let fits = open && (!is_loop || wants_loop);
        match all.last_mut().filter(|_| fits) {
            Some(part) => part.push(op),
            None => {
                all.push(vec![op]);
                wants_loop = true;
            }
        }
        wants_loop &= !is_loop;
        open = role != Role::Elements;
    }
    all
}
