//! Two loops, one right behind the other, as one.
//!
//! ```text
//! affine.for %i = 0 to %n {         affine.for %i = 0 to %n {
//!   first(%i)                   =>    first(%i)
//! }                                   second(%i)
//! affine.for %j = 0 to %n {         }
//!   second(%j)
//! }
//! ```
//!
//! Iterations of the same number come together, or, aligned at the starts, the first
//! with the first. Numbers that only one of the loops runs over stay in loops of their
//! own before and behind the fused one, where it cannot be shown that there are none;
//! all of it runs by rising numbers. Where that is legal is for others to know.

use super::domain::{Bounds, known_around, steps};
use super::frame::Frame;
use super::inequalities::Inequalities;
use super::shift::shift;
use super::tidy::simplify;
use super::{Refusal, names};
use terrace_dialects::affine::{ForOp, YieldOp};
use terrace_ir::affine::AffineExpr;
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::effects::{effects, is_pure};
use terrace_ir::opdef::EffectKind;
use terrace_ir::{Builder, Context, Op, OpKind, Value};

/// Which iterations of two loops come together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// Those in which the variables are the same number.
    Value,
    /// The first with the first, and so on.
    Start,
}

/// What became of two loops.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fused {
    /// Has the name of the first loop.
    pub fused: ForOp,
    /// Loops over numbers that only one has, before and behind, with the suffixes
    /// `_before` and `_after`.
    pub before: Vec<ForOp>,
    /// The loops behind.
    pub after: Vec<ForOp>,
}

/// Fuse `second` into `first`.
///
/// # Errors
///
/// Where the loops do not stand one behind the other, what is between cannot move out
/// of the way, the second needs a result of the first, steps differ, or bounds are
/// such that the common iterations are no range.
pub fn fuse(
    ctx: &mut Context,
    first: ForOp,
    second: ForOp,
    align: Align,
) -> Result<Fused, Refusal> {
    let between = between(ctx, first, second)?;
    let plan = Fusion::new(ctx, first, second, align)?;
    for op in between {
        op.move_before(ctx, first.op());
    }
    plan.build(ctx)
}

/// The ops between two loops, which can all move to before the first.
fn between(ctx: &Context, first: ForOp, second: ForOp) -> Result<Vec<Op>, Refusal> {
    let (a, b) = (names::describe(ctx, first), names::describe(ctx, second));
    let here = second.op().loc(ctx);
    if first.op().block(ctx) != second.op().block(ctx) || !first.op().is_before(ctx, second.op()) {
        let m = format!("{b} does not stand behind {a} in the same body");
        return Err(Refusal::new(here, m).note(first.op().loc(ctx), a));
    }
    let mut ops = Vec::new();
    let mut next = first.op().next(ctx);
    while let Some(op) = next.filter(|o| *o != second.op()) {
        ops.push(op);
        next = op.next(ctx);
    }
    for op in &ops {
        let only_allocates =
            || effects(ctx, *op).is_some_and(|all| all.iter().all(|e| e.kind == EffectKind::Alloc));
        if op.num_regions(ctx) > 0 || !(is_pure(ctx, *op) || only_allocates()) {
            let m = format!("'{}' stands between {a} and {b}", op.name(ctx));
            return Err(Refusal::new(op.loc(ctx), m));
        }
    }
    let results = first.op().results(ctx);
    for user in results.iter().flat_map(|r| r.users(ctx)) {
        let inside = user == second.op() || second.op().is_ancestor_of(ctx, user);
        if inside || ops.contains(&user) {
            let m = format!("{b} needs a value that {a} gives only when it is done");
            return Err(Refusal::new(here, m).note(user.loc(ctx), "used here"));
        }
    }
    Ok(ops)
}

/// Which numbers a piece runs over.
struct Range {
    lower: Vec<AffineExpr>,
    upper: Vec<AffineExpr>,
}

struct Fusion {
    loops: [ForOp; 2],
    step: i64,
    frame: Frame,
    /// By how much the second loop is to be shifted.
    shift: Option<AffineExpr>,
    /// For each loop the numbers that it has alone, below the common ones and above.
    below: [Option<Range>; 2],
    above: [Option<Range>; 2],
    common: Range,
}

