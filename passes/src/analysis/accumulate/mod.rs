//! Values that a loop only accumulates into: `s` where each iteration does `s = s op e`
//! with an associative and commutative `op`, on any path, in inner loops too.
//!
//! What an iteration makes of the value that comes in is followed backwards, through
//! combining ops, conditions and inner loops, to that value. Nothing else may use it on
//! the way. Then the iteration, given the neutral value of `op` in its place, computes
//! what it contributes (compare L. Rauchwerger, D. Padua, "The LRPD test", 1995, whose
//! reductions are validated in the same way).
//!
//! `if (x > m) m = x` and `m > x ? m : x` are maxima, too. Of floats the order of the iterations
//! decides which of two zeros stays, and what a NaN does: [`extremum`] says where that may be.

mod extremum;
mod zeros;

pub use extremum::{Choice, Extremum, Ties, compared};
pub use zeros::{is_nonnegative, sign_of_zero_counts};

use rustc_hash::FxHashSet;
use terrace_dialects::arith::{AtomicRmwKind as K, fastmath, fastmath_of};
use terrace_dialects::{affine, scf};
use terrace_dialects::{arith, math};
use terrace_ir::effects::own_effects;
use terrace_ir::num::Float;
use terrace_ir::opdef::EffectKind;
use terrace_ir::{Attr, AttrData, Context, Op, Type, Value};

use super::loop_like::Loop;
use crate::analysis::reduction::kind_of;

/// A carried value that is accumulated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Accumulation {
    pub kind: K,
    /// The op at the end of the body whose other operand is the contribution, where it
    /// is that simple.
    pub combiner: Option<Op>,
    /// Every op on the way says by `fastmath<reassoc>` that its operands may be combined in
    /// any order.
    pub reassociates: bool,
    /// How comparisons choose a greatest or least float on the way, where they do.
    pub choice: Option<Choice>,
    /// Which zero, or what a NaN leaves, depends on the order of the iterations. Where the result
    /// does not tell for certain, the loop has to run as it was written.
    pub checked: bool,
}

impl Accumulation {
    /// Whether another order of the iterations gives another result.
    pub fn rounds(self) -> bool {
        matches!(self.kind, K::AddF | K::MulF)
    }

    /// What changes nothing when accumulated.
    pub fn neutral(self, ctx: &Context, ty: Type) -> Option<Attr> {
        let kind = ty.float_kind(ctx);
        let float = |f: Float| ctx.attr(AttrData::Float { ty, value: f });
        match (self.kind, kind) {
            (K::MaxNumF, Some(k)) => Some(float(Float::infinity(k, true))),
            (K::MinNumF, Some(k)) => Some(float(Float::infinity(k, false))),
            _ => self.kind.identity(ctx, ty),
        }
    }
}

/// What carried value `i` of `l` is, if it is only accumulated into.
pub fn accumulation(ctx: &Context, l: Loop, i: usize) -> Option<Accumulation> {
    let (carried, yielded) = (*l.iter_args(ctx).get(i)?, *l.yielded(ctx).get(i)?);
    let state = chain(ctx, l, i)?;
    let kind = state.kind?;
    let combiner = yielded.def_op().filter(|op| {
        kind_of(op.name(ctx)) == Some(kind)
            && op.num_operands(ctx) == 2
            && op.operands(ctx).contains(&carried)
    });
    Some(Accumulation {
        kind,
        combiner,
        reassociates: !state.ordered,
        choice: state.choice,
        checked: false,
    })
}

/// The comparisons on the way of carried value `i` of `l`, an accumulation, that choose a greatest
/// or least float.
pub fn extrema(ctx: &Context, l: Loop, i: usize) -> Vec<Extremum> {
    chain(ctx, l, i).map_or_else(Vec::new, |s| s.extrema)
}

/// The inner loops that carry value `i` of `l`, an accumulation, and in which place.
pub fn inner_loops(ctx: &Context, l: Loop, i: usize) -> Vec<(Op, usize)> {
    chain(ctx, l, i).map_or_else(Vec::new, |s| s.inner)
}

