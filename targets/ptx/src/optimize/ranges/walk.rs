//! One block, instruction by instruction.

use super::Ranges;
use super::conditions::{Context, Facts, lookup};
use super::env::Env;
use super::eval;
use super::interval::Range;
use crate::ids::{InstId, Reg};
use crate::inst::Inst;
use crate::op::Op;
use crate::operand::Operand;
use crate::types::{RegTy, Ty};
use smallvec::SmallVec;

/// Carried registers, each with one that it equals.
pub(super) type Copies = SmallVec<[(Reg, Reg); 4]>;

/// How far a value is computed anew from what a condition said of its parts.
const MAX_DEPTH: u32 = 3;

/// A place in a block, and what is known there.
#[derive(Clone, Debug)]
pub(super) struct Walk {
    pub block: u32,
    pub index: u32,
    pub env: Env,
    /// What branches of this block that were not taken say.
    pub local: Facts,
    /// Predicates written in this block; none after a guarded write.
    predicates: SmallVec<[(Reg, Option<(InstId, u32)>); 8]>,
    /// Carried registers written in this block, and where last.
    writes: SmallVec<[(Reg, u32); 8]>,
    /// Carried registers that equal another one now.
    pub copies: Copies,
    /// Whether control gets here.
    pub live: bool,
}

/// Where a branch goes, with what holds on the way.
pub(super) struct Edge {
    pub to: u32,
    pub env: Env,
    pub facts: Facts,
    pub copies: Copies,
}

impl Walk {
    pub fn new(block: u32, env: Env) -> Walk {
        Walk {
            block,
            index: 0,
            env,
            local: Facts::new(),
            predicates: SmallVec::new(),
            writes: SmallVec::new(),
            copies: SmallVec::new(),
            live: true,
        }
    }

    /// The range of a register here; none if it has no value yet.
    pub fn get(&self, ranges: &Ranges<'_>, reg: Reg) -> Option<Range> {
        let i = reg.index();
        let Some(ty) = ranges.func.reg_ty(reg).filter(|t| eval::is_int(*t)) else {
            let bits = ranges.func.reg_ty(reg).map_or(64, |t| t.bits());
            return Some(Range::full(bits));
        };
        if let Some(slot) = ranges.slot(reg) {
            return self.env.get(slot);
        }
        if !ranges.is_tracked(reg) {
            return Some(Range::full(ty.bits()));
        }
        let mut value = ranges.values.get(i).copied().flatten()?;
        if ranges.has_facts.get(i) == Some(&true) {
            if let Some(fact) = lookup(&self.local, reg) {
                value = value.meet(fact).unwrap_or(value);
            }
            for fact in ranges.facts_above(self.block) {
                if let Some(fact) = lookup(fact, reg) {
                    value = value.meet(fact).unwrap_or(value);
                }
            }
        }
        Some(value)
    }

    /// The same, computed anew from its parts where conditions said something
    /// of them after it was computed.
    pub fn sharp(&self, ranges: &Ranges<'_>, reg: Reg, facts: &Facts, depth: u32) -> Option<Range> {
        let value = self.get(ranges, reg)?;
        let value = match lookup(facts, reg) {
            Some(fact) => value.meet(fact).unwrap_or(value),
            None => value,
        };
        let nothing = facts.is_empty() && self.local.is_empty() && !ranges.any_facts(self.block);
        if nothing || depth >= MAX_DEPTH || ranges.slot(reg).is_some() {
            return Some(value);
        }
        let Some(inst) = ranges.defs.inst(ranges.func, reg) else {
            return Some(value);
        };
        let simple = matches!(
            inst.op,
            Op::Mov | Op::Cvt | Op::Add | Op::Sub | Op::Mul | Op::Mad | Op::Shl | Op::Shr | Op::And
        );
        let mut fixed = simple && inst.dest() == Some(reg);
        let mut any = false;
        inst.for_each_use(|r| {
            fixed &= ranges.defs.is_stable(r);
            any = true;
        });
        if !fixed || !any {
            return Some(value);
        }
        let parts = |r: Reg| self.sharp(ranges, r, facts, depth + 1);
        let again = eval::result(ranges.func, inst, value.bits(), &parts);
        Some(again.and_then(|a| value.meet(a)).unwrap_or(value))
    }

