//! Flags: variables that some iterations set to one value, `if (a[i] > 1) found = 1;`.
//!
//! ```text
//! %r = affine.for %i = 0 to %n iter_args(%f = %init) -> (i32) {
//!   %v = scf.if %c -> (i32) { scf.yield %one } else { scf.yield %f }
//!   affine.yield %v
//! }
//! ```
//!
//! The iterations hand the value from one to the next, though their order does not
//! matter. Here the loop is made to accumulate whether any of them sets it, which
//! [`crate::analysis::accumulate`] knows as a reduction, and the value is chosen behind the loop:
//!
//! ```text
//! %any = affine.for %i = 0 to %n iter_args(%f = %zero) -> (i32) {
//!   %v = scf.if %c -> (i32) { %s = arith.ori %f, %true; scf.yield %s } else { scf.yield %f }
//!   affine.yield %v
//! }
//! %set = arith.cmpi ne, %any, %zero
//! %r = arith.select %set, %one, %init
//! ```
//!
//! Legal wherever all that the loop does with the value is to keep it or to replace it
//! by the same one, known in front of the loop.

use terrace_dialects::arith::{CmpFOp, CmpFPredicate, CmpIOp, CmpIPredicate, SelectOp};
use terrace_dialects::{arith, scf};
use terrace_ir::num::Float;
use terrace_ir::{Attr, AttrData, Builder, Context, Op, OpKind, Type, Value};

use crate::analysis::loop_like::Loop;

/// Rewrites the flags of all loops in `root`, inner loops first.
pub(super) fn run(ctx: &mut Context, root: Op) {
    for (l, _) in Loop::all(ctx, root).into_iter().rev() {
        for i in 0..l.iter_args(ctx).len() {
            if let Some(flag) = Flag::of(ctx, l, i) {
                flag.rewrite(ctx);
            }
        }
    }
}

/// A carried value that is kept or set.
struct Flag {
    l: Loop,
    number: usize,
    carried: Value,
    /// What it is set to: a constant, or a value from outside of the loop.
    set: Set,
    /// Where it is set: operand of an op.
    places: Vec<(Op, usize)>,
}

#[derive(Clone, Copy, PartialEq)]
enum Set {
    Constant(Attr),
    Value(Value),
}

/// What is found while following the value that an iteration yields.
struct Search<'c> {
    ctx: &'c Context,
    l: Loop,
    carried: Value,
    set: Option<Set>,
    places: Vec<(Op, usize)>,
    /// How often the value that comes in is kept.
    kept: usize,
    budget: usize,
}

impl Flag {
    fn of(ctx: &Context, l: Loop, number: usize) -> Option<Flag> {
        let carried = *l.iter_args(ctx).get(number)?;
        let ty = carried.ty(ctx);
        if !ty.is_signless_int(ctx) && ty.float_kind(ctx).is_none() {
            return None;
        }
        let end = l.body(ctx).last_op(ctx)?;
        let mut s = Search {
            ctx,
            l,
            carried,
            set: None,
            places: Vec::new(),
            kept: 0,
            budget: 200,
        };
        let known = s.follow((end, number), end.operand(ctx, number), 32);
        // A value that nothing else looks at, and that is kept at least once: what every
        // iteration sets is no flag.
        let uses = carried.uses(ctx).len();
        if !known || s.places.is_empty() || s.kept == 0 || s.kept != uses {
            return None;
        }
        Some(Flag {
            l,
            number,
            carried,
            set: s.set?,
            places: s.places,
        })
    }

    fn rewrite(self, ctx: &mut Context) {
        let op = self.l.op();
        let ty = self.carried.ty(ctx);
        let at = self.l.init_operand(ctx, self.number);
        let init = op.operand(ctx, at);
        let mut b = Builder::before(ctx, op);
        let (zero, one) = (number(b.ctx, ty, 0), number(b.ctx, ty, 1));
        let none = arith::constant(&mut b, zero);
        let some = arith::constant(&mut b, one);
        op.set_operand(ctx, at, none);
        for (place, i) in self.places {
            let mut b = Builder::before(ctx, place);
            let any = match ty.float_kind(b.ctx) {
                Some(_) => b.value::<arith::MaxNumFOp>(&[self.carried, some], ty, &[]),
                None => b.value::<arith::OrIOp>(&[self.carried, some], ty, &[]),
            };
            place.set_operand(ctx, i, any);
        }
        let result = op.result(ctx, self.number);
        let uses = result.uses(ctx);
        let mut b = Builder::after(ctx, op);
        let is_set = match ty.float_kind(b.ctx) {
            Some(_) => CmpFOp::build(&mut b, CmpFPredicate::Ogt, result, none),
            None => CmpIOp::build(&mut b, CmpIPredicate::Ne, result, none),
        };
        let value = match self.set {
            Set::Constant(c) => arith::constant(&mut b, c),
            Set::Value(v) => v,
        };
        let chosen = SelectOp::build(&mut b, is_set, value, init);
        for u in uses {
            u.op.set_operand(ctx, u.index, chosen);
        }
    }
}

/// 0 or 1 of a type.
fn number(ctx: &mut Context, ty: Type, n: i64) -> Attr {
    match ty.float_kind(ctx) {
        Some(k) => {
            let value = Float::from_f64(k, n as f64);
            ctx.attr(AttrData::Float { ty, value })
        }
        None => ctx.int_attr(ty, n),
    }
}

impl Search<'_> {
    /// Whether `v`, which is operand `place`, is the carried value or one that it is set
    /// to, on all ways.
    fn follow(&mut self, place: (Op, usize), v: Value, depth: usize) -> bool {
        let ctx = self.ctx;
        if depth == 0 || self.budget == 0 {
            return false;
        }
        self.budget -= 1;
        if v == self.carried {
            self.kept += 1;
            return true;
        }
        if let Some(c) = ctx.constant_of(v) {
            return self.sets(place, Set::Constant(c));
        }
        let Some(op) = v.def_op() else {
            // An argument of a block: of one around the loop, or of one in it.
            let inside = v
                .arg_block()
                .is_some_and(|b| b.parent_op(ctx).is_some_and(|p| self.is_inside(p)));
            return !inside && self.sets(place, Set::Value(v));
        };
        if !self.is_inside(op) {
            return self.sets(place, Set::Value(v));
        }
        // The choice must be for this alone, or another reader would see the change.
        if !v.has_one_use(ctx) {
            return false;
        }
        if let Some(s) = op.cast::<SelectOp>(ctx) {
            let op = s.op();
            return [1, 2]
                .into_iter()
                .all(|i| self.follow((op, i), op.operand(ctx, i), depth - 1));
        }
        if op.isa::<scf::IfOp>(ctx) {
            let Some(k) = op.results(ctx).iter().position(|r| *r == v) else {
                return false;
            };
            return (0..op.num_regions(ctx)).all(|r| {
                let end = op.region(ctx, r).entry(ctx).and_then(|b| b.last_op(ctx));
                end.is_some_and(|e| {
                    e.num_operands(ctx) > k && self.follow((e, k), e.operand(ctx, k), depth - 1)
                })
            });
        }
        false
    }

    fn is_inside(&self, op: Op) -> bool {
        let l = self.l.op();
        op == l || l.is_ancestor_of(self.ctx, op)
    }

    fn sets(&mut self, place: (Op, usize), to: Set) -> bool {
        self.places.push(place);
        *self.set.get_or_insert(to) == to
    }
}
