//! At which depths one nest can be put into another, and with which slice.

use crate::analysis::pair::{Pair, common_loops, pair, reads_and_writes, scoped_ivs};
use crate::analysis::slice::{NoSlice, Slice, common_loops_of, loops_around};
use terrace_dialects::affine::{Access, AccessKind, ForOp, IfOp};
use terrace_ir::{Context, Op, OpKind, Value};

/// What the slice follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strategy {
    /// All accesses of both nests.
    Generic,
    /// What the source writes.
    Producer,
    /// What the source reads of one memref.
    Sibling(Value),
}

/// Whether a nest can be put into another.
#[derive(Debug, Clone)]
pub enum Outcome {
    Slice(Box<Slice>),
    /// Something between the two has to stay between.
    BlockDependence,
    /// The slice would have iterations that the source has not.
    Incorrect(Box<Slice>),
    /// It cannot, or that is not known.
    No,
}

/// The slice of `source` for `destination` at `depth`, counting all loops around. These
/// conditions are necessary, not sufficient.
pub fn slice_at(
    ctx: &Context,
    source: ForOp,
    destination: ForOp,
    depth: usize,
    strategy: Strategy,
) -> Outcome {
    if depth == 0 || source.op().block(ctx) != destination.op().block(ctx) {
        return Outcome::No;
    }
    let forward = source.op().is_before(ctx, destination.op());
    let (a, b) = if forward {
        (source, destination)
    } else {
        (destination, source)
    };
    if !has_place(ctx, a.op(), b.op()) {
        return Outcome::BlockDependence;
    }
    let conditional = |l: ForOp| !l.op().find_all::<IfOp>(ctx).is_empty();
    if conditional(a) || conditional(b) {
        return Outcome::No;
    }
    let (ops_a, ops_b) = (reads_and_writes(ctx, a.op()), reads_and_writes(ctx, b.op()));
    if strategy == Strategy::Producer && (!forward || deepest(ctx, &ops_a, &ops_b) < depth) {
        return Outcome::No;
    }
    let common = common_loops(ctx, source.op(), destination.op());
    let followed: Vec<Access> = match strategy {
        Strategy::Generic => ops_a,
        Strategy::Producer => {
            let all = ops_a.into_iter();
            all.filter(|x| x.kind == AccessKind::Write).collect()
        }
        Strategy::Sibling(m) => {
            let all = ops_a.into_iter();
            all.filter(|x| x.kind == AccessKind::Read && x.memref == m)
                .collect()
        }
    };
    match Slice::union(ctx, &followed, &ops_b, depth, common, forward) {
        Ok(s) => Outcome::Slice(Box::new(s)),
        Err(NoSlice::Incorrect(s)) => Outcome::Incorrect(s),
        Err(NoSlice::Unknown) => Outcome::No,
    }
}

/// Whether two accesses of the same memref conflict.
fn conflict(a: &Access, b: &Access) -> bool {
    a.memref == b.memref && (a.kind == AccessKind::Write || b.kind == AccessKind::Write)
}

/// Whether `b` can move up to the first op that depends on `a`, or needs not.
fn has_place(ctx: &Context, a: Op, b: Op) -> bool {
    let (in_a, in_b) = (reads_and_writes(ctx, a), reads_and_writes(ctx, b));
    let touches = |op: Op, with: &[Access]| {
        let inside = reads_and_writes(ctx, op);
        inside.iter().any(|x| with.iter().any(|y| conflict(x, y)))
    };
    let mut first: Option<usize> = None;
    let mut last: Option<usize> = None;
    let mut next = a.next(ctx);
    let mut at = 0;
    while let Some(op) = next.filter(|op| *op != b) {
        if first.is_none() && touches(op, &in_a) {
            first = Some(at);
        }
        let feeds = || {
            op.pre_order(ctx).into_iter().any(|o| {
                let mut results = o.results(ctx).into_iter();
                results.any(|v| v.users(ctx).into_iter().any(|u| b.is_ancestor_of(ctx, u)))
            })
        };
        if touches(op, &in_b) || feeds() {
            last = Some(at);
        }
        at += 1;
        next = op.next(ctx);
    }
    match (first, last) {
        (Some(f), Some(l)) => f > l,
        _ => true,
    }
}

/// The memrefs that `source` writes and `destination` reads.
pub fn produced(source: &[Access], destination: &[Access]) -> Vec<Value> {
    let mut all = Vec::new();
    for r in destination.iter().filter(|a| a.kind == AccessKind::Read) {
        let mut writes = source.iter().filter(|a| a.kind == AccessKind::Write);
        if !all.contains(&r.memref) && writes.any(|w| w.memref == r.memref) {
            all.push(r.memref);
        }
    }
    all
}

/// The greatest depth at which the source's writes can be put without coming between
/// accesses of the destination that depend on each other.
fn deepest(ctx: &Context, source: &[Access], destination: &[Access]) -> usize {
    let memrefs = produced(source, destination);
    let mut targets = destination.to_vec();
    targets.retain(|a| memrefs.contains(&a.memref));
    if targets.is_empty() {
        return 0;
    }
    let ops: Vec<Op> = targets.iter().map(|a| a.op).collect();
    let mut depth = common_loops_of(ctx, &ops).len();
    if targets.iter().all(|a| a.kind == AccessKind::Read) {
        return depth;
    }
    for x in &targets {
        for y in &targets {
            let common = common_loops(ctx, x.op, y.op);
            let carried =
                (1..=common + 1).find(|d| matches!(pair(ctx, x, y, *d, false), Pair::Dependent(_)));
            if let Some(d) = carried {
                depth = depth.min(d - 1);
            }
        }
    }
    depth
}

/// How many loops around all of these accesses are inside a nest.
pub fn common_depth(ctx: &Context, nest: ForOp, accesses: &[Access]) -> usize {
    let ops: Vec<Op> = accesses.iter().map(|a| a.op).collect();
    let around = scoped_ivs(ctx, nest.op()).len();
    common_loops_of(ctx, &ops).len().saturating_sub(around)
}

/// How many loops of a nest are around an access.
pub fn depth_in(ctx: &Context, nest: ForOp, a: &Access) -> usize {
    let around = scoped_ivs(ctx, nest.op()).len();
    loops_around(ctx, a.op).len().saturating_sub(around)
}