    /// What a predicate's value says here; none if it cannot have it.
    fn facts_of(&self, ranges: &Ranges<'_>, p: Reg, value: bool) -> Option<Facts> {
        let definition = |p: Reg| {
            if let Some((_, at)) = self.predicates.iter().rev().find(|e| e.0 == p) {
                let (id, index) = (*at)?;
                return Some((ranges.func.insts.get(id)?, Some(index)));
            }
            Some((ranges.defs.inst(ranges.func, p)?, None))
        };
        let unchanged = |r: Reg, at: Option<u32>| {
            ranges.defs.is_stable(r)
                || at.is_some_and(|at| {
                    let last = self.writes.iter().find(|w| w.0 == r);
                    last.is_none_or(|w| w.1 < at)
                })
        };
        let of = |r: Reg| self.get(ranges, r);
        let context = Context {
            func: ranges.func,
            defs: ranges.defs,
            definition: &definition,
            unchanged: &unchanged,
            of: &of,
        };
        let mut facts = Facts::new();
        context.predicate(p, value, &mut facts).then_some(facts)
    }

    /// Takes one instruction. `wrote` is told each integer register written
    /// that is not carried; `edge` each way out.
    pub fn step(
        &mut self,
        ranges: &Ranges<'_>,
        id: InstId,
        wrote: &mut dyn FnMut(Reg, Range),
        edge: &mut dyn FnMut(Edge),
    ) {
        let at = self.index;
        self.index += 1;
        let Some(inst) = ranges.func.insts.get(id).filter(|_| self.live) else {
            return;
        };
        let guard = match inst.guard {
            Some(guard) => self.facts_of(ranges, guard.reg, !guard.negated),
            None => Some(Facts::new()),
        };
        if let Some(target) = inst.branch_target()
            && let (Some(facts), Some(to)) = (&guard, ranges.cfg.position(target))
        {
            edge(self.edge(ranges, to, facts));
        }
        if inst.op.is_terminator() {
            match inst.guard {
                None => self.live = false,
                Some(guard) => match self.facts_of(ranges, guard.reg, guard.negated) {
                    Some(facts) => self.take(ranges, &facts),
                    None => self.live = false,
                },
            }
            return;
        }
        // An instruction whose guard cannot hold does nothing.
        let Some(facts) = guard else { return };
        let single = inst.dest();
        // Of floats nothing is known.
        if let Some(RegTy::F32 | RegTy::F64) = single.and_then(|reg| ranges.func.reg_ty(reg)) {
            return;
        }
        let mut results: SmallVec<[(Reg, Option<Range>); 4]> = SmallVec::new();
        inst.for_each_def(|reg| {
            let Some(ty) = ranges.func.reg_ty(reg) else {
                return;
            };
            if !eval::is_int(ty) {
                results.push((reg, None));
                return;
            }
            let value = match (single, inst.op) {
                (Some(_), Op::Selp) => self.select(ranges, inst, ty.bits(), &facts),
                (Some(_), _) => {
                    let of = |r: Reg| match lookup(&facts, r) {
                        Some(fact) => Some(fact),
                        None => self.get(ranges, r),
                    };
                    eval::result(ranges.func, inst, ty.bits(), &of)
                }
                (None, Op::Ld) => Some(eval::load(ranges.func, inst, ty.bits())),
                (None, _) => Some(Range::full(ty.bits())),
            };
            results.push((reg, value));
        });
        for (reg, value) in results {
            self.write(ranges, inst, (id, at), reg, value, wrote);
        }
    }