/// All that is on the way of carried value `i` of `l`, if it is only accumulated into.
fn chain(ctx: &Context, l: Loop, i: usize) -> Option<State> {
    let carried = *l.iter_args(ctx).get(i)?;
    let yielded = *l.yielded(ctx).get(i)?;
    if yielded == carried {
        return None;
    }
    let mut c = Chain {
        ctx,
        state: State::default(),
        budget: 2000,
    };
    if !c.follow(yielded, carried, 64) {
        return None;
    }
    let end = l.body(ctx).last_op(ctx)?;
    c.state.consumed.insert((end, i));
    c.state.links.push(carried);
    let kind = c.state.kind?;
    let mixed = c.state.choice.is_some() && c.state.numbers;
    (c.is_closed() && !mixed && kind.identity(ctx, carried.ty(ctx)).is_some()).then_some(c.state)
}

/// Whether a condition decides about result `i` of `op` alone, whose branches end so: not about other results, as
/// the number of greatest elements in `if (x > m) { m = x; n++; }`, and not about what is written.
fn only_chooses(ctx: &Context, op: Op, i: usize, ends: [Op; 2]) -> bool {
    let [then, other] = ends.map(|e| e.operands(ctx));
    let same = |j: usize| j == i || then.get(j) == other.get(j);
    let inside = op.post_order(ctx).into_iter().filter(|o| *o != op);
    (0..op.num_results(ctx)).all(same) && inside.into_iter().all(|o| writes_nothing(ctx, o))
}

fn writes_nothing(ctx: &Context, op: Op) -> bool {
    let effects = own_effects(ctx, op);
    op.is_terminator(ctx) || effects.is_some_and(|e| e.iter().all(|e| e.kind == EffectKind::Read))
}

#[derive(Default, Clone)]
struct State {
    kind: Option<K>,
    /// An op on the way does not say that its operands may be combined in any order.
    ordered: bool,
    /// Uses of links that are part of the chain.
    consumed: FxHashSet<(Op, usize)>,
    /// Values that depend on what came in.
    links: Vec<Value>,
    choice: Option<Choice>,
    extrema: Vec<Extremum>,
    /// An op takes the number of a number and a NaN.
    numbers: bool,
    inner: Vec<(Op, usize)>,
}

struct Chain<'c> {
    ctx: &'c Context,
    state: State,
    budget: u32,
}

