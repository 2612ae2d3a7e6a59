//! `affine-split-conditions`: loops are split where a condition about their variable changes.
//!
//! ```text
//! affine.for %i = 0 to %n {             affine.for %i = 0 to min(%n, 1) {
//!   %c = arith.cmpi sgt, %i, %c0          others
//!   scf.if %c {                   =>    }
//!     body                              affine.for %i = 1 to %n {
//!   }                                     body
//!   others                                others
//! }                                     }
//! ```
//!
//! What loops do at the sides of an array is written as conditions, which each iteration asks
//! and which keep the loop out of vectors. In the parts they are decided (index set splitting,
//! M. Griebl, P. Feautrier, C. Lengauer, 2000). So are remainders in subscripts that start again
//! once ([`quotients`]), and extrema that keep an index within an array ([`extrema`]).
//!
//! So are loops around sums whose order is kept, which run in lanes themselves, where conditions about
//! their variable and those of the sum's loops are the same for all of the sum. A filter at the
//! sides of an image asks for each of its terms whether it is there; between the sides it is.
//!
//! Legal because the iterations keep their order. A comparison is decided where the loops and
//! conditions around leave no iteration in which it is otherwise, and nothing in it wraps
//! around.

mod extrema;
mod quotients;

use crate::analysis::dependence::{Comparison, Options, Program};
use crate::analysis::linear::Linear;
use crate::loops::split::split;
use terrace_dialects::affine::ForOp;
use terrace_dialects::arith::{self, CmpIOp, CmpIPredicate};
use terrace_dialects::attributes::LOOP_LEFT_OVER;
use terrace_dialects::{func, scf};
use terrace_ir::pass::{
    OptionInfo, OptionKind, Pass, PassContext, PassInfo, PassResult, StatisticInfo,
};
use terrace_ir::{AttrData, Builder, Context, Op, OpKind};

/// The most points at which one loop is split.
const MAX_POINTS: usize = 4;

/// Loops of at most so many iterations stay whole.
const SHORT: i64 = 4;

pub static INFO: PassInfo = PassInfo {
    name: "affine-split-conditions",
    title: "AffineSplitConditions",
    summary: "Split affine loops where conditions about their variables change",
    description: "Splits affine.for ops that are innermost, or around sums whose order is kept, with a step of 1 at the values of their variables from which on a comparison in them, or a quotient in a subscript, is another, and replaces comparisons that are the same in all iterations.",
    anchor: Some(func::FuncOp::NAME),
    options: &[OptionInfo::new(
        "max-ops",
        OptionKind::UInt,
        "400",
        "Ops of all parts of a loop, at most",
    )],
    statistics: &[
        StatisticInfo::new("num-loops", "Number of loops split"),
        StatisticInfo::new(
            "num-conditions",
            "Number of comparisons and extrema decided",
        ),
    ],
    make: |o| {
        Ok(Box::new(SplitConditions {
            max_ops: o.uint("max-ops"),
        }))
    },
};

struct SplitConditions {
    max_ops: u64,
}

impl Pass for SplitConditions {
    fn run(&mut self, ctx: &mut PassContext, function: Op) -> PassResult {
        let mut loops = around_sums(ctx, function);
        loops.retain(|l| is_asked(ctx, *l));
        let mut edges = Vec::new();
        for l in loops {
            let done = self.one(ctx, function, l);
            done.count(ctx);
            if done.points > 0 {
                edges.extend(done.undecided);
            }
        }
        let mut loops = function.find_all::<ForOp>(ctx);
        // What a loop around was split for is done in few of its iterations.
        loops.retain(|l| {
            let is_innermost = l.op().find_all::<ForOp>(ctx).len() == 1;
            let is_edge = || edges.iter().any(|e| e.op().is_ancestor_of(ctx, l.op()));
            is_innermost && is_asked(ctx, *l) && !is_edge()
        });
        for l in loops {
            self.one(ctx, function, l).count(ctx);
        }
        Ok(())
    }
}

/// The loops around sums whose order is kept, which run in lanes themselves: the innermost ones that
/// hand nothing on around loops that do.
fn around_sums(ctx: &Context, function: Op) -> Vec<ForOp> {
    let mut found: Vec<ForOp> = Vec::new();
    for sum in function.find_all::<ForOp>(ctx) {
        let mut at = sum;
        while at.op().num_results(ctx) > 0 {
            let Some(around) = at.op().parent_of::<ForOp>(ctx) else {
                break;
            };
            at = around;
        }
        if at != sum && at.op().num_results(ctx) == 0 && !found.contains(&at) {
            found.push(at);
        }
    }
    found
}