impl Fusion {
    fn new(ctx: &Context, first: ForOp, second: ForOp, align: Align) -> Result<Fusion, Refusal> {
        let here = second.op().loc(ctx);
        let loops = [first, second];
        let [a, b] = loops.map(|l| names::describe(ctx, l));
        let found = steps(ctx, &loops)?;
        if found[0] != found[1] {
            let m = format!(
                "{a} has a step of {} and {b} one of {}; normalize both",
                found[0], found[1]
            );
            return Err(Refusal::new(here, m));
        }
        let step = found[0];
        // Both count by the same variable.
        let mut frame = Frame::new(&[first.iv(ctx)]);
        let mut bounds = Bounds::of(ctx, &mut frame, &loops);
        let known = known_around(ctx, &mut frame, first);
        let mut shift = None;
        if align == Align::Start {
            let ([x], [y]) = (&bounds.lower[0][..], &bounds.lower[1][..]) else {
                let m =
                    format!("{a} or {b} starts at a maximum, so that they cannot be aligned there");
                return Err(Refusal::new(here, m));
            };
            let by = x.clone() - y.clone();
            for list in [&mut bounds.lower[1], &mut bounds.upper[1]] {
                for e in list {
                    *e = e.clone() + by.clone();
                }
            }
            bounds.lower[1] = bounds.lower[0].clone();
            shift = Some(by).filter(|e| e.as_constant() != Some(0));
        }
        if step != 1 {
            let aligned = match (&bounds.lower[0][..], &bounds.lower[1][..]) {
                ([x], [y]) => (x.clone() - y.clone()).is_multiple_of(step),
                (x, y) => x == y,
            };
            if !aligned {
                let m = format!(
                    "{a} and {b} have a step of {step} and do not run over the same numbers; normalize both"
                );
                return Err(Refusal::new(here, m));
            }
        }
        let [below, above] =
            [0, 1].map(|side| [0, 1].map(|l| alone(&frame, &bounds, &known, step, l, side == 0)));
        let pieces = |list: [Result<Option<Range>, ()>; 2]| -> Result<[Option<Range>; 2], Refusal> {
            let [x, y] = list;
            match (x, y) {
                (Ok(x), Ok(y)) => Ok([x, y]),
                _ => {
                    let m = format!(
                        "the bounds of {a} and {b} are maxima or minima of different numbers, so that what only one of them runs over is no range"
                    );
                    Err(Refusal::new(here, m))
                }
            }
        };
        let common = Range {
            lower: union(&bounds.lower[0], &bounds.lower[1]),
            upper: union(&bounds.upper[0], &bounds.upper[1]),
        };
        if is_empty(&frame, &common, &known) {
            let m = format!("{a} and {b} have no iteration of the same number; shift one of them");
            return Err(Refusal::new(here, m).note(first.op().loc(ctx), a.clone()));
        }
        Ok(Fusion {
            loops,
            step,
            shift,
            below: pieces(below)?,
            above: pieces(above)?,
            common,
            frame,
        })
    }

    fn build(self, ctx: &mut Context) -> Result<Fused, Refusal> {
        let [first, second] = self.loops;
        if let Some(by) = &self.shift {
            let by = self.frame.map(ctx, vec![by.clone()], &[]);
            shift(ctx, second, &by.map, &by.operands)?;
        }
        let mut carried = self.loops.map(|l| l.inits(ctx));
        let mut before = Vec::new();
        for (k, range) in self.below.iter().enumerate() {
            if let Some(r) = range {
                let l = piece(ctx, &self.frame, self.loops[k], first, r, &mut carried[k]);
                names::rename(ctx, l, "_before");
                before.push(l);
            }
        }
        let mut after = Vec::new();
        for (k, range) in self.above.iter().enumerate() {
            if let Some(r) = range {
                let mut later = Vec::new();
                let l = piece(ctx, &self.frame, self.loops[k], first, r, &mut later);
                names::rename(ctx, l, "_after");
                after.push((k, l));
            }
        }
        let fused = self.merge(ctx, &carried);
        if let Some((_, l)) = after.first() {
            fused.op().move_before(ctx, l.op());
        }
        let mut results = fused.op().results(ctx);
        let n = first.op().num_results(ctx);
        let mut carried = [results.drain(..n).collect::<Vec<_>>(), results];
        for (k, l) in &after {
            l.set_inits(ctx, &carried[*k]);
            carried[*k] = l.op().results(ctx);
        }
        let [of_first, of_second] = carried;
        first.op().replace(ctx, &of_first);
        second.op().replace(ctx, &of_second);
        Ok(Fused {
            fused,
            before,
            after: after.into_iter().map(|(_, l)| l).collect(),
        })
    }

