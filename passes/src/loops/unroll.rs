//! Unrolling: copies of the body one behind the other in place of iterations.

use super::single_iteration::promote_if_single_iteration;
use crate::analysis::bounds::{
    both, constant_trip_count, difference, divisor, splat, trip_count_divisor, trip_count_map,
};
use crate::analysis::ranges::Ranges;
use terrace_dialects::affine::{ApplyOp, ForOp};
use terrace_ir::affine::{AffineExpr, AffineMap, ValueMap};
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::pass::{PassFailed, PassResult};
use terrace_ir::{Builder, Context, Op, OpKind, Value};

/// How many ops one loop may be unrolled to. Past it unrolling is refused: the
/// result would help nobody, and a trip count can be anything.
const MAX_OPS: u64 = 1 << 18;

/// Loops inside others that run no more often are unrolled for a core, if their bodies are small.
pub const SHORT: u64 = 32;

/// What is left of the ops that unrolling may add to a function: its loops and
/// repetitions multiply one another, so that a small number in the options makes any
/// number of ops.
pub struct Room(u64);

impl Default for Room {
    fn default() -> Room {
        Room(MAX_OPS)
    }
}

impl Room {
    /// Takes room for `l` unrolled by `factor`.
    ///
    /// # Errors
    ///
    /// There is not so much left, which is said at the loop.
    pub fn take(&mut self, ctx: &Context, l: ForOp, factor: u64) -> PassResult {
        let size = l.op().pre_order(ctx).len() as u64;
        let added = size.saturating_mul(factor.saturating_sub(1));
        match self.0.checked_sub(added) {
            Some(left) => {
                self.0 = left;
                Ok(())
            }
            None => {
                l.op().error(
                    ctx,
                    format!(
                        "is not unrolled by {factor}: more than {MAX_OPS} ops would be added to \
                         its function; ask for a smaller factor or fewer repetitions"
                    ),
                );
                Err(PassFailed)
            }
        }
    }
}

/// Put all iterations of a loop with a constant trip count one behind the other.
/// Returns whether it was done; a loop that does not run is left alone, as done.
pub fn unroll_full(ctx: &mut Context, l: ForOp) -> bool {
    match constant_trip_count(ctx, l) {
        None => false,
        Some(0) => true,
        Some(1) => promote_if_single_iteration(ctx, l),
        Some(n) => unroll_by(ctx, l, n, false),
    }
}

/// Unroll by `factor`, or fully where the loop is known to run less often.
pub fn unroll_up_to(ctx: &mut Context, l: ForOp, factor: u64) -> bool {
    match constant_trip_count(ctx, l) {
        Some(0) => true,
        Some(n) if n < factor => unroll_by(ctx, l, n, false),
        _ => unroll_by(ctx, l, factor, false),
    }
}

/// Make one iteration do the work of `factor`. Iterations left over go to a loop
/// behind, or with `unroll_cleanup` all are unrolled. Returns whether the loop is now
/// unrolled: not where it is known to run less often than `factor`, where it cannot be told
/// where a remainder begins, and where it would become too large.
pub fn unroll_by(ctx: &mut Context, l: ForOp, factor: u64, unroll_cleanup: bool) -> bool {
    let trips = constant_trip_count(ctx, l);
    if factor <= 1 {
        return factor == 1 && (trips != Some(1) || promote_if_single_iteration(ctx, l));
    }
    let body = l.body(ctx);
    if body.ops(ctx).len() <= 1 {
        return true;
    }
    if trips.is_some_and(|t| t < factor) {
        return unroll_cleanup && unroll_full(ctx, l);
    }
    let size = l.op().pre_order(ctx).len() as u64;
    let step = l.step(ctx);
    let new_step = i64::try_from(factor).ok().and_then(|f| step.checked_mul(f));
    let (Some(new_step), true) = (new_step, size.saturating_mul(factor) <= MAX_OPS) else {
        return false;
    };
    if !trip_count_divisor(ctx, l).is_multiple_of(factor) {
        if unroll_cleanup {
            return unroll_full(ctx, l);
        }
        if !split_off_remainder(ctx, l, factor) {
            return false;
        }
    }
    l.set_step(ctx, new_step);
    repeat_body(ctx, l, factor, step);
    promote_if_single_iteration(ctx, l);
    true
}

/// Append `factor - 1` copies of the body to it, each `step` further on.
fn repeat_body(ctx: &mut Context, l: ForOp, factor: u64, step: i64) {
    let (body, iv) = (l.body(ctx), l.iv(ctx));
    let Some(end) = body.last_op(ctx) else { return };
    let originals: Vec<Op> = body.ops(ctx).into_iter().filter(|o| *o != end).collect();
    let (carried, yielded) = (l.iter_args(ctx), l.yielded(ctx));
    let iv_is_used = iv.has_uses(ctx);
    // What the copy made last yields.
    let mut last = yielded.clone();
    let mut offset = step;
    for _ in 1..factor {
        let mut map = IrMapping::new();
        map.map_all(&carried, &last);
        if iv_is_used {
            let mut b = Builder::before(ctx, end);
            b.loc = l.op().loc(b.ctx);
            let at = AffineMap::new(1, 0, vec![AffineExpr::dim(0) + offset]);
            let v = ApplyOp::build(&mut b, at, &[iv]);
            map.map(iv, v);
        }
        for o in &originals {
            let copy = clone_op(ctx, *o, &mut map);
            copy.insert_before(ctx, end);
        }
        last = yielded.iter().map(|v| map.value(*v)).collect();
        offset = offset.saturating_add(step);
    }
    end.set_operands(ctx, &last);
}

