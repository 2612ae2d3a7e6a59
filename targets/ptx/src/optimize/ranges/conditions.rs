//! What a branch or a guard says of registers on the way it takes.

use super::eval::{self, Lookup};
use super::interval::Range;
use crate::defs::Defs;
use crate::ids::Reg;
use crate::inst::Inst;
use crate::modifiers::{Cmp, Combine, Mods};
use crate::module::Func;
use crate::op::Op;
use crate::operand::Operand;
use crate::types::Ty;
use smallvec::SmallVec;

/// Registers with the ranges that a condition leaves them.
pub(super) type Facts = SmallVec<[(Reg, Range); 4]>;

/// How far a condition is followed through what it is made of.
const MAX_DEPTH: u32 = 6;

/// What is asked while a condition is taken apart.
pub(super) struct Context<'a> {
    pub func: &'a Func,
    pub defs: &'a Defs,
    /// The instruction that gave a predicate the value it has now, and its
    /// index if it stands in this block.
    pub definition: &'a dyn Fn(Reg) -> Option<(&'a Inst, Option<u32>)>,
    /// Whether a register still has the value that such an instruction saw.
    pub unchanged: &'a dyn Fn(Reg, Option<u32>) -> bool,
    pub of: Lookup<'a>,
}

impl Context<'_> {
    /// Adds what follows from a predicate's value; false if it cannot have it.
    pub fn predicate(&self, p: Reg, value: bool, facts: &mut Facts) -> bool {
        self.follow(p, value, facts, 0)
    }

    fn follow(&self, p: Reg, value: bool, facts: &mut Facts, depth: u32) -> bool {
        if depth > MAX_DEPTH {
            return true;
        }
        let Some((inst, at)) = (self.definition)(p) else {
            return true;
        };
        let stable = |r: &Reg| (self.unchanged)(*r, at);
        match (inst.op, &inst.operands[..]) {
            (Op::Mov, [_, Operand::Imm(v)]) if inst.ty() == Ty::Pred => (*v != 0) == value,
            (Op::Mov, [_, Operand::Reg(q)]) if inst.ty() == Ty::Pred && stable(q) => {
                self.follow(*q, value, facts, depth + 1)
            }
            (Op::Not, [_, Operand::Reg(q)]) if inst.ty() == Ty::Pred && stable(q) => {
                self.follow(*q, !value, facts, depth + 1)
            }
            (Op::And | Op::Or, [_, Operand::Reg(a), Operand::Reg(b)])
                if inst.ty() == Ty::Pred && (inst.op == Op::And) == value =>
            {
                [a, b]
                    .into_iter()
                    .filter(|q| stable(q))
                    .all(|q| self.follow(*q, value, facts, depth + 1))
            }
            (Op::Setp, [Operand::Reg(d), a, b, rest @ ..]) if *d == p => {
                let plain = Mods {
                    cmp: inst.mods.cmp,
                    combine: inst.mods.combine,
                    ..Mods::default()
                };
                if inst.ty().is_float() || inst.mods != plain {
                    return true;
                }
                match (inst.mods.combine, value, rest) {
                    (Combine::Default, ..) => self.compare(inst, at, a, b, value, facts),
                    (Combine::And, true, [q]) | (Combine::Or, false, [q]) => {
                        let also = match q {
                            Operand::Reg(q) if stable(q) => {
                                self.follow(*q, value, facts, depth + 1)
                            }
                            Operand::Not(q) if stable(q) => {
                                self.follow(*q, !value, facts, depth + 1)
                            }
                            _ => true,
                        };
                        also && self.compare(inst, at, a, b, value, facts)
                    }
                    _ => true,
                }
            }
            _ => true,
        }
    }

    /// What a comparison's outcome says of its operands.
    fn compare(
        &self,
        inst: &Inst,
        at: Option<u32>,
        a: &Operand,
        b: &Operand,
        holds: bool,
        facts: &mut Facts,
    ) -> bool {
        let ty = inst.ty();
        let cmp = match holds {
            true => inst.mods.cmp,
            false => inst.mods.cmp.negated(false),
        };
        let now = |o: &Operand| match o {
            Operand::Reg(r) if !(self.unchanged)(*r, at) => Some(Range::full(ty.bits())),
            _ => {
                let known = |r: Reg| lookup(facts, r).or_else(|| (self.of)(r));
                eval::operand(self.func, Some(o), ty, &known)
            }
        };
        let (Some(x), Some(y)) = (now(a), now(b)) else {
            return true;
        };
        let Some((x, y)) = refine(cmp, ty, x, y) else {
            return false;
        };
        let fresh = |o: &Operand| match o {
            Operand::Reg(r) => (self.unchanged)(*r, at),
            _ => false,
        };
        (!fresh(a) || self.learn(a, x, facts, 0)) && (!fresh(b) || self.learn(b, y, facts, 0))
    }

    /// Adds that an operand lies in a range, and what this says of the
    /// registers that it was computed from.
    fn learn(&self, operand: &Operand, range: Range, facts: &mut Facts, depth: u32) -> bool {
        let Operand::Reg(reg) = operand else {
            return true;
        };
        if self.func.reg_ty(*reg).map(|t| t.bits()) != Some(range.bits()) {
            return true;
        }
        let Some(old) = lookup(facts, *reg).or_else(|| (self.of)(*reg)) else {
            return true;
        };
        let Some(new) = old.meet(range) else {
            return false;
        };
        if new == old {
            return true;
        }
        match facts.iter_mut().find(|f| f.0 == *reg) {
            Some(fact) => fact.1 = new,
            None => facts.push((*reg, new)),
        }
        if depth > MAX_DEPTH {
            return true;
        }
        let Some(inst) = self.defs.inst(self.func, *reg) else {
            return true;
        };
        let fixed = |r: &Reg| self.defs.is_stable(*r);
        match (inst.op, &inst.operands[..]) {
            (Op::Mov, [_, source @ Operand::Reg(r)]) if fixed(r) => {
                self.learn(source, new, facts, depth + 1)
            }
            // Backwards through an extension: the value is the same number.
            (Op::Cvt, [_, source @ Operand::Reg(r)])
                if fixed(r)
                    && inst.mods == Mods::default()
                    && inst.tys[0].is_int()
                    && inst.tys[1].is_int()
                    && inst.tys[0].bits() == new.bits()
                    && inst.tys[1].bits() < new.bits() =>
            {
                let bits = inst.tys[1].bits();
                let all = Range::of_type(new.bits(), inst.tys[1]);
                match new.meet(all) {
                    Some(r) => self.learn(source, r.truncated(bits), facts, depth + 1),
                    None => false,
                }
            }
            // x + k in [a, b] modulo the width: x in [a - k, b - k].
            (Op::Add, [_, source @ Operand::Reg(r), Operand::Imm(k)])
                if fixed(r) && inst.mods == Mods::default() && !inst.ty().is_float() =>
            {
                let source_range = new.sub(Range::constant(new.bits(), *k));
                self.learn(source, source_range, facts, depth + 1)
            }
            _ => true,
        }
    }
}

