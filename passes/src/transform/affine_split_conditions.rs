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
//! once: see [`quotients`].
//!
//! Legal because the iterations keep their order. A comparison is decided where the loops and
//! conditions around leave no iteration in which it is otherwise, and nothing in it wraps
//! around.

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
    summary: "Split innermost affine loops where conditions about their variables change",
    description: "Splits innermost affine.for ops with a step of 1 at the values of their variables from which on a comparison in them, or a quotient in a subscript, is another, and replaces comparisons that are the same in all iterations.",
    anchor: Some(func::FuncOp::NAME),
    options: &[OptionInfo::new(
        "max-ops",
        OptionKind::UInt,
        "400",
        "Ops of all parts of a loop, at most",
    )],
    statistics: &[
        StatisticInfo::new("num-loops", "Number of loops split"),
        StatisticInfo::new("num-conditions", "Number of comparisons decided"),
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
        let mut loops = function.find_all::<ForOp>(ctx);
        loops.retain(|l| l.op().find_all::<ForOp>(ctx).len() == 1 && is_asked(ctx, *l));
        for l in loops {
            let (points, decided) = self.one(ctx, function, l);
            ctx.count("num-loops", u64::from(points > 0));
            ctx.count("num-conditions", decided);
        }
        Ok(())
    }
}

/// Whether something in the loop depends on a comparison of integers or on a quotient.
fn is_asked(ctx: &Context, l: ForOp) -> bool {
    let mut all = l.op().find_all::<CmpIOp>(ctx).into_iter();
    all.any(|c| decides(ctx, c)) || quotients::are_asked(ctx, l)
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
    /// Splits one loop; gives the number of points, and of comparisons that were decided.
    fn one(&self, ctx: &mut Context, function: Op, l: ForOp) -> (usize, u64) {
        let size = l.op().pre_order(ctx).len() as u64;
        let (mut points, mut decided) = (0, 0);
        let mut work = vec![l];
        while let Some(part) = work.pop() {
            let options = Options {
                frees: false,
                distances: false,
                ..Options::of_regions()
            };
            let mut program = Program::of(ctx, function, &options);
            let mut changes = Vec::new();
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
                        decided += 1;
                    }
                    None => changes.extend(change(ctx, part, &found)),
                }
            }
            let of_quotients = quotients::changes(ctx, part);
            let new = |at: &Linear| !is_bound(ctx, part, at);
            changes.extend(of_quotients.into_iter().filter(new));
            let room = points < MAX_POINTS && (points as u64 + 2) * size <= self.max_ops;
            let is_short = most_iterations(ctx, part).is_some_and(|n| n <= SHORT);
            if is_short || !room || part.step(ctx) != 1 {
                if is_short && points > 0 {
                    let unit = ctx.attr(AttrData::Unit);
                    part.op().set_attr(ctx, LOOP_LEFT_OVER, unit);
                }
                continue;
            }
            let mut halves = changes.into_iter().filter_map(|at| {
                let (map, operands) = at.as_map();
                split(ctx, part, &map, &operands).ok()
            });
            if let Some((below, above)) = halves.next() {
                points += 1;
                quotients::settle(ctx, below);
                quotients::settle(ctx, above);
                work.extend([above, below]);
            }
        }
        (points, decided)
    }
}

fn replace(ctx: &mut Context, compare: CmpIOp, always: bool) {
    let b = &mut Builder::before(ctx, compare.op());
    let constant = arith::constant_bool(b, always);
    compare.op().replace(ctx, &[constant]);
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
