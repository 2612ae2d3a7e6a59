//! Greatest and least values that a comparison chooses: `if (x > m) m = x`, `m < x ? m : x`.
//!
//! Of integers that is all. Of floats the result is a maximum but for two things. Of zeros with
//! different signs the first or the last stays, by the comparison. And a NaN never replaces a
//! number in `x > m ? x : m`, while in `m > x ? m : x` it does, and is itself replaced by what comes
//! next. A first value that is NaN stays in the former, and goes in the latter.

use super::Chain;
use super::zeros::{Zero, may_be};
use crate::analysis::alike::alike;
use terrace_dialects::arith::{
    AtomicRmwKind as K, CmpFOp, CmpFPredicate, CmpIOp, CmpIPredicate, fastmath, fastmath_of,
};
use terrace_dialects::{affine, memref};
use terrace_ir::effects::{is_pure, own_effects};
use terrace_ir::opdef::EffectKind;
use terrace_ir::{Context, Op, Value};

/// How the comparisons of one accumulation choose among floats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Choice {
    /// Which of equal values stays; `None` where comparisons differ in that.
    pub ties: Option<Ties>,
    /// A NaN may take the place of a number, and is replaced by what comes next.
    pub nan_replaces: bool,
    /// What is compared may be zeros of both signs.
    pub zeros: bool,
}

/// Which of equal values stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ties {
    First,
    Last,
}

/// One such comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extremum {
    /// What is chosen: a result of `arith.select` or `scf.if`.
    pub chosen: Value,
    /// The value so far.
    pub old: Value,
    /// What it is compared with.
    pub new: Value,
}

impl Choice {
    fn and(self, other: Option<Choice>) -> Choice {
        let Some(o) = other else { return self };
        Choice {
            ties: self.ties.filter(|_| self.ties == o.ties),
            nan_replaces: self.nan_replaces || o.nan_replaces,
            zeros: self.zeros || o.zeros,
        }
    }
}

impl Chain<'_> {
    /// Whether `condition ? a : b`, of which the condition is that operand, is the
    /// larger or the smaller of the accumulated value and another.
    pub(super) fn extremum(
        &mut self,
        (on, chosen): ((Op, usize), Value),
        (a, b): (Value, Value),
        from: Value,
        depth: u32,
    ) -> bool {
        let ctx = self.ctx;
        let condition = on.0.operand(ctx, on.1);
        let compares = |op: &Op| op.isa::<CmpFOp>(ctx) || op.isa::<CmpIOp>(ctx);
        let Some(cmp) = condition.def_op().filter(compares) else {
            return false;
        };
        let (x, y) = (cmp.operand(ctx, 0), cmp.operand(ctx, 1));
        // Which of the two compared is the accumulated one.
        for (old, old_at, new) in [(x, 0, y), (y, 1, x)] {
            let before = self.state.clone();
            let replaces = if a == old && same_value(ctx, b, new, on.0) {
                false
            } else if b == old && same_value(ctx, a, new, on.0) {
                true
            } else {
                continue;
            };
            let Some((kind, choice)) = compared(ctx, cmp, old_at == 0, replaces) else {
                continue;
            };
            if self.is_kind(kind) && self.follow(old, from, depth) {
                if let Some(c) = choice {
                    let flags = fastmath_of(ctx, cmp) | fastmath_of(ctx, on.0);
                    let both = || {
                        [Zero::Negative, Zero::Positive].map(|z| may_be(ctx, new, z)) == [true; 2]
                    };
                    let c = Choice {
                        zeros: flags & fastmath::NSZ == 0 && both(),
                        nan_replaces: flags & fastmath::NNAN == 0 && c.nan_replaces,
                        ..c
                    };
                    self.state.ordered |= flags & fastmath::REASSOC == 0;
                    self.state.choice = Some(c.and(self.state.choice));
                    self.state.extrema.push(Extremum { chosen, old, new });
                }
                self.state.consumed.insert((cmp, old_at));
                self.state.consumed.insert(on);
                self.state.links.push(condition);
                return true;
            }
            self.state = before;
        }
        false
    }
}