/// What has been found of a register.
pub(super) fn lookup(facts: &Facts, reg: Reg) -> Option<Range> {
    facts.iter().find(|f| f.0 == reg).map(|f| f.1)
}

/// Two ranges after a comparison of a type held; none if it cannot.
pub(super) fn refine(cmp: Cmp, ty: Ty, x: Range, y: Range) -> Option<(Range, Range)> {
    let w = ty.bits();
    if x.bits() != w || y.bits() != w {
        return Some((x, y));
    }
    let signed = ty.is_signed() && !matches!(cmp, Cmp::Lo | Cmp::Ls | Cmp::Hi | Cmp::Hs);
    match cmp {
        Cmp::Eq => {
            let both = x.meet(y)?;
            Some((both, both))
        }
        Cmp::Ne => Some((without(x, y)?, without(y, x)?)),
        Cmp::Lt | Cmp::Lo => below(x, y, signed, 1),
        Cmp::Le | Cmp::Ls => below(x, y, signed, 0),
        Cmp::Gt | Cmp::Hi => below(y, x, signed, 1).map(|(y, x)| (x, y)),
        Cmp::Ge | Cmp::Hs => below(y, x, signed, 0).map(|(y, x)| (x, y)),
        _ => Some((x, y)),
    }
}

/// x and y where x + gap <= y.
fn below(x: Range, y: Range, signed: bool, gap: i64) -> Option<(Range, Range)> {
    let w = x.bits();
    let (most, least) = if signed {
        let most = Range::signed(w, Range::full(w).smin(), y.smax().checked_sub(gap)?);
        let least = Range::signed(w, x.smin().checked_add(gap)?, Range::full(w).smax());
        if y.smax().checked_sub(gap)? < Range::full(w).smin()
            || x.smin().checked_add(gap)? > Range::full(w).smax()
        {
            return None;
        }
        (most, least)
    } else {
        let gap = gap as u64;
        let most = Range::unsigned(w, 0, y.umax().checked_sub(gap)?);
        let least = x.umin().checked_add(gap)?;
        if least > Range::full(w).umax() {
            return None;
        }
        (most, Range::unsigned(w, least, Range::full(w).umax()))
    };
    Some((x.meet(most)?, y.meet(least)?))
}

