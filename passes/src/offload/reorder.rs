//! Another order of the loops of a region, where it makes more of it parallel.
//!
//! The automatic scheduler ([`crate::schedule::policy`]) is asked about a copy of the
//! function; the copy takes the place of the original where more statements are in
//! outermost parallel loops then, or where a device is estimated to need less time for
//! it, and is dropped else. It is not asked where two parallel loops are around every
//! statement already. Only regions without directives on loops are tried, where the
//! choice is left to the compiler: an author who writes those wants the loops as they
//! are.
//!
//! ```text
//! affine.for %i {                            affine.parallel (%i) {
//!   affine.for %j { t[i] += A[i, j] }          affine.for %j { t[i] += A[i, j] }
//!   affine.for %j { y[j] += A[i, j] }   =>   }
//! }                                          affine.parallel (%j) {
//!                                              affine.for %i { y[j] += A[i, j] }
//!                                            }
//! ```

use rustc_hash::{FxHashMap, FxHashSet};
use terrace_dialects::gpu;
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::{Context, Loc, Op};

use super::directive::{LoopClauses, Region};
use super::loops::Loop;
use super::notes::Construct;
use super::verdict::{Decision, Rules, decide};
use super::{estimate, in_place, rewrite, split};
use crate::schedule::policy::auto::{Order, reorder};

/// How much of the device's time another order may need at most of that as written.
const MUST_GAIN: f64 = 0.8;

/// Makes `function` parallel in another order of its loops if that is better than the
/// decisions about it as it is. Says what was done, or nothing if nothing was.
pub fn try_another_order(
    ctx: &mut Context,
    function: Op,
    region: Region,
    rules: Rules,
    decisions: &[Decision],
) -> Option<String> {
    let directed = |d: &Decision| LoopClauses::of(ctx, d.l.op()).is_some();
    if !matches!(region.construct, Construct::Auto | Construct::Kernels)
        || function.parent(ctx).is_none()
        || decisions.iter().any(directed)
        || !function.find_all::<gpu::LaunchOp>(ctx).is_empty()
    {
        return None;
    }
    let parallel: FxHashSet<Op> = decisions
        .iter()
        .filter(|d| d.parallel)
        .map(|d| d.l.op())
        .collect();
    let before = score(ctx, function, &parallel);
    // Two parallel loops inside fill a device, and the search takes its time.
    if before.points == before.best() || before.least_parallel >= 2 {
        return None;
    }
    let seconds_before = estimate::device_seconds(ctx, function, &parallel, function);
    // Where every statement is in a parallel loop, and not because each of its runs is a
    // kernel of its own, only an outermost one is better.
    let order = match before.inner == before.statements && !seconds_before.is_hopeless() {
        true => Order::OutermostParallel,
        false => Order::Kernels,
    };
    let now = (&before, &seconds_before);
    attempt(ctx, function, region, rules, now, order, false)
        .or_else(|| attempt(ctx, function, region, rules, now, order, true))
}

/// Another order, of loops that are split first where that is asked for; see
/// [`try_another_order`].
fn attempt(
    ctx: &mut Context,
    function: Op,
    region: Region,
    rules: Rules,
    (before, seconds_before): (&Score, &estimate::DeviceSeconds),
    order: Order,
    split: bool,
) -> Option<String> {
    let copy = copy_of(ctx, function);
    let mut statements = before.statements;
    if in_place::run(ctx, copy) > 0 {
        statements = score(ctx, copy, &FxHashSet::default()).statements;
    }
    if split && split::run(ctx, copy) == 0 {
        copy.drop_all_references(ctx);
        copy.erase(ctx);
        return None;
    }
    reorder(ctx, copy, order, None);
    let found = decide(ctx, copy, region, rules, &mut Vec::new());
    rewrite::apply(ctx, &found);
    let none = FxHashSet::default();
    let after = score(ctx, copy, &none);
    let seconds_after = estimate::device_seconds(ctx, copy, &none, function);
    let better = after.statements == statements
        && match order {
            Order::Kernels => {
                seconds_after.kernels < MUST_GAIN * seconds_before.kernels
                    && (region.construct != Construct::Auto || !seconds_after.is_hopeless())
            }
            _ => after.points > before.points,
        };
    if better {
        take_over(ctx, function, copy);
    }
    copy.drop_all_references(ctx);
    copy.erase(ctx);
    better.then(|| {
        format!(
            "the loops run in another order than written, in which {} of {} statements are in \
             {}parallel loops ({} of {} as written)",
            after.counted(&after, before),
            after.statements,
            match after.outermost > before.outermost {
                true => "outermost ",
                false => "",
            },
            before.counted(&after, before),
            before.statements
        )
    })
}

