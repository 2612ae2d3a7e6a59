//! The fused nest, and what is left over of both.
//!
//! ```text
//! parallel %i = 1 to %n, %j = 0 to %m { A }     parallel %i = 1 to %n, %j = 0 to 1 { A }
//! parallel %i = 0 to %n, %j = 1 to %m { B }  => parallel %i = 1 to %n, %j = 1 to %m { A; B }
//!                                               parallel %i = 0 to 1, %j = 1 to %m { B }
//! ```
//!
//! What is left over of the first nest runs before, and that of the second behind, so that
//! only dependences between common iterations change their order.
//!
//! Or there is one nest of all iterations that either has, in which a body that has fewer asks
//! whether an iteration is one of its own:
//!
//! ```text
//! parallel %i = 0 to %n, %j = 0 to %m { if (%i >= 1) { A };  if (%j >= 1) { B } }
//! ```

use super::find::{Pair, ParallelNest, apart};
use crate::gpu::map::band;
use crate::loops::frame::Frame;
use crate::loops::guard::guard;
use terrace_dialects::affine::{IfOp, ParallelOp};
use terrace_ir::affine::AffineExpr;
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::{Context, Op, OpKind};

/// Nests that are to stand in the place of two.
#[derive(Debug, Clone)]
pub struct Fused {
    pub fused: ParallelOp,
    /// The first op of the body that was the second nest's.
    pub seam: Op,
    /// Parallel loops of the fused nest.
    pub depth: usize,
    /// What is left over of the first and of the second nest.
    pub before: Vec<ParallelOp>,
    pub after: Vec<ParallelOp>,
}

impl Fused {
    /// All of them, in their order.
    pub fn all(&self) -> Vec<ParallelOp> {
        let (before, after) = (self.before.iter(), self.after.iter());
        before.chain([&self.fused]).chain(after).copied().collect()
    }

    pub fn erase(self, ctx: &mut Context) {
        for p in self.all() {
            p.op().erase(ctx);
        }
    }
}

/// Puts the fused nest and what is left over behind the second nest; both stay. `None`
/// where the second one does nothing.
pub fn build(ctx: &mut Context, pair: &Pair) -> Option<Fused> {
    let [first, second] = &pair.nests;
    let mut mark = second.root.op();
    let mut left = [first, second].map(|n| left_over(pair, n));
    let [of_first, of_second] = &mut left;
    let mut before = Vec::new();
    for bounds in of_first.drain(..) {
        before.push(copy_over(ctx, &pair.frame, first, &bounds, &mut mark));
    }
    let fused = copy_over(ctx, &pair.frame, first, &pair.common, &mut mark);
    let seam = append(ctx, fused, second);
    let mut after = Vec::new();
    for bounds in of_second.drain(..) {
        after.push(copy_over(ctx, &pair.frame, second, &bounds, &mut mark));
    }
    let depth = pair.common.len();
    let made = |seam| Fused {
        fused,
        seam,
        depth,
        before,
        after,
    };
    match seam {
        Some(seam) => Some(made(seam)),
        None => {
            made(fused.op()).erase(ctx);
            None
        }
    }
}

/// Puts a nest of all iterations that either has behind the second nest; both stay. `None` where
/// the second one does nothing.
pub fn build_guarded(ctx: &mut Context, pair: &Pair) -> Option<Fused> {
    let [first, second] = &pair.nests;
    let mut mark = second.root.op();
    let fused = copy_over(ctx, &pair.frame, first, &pair.either, &mut mark);
    let body = band::band_of(ctx, fused).last()?.body(ctx);
    let mut of_first = body.ops(ctx);
    of_first.pop();
    only_where_it_runs(ctx, pair, first, fused, &of_first);
    let Some(seam) = append(ctx, fused, second) else {
        fused.op().erase(ctx);
        return None;
    };
    let mut of_second = body.ops(ctx);
    of_second.pop();
    of_second.retain(|o| *o == seam || seam.is_before(ctx, *o));
    let seam = only_where_it_runs(ctx, pair, second, fused, &of_second).unwrap_or(seam);
    Some(Fused {
        fused,
        seam,
        depth: pair.either.len(),
        before: Vec::new(),
        after: Vec::new(),
    })
}

/// Runs ops of a nest of all iterations only in those of one of the two; the condition, if it needs
/// one.
fn only_where_it_runs(
    ctx: &mut Context,
    pair: &Pair,
    nest: &ParallelNest,
    fused: ParallelOp,
    ops: &[Op],
) -> Option<Op> {
    let mut frame = pair.frame.clone();
    let ivs = band::band_of(ctx, fused)
        .into_iter()
        .flat_map(|p| p.ivs(ctx));
    let mut conditions = Vec::new();
    for ((iv, own), [lower, upper]) in ivs.zip(&nest.loops).zip(&pair.either) {
        let iv = frame.dim(iv);
        if let ([l], true) = (&own.lower[..], own.lower != *lower) {
            conditions.push(iv.clone() - l.clone());
        }
        if let ([u], true) = (&own.upper[..], own.upper != *upper) {
            conditions.push(u.clone() - iv - AffineExpr::Constant(1));
        }
    }
    let operands = frame.operands();
    let (dims, symbols) = operands.split_at(frame.num_dims() as usize);
    let loc = nest.root.op().loc(ctx);
    guard(ctx, ops, conditions, [dims, symbols], loc).map(IfOp::op)
}