/// x but for the one value that y is, where that is an end of x.
fn without(x: Range, y: Range) -> Option<Range> {
    let Some(value) = y.as_constant() else {
        return Some(x);
    };
    if x.as_constant() == Some(value) {
        return None;
    }
    let mut left = x;
    if x.smin() == value {
        left = left.meet(Range::signed(x.bits(), value + 1, x.smax()))?;
    } else if x.smax() == value {
        left = left.meet(Range::signed(x.bits(), x.smin(), value - 1))?;
    }
    let value = y.umin();
    if x.umin() == value && x.umax() > value {
        left = left.meet(Range::unsigned(x.bits(), value + 1, x.umax()))?;
    } else if x.umax() == value && x.umin() < value {
        left = left.meet(Range::unsigned(x.bits(), x.umin(), value - 1))?;
    }
    Some(left)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comparison_keeps_exactly_the_pairs_that_satisfy_it() {
        let bits = 16;
        let points = [-3i64, -1, 0, 2, 5];
        let cases: &[(Cmp, Ty, fn(i64, i64) -> bool)] = &[
            (Cmp::Lt, Ty::S16, |a, b| a < b),
            (Cmp::Le, Ty::S16, |a, b| a <= b),
            (Cmp::Gt, Ty::S16, |a, b| a > b),
            (Cmp::Ge, Ty::S16, |a, b| a >= b),
            (Cmp::Eq, Ty::S16, |a, b| a == b),
            (Cmp::Ne, Ty::S16, |a, b| a != b),
            (Cmp::Lt, Ty::U16, |a, b| (a as u16) < b as u16),
            (Cmp::Ls, Ty::U16, |a, b| a as u16 <= b as u16),
            (Cmp::Hi, Ty::U16, |a, b| a as u16 > b as u16),
            (Cmp::Ge, Ty::U16, |a, b| a as u16 >= b as u16),
        ];
        for (cmp, ty, holds) in cases {
            for x in points
                .iter()
                .flat_map(|a| points.iter().map(move |b| (*a, *b)))
            {
                for y in points
                    .iter()
                    .flat_map(|a| points.iter().map(move |b| (*a, *b)))
                {
                    if x.0 > x.1 || y.0 > y.1 {
                        continue;
                    }
                    let (rx, ry) = (Range::signed(bits, x.0, x.1), Range::signed(bits, y.0, y.1));
                    let after = refine(*cmp, *ty, rx, ry);
                    let mut any = false;
                    for a in x.0..=x.1 {
                        for b in y.0..=y.1 {
                            if holds(a, b) {
                                any = true;
                                let (p, q) = after.expect("some pair holds");
                                assert!(p.contains(a) && q.contains(b), "{cmp:?} {rx:?} {ry:?}");
                            }
                        }
                    }
                    if !any && *cmp != Cmp::Ne {
                        assert_eq!(after, None, "{cmp:?} {ty:?} {rx:?} {ry:?}");
                    }
                }
            }
        }
        let edge = refine(
            Cmp::Ne,
            Ty::S16,
            Range::signed(16, 0, 9),
            Range::constant(16, 9),
        );
        assert_eq!(edge.map(|e| e.0.smax()), Some(8));
    }
}