/// What became of a loop.
#[derive(Default)]
struct Done {
    /// How often it was split.
    points: usize,
    /// How many comparisons and extrema were decided.
    decided: u64,
    /// The parts in which some are not.
    undecided: Vec<ForOp>,
}

impl Done {
    fn count(&self, ctx: &mut PassContext) {
        ctx.count("num-loops", u64::from(self.points > 0));
        ctx.count("num-conditions", self.decided);
    }
}

/// Whether something in the loop depends on a comparison of integers, a quotient or an extremum.
fn is_asked(ctx: &Context, l: ForOp) -> bool {
    let mut all = l.op().find_all::<CmpIOp>(ctx).into_iter();
    all.any(|c| decides(ctx, c)) || quotients::are_asked(ctx, l) || extrema::are_asked(ctx, l)
}

/// Whether a comparison decides what is done, not what is stored.
fn decides(ctx: &Context, compare: CmpIOp) -> bool {
    let mut users = compare.op().result(ctx, 0).users(ctx).into_iter();
    users.any(|u| {
        matches!(
            u.name(ctx),
            scf::IfOp::NAME
                | scf::YieldOp::NAME
                | arith::SelectOp::NAME
                | arith::AndIOp::NAME
                | arith::OrIOp::NAME
                | arith::XOrIOp::NAME
        )
    })
}

impl SplitConditions {
    /// Splits one loop where the conditions in it change.
    fn one(&self, ctx: &mut Context, function: Op, l: ForOp) -> Done {
        let size = l.op().pre_order(ctx).len() as u64;
        let mut done = Done::default();
        let mut work = vec![l];
        while let Some(part) = work.pop() {
            let mut program = Program::of(ctx, function, &Options::of_iterations());
            let (mut points, mut undecided) = (Vec::new(), false);
            for compare in part.op().find_all::<CmpIOp>(ctx) {
                if !decides(ctx, compare) {
                    continue;
                }
                let Some(found) = program.comparison(ctx, compare) else {
                    continue;
                };
                match found.always {
                    Some(always) => {
                        replace(ctx, compare, always);
                        done.decided += 1;
                    }
                    None => {
                        undecided = true;
                        points.extend(changes(ctx, &mut program, part, compare.op(), &found));
                    }
                }
            }
            let extrema = extrema::settle(ctx, &mut program, part);
            done.decided += extrema.settled;
            undecided |= !extrema.points.is_empty();
            points.extend(extrema.points);
            let of_quotients = quotients::changes(ctx, part);
            let new = |at: &Linear| !is_bound(ctx, part, at);
            points.extend(of_quotients.into_iter().filter(new));
            if undecided {
                done.undecided.push(part);
            }
            let room = done.points < MAX_POINTS && (done.points as u64 + 2) * size <= self.max_ops;
            let is_short = most_iterations(ctx, part).is_some_and(|n| n <= SHORT);
            if is_short || !room || part.step(ctx) != 1 {
                if is_short && done.points > 0 {
                    let unit = ctx.attr(AttrData::Unit);
                    part.op().set_attr(ctx, LOOP_LEFT_OVER, unit);
                }
                continue;
            }
            let mut halves = points.into_iter().filter_map(|at| {
                let (map, operands) = at.as_map();
                split(ctx, part, &map, &operands).ok()
            });
            if let Some((below, above)) = halves.next() {
                done.points += 1;
                done.undecided.retain(|p| *p != part);
                quotients::settle(ctx, below);
                quotients::settle(ctx, above);
                work.extend([above, below]);
            }
        }
        done
    }
}

fn replace(ctx: &mut Context, compare: CmpIOp, always: bool) {
    let b = &mut Builder::before(ctx, compare.op());
    let constant = arith::constant_bool(b, always);
    compare.op().replace(ctx, &[constant]);
}

