//! Another order of the loops of a region, where it makes more of it parallel.
//!
//! The automatic scheduler ([`crate::schedule::policy`]) is asked about copies of the
//! function; the best of them takes the place of the original.
//!
//! First, in regions without directives on loops, and in nests of `kernels` that have none beside
//! others that do, where not every statement is in an outermost parallel loop: a copy is better where more statements are in one, or where a
//! device is estimated to need less time for it.
//!
//! ```text
//! affine.for %i {                            affine.parallel (%i) {
//!   affine.for %j { t[i] += A[i, j] }          affine.for %j { t[i] += A[i, j] }
//!   affine.for %j { y[j] += A[i, j] }   =>   }
//! }                                          affine.parallel (%j) {
//!                                              affine.for %i { y[j] += A[i, j] }
//!                                            }
//! ```
//!
//! Then where threads of a grid along one loop have loops inside, which could be threads
//! too if they stood elsewhere ([`super::score`]). Parallelism comes first, then how close
//! together the accesses of neighbouring threads are, then the number of launches: the
//! estimate of a device's time has all three. Directives do not stand against this where
//! the loops that they name keep what they say ([`super::freedom`]).
//!
//! ```text
//! affine.parallel (%i) {                     affine.parallel (%i) {
//!   affine.for %k {                            affine.parallel (%j) {
//!     affine.parallel (%j) {            =>       affine.for %k {
//!       C[i, j] += A[i, k] * B[k, j]               C[i, j] += A[i, k] * B[k, j]
//! ```

use rustc_hash::FxHashSet;
use terrace_dialects::affine::ForOp;
use terrace_dialects::gpu;
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::fingerprint::Fingerprint;
use terrace_ir::{Context, Op, OpKind};

use super::freedom::{Freedom, freedom, runs_in_order};
use super::notes::Construct;
use super::score::{Score, score};
use super::verdict::{Decision, Rules, decide};
use super::{estimate, rewrite};
use crate::analysis::directive::{LoopClauses, Region};
use crate::loops::alone::Alone;
use crate::loops::sink::sink_sequential;
use crate::loops::take_over::{become_as, take_over};
use crate::loops::{carried, expand_array, in_place, split_at_counter};
use crate::schedule::policy::auto::{Order, reorder};

/// How much of the device's time another order may need at most of that as written.
const MUST_GAIN: f64 = 0.8;

/// The loops of a function in another order.
struct Candidate {
    /// A copy of the function, beside it.
    copy: Op,
    score: Score,
    seconds: estimate::DeviceSeconds,
    words: String,
}

/// What a candidate has to be better than.
struct Now<'s> {
    score: &'s Score,
    seconds: &'s estimate::DeviceSeconds,
}

/// Makes `function` parallel in another order of its loops if that is better than the
/// decisions about it as it is. Says what was done, or nothing if nothing was.
pub fn try_another_order(
    ctx: &mut Context,
    function: Op,
    region: Region,
    rules: Rules,
    decisions: &[Decision],
) -> Option<String> {
    let freedom = freedom(ctx, region, decisions);
    if freedom == Freedom::None || function.parent(ctx).is_none() {
        return None;
    }
    if !function.find_all::<gpu::LaunchOp>(ctx).is_empty() {
        return beside_launches(ctx, function, region, rules);
    }
    let parallel: FxHashSet<Op> = decisions
        .iter()
        .filter(|d| d.parallel)
        .map(|d| d.l.op())
        .collect();
    let before = score(ctx, function, &parallel);
    let seconds = estimate::device_seconds(ctx, function, &parallel, function);
    let mut try_it = Trial {
        ctx,
        function,
        region,
        rules,
        written: &before,
    };
    let now = Now {
        score: &before,
        seconds: &seconds,
    };
    let mut best = match freedom {
        Freedom::Full => try_it.outermost(&now),
        // What a `kernels` construct has beside loops of directives was left to the compiler.
        _ if region.construct == Construct::Kernels => try_it.nest_by_nest(&now),
        _ => None,
    };
    let has_room = |best: &Option<Candidate>| best.as_ref().map_or(&before, |b| &b.score).room > 0;
    for order in [Order::Bands, Order::Threads] {
        if !has_room(&best) {
            break;
        }
        let now = match &best {
            Some(b) => Now {
                score: &b.score,
                seconds: &b.seconds,
            },
            None => Now {
                score: &before,
                seconds: &seconds,
            },
        };
        if let Some(better) = try_it.either(|t, values| t.threads(&now, order, values))
            && let Some(old) = best.replace(better)
        {
            old.copy.erase(try_it.ctx);
        }
    }
    let best = best?;
    take_over(ctx, function, best.copy);
    best.copy.erase(ctx);
    Some(best.words)
}