impl Chain<'_> {
    /// Whether nothing but the chain uses its values.
    fn is_closed(&self) -> bool {
        self.state.links.iter().all(|v| {
            let uses = v.uses(self.ctx);
            uses.iter()
                .all(|u| self.state.consumed.contains(&(u.op, u.index)))
        })
    }

    /// Takes `kind`; false if the chain is of another.
    fn is_kind(&mut self, kind: K) -> bool {
        *self.state.kind.get_or_insert(kind) == kind
    }

    /// Whether `v` is `from` with something accumulated. On failure nothing changes.
    fn follow(&mut self, v: Value, from: Value, depth: u32) -> bool {
        if v == from {
            return true;
        }
        if depth == 0 || self.budget == 0 {
            return false;
        }
        self.budget -= 1;
        let Some(op) = v.def_op() else { return false };
        let before = self.state.clone();
        let found = self.step(op, v, from, depth - 1);
        if found {
            self.state.links.push(v);
        } else {
            self.state = before;
        }
        found
    }

    fn through(&mut self, op: Op, operand: usize, from: Value, depth: u32) -> bool {
        let found = self.follow(op.operand(self.ctx, operand), from, depth);
        if found {
            let combines = kind_of(op.name(self.ctx)).is_some()
                || matches!(op.name(self.ctx), arith::SubFOp::NAME | math::FmaOp::NAME);
            let free = fastmath_of(self.ctx, op) & fastmath::REASSOC != 0;
            self.state.ordered |= combines && !free;
            self.state.consumed.insert((op, operand));
        }
        found
    }

    fn step(&mut self, op: Op, v: Value, from: Value, depth: u32) -> bool {
        let ctx = self.ctx;
        match op.name(ctx) {
            arith::SubFOp::NAME => self.is_kind(K::AddF) && self.through(op, 0, from, depth),
            arith::SubIOp::NAME => self.is_kind(K::AddI) && self.through(op, 0, from, depth),
            math::FmaOp::NAME => self.is_kind(K::AddF) && self.through(op, 2, from, depth),
            arith::SelectOp::NAME => {
                self.chosen(op, v, from, depth)
                    || (self.through(op, 1, from, depth) && self.through(op, 2, from, depth))
            }
            scf::IfOp::NAME | affine::IfOp::NAME => self.branches(op, v, from, depth),
            name => match (kind_of(name), Loop::of(ctx, op)) {
                (Some(kind), _) => {
                    if !self.is_kind(kind) {
                        return false;
                    }
                    self.state.numbers |= matches!(kind, K::MaxNumF | K::MinNumF);
                    self.through(op, 0, from, depth) || self.through(op, 1, from, depth)
                }
                (None, Some(l)) => self.inner_loop(l, v.index(ctx), from, depth),
                (None, None) => false,
            },
        }
    }

    /// An inner loop that takes the value in and accumulates into it.
    fn inner_loop(&mut self, l: Loop, i: usize, from: Value, depth: u32) -> bool {
        let ctx = self.ctx;
        let (args, yielded) = (l.iter_args(ctx), l.yielded(ctx));
        let (Some(arg), Some(out)) = (args.get(i), yielded.get(i)) else {
            return false;
        };
        let Some(end) = l.body(ctx).last_op(ctx) else {
            return false;
        };
        if !self.through(l.op(), l.init_operand(ctx, i), from, depth)
            || !self.follow(*out, *arg, depth)
        {
            return false;
        }
        self.state.consumed.insert((end, i));
        self.state.links.push(*arg);
        self.state.inner.push((l.op(), i));
        true
    }

    /// A condition, of which each branch accumulates or leaves the value alone; or the
    /// larger or smaller of two values.
    fn branches(&mut self, op: Op, v: Value, from: Value, depth: u32) -> bool {
        let ctx = self.ctx;
        let i = v.index(ctx);
        let blocks = match op.cast::<scf::IfOp>(ctx) {
            Some(o) => o.else_block(ctx).map(|e| [o.then_block(ctx), e]),
            None => op
                .cast::<affine::IfOp>(ctx)
                .and_then(|o| o.else_block(ctx).map(|e| [o.then_block(ctx), e])),
        };
        let Some(ends) = blocks.and_then(|[t, e]| t.last_op(ctx).zip(e.last_op(ctx))) else {
            return false;
        };
        let (Some(a), Some(b)) = (
            ends.0.operands(ctx).get(i).copied(),
            ends.1.operands(ctx).get(i).copied(),
        ) else {
            return false;
        };
        let before = self.state.clone();
        if self.follow(a, from, depth) && self.follow(b, from, depth) {
            self.state.consumed.insert((ends.0, i));
            self.state.consumed.insert((ends.1, i));
            return true;
        }
        self.state = before;
        let is_if = op.isa::<scf::IfOp>(ctx) && only_chooses(ctx, op, i, [ends.0, ends.1]);
        if is_if && self.extremum(((op, 0), v), (a, b), from, depth) {
            self.state.consumed.insert((ends.0, i));
            self.state.consumed.insert((ends.1, i));
            return true;
        }
        false
    }

    fn chosen(&mut self, op: Op, v: Value, from: Value, depth: u32) -> bool {
        let (a, b) = (op.operand(self.ctx, 1), op.operand(self.ctx, 2));
        let before = self.state.clone();
        if self.extremum(((op, 0), v), (a, b), from, depth) {
            self.state.consumed.insert((op, 1));
            self.state.consumed.insert((op, 2));
            return true;
        }
        self.state = before;
        false
    }
}
