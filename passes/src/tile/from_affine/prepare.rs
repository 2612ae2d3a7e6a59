//! Loops in the shape in which nests are read: from a number that is known, in steps of one, and,
//! where they combine values, in order, with nothing between two loops that do so together.
//!
//! ```text
//! %s = affine.parallel (%j) reduce ("addf") {       %s = affine.for %j iter_args(%t = %zero) {
//!   affine.yield %x                            =>     %u = %t + %x
//! }                                                   affine.yield %u
//!                                                   }
//! affine.for %j iter_args(%t) {                     affine.for %j iter_args(%t) {
//!   %x = affine.load %A[%j]                           affine.for %k iter_args(%u = %t) {
//!   affine.for %k iter_args(%u = %t) {         =>       %x = affine.load %A[%j]
//!     use(%x)                                           use(%x)
//!   }                                                 }
//! }                                                 }
//! ```
//!
//! A loop that combines what another one inside combines from nothing carries it through that one.

use super::find::statements;
use crate::analysis::reduction::all_of;
use crate::loops::normalize::{normalize_for, normalize_parallel};
use crate::loops::sequentialize::affine_in_order;
use terrace_dialects::affine::{ForOp, ParallelOp};
use terrace_dialects::arith;
use terrace_ir::effects::only_reads;
use terrace_ir::{Context, Op, OpKind};

/// Whether [`prepare`] would change something in the nest.
pub(super) fn is_needed(ctx: &Context, root: Op) -> bool {
    root.pre_order(ctx).into_iter().any(|op| {
        if let Some(p) = op.cast::<ParallelOp>(ctx) {
            return op.num_results(ctx) > 0 || !counts_by_one(ctx, p);
        }
        (op.cast::<ForOp>(ctx)).is_some_and(|l| {
            !counts_from_number(ctx, l) || between(ctx, l).is_some() || inner_sum(ctx, l).is_some()
        })
    })
}

/// Gives the loops of a nest that shape, as far as they can have it.
pub(super) fn prepare(ctx: &mut Context, root: Op) {
    let mut all = root.pre_order(ctx);
    all.retain(|o| *o != root);
    // Those inside come first.
    for op in all.into_iter().rev() {
        if let Some(p) = op.cast::<ParallelOp>(ctx) {
            if op.num_results(ctx) > 0 {
                for l in affine_in_order(ctx, p).unwrap_or_default() {
                    from_a_number(ctx, l);
                }
            } else if !counts_by_one(ctx, p) {
                normalize_parallel(ctx, p);
            }
        } else if let Some(l) = op.cast::<ForOp>(ctx) {
            from_a_number(ctx, l);
        }
    }
    if let Some(p) = root
        .cast::<ParallelOp>(ctx)
        .filter(|p| !counts_by_one(ctx, *p))
    {
        normalize_parallel(ctx, p);
    }
    for l in root.find_all::<ForOp>(ctx) {
        carry_on(ctx, l);
        sink(ctx, l);
    }
}

/// Whether a loop has steps of one. Where it begins is no matter: rows of several loops lie on
/// each other by their subscripts.
fn counts_by_one(ctx: &Context, p: ParallelOp) -> bool {
    p.steps(ctx).iter().all(|s| *s == 1)
}

/// Whether a loop begins at a number that is known, or where it cannot be told, and has steps of one.
fn counts_from_number(ctx: &Context, l: ForOp) -> bool {
    let lower = l.lower_map(ctx);
    l.step(ctx) == 1 && (lower.single_constant().is_some() || lower.num_results() != 1)
}

fn from_a_number(ctx: &mut Context, l: ForOp) {
    if !counts_from_number(ctx, l) {
        normalize_for(ctx, l, false);
    }
}

/// The loop inside that goes on with what `l` carries and is the last thing that `l` does.
fn goes_on(ctx: &Context, l: ForOp) -> Option<ForOp> {
    let ops = statements(ctx, l.body(ctx));
    let inner = ops.last()?.cast::<ForOp>(ctx)?;
    let handed_on = !l.iter_args(ctx).is_empty()
        && inner.inits(ctx) == l.iter_args(ctx)
        && l.yielded(ctx) == inner.op().results(ctx);
    handed_on.then_some(inner)
}

/// Lets the loop inside begin with what `l` carries, where `l` combines with what the loop inside
/// combines to from nothing, and any order will do.
fn carry_on(ctx: &mut Context, l: ForOp) {
    let Some(inner) = inner_sum(ctx, l) else {
        return;
    };
    let combiners: Vec<Op> = l.yielded(ctx).iter().filter_map(|v| v.def_op()).collect();
    inner.set_inits(ctx, &l.iter_args(ctx));
    let results = inner.op().results(ctx);
    if let Some(end) = l.body(ctx).last_op(ctx) {
        end.set_operands(ctx, &results);
    }
    for op in combiners {
        op.erase(ctx);
    }
}

/// The loop inside of which each result is combined with what `l` carries, and with nothing else.
fn inner_sum(ctx: &Context, l: ForOp) -> Option<ForOp> {
    let outer = all_of(ctx, l).filter(|all| !all.is_empty())?;
    let inner = outer.first()?.contribution.def_op()?.cast::<ForOp>(ctx)?;
    let own = all_of(ctx, inner)?;
    if inner.op().block(ctx) != Some(l.body(ctx)) || own.len() != outer.len() {
        return None;
    }
    for (i, (x, y)) in outer.iter().zip(&own).enumerate() {
        let result = inner.op().result(ctx, i);
        let init = inner.inits(ctx)[i];
        let begins = init.def_op().and_then(|o| o.cast::<arith::ConstantOp>(ctx));
        let nothing = y.kind.identity(ctx, result.ty(ctx));
        let fits = x.contribution == result
            && result.has_one_use(ctx)
            && x.kind == y.kind
            && !x.is_ordered(ctx)
            && !y.is_ordered(ctx)
            && begins.is_some_and(|c| c.op().attr(ctx, "value") == nothing);
        if !fits {
            return None;
        }
    }
    // Nothing but the combiners comes behind the loop inside.
    let mut behind = statements(ctx, l.body(ctx)).into_iter().rev();
    let ok = behind
        .by_ref()
        .take(outer.len())
        .all(|o| outer.iter().any(|r| r.combiner == o));
    (ok && behind.next() == Some(inner.op())).then_some(inner)
}

/// What stands in front of the loop inside that goes on with what `l` carries, if that loop may
/// as well do it in each of its iterations.
fn between(ctx: &Context, l: ForOp) -> Option<(ForOp, Vec<Op>)> {
    let inner = goes_on(ctx, l)?;
    let mut ops = statements(ctx, l.body(ctx));
    ops.pop();
    let used_by_bounds = |o: &Op| {
        let bounds = inner.op().operands(ctx);
        o.results(ctx).iter().any(|v| bounds.contains(v))
    };
    let loops = |o: &Op| {
        let mut all = o.pre_order(ctx).into_iter();
        all.any(|x| x.isa::<ForOp>(ctx) || x.isa::<ParallelOp>(ctx))
    };
    // What is read again has to be what it was.
    let ok = only_reads(ctx, l.op()) && ops.iter().all(|o| !loops(o) && !used_by_bounds(o));
    (ok && !ops.is_empty()).then_some((inner, ops))
}

fn sink(ctx: &mut Context, l: ForOp) {
    let Some((inner, ops)) = between(ctx, l) else {
        return;
    };
    let Some(first) = inner.body(ctx).ops(ctx).first().copied() else {
        return;
    };
    for op in ops {
        op.move_before(ctx, first);
    }
}