/// Puts each nest that stands beside launches, which some nests are already, into another order by itself
/// where that is better. The words are of the first.
fn beside_launches(
    ctx: &mut Context,
    function: Op,
    region: Region,
    rules: Rules,
) -> Option<String> {
    let ops = function.region(ctx, 0).entry(ctx).map(|b| b.ops(ctx));
    let mut words = None;
    for nest in ops.unwrap_or_default() {
        let is_launched = !nest.find_all::<gpu::LaunchOp>(ctx).is_empty();
        if is_launched || nest.num_regions(ctx) == 0 {
            continue;
        }
        let Some(alone) = Alone::of(ctx, function, nest) else {
            continue;
        };
        let copy = alone.function;
        let decisions = decide(ctx, copy, region, rules, &mut Vec::new());
        let better = try_another_order(ctx, copy, region, rules, &decisions);
        if better.is_some() {
            alone.put_back(ctx, copy);
        }
        copy.erase(ctx);
        words = words.or(better);
    }
    if words.is_some() {
        let rest = decide(ctx, function, region, rules, &mut Vec::new());
        rewrite::apply(ctx, &rest, rules.reductions);
    }
    words
}

/// What [`Trial::looked_at`] is asked; what the region's directive says is in the function.
#[derive(PartialEq, Eq, Hash)]
struct Asked {
    copy: Fingerprint,
    written: Fingerprint,
    rules: Rules,
}

/// The copy as it is afterwards, and what it gives.
#[derive(Clone)]
struct Seen(Op, Score, estimate::DeviceSeconds);

/// What all candidates are made from.
struct Trial<'c> {
    ctx: &'c mut Context,
    function: Op,
    region: Region,
    rules: Rules,
    /// The function as written.
    written: &'c Score,
}