/// The values of the loop's variable from which on a comparison at `at` in it is another: where loops
/// inside are around it, from which on it is the same in all their iterations, or is not any more.
fn changes(
    ctx: &Context,
    program: &mut Program,
    l: ForOp,
    at: Op,
    compared: &Comparison,
) -> Vec<Linear> {
    let inside = loops_between(ctx, l, at);
    let depends = |i: &ForOp| compared.form.coefficient(i.iv(ctx)) != 0;
    if !inside.iter().any(depends) {
        return change(ctx, l, compared).into_iter().collect();
    }
    let Some(end) = l.body(ctx).last_op(ctx) else {
        return Vec::new();
    };
    let least_and_most = [false, true].map(|most| extreme(ctx, &inside, &compared.form, most));
    let mut points = Vec::new();
    for form in least_and_most.into_iter().flatten() {
        let predicate = compared.predicate;
        if program.always(ctx, end, predicate, &form).is_some() {
            continue;
        }
        let found = Comparison {
            predicate,
            form,
            always: None,
        };
        points.extend(change(ctx, l, &found));
    }
    points
}

/// The loops around `at` that are inside `l`, the innermost first.
fn loops_between(ctx: &Context, l: ForOp, at: Op) -> Vec<ForOp> {
    let mut found = Vec::new();
    let mut inner = at.parent_of::<ForOp>(ctx);
    while let Some(i) = inner.filter(|i| *i != l) {
        found.push(i);
        inner = i.op().parent_of::<ForOp>(ctx);
    }
    found
}

/// The least or most that a form is in the iterations of these loops, each of which begins at one
/// number and ends at one.
fn extreme(ctx: &Context, loops: &[ForOp], form: &Linear, most: bool) -> Option<Linear> {
    let mut form = form.clone();
    for l in loops {
        let factor = form.coefficient(l.iv(ctx));
        if factor == 0 {
            continue;
        }
        let [lower, upper] = bounds(ctx, *l)?;
        let ([lower], [upper]) = (&lower[..], &upper[..]) else {
            return None;
        };
        let last = upper.plus(-1)?;
        let at = if (factor > 0) == most { &last } else { lower };
        form = form.with(l.iv(ctx), at)?;
    }
    Some(form)
}

/// The first value of the loop's variable from which on the comparison is another.
fn change(ctx: &Context, l: ForOp, compared: &Comparison) -> Option<Linear> {
    use CmpIPredicate::*;
    let iv = l.iv(ctx);
    let factor = compared.form.coefficient(iv);
    // The value with which the form is 0.
    let zero = match factor {
        1 | -1 => compared
            .form
            .plus_times(&Linear::value(iv), -factor)?
            .times(-factor)?,
        _ => return None,
    };
    let first_behind = match (compared.predicate, factor > 0) {
        (Slt | Sge, true) | (Sle | Sgt, false) => 0,
        (Sle | Sgt, true) | (Slt | Sge, false) => 1,
        // Whatever comes behind it is another loop again.
        (Eq | Ne, _) => i64::from(starts_at(ctx, l, &zero)),
        _ => return None,
    };
    let at = zero.plus(first_behind)?;
    (!is_bound(ctx, l, &at)).then_some(at)
}

/// The results of the bounds of a loop, below and above, where they are linear.
fn bounds(ctx: &Context, l: ForOp) -> Option<[Vec<Linear>; 2]> {
    let lower = Linear::of_map(l.lower_map(ctx), &l.lower_operands(ctx))?;
    let upper = Linear::of_map(l.upper_map(ctx), &l.upper_operands(ctx))?;
    Some([lower, upper])
}

/// Whether the loop starts or ends there already, so that another split changes nothing.
fn is_bound(ctx: &Context, l: ForOp, at: &Linear) -> bool {
    let mut all = bounds(ctx, l).into_iter().flatten().flatten();
    all.any(|bound| bound.equals(at))
}

/// Whether the first iteration is the one with this value.
fn starts_at(ctx: &Context, l: ForOp, value: &Linear) -> bool {
    bounds(ctx, l).is_some_and(|[lower, _]| matches!(&lower[..], [one] if one.equals(value)))
}

/// A number that the iterations of a loop are at most, if its bounds tell.
fn most_iterations(ctx: &Context, l: ForOp) -> Option<i64> {
    let [lower, upper] = bounds(ctx, l)?;
    let pairs = upper.iter().flat_map(|u| lower.iter().map(move |l| (u, l)));
    let spans = pairs.filter_map(|(u, l)| u.minus(l)?.as_constant());
    spans.min().map(|n| n.max(0))
}