    fn write(
        &mut self,
        ranges: &Ranges<'_>,
        inst: &Inst,
        at: (InstId, u32),
        reg: Reg,
        value: Option<Range>,
        wrote: &mut dyn FnMut(Reg, Range),
    ) {
        let Some(ty) = ranges.func.reg_ty(reg) else {
            return;
        };
        if !eval::is_int(ty) {
            if ty.bits() == 1 {
                self.predicates.retain(|e| e.0 != reg);
                self.predicates
                    .push((reg, inst.guard.is_none().then_some(at)));
                if !ranges.defs.is_stable(reg) {
                    self.writes.retain(|w| w.0 != reg);
                    self.writes.push((reg, at.1));
                }
            }
            return;
        }
        let old = match inst.guard {
            Some(_) => self.get(ranges, reg),
            None => None,
        };
        let value = match (old, value) {
            (Some(a), Some(b)) => Some(a.join(b)),
            (a, b) => a.or(b),
        };
        let value = match value {
            Some(v) if ranges.func.promised.contains(&reg) => {
                let all = Range::of_type(v.bits(), Ty::S32);
                Some(v.meet(all).unwrap_or(all))
            }
            value => value,
        };
        match ranges.slot(reg) {
            Some(slot) => {
                self.env.set(slot, value);
                if let Some(value) = value {
                    wrote(reg, value);
                }
            }
            None => {
                if let Some(value) = value.filter(|_| ranges.is_tracked(reg)) {
                    wrote(reg, value);
                }
            }
        }
        if ranges.defs.is_stable(reg) {
            return;
        }
        self.writes.retain(|w| w.0 != reg);
        self.writes.push((reg, at.1));
        self.copies.retain(|c| c.0 != reg && c.1 != reg);
        if let (Op::Mov, None, Some(Operand::Reg(from))) =
            (inst.op, inst.guard, inst.operands.get(1))
            && *from != reg
            && ranges.func.reg_ty(*from) == Some(ty)
        {
            self.copies.push((reg, *from));
        }
    }

    /// A selection: each side under the condition that selects it.
    fn select(&self, ranges: &Ranges<'_>, inst: &Inst, bits: u32, facts: &Facts) -> Option<Range> {
        let Some(Operand::Reg(p)) = inst.operands.get(3) else {
            return Some(Range::full(bits));
        };
        let ty = inst.ty();
        if ty.is_float() || ty.bits() != bits {
            return Some(Range::full(bits));
        }
        let side = |at: usize, value: bool| {
            let mut known = self.facts_of(ranges, *p, value)?;
            known.extend(facts.iter().copied());
            let of = |r: Reg| self.sharp(ranges, r, &known, 0);
            Some(eval::operand(ranges.func, inst.operands.get(at), ty, &of))
        };
        match (side(1, true), side(2, false)) {
            (Some(a), Some(b)) => a.zip(b).map(|(a, b)| a.join(b)),
            (a, b) => a.or(b).flatten(),
        }
    }

    /// Takes what a condition says as known from here on.
    fn take(&mut self, ranges: &Ranges<'_>, facts: &Facts) {
        for (reg, range) in facts {
            match ranges.slot(*reg) {
                Some(slot) => self.env.meet(slot, *range),
                None => match self.local.iter_mut().find(|f| f.0 == *reg) {
                    Some(fact) => fact.1 = fact.1.meet(*range).unwrap_or(fact.1),
                    None => self.local.push((*reg, *range)),
                },
            }
            for (copy, source) in &self.copies {
                if let (true, Some(slot)) = (source == reg, ranges.slot(*copy)) {
                    self.env.meet(slot, *range);
                }
            }
        }
    }

    fn edge(&self, ranges: &Ranges<'_>, to: u32, facts: &Facts) -> Edge {
        let mut there = Walk {
            env: ranges.arriving(to, &self.env),
            local: self.local.clone(),
            copies: self.copies.clone(),
            ..Walk::new(self.block, Env::default())
        };
        there.take(ranges, facts);
        Edge {
            to,
            env: there.env,
            facts: there.local,
            copies: there.copies,
        }
    }
}
