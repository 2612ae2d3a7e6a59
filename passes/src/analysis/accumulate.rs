//! Values that a loop only accumulates into: `s` where each iteration does `s = s op e`
//! with an associative and commutative `op`, on any path, in inner loops too.
//!
//! What an iteration makes of the value that comes in is followed backwards, through
//! combining ops, conditions and inner loops, to that value. Nothing else may use it on
//! the way. Then the iteration, given the neutral value of `op` in its place, computes
//! what it contributes (compare L. Rauchwerger, D. Padua, "The LRPD test", 1995, whose
//! reductions are validated in the same way).
//!
//! `if (x > m) m = x` and `m > x ? m : x` are taken as maxima of numbers: with NaNs in
//! the data, which of them the source keeps depends on the order of the iterations.

use rustc_hash::FxHashSet;
use terrace_dialects::arith::{
    AtomicRmwKind as K, CmpFOp, CmpFPredicate, CmpIOp, CmpIPredicate, fastmath, fastmath_of,
};
use terrace_dialects::{affine, scf};
use terrace_dialects::{arith, math, memref};
use terrace_ir::effects::{is_pure, own_effects};
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
    if !c.is_closed() || kind.identity(ctx, carried.ty(ctx)).is_none() {
        return None;
    }
    let combiner = yielded.def_op().filter(|op| {
        kind_of(op.name(ctx)) == Some(kind)
            && op.num_operands(ctx) == 2
            && op.operands(ctx).contains(&carried)
    });
    Some(Accumulation {
        kind,
        combiner,
        reassociates: !c.state.ordered,
    })
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
                self.chosen(op, from, depth)
                    || (self.through(op, 1, from, depth) && self.through(op, 2, from, depth))
            }
            scf::IfOp::NAME | affine::IfOp::NAME => self.branches(op, v.index(ctx), from, depth),
            name => match (kind_of(name), Loop::of(ctx, op)) {
                (Some(kind), _) => {
                    if !self.is_kind(kind) {
                        return false;
                    }
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
        true
    }

    /// A condition, of which each branch accumulates or leaves the value alone; or the
    /// larger or smaller of two values.
    fn branches(&mut self, op: Op, i: usize, from: Value, depth: u32) -> bool {
        let ctx = self.ctx;
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
        let is_if = op.isa::<scf::IfOp>(ctx);
        if is_if && self.extremum((op, 0), a, b, from, depth) {
            self.state.consumed.insert((ends.0, i));
            self.state.consumed.insert((ends.1, i));
            return true;
        }
        false
    }

    fn chosen(&mut self, op: Op, from: Value, depth: u32) -> bool {
        let (a, b) = (op.operand(self.ctx, 1), op.operand(self.ctx, 2));
        let before = self.state.clone();
        if self.extremum((op, 0), a, b, from, depth) {
            self.state.consumed.insert((op, 1));
            self.state.consumed.insert((op, 2));
            return true;
        }
        self.state = before;
        false
    }

    /// Whether `condition ? a : b`, of which the condition is that operand, is the
    /// larger or the smaller of the accumulated value and another.
    fn extremum(&mut self, on: (Op, usize), a: Value, b: Value, from: Value, depth: u32) -> bool {
        let ctx = self.ctx;
        let condition = on.0.operand(ctx, on.1);
        let Some(cmp) = condition.def_op() else {
            return false;
        };
        let Some(order) = order_of(ctx, cmp) else {
            return false;
        };
        let (x, y) = (cmp.operand(ctx, 0), cmp.operand(ctx, 1));
        // Which of the two compared is the accumulated one.
        for (old, old_at, new) in [(x, 0, y), (y, 1, x)] {
            let before = self.state.clone();
            // `keeps_first`: where the comparison holds, the left one is the result.
            let keeps_first = if a == old && same_value(ctx, b, new, on.0) {
                old_at == 0
            } else if b == old && same_value(ctx, a, new, on.0) {
                old_at == 1
            } else {
                continue;
            };
            let kind = match (order, keeps_first) {
                (Order::Float(greater), first) if greater == first => K::MaxNumF,
                (Order::Float(_), _) => K::MinNumF,
                (Order::Signed(greater), first) if greater == first => K::MaxS,
                (Order::Signed(_), _) => K::MinS,
                (Order::Unsigned(greater), first) if greater == first => K::MaxU,
                (Order::Unsigned(_), _) => K::MinU,
            };
            if self.is_kind(kind) && self.follow(old, from, depth) {
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

#[derive(Clone, Copy)]
enum Order {
    /// Whether `left op right` says that the left one is greater.
    Float(bool),
    Signed(bool),
    Unsigned(bool),
}

fn order_of(ctx: &Context, cmp: Op) -> Option<Order> {
    if let Some(c) = cmp.cast::<CmpFOp>(ctx) {
        use CmpFPredicate as P;
        return match c.predicate(ctx)? {
            P::Ogt | P::Oge | P::Ugt | P::Uge => Some(Order::Float(true)),
            P::Olt | P::Ole | P::Ult | P::Ule => Some(Order::Float(false)),
            _ => None,
        };
    }
    use CmpIPredicate as P;
    match cmp.cast::<CmpIOp>(ctx)?.predicate(ctx)? {
        P::Sgt | P::Sge => Some(Order::Signed(true)),
        P::Slt | P::Sle => Some(Order::Signed(false)),
        P::Ugt | P::Uge => Some(Order::Unsigned(true)),
        P::Ult | P::Ule => Some(Order::Unsigned(false)),
        _ => None,
    }
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
        && x.name(ctx) == y.name(ctx)
        && x.attrs(ctx) == y.attrs(ctx)
        && x.num_regions(ctx) == 0
        && a.index(ctx) == b.index(ctx)
        && a.ty(ctx) == b.ty(ctx)
        && x.num_operands(ctx) == y.num_operands(ctx)
        && (is_pure(ctx, x) || (loads && nothing_written(ctx, y, x, condition)))
        && (0..x.num_operands(ctx)).all(|i| {
            let (p, q) = (x.operand(ctx, i), y.operand(ctx, i));
            same_computation(ctx, p, q, condition, depth - 1)
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
