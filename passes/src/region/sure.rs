//! Subscripts that a region surely has.
//!
//! What `range.rs` computes is never too small; whether it is too large, it does not say: a
//! condition may keep the program from the elements at its ends. So for each access a
//! place is looked for at which its subscript is at an end of the range: one iteration of
//! each loop around it. The function of the extents then follows the program to this
//! place, with that iteration in place of each loop: whether it lies within the bounds,
//! whether all conditions on the way hold, and what the subscript is there. How the place
//! is found does not matter for what is proved.

use rustc_hash::FxHashMap;
use terrace_dialects::affine::{self, Access, ApplyOp, IfOp, MaxOp, MinOp, ParallelOp};
use terrace_dialects::arith::{
    self, AddIOp, AndIOp, CmpIOp, CmpIPredicate, FloorDivSIOp, MaxSIOp, MinSIOp, MulIOp, SelectOp,
    SubIOp, XOrIOp,
};
use terrace_dialects::func::FuncOp;
use terrace_dialects::scf;
use terrace_ir::affine::AffineMap;
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::effects::runs_anywhere;
use terrace_ir::{Builder, Op, OpKind, Value};

use super::forms::{Around, Forms};
use super::range::End;
use crate::analysis::poly::{Atom, Poly};
use crate::analysis::source;

/// How deep expressions are followed.
const MAX_DEPTH: u32 = 48;

/// Where a counter is at the place.
#[derive(Debug, Clone)]
enum At {
    First,
    Last,
    /// At its last number where this is not negative, else at the first one.
    BySign(Poly),
}

/// A subscript, and whether the program surely has it, as a bit.
pub(super) struct Sure {
    pub subscript: Value,
    pub happens: Value,
}

/// What the subscript `p` of the access `op`, along dimension `dim`, is at a place where it is at `end`, if
/// anywhere. `None` where that hinges on what the function of the extents does not know.
pub(super) fn at_end(
    forms: &mut Forms,
    root: Op,
    op: Op,
    around: &Around,
    (p, dim): (&Poly, usize),
    end: End,
) -> Option<Sure> {
    let places = places(forms, around, p, end);
    let mut walk = Walk {
        forms,
        around,
        places,
        values: FxHashMap::default(),
        known: vec![None; around.nest.len()],
        happens: None,
    };
    for (outer, inner) in walk.forms.chain(root, op) {
        walk.enter(outer, inner)?;
    }
    let subscript = walk.subscript(op, dim)?;
    let happens = match walk.happens {
        Some(h) => h,
        None => walk.bit(true),
    };
    Some(Sure { subscript, happens })
}

/// Where each variable is if `p` is at an end: variables are eliminated from the innermost
/// outwards, as for the range.
fn places(forms: &Forms, around: &Around, p: &Poly, end: End) -> Vec<At> {
    let mut places = vec![At::First; around.nest.len()];
    let upwards: i32 = if end == End::Greatest { 1 } else { -1 };
    let mut p = p.clone();
    for (i, v) in around.nest.iter().enumerate().rev() {
        let Some((coefficient, rest)) = p.split(Atom::Variable(i)) else {
            break;
        };
        if coefficient.terms.is_empty() {
            continue;
        }
        let (bounds, at) = match forms.table.sign(&coefficient) {
            Some(s) if s == upwards => (&v.upper, At::Last),
            Some(_) => (&v.lower, At::First),
            None => {
                let c = Poly::default().plus(i64::from(upwards), &coefficient);
                (&v.upper, c.map_or(At::Last, At::BySign))
            }
        };
        places[i] = at;
        // What is no counter grows with what it is computed from.
        let bound = around.sources[i].as_ref().or(bounds.first());
        let next = bound.and_then(|b| coefficient.times(b)?.plus(1, &rest));
        let Some(next) = next else { break };
        p = next;
    }
    places
}

/// On the way to an access.
struct Walk<'f, 'c> {
    forms: &'f mut Forms<'c>,
    around: &'f Around,
    places: Vec<At>,
    /// What values of the region are at the place.
    values: FxHashMap<Value, Value>,
    /// The variables of the nest that are known.
    known: Vec<Option<Value>>,
    happens: Option<Value>,
}

