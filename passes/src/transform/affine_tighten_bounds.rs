//! `affine-tighten-bounds`: loops leave out the iterations in which the loop inside them does not
//! run.
//!
//! ```text
//! affine.for %i = 0 to %n {                 affine.for %i = 0 to min(%n, %m - 1) {
//!   affine.for %j = %i + 1 to %m {     =>     affine.for %j = %i + 1 to %m {
//!     body                                      body
//! ```
//!
//! A row without elements costs what its bounds do. Legal where the body of a loop is one loop
//! that carries nothing: an iteration in which that has a lower bound that is not below an upper
//! one does nothing.
//!
//! Of several bounds of a loop those go that another one is never short of, by the ranges of the
//! loop variables around: `max(%i + 2, %i + %c * 8 + 2)`, where `%c` counts from 0.

use crate::analysis::bounds::{both, unit_and_rest};
use crate::analysis::ranges::Ranges;
use terrace_dialects::affine::{ForOp, YieldOp};
use terrace_dialects::func;
use terrace_ir::affine::{AffineExpr, AffineMap};
use terrace_ir::effects::is_pure;
use terrace_ir::pass::{Pass, PassContext, PassInfo, PassResult, StatisticInfo};
use terrace_ir::{Context, Op, OpKind, Value};

pub static INFO: PassInfo = PassInfo {
    name: "affine-tighten-bounds",
    title: "AffineTightenBounds",
    summary: "Leave out iterations of affine loops in which the only loop inside does not run",
    description: "Adds to the bounds of affine.for ops with a single loop in them what that one needs to run at all.",
    anchor: Some(func::FuncOp::NAME),
    statistics: &[
        StatisticInfo::new("num-bounds", "Number of bounds added to loops"),
        StatisticInfo::new("num-dropped", "Number of bounds that others make needless"),
    ],
    make: |_| Ok(Box::new(TightenBounds)),
    ..PassInfo::EMPTY
};

/// The most bounds of a kind that a loop has.
const MOST: usize = 3;

struct TightenBounds;

impl Pass for TightenBounds {
    fn run(&mut self, ctx: &mut PassContext, op: Op) -> PassResult {
        // Those inside first: what they need counts for the ones around them.
        let loops: Vec<ForOp> = op
            .post_order(ctx)
            .into_iter()
            .filter_map(|o| o.cast(ctx))
            .collect();
        for l in &loops {
            if let Some(inner) = only_loop(ctx, *l) {
                let added = tighten(ctx, *l, inner);
                ctx.count("num-bounds", added as u64);
            }
        }
        let mut ranges = Ranges::default();
        for l in loops {
            for which in [Bound::Lower, Bound::Upper] {
                let dropped = drop_needless(ctx, &mut ranges, l, which);
                ctx.count("num-dropped", dropped as u64);
            }
        }
        Ok(())
    }
}

/// The loop that is all of the body of `l`.
fn only_loop(ctx: &Context, l: ForOp) -> Option<ForOp> {
    if l.op().num_results(ctx) > 0 || l.step(ctx) != 1 {
        return None;
    }
    let free = |op: &Op| is_pure(ctx, *op) || op.isa::<YieldOp>(ctx);
    let mut rest = l.body(ctx).ops(ctx);
    rest.retain(|op| !free(op));
    match rest[..] {
        [only] => only
            .cast::<ForOp>(ctx)
            .filter(|l| l.op().num_results(ctx) == 0),
        _ => None,
    }
}