    /// The loop that has the bodies of both.
    fn merge(&self, ctx: &mut Context, carried: &[Vec<Value>; 2]) -> ForOp {
        let [first, second] = self.loops;
        let lower = self.frame.map(ctx, self.common.lower.clone(), &[]);
        let upper = self.frame.map(ctx, self.common.upper.clone(), &[]);
        let mut b = Builder::before(ctx, first.op());
        let fused = ForOp::build_open(
            &mut b,
            (lower.map, &lower.operands),
            (upper.map, &upper.operands),
            self.step,
            &carried.concat(),
        );
        let ctx = b.ctx;
        names::copy(ctx, first, fused);
        if first.op().attr(ctx, "schedule.label").is_none()
            && let Some(label) = second.op().attr(ctx, "schedule.label")
        {
            fused.op().set_attr(ctx, "schedule.label", label);
        }
        let body = fused.body(ctx);
        let mut args = fused.iter_args(ctx).into_iter();
        let mut yielded = Vec::new();
        for l in self.loops {
            let iv = fused.iv(ctx);
            l.iv(ctx).replace_all_uses(ctx, iv);
            for (old, new) in l.iter_args(ctx).into_iter().zip(args.by_ref()) {
                old.replace_all_uses(ctx, new);
            }
            yielded.extend(l.yielded(ctx));
            for op in l.body(ctx).ops(ctx) {
                if !op.isa::<YieldOp>(ctx) {
                    op.move_to_end(ctx, body);
                }
            }
        }
        let loc = first.op().loc(ctx);
        let mut b = Builder::at_end(ctx, body, loc);
        b.op::<YieldOp>(&yielded, &[], &[]);
        simplify(b.ctx, fused);
        fused
    }
}

/// A copy of `l` over other numbers, before `mark`. Starts with what is carried so
/// far, and carries on.
fn piece(
    ctx: &mut Context,
    frame: &Frame,
    l: ForOp,
    mark: ForOp,
    range: &Range,
    carried: &mut Vec<Value>,
) -> ForOp {
    let copy = ForOp::wrap(clone_op(ctx, l.op(), &mut IrMapping::new()));
    copy.op().insert_before(ctx, mark.op());
    let lower = frame.map(ctx, range.lower.clone(), &[]);
    let upper = frame.map(ctx, range.upper.clone(), &[]);
    copy.set_lower(ctx, lower.map, &lower.operands);
    copy.set_upper(ctx, upper.map, &upper.operands);
    if !carried.is_empty() {
        copy.set_inits(ctx, carried);
        *carried = copy.op().results(ctx);
    }
    simplify(ctx, copy);
    copy
}

/// The numbers of loop `l` below those of the other loop, or above: `None` where there
/// are none, an error where they are no range.
fn alone(
    frame: &Frame,
    bounds: &Bounds,
    known: &[AffineExpr],
    step: i64,
    l: usize,
    below: bool,
) -> Result<Option<Range>, ()> {
    let (own_lower, own_upper) = (&bounds.lower[l], &bounds.upper[l]);
    let (lower, upper) = (&bounds.lower[1 - l], &bounds.upper[1 - l]);
    let limits = if below { lower } else { upper };
    // One range for each limit, whose union it is.
    let ranges = limits.iter().map(|limit| {
        if below {
            return Range {
                lower: own_lower.clone(),
                upper: union(own_upper, std::slice::from_ref(limit)),
            };
        }
        let mut from = limit.clone();
        if step != 1
            && let [start] = &own_lower[..]
        {
            from = start.clone() + (limit.clone() - start.clone()).ceil_div(step) * step;
        }
        // The other loop's lower bound, since it may lie above its upper one.
        Range {
            lower: union(&union(own_lower, &[from]), lower),
            upper: own_upper.clone(),
        }
    });
    let mut left: Vec<Range> = ranges.filter(|r| !is_empty(frame, r, known)).collect();
    match (limits.len(), left.pop()) {
        (_, None) => Ok(None),
        (1, only) => Ok(only),
        _ => Err(()),
    }
}

fn union(a: &[AffineExpr], b: &[AffineExpr]) -> Vec<AffineExpr> {
    let new = b.iter().filter(|e| !a.contains(e));
    a.iter().chain(new).cloned().collect()
}

/// Whether it can be shown that a range has no number.
fn is_empty(frame: &Frame, range: &Range, known: &[AffineExpr]) -> bool {
    let iv = AffineExpr::dim(0);
    let lower = range.lower.iter().map(|e| iv.clone() - e.clone());
    let upper = range.upper.iter().map(|e| e.clone() - iv.clone() - 1);
    let rows: Vec<AffineExpr> = lower.chain(upper).chain(known.iter().cloned()).collect();
    Inequalities::of(frame, &rows).is_never()
}
