//! Which loops of two nests count the same dimensions of the arrays that both touch.

use super::find::ParallelNest;
use crate::analysis::memory::base;
use crate::analysis::source::indices;
use crate::analysis::stride::of_subscripts;
use terrace_dialects::affine::{Access, AccessKind};
use terrace_dialects::memref::StoreOp;
use terrace_ir::{Context, Op, OpKind, Value};

/// For each loop of the first nest the one of the second that goes along the same subscripts of
/// arrays that both touch, those first that one of them stores to; its own place where none does
/// or two would.
pub fn same_order(ctx: &Context, first: &ParallelNest, second: &ParallelNest) -> Vec<usize> {
    let n = first.loops.len();
    let own: Vec<usize> = (0..n).collect();
    let (a, b) = (subscripts(ctx, first), subscripts(ctx, second));
    let mut order: Vec<Option<usize>> = vec![None; n];
    for stored in [true, false] {
        for x in &a {
            for y in &b {
                if x.memory != y.memory || (x.writes || y.writes) != stored {
                    continue;
                }
                for (l, m) in x.loops.iter().zip(&y.loops) {
                    let (Some((l, by)), Some((m, with))) = (l, m) else {
                        continue;
                    };
                    if by == with && order[*l].is_none() && !order.contains(&Some(*m)) {
                        order[*l] = Some(*m);
                    }
                }
            }
        }
    }
    let mut rest: Vec<usize> = own
        .iter()
        .copied()
        .filter(|m| !order.contains(&Some(*m)))
        .collect();
    // A loop that stands alone stays where it is, if that is free.
    for l in own {
        if order[l].is_none()
            && let Some(i) = rest.iter().position(|m| *m == l)
        {
            order[l] = Some(rest.remove(i));
        }
    }
    let mut rest = rest.into_iter();
    (order.into_iter())
        .filter_map(|l| l.or_else(|| rest.next()))
        .collect()
}

/// An access of a nest.
struct Subscripts {
    memory: Value,
    writes: bool,
    /// Of each subscript the only loop that it grows with, and by how much.
    loops: Vec<Option<(usize, i64)>>,
}

fn subscripts(ctx: &Context, nest: &ParallelNest) -> Vec<Subscripts> {
    let accesses = nest.root.op().pre_order(ctx).into_iter();
    accesses.filter_map(|op| of_access(ctx, nest, op)).collect()
}

fn of_access(ctx: &Context, nest: &ParallelNest, op: Op) -> Option<Subscripts> {
    let (memref, _) = indices(ctx, op)?;
    let by_loop: Vec<Vec<Option<i64>>> = (nest.loops.iter())
        .map(|l| of_subscripts(ctx, op, l.iv).map(|(_, all)| all))
        .collect::<Option<_>>()?;
    let rank = by_loop.first()?.len();
    let only = |d: usize| {
        let mut grows = (0..by_loop.len()).filter(|l| by_loop[*l][d] != Some(0));
        let l = grows.next()?;
        let by = by_loop[l][d]?;
        grows.next().is_none().then_some((l, by))
    };
    let stores = Access::of(ctx, op).is_some_and(|a| a.kind == AccessKind::Write);
    Some(Subscripts {
        memory: base(ctx, memref),
        writes: stores || op.name(ctx) == StoreOp::NAME,
        loops: (0..rank).map(only).collect(),
    })
}