/// Makes `function` parallel in the order of its loops that the scheduler finds, with
/// tiles of this size. Says what was done, or nothing if nothing was: where no order is
/// found or can be proved.
pub fn take_any_order(
    ctx: &mut Context,
    function: Op,
    region: Region,
    rules: Rules,
    tile: Option<i64>,
) -> Option<String> {
    function.parent(ctx)?;
    let copy = copy_of(ctx, function);
    let nests = reorder(ctx, copy, Order::Bands, tile);
    if nests > 0 {
        let found = decide(ctx, copy, region, rules, &mut Vec::new());
        rewrite::apply(ctx, &found);
        take_over(ctx, function, copy);
    }
    copy.drop_all_references(ctx);
    copy.erase(ctx);
    let nests = match nests {
        0 => return None,
        1 => "1 nest of loops runs".to_string(),
        n => format!("{n} nests of loops run"),
    };
    let tiles = tile.map_or(String::new(), |n| format!(", in tiles of {n}"));
    Some(format!(
        "{nests} in the order that the automatic scheduler finds{tiles}"
    ))
}

/// A copy of a function beside it.
fn copy_of(ctx: &mut Context, function: Op) -> Op {
    let copy = clone_op(ctx, function, &mut IrMapping::new());
    copy.insert_after(ctx, function);
    let name = format!(
        "{}.reordered",
        function.symbol_name(ctx).unwrap_or_default()
    );
    copy.set_attr(ctx, "sym_name", ctx.string_attr(&name));
    copy
}

/// How much of a function is parallel.
struct Score {
    /// Two for each statement in an outermost parallel loop, one for each in an inner
    /// one.
    points: usize,
    statements: usize,
    outermost: usize,
    /// Statements in a parallel loop of any depth.
    inner: usize,
    /// The parallel loops around the statement that has the fewest.
    least_parallel: usize,
}

impl Score {
    fn best(&self) -> usize {
        2 * self.statements
    }

    /// The statements that tell this from what was `before`: those in outermost parallel
    /// loops, where there are more of them, else all that are in parallel loops.
    fn counted(&self, of: &Score, than: &Score) -> usize {
        match of.outermost > than.outermost {
            true => self.outermost,
            false => self.inner,
        }
    }
}

/// Counts the ops in loops that write memory; of one that became several, in peeled
/// iterations, the worst. `parallel`: the loops that will be.
fn score(ctx: &Context, function: Op, parallel: &FxHashSet<Op>) -> Score {
    let mut of_place: FxHashMap<Loc, usize> = FxHashMap::default();
    let mut least_parallel = usize::MAX;
    for op in function.pre_order(ctx) {
        if !matches!(
            op.name(ctx),
            "affine.store" | "memref.store" | "memref.atomic_rmw"
        ) {
            continue;
        }
        let (mut loops, mut outer_parallel, mut inner) = (0, false, 0);
        let mut at = op.parent(ctx);
        while let Some(o) = at.filter(|o| *o != function) {
            let is_parallel =
                parallel.contains(&o) || matches!(o.name(ctx), "affine.parallel" | "scf.parallel");
            if is_parallel || Loop::of(ctx, o).is_some() {
                loops += 1;
                outer_parallel = is_parallel;
                inner += usize::from(is_parallel);
            }
            at = o.parent(ctx);
        }
        if loops > 0 {
            let points = usize::from(inner > 0) + usize::from(outer_parallel);
            least_parallel = inner.min(least_parallel);
            let worst = of_place.entry(op.loc(ctx)).or_insert(points);
            *worst = points.min(*worst);
        }
    }
    Score {
        points: of_place.values().sum(),
        statements: of_place.len(),
        outermost: of_place.values().filter(|p| **p == 2).count(),
        inner: of_place.values().filter(|p| **p > 0).count(),
        least_parallel,
    }
}

/// The body of `copy` in place of that of `function`.
fn take_over(ctx: &mut Context, function: Op, copy: Op) {
    function.drop_all_references(ctx);
    for (now, then) in function.regions(ctx).into_iter().zip(copy.regions(ctx)) {
        for b in now.blocks(ctx) {
            b.unlink(ctx);
            b.erase(ctx);
        }
        then.move_blocks_to(ctx, now);
    }
}