/// What a comparison makes of the value so far, its first operand where `old_first`, if the other
/// operand replaces it where it holds, or where it does not; and of floats how.
pub fn compared(
    ctx: &Context,
    cmp: Op,
    old_first: bool,
    replaces: bool,
) -> Option<(K, Option<Choice>)> {
    if let Some(c) = cmp.cast::<CmpFOp>(ctx) {
        use CmpFPredicate as P;
        let p = c.predicate(ctx)?;
        let p = if replaces { p } else { p.inverted() };
        // In `new op old`, the other way round where the old one is the first.
        let greater = match p {
            P::Ogt | P::Oge | P::Ugt | P::Uge => !old_first,
            P::Olt | P::Ole | P::Ult | P::Ule => old_first,
            _ => return None,
        };
        let last = matches!(p, P::Oge | P::Uge | P::Ole | P::Ule);
        let choice = Choice {
            ties: Some(if last { Ties::Last } else { Ties::First }),
            nan_replaces: matches!(p, P::Ugt | P::Uge | P::Ult | P::Ule),
            zeros: true,
        };
        let kind = if greater { K::MaxNumF } else { K::MinNumF };
        return Some((kind, Some(choice)));
    }
    use CmpIPredicate as P;
    let p = cmp.cast::<CmpIOp>(ctx)?.predicate(ctx)?;
    let p = if replaces { p } else { p.inverted() };
    let kind = match if old_first { p.swapped() } else { p } {
        P::Sgt | P::Sge => K::MaxS,
        P::Slt | P::Sle => K::MinS,
        P::Ugt | P::Uge => K::MaxU,
        P::Ult | P::Ule => K::MinU,
        P::Eq | P::Ne => return None,
    };
    Some((kind, None))
}

/// Whether `a`, which is computed in a branch of `condition`, is `b`, which was
/// computed before it: the same value, or the same ops on the same values, with no
/// write between where they read memory.
fn same_value(ctx: &Context, a: Value, b: Value, condition: Op) -> bool {
    a == b || same_computation(ctx, a, b, condition, 32)
}

fn same_computation(ctx: &Context, a: Value, b: Value, condition: Op, depth: u32) -> bool {
    if a == b {
        return true;
    }
    let (Some(x), Some(y)) = (a.def_op(), b.def_op()) else {
        return false;
    };
    let loads = matches!(x.name(ctx), affine::LoadOp::NAME | memref::LoadOp::NAME);
    depth > 0
        && (is_pure(ctx, x) || (loads && nothing_written(ctx, y, x, condition)))
        && alike(ctx, a, b).is_some_and(|operands| {
            let mut all = operands.into_iter();
            all.all(|(p, q)| same_computation(ctx, p, q, condition, depth - 1))
        })
}

/// Whether nothing is written from `earlier`, beside `condition`, to `later`, directly
/// in a branch of it.
fn nothing_written(ctx: &Context, earlier: Op, later: Op, condition: Op) -> bool {
    if earlier.block(ctx) != condition.block(ctx) || later.parent(ctx) != Some(condition) {
        return false;
    }
    let quiet = |from: Option<Op>, to: Op| {
        let mut at = from;
        while let Some(op) = at.filter(|o| *o != to) {
            let reads = own_effects(ctx, op)
                .is_some_and(|e| e.iter().all(|e| e.kind == EffectKind::Read))
                && op.num_regions(ctx) == 0;
            if !reads && !is_pure(ctx, op) {
                return false;
            }
            at = op.next(ctx);
        }
        true
    };
    let first = later.block(ctx).and_then(|b| b.first_op(ctx));
    quiet(earlier.next(ctx), condition) && quiet(first, later)
}