impl Walk<'_, '_> {
    fn builder(&mut self) -> Builder<'_> {
        Builder::new(self.forms.ctx, self.forms.at, self.forms.loc)
    }

    fn index<K: OpKind>(&mut self, a: Value, b: Value) -> Value {
        let mut builder = self.builder();
        let index = builder.ctx.index();
        builder.value::<K>(&[a, b], index, &[])
    }

    fn constant(&mut self, c: i64) -> Value {
        arith::constant_index(&mut self.builder(), c)
    }

    fn bit(&mut self, b: bool) -> Value {
        let zero = self.constant(0);
        let p = if b {
            CmpIPredicate::Eq
        } else {
            CmpIPredicate::Ne
        };
        CmpIOp::build(&mut self.builder(), p, zero, zero)
    }

    fn compare(&mut self, p: CmpIPredicate, a: Value, b: Value) -> Value {
        CmpIOp::build(&mut self.builder(), p, a, b)
    }

    fn demand(&mut self, holds: Value) {
        self.happens = Some(match self.happens {
            None => holds,
            Some(h) => self.both(h, holds),
        });
    }

    fn both(&mut self, a: Value, b: Value) -> Value {
        let mut builder = self.builder();
        let bit = builder.ctx.int(1);
        builder.value::<AndIOp>(&[a, b], bit, &[])
    }

    fn not(&mut self, a: Value) -> Value {
        let t = self.bit(true);
        let mut builder = self.builder();
        let bit = builder.ctx.int(1);
        builder.value::<XOrIOp>(&[a, t], bit, &[])
    }

    /// From an op to the one directly in it on the way.
    fn enter(&mut self, outer: Op, inner: Op) -> Option<()> {
        let ctx = &*self.forms.ctx;
        if outer.isa::<affine::ForOp>(ctx) {
            let l = affine::ForOp::wrap(outer);
            let (lower, upper) = (l.lower_map(ctx).clone(), l.upper_map(ctx).clone());
            let (from, to) = (l.lower_operands(ctx), l.upper_operands(ctx));
            let (iv, step) = (l.iv(ctx), l.step(ctx));
            let lower = self.bound(lower, &from, true)?;
            let upper = self.bound(upper, &to, false)?;
            let step = self.constant(step);
            self.counter(iv, lower, upper, step)?;
        } else if outer.isa::<ParallelOp>(ctx) {
            let p = ParallelOp::wrap(outer);
            for (i, iv) in p.ivs(ctx).into_iter().enumerate() {
                let ctx = &*self.forms.ctx;
                let (lower, upper) = (p.lower_map_of(ctx, i), p.upper_map_of(ctx, i));
                let (from, to) = (p.lower_operands(ctx), p.upper_operands(ctx));
                let step = *p.steps(ctx).get(i)?;
                let lower = self.bound(lower, &from, true)?;
                let upper = self.bound(upper, &to, false)?;
                let step = self.constant(step);
                self.counter(iv, lower, upper, step)?;
            }
        } else if outer.isa::<scf::ForOp>(ctx) {
            let l = scf::ForOp::wrap(outer);
            let (lower, upper) = (l.lower_bound(ctx), l.upper_bound(ctx));
            let (iv, step) = (l.induction_var(ctx), ctx.constant_int(l.step(ctx))?);
            self.plain_counter(iv, lower, upper, step)?;
        } else if outer.isa::<scf::ParallelOp>(ctx) {
            let p = scf::ParallelOp::wrap(outer);
            let (lower, upper) = (p.lower_bounds(ctx), p.upper_bounds(ctx));
            let (steps, ivs) = (p.steps(ctx), p.induction_vars(ctx));
            for (i, iv) in ivs.into_iter().enumerate() {
                let step = self.forms.ctx.constant_int(steps[i])?;
                self.plain_counter(iv, lower[i], upper[i], step)?;
            }
        } else if outer.isa::<IfOp>(ctx) {
            let op = IfOp::wrap(outer);
            let then = inner.block(ctx) == Some(op.then_block(ctx));
            let holds = self.set(op)?;
            let holds = if then { holds } else { self.not(holds) };
            self.demand(holds);
        } else if outer.isa::<scf::IfOp>(ctx) {
            let op = scf::IfOp::wrap(outer);
            let then = inner.block(ctx) == Some(op.then_block(ctx));
            let holds = self.value(op.condition(ctx), MAX_DEPTH)?;
            let holds = if then { holds } else { self.not(holds) };
            self.demand(holds);
        } else if outer.isa::<scf::WhileOp>(ctx) {
            self.first_iteration(scf::WhileOp::wrap(outer), inner)?;
        } else if !outer.isa::<FuncOp>(ctx) {
            return None;
        }
        Some(())
    }

    /// Of a loop without a counter only the first iteration is followed.
    fn first_iteration(&mut self, op: scf::WhileOp, inner: Op) -> Option<()> {
        let ctx = &*self.forms.ctx;
        let (before, after, inits) = (op.before(ctx), op.after(ctx), op.inits(ctx));
        let args = before.args(ctx);
        let inside = inner.block(ctx) == Some(after);
        for (arg, init) in args.into_iter().zip(inits) {
            // What is not known there matters if it is used.
            if let Some(v) = self.value(init, MAX_DEPTH) {
                self.values.insert(arg, v);
            }
        }
        if inside {
            let ctx = &*self.forms.ctx;
            let condition = op.condition_op(ctx)?;
            let (passed, args) = (condition.args(ctx), after.args(ctx));
            let holds = self.value(condition.condition(ctx), MAX_DEPTH)?;
            self.demand(holds);
            for (arg, v) in args.into_iter().zip(passed) {
                if let Some(v) = self.value(v, MAX_DEPTH) {
                    self.values.insert(arg, v);
                }
            }
        }
        Some(())
    }

    fn plain_counter(&mut self, iv: Value, lower: Value, upper: Value, step: i64) -> Option<()> {
        if step <= 0 {
            return None;
        }
        let lower = self.value(lower, MAX_DEPTH)?;
        let upper = self.value(upper, MAX_DEPTH)?;
        let (lower, upper) = (self.forms.as_index(lower), self.forms.as_index(upper));
        let step = self.constant(step);
        self.counter(iv, lower, upper, step)
    }

    /// The iteration of a loop: where it was said to be, within what conditions say of the
    /// counter.
    fn counter(&mut self, iv: Value, lower: Value, upper: Value, step: Value) -> Option<()> {
        let i = self.around.counters.iter().position(|c| *c == Some(iv))?;
        let variable = &self.around.nest[i];
        // Steps from the first number on.
        let one = self.constant(1);
        let most = self.index::<SubIOp>(upper, one);
        let most = self.nearest::<MinSIOp>(most, &variable.upper);
        let least = self.nearest::<MaxSIOp>(lower, &variable.lower);
        let first = {
            let room = self.index::<SubIOp>(least, lower);
            let room = self.index::<AddIOp>(room, step);
            let room = self.index::<SubIOp>(room, one);
            self.stepped(lower, room, step)
        };
        let last = {
            let room = self.index::<SubIOp>(most, lower);
            self.stepped(lower, room, step)
        };
        let at = match self.places[i].clone() {
            At::First => first,
            At::Last => last,
            At::BySign(c) => match self.eval(&c) {
                Some(c) => {
                    let zero = self.constant(0);
                    let up = self.compare(CmpIPredicate::Sge, c, zero);
                    let mut b = self.builder();
                    let index = b.ctx.index();
                    b.value::<SelectOp>(&[up, last, first], index, &[])
                }
                None => last,
            },
        };
        let above = self.compare(CmpIPredicate::Sge, at, lower);
        let below = self.compare(CmpIPredicate::Slt, at, upper);
        let inside = self.both(above, below);
        self.demand(inside);
        self.values.insert(iv, at);
        self.known[i] = Some(at);
        Some(())
    }

    /// `from` plus as many steps as fit into `room`.
    fn stepped(&mut self, from: Value, room: Value, step: Value) -> Value {
        if self.forms.ctx.constant_int(step) == Some(1) {
            return self.index::<AddIOp>(from, room);
        }
        let steps = self.index::<FloorDivSIOp>(room, step);
        let room = self.index::<MulIOp>(steps, step);
        self.index::<AddIOp>(from, room)
    }

    /// The nearest of several bounds, as far as they are known.
    fn nearest<K: OpKind>(&mut self, first: Value, bounds: &[Poly]) -> Value {
        let mut nearest = first;
        for b in bounds {
            if let Some(v) = self.eval(b) {
                nearest = self.index::<K>(nearest, v);
            }
        }
        nearest
    }

    /// A polynomial in what is known.
    fn eval(&mut self, p: &Poly) -> Option<Value> {
        let mut sum = self.constant(0);
        for (m, c) in &p.terms {
            let mut term = self.constant(*c);
            for a in m {
                let v = match a {
                    Atom::Fixed(i) => self.forms.table.values.get(*i)?.0,
                    Atom::Variable(i) => self.known.get(*i).copied()??,
                };
                term = self.index::<MulIOp>(term, v);
            }
            sum = self.index::<AddIOp>(sum, term);
        }
        Some(sum)
    }

    /// The least or the greatest result of a map.
    fn bound(&mut self, map: AffineMap, operands: &[Value], greatest: bool) -> Option<Value> {
        let operands = self.all(operands)?;
        let mut b = self.builder();
        Some(match (map.num_results(), greatest) {
            (1, _) => ApplyOp::build(&mut b, map, &operands),
            (_, true) => MaxOp::build(&mut b, map, &operands),
            (_, false) => MinOp::build(&mut b, map, &operands),
        })
    }

    /// Whether an `affine.if` goes into its first block.
    fn set(&mut self, op: IfOp) -> Option<Value> {
        let ctx = &*self.forms.ctx;
        let set = op.set(ctx).clone();
        let operands = op.operands(ctx);
        let operands = self.all(&operands)?;
        let mut holds = self.bit(true);
        for c in set.constraints() {
            let map = AffineMap::new(set.num_dims(), set.num_symbols(), vec![c.expr.clone()]);
            let v = ApplyOp::build(&mut self.builder(), map, &operands);
            let zero = self.constant(0);
            let p = match c.is_eq {
                true => CmpIPredicate::Eq,
                false => CmpIPredicate::Sge,
            };
            let is = self.compare(p, v, zero);
            holds = self.both(holds, is);
        }
        Some(holds)
    }

    fn all(&mut self, values: &[Value]) -> Option<Vec<Value>> {
        values.iter().map(|v| self.value(*v, MAX_DEPTH)).collect()
    }

    /// A value of the region at the place, without a look at memory.
    fn value(&mut self, v: Value, depth: u32) -> Option<Value> {
        if let Some(v) = self.values.get(&v) {
            return Some(*v);
        }
        if let Some(v) = self.forms.copy(v, depth) {
            return Some(v);
        }
        let op = v.def_op().filter(|_| depth > 0)?;
        if !runs_anywhere(self.forms.ctx, op) || op.num_regions(self.forms.ctx) > 0 {
            return None;
        }
        let mut copies = IrMapping::new();
        for o in op.operands(self.forms.ctx) {
            let new = self.value(o, depth - 1)?;
            copies.map(o, new);
        }
        let new = clone_op(self.forms.ctx, op, &mut copies);
        self.builder().insert(new);
        let results = op.results(self.forms.ctx);
        for (old, new) in results.into_iter().zip(new.results(self.forms.ctx)) {
            self.values.insert(old, new);
        }
        self.values.get(&v).copied()
    }

    /// The subscript of the access along the outermost dimension.
    fn subscript(&mut self, op: Op, dim: usize) -> Option<Value> {
        if let Some(a) = Access::of(self.forms.ctx, op) {
            let operands = self.all(&a.operands)?;
            let map = a.map.sub_map(&[dim]);
            return Some(ApplyOp::build(&mut self.builder(), map, &operands));
        }
        let (_, indices) = source::indices(self.forms.ctx, op)?;
        let v = self.value(*indices.get(dim)?, MAX_DEPTH)?;
        Some(self.forms.as_index(v))
    }
}