/// Adds what the bounds of `inner` say of the variable of `l`; gives how many bounds that are.
fn tighten(ctx: &mut Context, l: ForOp, inner: ForOp) -> usize {
    let (lower, upper) = (inner.lower_operands(ctx), inner.upper_operands(ctx));
    let bounds = both(
        ctx,
        (inner.lower_map(ctx), &lower),
        (inner.upper_map(ctx), &upper),
    );
    let iv = l.iv(ctx);
    let Some(at) = bounds.operands.iter().position(|v| *v == iv) else {
        return 0;
    };
    let (dims, symbols) = (bounds.map.num_dims(), bounds.map.num_symbols());
    let from = inner.lower_map(ctx).num_results();
    let (low, high) = bounds.map.results().split_at(from);
    let plain = |e: AffineExpr| AffineMap::new(dims, symbols, vec![e]).simplify();
    let mut added = 0;
    for (a, b) in low.iter().flat_map(|a| high.iter().map(move |b| (a, b))) {
        // The loop runs where this is not negative.
        let room = plain(b.clone() - a.clone() - 1);
        added += match unit_and_rest(&room.results()[0], at as u32, (dims, symbols)) {
            Some((1, rest)) => {
                let begin = plain(AffineExpr::constant(0) - rest);
                add(ctx, l, begin, &bounds.operands, Bound::Lower)
            }
            Some((_, rest)) => add(ctx, l, plain(rest + 1), &bounds.operands, Bound::Upper),
            None => 0,
        };
    }
    added
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Bound {
    Lower,
    Upper,
}

/// Takes away the bounds of a kind that another one is never short of; gives how many.
fn drop_needless(ctx: &mut Context, ranges: &mut Ranges, l: ForOp, which: Bound) -> usize {
    let (map, operands) = match which {
        Bound::Lower => (l.lower_map(ctx).clone(), l.lower_operands(ctx)),
        Bound::Upper => (l.upper_map(ctx).clone(), l.upper_operands(ctx)),
    };
    let results = map.results();
    if results.len() < 2 {
        return 0;
    }
    let (dims, symbols) = (map.num_dims(), map.num_symbols());
    let mut kept: Vec<AffineExpr> = results.to_vec();
    let mut at = 0;
    while at < kept.len() {
        let further = |other: &AffineExpr| match which {
            Bound::Lower => other.clone() - kept[at].clone(),
            Bound::Upper => kept[at].clone() - other.clone(),
        };
        let others = (0..kept.len()).filter(|i| *i != at);
        let differences: Vec<AffineExpr> = others.map(|i| further(&kept[i])).collect();
        let differences = AffineMap::new(dims, symbols, differences);
        let ranges = ranges.of_results(ctx, &differences, &operands);
        match ranges.iter().any(|r| r.lo.is_some_and(|lo| lo >= 0)) {
            true => drop(kept.remove(at)),
            false => at += 1,
        }
    }
    let dropped = results.len() - kept.len();
    if dropped > 0 {
        let map = AffineMap::new(dims, symbols, kept);
        match which {
            Bound::Lower => l.set_lower(ctx, map, &operands),
            Bound::Upper => l.set_upper(ctx, map, &operands),
        }
    }
    dropped
}

/// Adds a bound where it is not known to be one already; 1 if it does.
fn add(ctx: &mut Context, l: ForOp, map: AffineMap, operands: &[Value], which: Bound) -> usize {
    let (old, old_operands) = match which {
        Bound::Lower => (l.lower_map(ctx).clone(), l.lower_operands(ctx)),
        Bound::Upper => (l.upper_map(ctx).clone(), l.upper_operands(ctx)),
    };
    let all = both(ctx, (&old, &old_operands), (&map, operands));
    let (dims, symbols) = (all.map.num_dims(), all.map.num_symbols());
    let Some((new, before)) = all.map.results().split_last() else {
        return 0;
    };
    // How much further in the new one is.
    let gain = |b: &AffineExpr| {
        let further = match which {
            Bound::Lower => new.clone() - b.clone(),
            Bound::Upper => b.clone() - new.clone(),
        };
        let further = AffineMap::new(dims, symbols, vec![further]).simplify();
        further.results()[0].as_constant()
    };
    if before.len() >= MOST || before.iter().any(|b| gain(b).is_some_and(|n| n <= 0)) {
        return 0;
    }
    // Those that it makes needless go.
    let kept = before.iter().filter(|b| gain(b).is_none()).cloned();
    let results: Vec<AffineExpr> = kept.chain([new.clone()]).collect();
    let map = AffineMap::new(dims, symbols, results);
    match which {
        Bound::Lower => l.set_lower(ctx, map, &all.operands),
        Bound::Upper => l.set_upper(ctx, map, &all.operands),
    }
    1
}
