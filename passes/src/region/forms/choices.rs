//! Values that a condition chooses: `x < 0 ? 0 : x`, and its like with `if`.

use terrace_dialects::arith::{CmpIOp, CmpIPredicate, MaxSIOp, MinSIOp, SelectOp};
use terrace_dialects::func::FuncOp;
use terrace_dialects::{arith, scf};
use terrace_ir::{Builder, Op, Value};

use super::{Around, Form, Forms};
use crate::analysis::loop_like::Loop;
use crate::analysis::poly::Poly;
use crate::region::notes::Reason;
use crate::region::range::End;

/// The most values that a carried one may be, and conditions that a choice is followed through.
const MAX_CHOICES: usize = 8;

/// The least and the greatest value; there is none where the first is the greater.
type Ends = (Value, Value);

impl Forms<'_> {
    /// What an `scf.if` chooses between for one of its results: the condition, and both values.
    pub(super) fn arms(&self, op: Op, result: Value) -> Option<(Value, [Value; 2])> {
        let branch = op.cast::<scf::IfOp>(self.ctx)?;
        let i = op.results(self.ctx).iter().position(|r| *r == result)?;
        let blocks = [branch.then_block(self.ctx), branch.else_block(self.ctx)?];
        let mut arms = blocks.iter().map(|b| {
            let end = b.last_op(self.ctx)?;
            end.operands(self.ctx).get(i).copied()
        });
        let arms = [arms.next()??, arms.next()??];
        Some((branch.condition(self.ctx), arms))
    }

    /// A value that a loop carries, where each iteration keeps it or chooses another: what it begins with, or one
    /// of those.
    pub(super) fn carried_choice(
        &mut self,
        v: Value,
        around: &mut Around,
        at: Op,
        depth: u32,
    ) -> Option<Form> {
        let l = Loop::of(self.ctx, v.arg_block()?.parent_op(self.ctx)?)?;
        let i = l.iter_args(self.ctx).iter().position(|a| *a == v)?;
        let mut all = vec![l.inits(self.ctx)[i]];
        let mut open = vec![l.yielded(self.ctx)[i]];
        while let Some(y) = open.pop() {
            if y == v {
                continue;
            }
            let op = y.def_op().filter(|_| all.len() + open.len() < MAX_CHOICES);
            let arms = match op.map(|o| (o, o.isa::<SelectOp>(self.ctx))) {
                Some((o, true)) => Some([o.operand(self.ctx, 1), o.operand(self.ctx, 2)]),
                Some((o, false)) => self.arms(o, y).map(|(_, arms)| arms),
                None => None,
            };
            match arms {
                Some(arms) => open.extend(arms),
                None => all.push(y),
            }
        }
        let depth = depth.checked_sub(1)?;
        // One that is computed from itself could be anything.
        if self.following.contains(&v) {
            return None;
        }
        self.following.push(v);
        let hull = self.hull(l, &all, at, depth);
        self.following.pop();
        Some(match hull {
            Ok((low, high)) => {
                let (low, high) = (self.fixed(low), self.fixed(high));
                Ok(self.between(around, low, high, None))
            }
            Err(why) => Err(why),
        })
    }

    /// What lies between all values that some expressions have in the iterations of a loop, whatever is known of the
    /// iteration that asks.
    fn hull(&mut self, l: Loop, all: &[Value], at: Op, depth: u32) -> Result<Ends, Reason> {
        let mut root = l.op();
        while let Some(outer) = root
            .parent(self.ctx)
            .filter(|_| !root.isa::<FuncOp>(self.ctx))
        {
            root = outer;
        }
        let end = l.body(self.ctx).last_op(self.ctx).unwrap_or(l.op());
        let mut around = self.around(root, end)?;
        let mut hull: Option<Ends> = None;
        for y in all {
            let p = self.value(*y, &mut around, at, depth)?;
            let Some(ends) = self.ends(&p, &around) else {
                return Err(self.reason(at, "what is chosen has no known range"));
            };
            hull = Some(match hull {
                None => ends,
                Some(h) => self.ranges(|r| {
                    let low = r.further(h.0, ends.0, End::Least);
                    (low, r.further(h.1, ends.1, End::Greatest))
                }),
            });
        }
        hull.ok_or_else(|| self.reason(at, "what is chosen has no known range"))
    }

    /// One of two values, by a condition. Where that compares one of them with something, the
    /// value lies on its side of that; so it does where one of them is chosen in turn, as in
    /// `x < 0 ? 0 : x > n ? n : x`.
    pub(super) fn choice(
        &mut self,
        condition: Value,
        arms: [Value; 2],
        around: &mut Around,
        at: Op,
        depth: u32,
    ) -> Form {
        let (low, high) = self.chosen((condition, arms), &mut Vec::new(), (around, at, depth))?;
        let (low, high) = (self.fixed(low), self.fixed(high));
        Ok(self.between(around, low, high, None))
    }

    /// The ends of what a condition chooses where the conditions of a path hold, or do not.
    fn chosen(
        &mut self,
        (condition, arms): (Value, [Value; 2]),
        path: &mut Vec<(Value, bool)>,
        (around, at, depth): (&mut Around, Op, u32),
    ) -> Result<Ends, Reason> {
        let depth = depth.saturating_sub(1);
        let mut ends = [(condition, condition); 2];
        for (i, arm) in arms.into_iter().enumerate() {
            path.push((condition, i == 0));
            let own = match self.choice_of(arm).filter(|_| path.len() < MAX_CHOICES) {
                Some(inner) => self.chosen(inner, path, (around, at, depth)),
                None => self.ends_on(arm, path, (around, at, depth)),
            };
            path.pop();
            ends[i] = own?;
        }
        let mut b = Builder::new(self.ctx, self.at, self.loc);
        let index = b.ctx.index();
        // An arm that is never taken says nothing.
        let [t, o] = ends;
        let some = [t, o].map(|e| CmpIOp::build(&mut b, CmpIPredicate::Sle, e.0, e.1));
        let mut or = |some, a, c| b.value::<SelectOp>(&[some, a, c], index, &[]);
        let t = (or(some[0], t.0, o.0), or(some[0], t.1, o.1));
        let o = (or(some[1], o.0, t.0), or(some[1], o.1, t.1));
        let low = b.value::<MinSIOp>(&[t.0, o.0], index, &[]);
        let high = b.value::<MaxSIOp>(&[t.1, o.1], index, &[]);
        Ok((low, high))
    }

    /// The condition and the two values of a choice.
    fn choice_of(&self, v: Value) -> Option<(Value, [Value; 2])> {
        let op = v.def_op()?;
        if op.isa::<SelectOp>(self.ctx) {
            let all = op.operands(self.ctx);
            return Some((all[0], [all[1], all[2]]));
        }
        self.arms(op, v)
    }

    /// The ends of a value where the conditions of a path hold, or do not.
    fn ends_on(
        &mut self,
        v: Value,
        path: &[(Value, bool)],
        (around, at, depth): (&mut Around, Op, u32),
    ) -> Result<Ends, Reason> {
        let p = self.value(v, around, at, depth)?;
        let Some(mut ends) = self.ends(&p, around) else {
            return Err(self.reason(at, "what is chosen has no known range"));
        };
        for (condition, holds) in path {
            ends = self.on_its_side(ends, v, *condition, *holds, (around, at, depth + 1));
        }
        Ok(ends)
    }

    /// The ends of a value where a condition holds, or does not, that may compare it.
    fn on_its_side(
        &mut self,
        (low, high): Ends,
        value: Value,
        condition: Value,
        holds: bool,
        (around, at, depth): (&mut Around, Op, u32),
    ) -> Ends {
        use CmpIPredicate as P;
        let compared = condition.def_op().and_then(|o| o.cast::<CmpIOp>(self.ctx));
        let Some(predicate) = compared.and_then(|c| c.predicate(self.ctx)) else {
            return (low, high);
        };
        let operands = condition.def_op().map(|o| o.operands(self.ctx));
        let (first, second) = match operands.as_deref() {
            Some(&[a, b]) if self.is_same(a, value) => (true, b),
            Some(&[a, b]) if self.is_same(b, value) => (false, a),
            _ => return (low, high),
        };
        // What is true of the value and the other one, in this order.
        let less = match (predicate, holds, first) {
            (P::Slt, true, true) | (P::Sgt, true, false) => Some((true, 1)),
            (P::Sge, false, true) | (P::Sle, false, false) => Some((true, 1)),
            (P::Sle, true, true) | (P::Sge, true, false) => Some((true, 0)),
            (P::Sgt, false, true) | (P::Slt, false, false) => Some((true, 0)),
            (P::Sgt, true, true) | (P::Slt, true, false) => Some((false, 1)),
            (P::Sle, false, true) | (P::Sge, false, false) => Some((false, 1)),
            (P::Sge, true, true) | (P::Sle, true, false) => Some((false, 0)),
            (P::Slt, false, true) | (P::Sgt, false, false) => Some((false, 0)),
            _ => None,
        };
        let Some((less, apart)) = less else {
            return (low, high);
        };
        let other = self.value(second, around, at, depth - 1).ok();
        let other = other.and_then(|p| p.plus(if less { -1 } else { 1 }, &Poly::constant(apart)));
        let Some(ends) = other.and_then(|p| self.ends(&p, around)) else {
            return (low, high);
        };
        let mut b = Builder::new(self.ctx, self.at, self.loc);
        let index = b.ctx.index();
        match less {
            true => (low, b.value::<MinSIOp>(&[high, ends.1], index, &[])),
            false => (b.value::<MaxSIOp>(&[low, ends.0], index, &[]), high),
        }
    }

    /// Whether two values are the same number.
    fn is_same(&self, a: Value, b: Value) -> bool {
        let constant = |v| self.ctx.constant_int(v);
        a == b || constant(a).is_some_and(|c| constant(b) == Some(c))
    }

    /// `a & b`, where no constant tells how many bits are left: not above one of them that is not below zero.
    pub(super) fn both_bits(&mut self, a: &Poly, b: &Poly, around: &mut Around, at: Op) -> Form {
        let (Some(x), Some(y)) = (self.ends(a, around), self.ends(b, around)) else {
            return Err(self.reason(at, "the bits of it have no known range"));
        };
        let mut b = Builder::new(self.ctx, self.at, self.loc);
        let index = b.ctx.index();
        let zero = arith::constant_index(&mut b, 0);
        let natural = [x, y].map(|e| CmpIOp::build(&mut b, CmpIPredicate::Sge, e.0, zero));
        // Of two numbers below zero the result has at most one bit more than the longer one.
        let least = b.value::<MinSIOp>(&[x.0, y.0], index, &[]);
        let low = b.value::<arith::AddIOp>(&[least, least], index, &[]);
        let high = b.value::<MaxSIOp>(&[x.1, y.1], index, &[]);
        let mut or = |some, a, c| b.value::<SelectOp>(&[some, a, c], index, &[]);
        let (low, high) = (or(natural[0], zero, low), or(natural[0], x.1, high));
        let low = or(natural[1], zero, low);
        let least = b.value::<MinSIOp>(&[high, y.1], index, &[]);
        let high = b.value::<SelectOp>(&[natural[1], least, high], index, &[]);
        let (low, high) = (self.fixed(low), self.fixed(high));
        Ok(self.between(around, low, high, None))
    }
}