type Bounds = Vec<[Vec<AffineExpr>; 2]>;

/// A copy of a nest over other iterations, behind `mark`, which it then is.
fn copy_over(
    ctx: &mut Context,
    frame: &Frame,
    nest: &ParallelNest,
    bounds: &Bounds,
    mark: &mut Op,
) -> ParallelOp {
    let copy = ParallelOp::wrap(clone_op(ctx, nest.root.op(), &mut IrMapping::new()));
    copy.op().insert_after(ctx, *mark);
    *mark = copy.op();
    let mut at = 0;
    for p in band::band_of(ctx, copy) {
        let n = p.num_loops(ctx);
        let places = &nest.places[at..at + n];
        let here: Vec<_> = places.iter().map(|k| &bounds[*k]).collect();
        let own = places.iter().map(|k| &nest.loops[*k]);
        at += n;
        let same = (here.iter().zip(own)).all(|(b, own)| b[0] == own.lower && b[1] == own.upper);
        if same {
            continue;
        }
        let side = |k: usize| {
            let groups: Vec<usize> = here.iter().map(|b| b[k].len()).collect();
            let all = here.iter().flat_map(|b| b[k].clone()).collect();
            (frame.map(ctx, all, &[]), groups)
        };
        let ((lower, lower_groups), (upper, upper_groups)) = (side(0), side(1));
        p.set_bounds(
            ctx,
            (lower.map, &lower.operands, &lower_groups),
            (upper.map, &upper.operands, &upper_groups),
        );
    }
    copy
}

/// Copies what a nest runs to the end of what another runs; the first op of it.
fn append(ctx: &mut Context, to: ParallelOp, nest: &ParallelNest) -> Option<Op> {
    let band = band::band_of(ctx, to);
    let end = band.last()?.body(ctx).last_op(ctx)?;
    let ivs = band.iter().flat_map(|p| p.ivs(ctx));
    let mut map = IrMapping::new();
    for (l, iv) in nest.loops.iter().zip(ivs) {
        map.map(l.iv, iv);
    }
    let mut seam = None;
    for (k, p) in nest.band.iter().enumerate() {
        let mut ops = p.body(ctx).ops(ctx);
        ops.pop();
        if k + 1 < nest.band.len() {
            // The next loop; what stands in front of it is pure.
            ops.pop();
        }
        for op in ops {
            let copy = clone_op(ctx, op, &mut map);
            copy.insert_before(ctx, end);
            seam.get_or_insert(copy);
        }
    }
    seam
}

/// The iterations of a nest that are not common, as boxes: for each loop those below and
/// above the common ones, of the loops before it in the common ones.
fn left_over(pair: &Pair, nest: &ParallelNest) -> Vec<Bounds> {
    let frame = &pair.frame;
    let mut out = Vec::new();
    for (k, (own, [lower, upper])) in nest.loops.iter().zip(&pair.common).enumerate() {
        let with = |this: [Vec<AffineExpr>; 2]| {
            let mut bounds: Bounds = pair.common[..k].to_vec();
            bounds.push(this);
            let rest = nest.loops[k + 1..].iter();
            bounds.extend(rest.map(|l| [l.lower.clone(), l.upper.clone()]));
            bounds
        };
        // Bounds that differ are single.
        if own.lower != *lower
            && let ([l], [c]) = (&own.lower[..], &lower[..])
            && apart(frame, c, l) != Some(0)
        {
            let end = extreme(frame, c, &own.upper, false);
            out.push(with([own.lower.clone(), end]));
        }
        if own.upper != *upper
            && let ([u], [c]) = (&own.upper[..], &upper[..])
            && apart(frame, c, u) != Some(0)
        {
            // From the common lower bound, since there may be no common iteration.
            let start = extreme(frame, c, lower, true);
            out.push(with([start, own.upper.clone()]));
        }
    }
    out
}

/// A bound and others, of which the greatest or the least counts: one, where it is known
/// which.
fn extreme(
    frame: &Frame,
    a: &AffineExpr,
    others: &[AffineExpr],
    greatest: bool,
) -> Vec<AffineExpr> {
    let mut all = others.to_vec();
    if let [b] = others
        && let Some(n) = apart(frame, a, b)
    {
        return vec![if (n > 0) == greatest { a } else { b }.clone()];
    }
    all.insert(0, a.clone());
    all
}