/// Cut `l` down to a multiple of `factor` iterations, the others in copies behind it.
/// Returns whether it was done; nothing has changed otherwise.
pub fn split_off_remainder(ctx: &mut Context, l: ForOp, factor: u64) -> bool {
    let Some(rests) = remainders_of(ctx, l, factor) else {
        return false;
    };
    for rest in rests {
        promote_if_single_iteration(ctx, rest);
    }
    true
}

/// The most copies for the iterations left over.
const MOST_REMAINDERS: usize = 2;

/// As [`split_off_remainder`], but the copies stay loops even where they have one iteration; gives
/// them.
///
/// Of a loop whose end is a minimum, the iterations left over begin elsewhere for each end that is
/// not known to be a multiple of `factor` iterations from the beginning. One copy is made for each,
/// of which at most one has something to do:
///
/// ```text
/// for %i = 0 to min(%n, %m)   =>   for %i = 0 to min(%n', %m') step 4       %n' = %n floordiv 4 * 4
///                                  for %i = %n' to min(%n, %m)
///                                  for %i = %m' to min(%n, %m, %n')
/// ```
///
/// Where %n is the lesser end, %m' is either beyond %m, or not before %n'. Where %m is, %n' is beyond
/// %m or the same as %m'.
pub fn remainders_of(ctx: &mut Context, l: ForOp, factor: u64) -> Option<Vec<ForOp>> {
    let starts = remainder_starts(ctx, l, factor)?;
    let uneven = uneven_ends(ctx, l, factor)?;
    if uneven.len() > MOST_REMAINDERS {
        return None;
    }
    let one_start = starts.map.num_results() == 1 && is_known_to_run_forward(ctx, l);
    let (lower, lower_operands) = (l.lower_map(ctx).clone(), l.lower_operands(ctx));
    let (upper, upper_operands) = (l.upper_map(ctx).clone(), l.upper_operands(ctx));
    let results = |which: &[usize]| {
        let results = which.iter().filter_map(|i| starts.map.result(*i).cloned());
        let (dims, symbols) = (starts.map.num_dims(), starts.map.num_symbols());
        AffineMap::new(dims, symbols, results.collect())
    };
    let mut rests: Vec<ForOp> = Vec::new();
    for (k, end) in uneven.iter().enumerate() {
        let last = rests.last().map_or(l.op(), |r| r.op());
        let rest = clone_op(ctx, l.op(), &mut IrMapping::new());
        rest.insert_after(ctx, last);
        let rest = ForOp::wrap(rest);
        for (a, b) in last.results(ctx).into_iter().zip(rest.op().results(ctx)) {
            a.replace_all_uses(ctx, b);
        }
        let values = last.results(ctx);
        rest.set_inits(ctx, &values);
        let start = results(&[*end]);
        let from = (&start, &starts.operands[..]);
        if one_start {
            rest.set_lower(ctx, start.clone(), &starts.operands);
        } else {
            // A loop that ends before it starts must not run its remainder either.
            let from = both(ctx, (&lower, &lower_operands), from);
            rest.set_lower(ctx, from.map, &from.operands);
        }
        if k > 0 {
            let before = results(&uneven[..k]);
            let before = (&before, &starts.operands[..]);
            let to = both(ctx, (&upper, &upper_operands), before);
            rest.set_upper(ctx, to.map, &to.operands);
        }
        rests.push(rest);
    }
    l.set_upper(ctx, starts.map, &starts.operands);
    Some(rests)
}

/// For each end of the loop, where the iterations up to there that do not make up `factor`
/// begin. Before the lower bound where the loop does not run.
fn remainder_starts(ctx: &Context, l: ForOp, factor: u64) -> Option<ValueMap<Value>> {
    let factor = i64::try_from(factor).ok()?;
    let count = trip_count_map(ctx, l)?;
    let lower = splat(l.lower_map(ctx), count.map.num_results())?;
    // lower + (count - count mod factor) * step
    let back = |e: &AffineExpr| (e.clone().modulo(factor) - e.clone()) * l.step(ctx);
    let back = AffineMap::new(
        count.map.num_dims(),
        count.map.num_symbols(),
        count.map.results().iter().map(back).collect(),
    );
    let lower = (&lower, &l.lower_operands(ctx)[..]);
    Some(difference(ctx, lower, (&back, &count.operands)))
}

/// The ends that are not known to be a multiple of `factor` iterations away; the first, where all are.
fn uneven_ends(ctx: &Context, l: ForOp, factor: u64) -> Option<Vec<usize>> {
    let counts = trip_count_map(ctx, l)?;
    let ends = counts.map.results().iter().enumerate();
    let uneven = ends.filter(|(_, e)| !divisor(e).is_multiple_of(factor));
    let uneven: Vec<usize> = uneven.map(|(i, _)| i).collect();
    Some(if uneven.is_empty() { vec![0] } else { uneven })
}

/// Whether the trip count as computed from the bounds is not negative.
fn is_known_to_run_forward(ctx: &Context, l: ForOp) -> bool {
    trip_count_map(ctx, l).is_some_and(|count| {
        let ranges = Ranges::default().of_results(ctx, &count.map, &count.operands);
        ranges.iter().all(|r| r.lo.is_some_and(|lo| lo >= 0))
    })
}