impl Trial<'_> {
    /// An order with more statements in parallel loops, outermost ones where that can be.
    fn outermost(&mut self, now: &Now) -> Option<Candidate> {
        // Two parallel loops inside fill a device, and the search takes its time.
        if now.score.points == now.score.best() || now.score.least_parallel >= 2 {
            return None;
        }
        // Where every statement is in a parallel loop, and not because each of its runs is
        // a kernel of its own, only an outermost one is better.
        let settled = now.score.inner == now.score.statements && !now.seconds.is_hopeless();
        let order = match settled {
            true => Order::OutermostParallel,
            false => Order::Kernels,
        };
        let found = self.either(|t, values| t.attempt(now, order, false, values));
        found
            .or_else(|| self.attempt(now, order, true, false))
            .or_else(|| self.nest_by_nest(now))
    }

    /// Each nest without directives for itself with its parallel loops outside, where that can be.
    fn nest_by_nest(&mut self, now: &Now) -> Option<Candidate> {
        let ctx = &mut *self.ctx;
        let copy = copy_of(ctx, self.function);
        let mut roots = copy.find_all::<ForOp>(ctx);
        roots.retain(|l| {
            let mut all = l.op().pre_order(ctx).into_iter();
            l.op().parent_of::<ForOp>(ctx).is_none()
                && !all.any(|o| LoopClauses::of(ctx, o).is_some())
        });
        for l in roots {
            sink_sequential(ctx, l);
        }
        let (after, seconds) = self.looked_at(copy);
        let better = after.points > now.score.points && !seconds.is_hopeless();
        let words = in_words(&after, now);
        self.candidate(better, copy, after, seconds, words)
    }

    /// The better one of two candidates: with the values that loops carry as they are, and
    /// where they can be with elements of arrays in their place.
    fn either(&mut self, make: impl Fn(&mut Self, bool) -> Option<Candidate>) -> Option<Candidate> {
        let (a, b) = match (make(self, false), make(self, true)) {
            (Some(a), Some(b)) => (a, b),
            (a, b) => return a.or(b),
        };
        let (better, other) = match b.seconds.kernels < a.seconds.kernels {
            true => (b, a),
            false => (a, b),
        };
        other.copy.erase(self.ctx);
        Some(better)
    }

    /// Another order, of loops that are split first where that is asked for, and with elements
    /// in the place of values where that is; nothing where there are none.
    fn attempt(&mut self, now: &Now, order: Order, split: bool, values: bool) -> Option<Candidate> {
        let ctx = &mut *self.ctx;
        let copy = copy_of(ctx, self.function);
        if values && in_place::values(ctx, copy) == 0 {
            copy.erase(ctx);
            return None;
        }
        let mut statements = now.score.statements;
        if in_place::run(ctx, copy) > 0 || values {
            statements = score(ctx, copy, &FxHashSet::default()).statements;
        }
        if split && split_at_counter::run(ctx, copy) == 0 {
            copy.erase(ctx);
            return None;
        }
        let (after, seconds) = self.put_in_order(copy, order);
        let better = after.statements == statements
            && match order {
                Order::Kernels => {
                    seconds.kernels < MUST_GAIN * now.seconds.kernels
                        && (self.region.construct != Construct::Auto || !seconds.is_hopeless())
                }
                _ => after.points > now.score.points,
            };
        let words = in_words(&after, now);
        self.candidate(better, copy, after, seconds, words)
    }

    /// An order in which more loops are threads of a grid, with sums apart from the
    /// stores that stand in one loop with them.
    fn threads(&mut self, now: &Now, order: Order, values: bool) -> Option<Candidate> {
        let ctx = &mut *self.ctx;
        let copy = copy_of(ctx, self.function);
        if values && in_place::values(ctx, copy) == 0 {
            copy.erase(ctx);
            return None;
        }
        in_place::run(ctx, copy);
        carried::run(ctx, copy);
        expand_array::run(ctx, copy);
        let statements = score(ctx, copy, &FxHashSet::default()).statements;
        let (after, seconds) = self.put_in_order(copy, order);
        let better = after.statements == statements
            && after.threads > now.score.threads
            && seconds.kernels < MUST_GAIN * now.seconds.kernels;
        let words = format!(
            "the loops run in another order than written, in which {} of {} statements have \
             threads along two loops or more ({} of {} as written)",
            after.threads, after.statements, self.written.threads, self.written.statements
        );
        self.candidate(better, copy, after, seconds, words)
    }

    /// Puts the loops of a copy in order, makes them parallel and looks what that gives.
    fn put_in_order(&mut self, copy: Op, order: Order) -> (Score, estimate::DeviceSeconds) {
        reorder(self.ctx, copy, order, None, runs_in_order);
        self.looked_at(copy)
    }

    /// Makes the loops of a copy parallel and looks what that gives. Several orders that are
    /// looked for may be one.
    fn looked_at(&mut self, copy: Op) -> (Score, estimate::DeviceSeconds) {
        let asked = self.asked(copy);
        let known = asked
            .as_ref()
            .and_then(|a| self.ctx.recalled::<Asked, Seen>(a));
        if let Some(Seen(then, score, seconds)) = known.cloned() {
            become_as(self.ctx, copy, then);
            return (score, seconds);
        }
        let ctx = &mut *self.ctx;
        let found = decide(ctx, copy, self.region, self.rules, &mut Vec::new());
        rewrite::apply(ctx, &found, self.rules.reductions);
        let none = FxHashSet::default();
        let after = score(ctx, copy, &none);
        let seconds = estimate::device_seconds(ctx, copy, &none, self.function);
        if let Some(asked) = asked {
            let then = clone_op(ctx, copy, &mut IrMapping::new());
            ctx.remember(asked, Seen(then, after.clone(), seconds));
        }
        (after, seconds)
    }

    fn asked(&self, copy: Op) -> Option<Asked> {
        Some(Asked {
            copy: Fingerprint::of(self.ctx, copy)?,
            written: Fingerprint::of(self.ctx, self.function)?,
            rules: self.rules,
        })
    }

    fn candidate(
        &mut self,
        better: bool,
        copy: Op,
        score: Score,
        seconds: estimate::DeviceSeconds,
        words: String,
    ) -> Option<Candidate> {
        if !better {
            copy.erase(self.ctx);
            return None;
        }
        Some(Candidate {
            copy,
            score,
            seconds,
            words,
        })
    }
}

/// How much is in parallel loops in another order.
fn in_words(after: &Score, now: &Now) -> String {
    format!(
        "the loops run in another order than written, in which {} of {} statements are in \
         {}parallel loops ({} of {} as written)",
        after.counted(after, now.score),
        after.statements,
        match after.outermost > now.score.outermost {
            true => "outermost ",
            false => "",
        },
        now.score.counted(after, now.score),
        now.score.statements
    )
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
    let nests = reorder(ctx, copy, Order::Bands, tile, |_, _| false);
    if nests > 0 {
        let found = decide(ctx, copy, region, rules, &mut Vec::new());
        rewrite::apply(ctx, &found, rules.reductions);
        take_over(ctx, function, copy);
    }
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
