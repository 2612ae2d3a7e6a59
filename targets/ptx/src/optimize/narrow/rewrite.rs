//! Carrying out a plan.

use super::{Candidate, Narrowing};
use crate::cleanup::fold::wrap;
use crate::ids::{InstId, Reg};
use crate::inst::{Guard, Inst, Loc};
use crate::modifiers::Mods;
use crate::module::{Func, RegInfo};
use crate::op::Op;
use crate::operand::Operand;
use crate::types::{RegTy, Ty};
use rustc_hash::{FxHashMap, FxHashSet};

/// The low halves and extensions made in a block so far, by the register and the guard that
/// they were made under: what an instruction with a guard reads may have been written under
/// that guard alone, so that what is made for it has the guard too.
#[derive(Default)]
struct Made {
    low: FxHashMap<(Reg, Option<Guard>), Reg>,
    wide: FxHashMap<(Reg, Option<Guard>), Reg>,
}

impl Made {
    /// Forgets what a write of a register makes void: what was made of its old value, or
    /// under its old truth.
    fn written(&mut self, reg: Reg) {
        let stays =
            |(of, guard): &(Reg, Option<Guard>)| *of != reg && guard.is_none_or(|g| g.reg != reg);
        self.low.retain(|key, _| stays(key));
        self.wide.retain(|key, _| stays(key));
    }
}

/// Where an instruction stands in the text, and under which guard it is done.
#[derive(Clone, Copy)]
struct At {
    loc: Loc,
    guard: Option<Guard>,
}

/// Changes the function; returns the number of instructions changed.
pub(super) fn rewrite(func: &mut Func, plan: &Narrowing) -> usize {
    let mut halves: FxHashMap<Reg, Reg> = FxHashMap::default();
    for c in plan.candidates.iter().filter(|c| c.narrow) {
        let name = func.regs.get(c.reg).and_then(|info| info.name.clone());
        let half = func.regs.alloc(RegInfo {
            ty: RegTy::B32,
            name,
        });
        halves.insert(c.reg, half);
    }
    if halves.is_empty() && plan.sources.is_empty() {
        return 0;
    }
    let needed = plan.candidates.iter().filter(|c| c.narrow);
    let needed = needed.filter(|c| plan.wide_reads(func, c).next().is_some());
    let mut rewriter = Rewriter {
        plan,
        needed: needed.map(|c| c.reg).collect(),
        halves,
        changes: 0,
    };
    for block in func.layout.clone() {
        let Some(body) = func.blocks.get_mut(block) else {
            continue;
        };
        let old = std::mem::take(&mut body.insts);
        let mut new = Vec::with_capacity(old.len() + 4);
        let mut made = Made::default();
        for id in old {
            rewriter.inst(func, id, &mut made, &mut new);
        }
        if let Some(body) = func.blocks.get_mut(block) {
            body.insts = new;
        }
    }
    rewriter.changes
}

struct Rewriter<'a> {
    plan: &'a Narrowing,
    /// The 32-bit register of each narrow one.
    halves: FxHashMap<Reg, Reg>,
    /// Narrow registers that some use needs in full.
    needed: FxHashSet<Reg>,
    changes: usize,
}

impl Rewriter<'_> {
    fn candidate(&self, reg: Reg) -> Option<&Candidate> {
        let c = self.plan.candidates.get(*self.plan.of.get(&reg)?)?;
        c.narrow.then_some(c)
    }

    fn inst(&mut self, func: &mut Func, id: InstId, made: &mut Made, out: &mut Vec<InstId>) {
        let Some(mut inst) = func.insts.get(id).cloned() else {
            out.push(id);
            return;
        };
        let before = inst.clone();
        let new = self.plan.of(id, &inst).cloned();
        let low = new.as_ref().map_or(0, |n| n.low);
        if let Some(new) = &new {
            inst.op = new.op;
            inst.mods = new.mods;
            inst.tys = [new.tys[0], new.tys[1], Ty::None, Ty::None];
            if let Some((at, value)) = new.constant
                && let Some(operand) = inst.operands.get_mut(at)
            {
                *operand = Operand::Imm(value);
            }
        }
        let at_inst = At {
            loc: inst.loc,
            guard: inst.guard,
        };
        let skip = usize::from(inst.op.has_dest());
        for at in 0..inst.operands.len() {
            if at < skip && !matches!(inst.operands[at], Operand::Addr(_)) {
                continue;
            }
            let mut operand = inst.operands[at].clone();
            if low >> at & 1 == 1 {
                self.take_low(func, &mut operand, inst.ty(), at_inst, made, out);
            } else {
                operand.map_regs(|reg| self.wide(func, reg, at_inst, made, out));
            }
            inst.operands[at] = operand;
        }
        let dest = before.dest();
        let half = dest.and_then(|d| self.halves.get(&d).copied());
        if let (Some(half), 1) = (half, low & 1) {
            inst.operands[0] = Operand::Reg(half);
        }
        self.changes += usize::from(inst != before);
        let loc = inst.loc;
        if inst != before
            && let Some(slot) = func.insts.get_mut(id)
        {
            *slot = inst;
        }
        out.push(id);
        // What was made of the old value is void, and a value that is needed
        // in full gets its extension.
        before.for_each_def(|reg| made.written(reg));
        if let (Some(dest), Some(half)) = (dest, half)
            && let Some(c) = self.candidate(dest)
            && c.stable
            && self.needed.contains(&dest)
        {
            let extension = extend(c, dest, half, loc);
            out.push(func.insts.alloc(extension));
        }
    }

    /// Makes an operand its low half.
    fn take_low(
        &mut self,
        func: &mut Func,
        operand: &mut Operand,
        ty: Ty,
        at: At,
        made: &mut Made,
        out: &mut Vec<InstId>,
    ) {
        match operand {
            Operand::Imm(v) => {
                let ty = if ty.bits() == 32 && !ty.is_float() {
                    ty
                } else {
                    Ty::S32
                };
                *v = wrap(ty, *v);
            }
            Operand::Reg(reg) => {
                if func.reg_ty(*reg) != Some(RegTy::B64) {
                    return;
                }
                *reg = self.low(func, *reg, at, made, out);
            }
            _ => {}
        }
    }

    fn low(
        &self,
        func: &mut Func,
        reg: Reg,
        at: At,
        made: &mut Made,
        out: &mut Vec<InstId>,
    ) -> Reg {
        if let Some(half) = self
            .halves
            .get(&reg)
            .or_else(|| self.plan.aliases.get(&reg))
        {
            return *half;
        }
        if let Some(low) = made.low.get(&(reg, at.guard)) {
            return *low;
        }
        let low = func.new_reg(RegTy::B32);
        let mut cut = Inst::with_types(
            Op::Cvt,
            Mods::default(),
            &[Ty::U32, Ty::U64],
            [Operand::Reg(low), Operand::Reg(reg)],
        );
        cut.loc = at.loc;
        cut.guard = at.guard;
        out.push(func.insts.alloc(cut));
        made.low.insert((reg, at.guard), low);
        low
    }

    /// The register that holds a value in full at a use.
    fn wide(
        &self,
        func: &mut Func,
        reg: Reg,
        at: At,
        made: &mut Made,
        out: &mut Vec<InstId>,
    ) -> Reg {
        let (Some(c), Some(half)) = (self.candidate(reg), self.halves.get(&reg)) else {
            return reg;
        };
        if c.stable {
            return reg;
        }
        if let Some(wide) = made.wide.get(&(reg, at.guard)) {
            return *wide;
        }
        let wide = func.new_reg(RegTy::B64);
        let mut extension = extend(c, wide, *half, at.loc);
        extension.guard = at.guard;
        out.push(func.insts.alloc(extension));
        made.wide.insert((reg, at.guard), wide);
        wide
    }
}

fn extend(c: &Candidate, wide: Reg, half: Reg, loc: Loc) -> Inst {
    let tys = match c.fit.unsigned {
        true => [Ty::U64, Ty::U32],
        false => [Ty::S64, Ty::S32],
    };
    let operands = [Operand::Reg(wide), Operand::Reg(half)];
    let mut inst = Inst::with_types(Op::Cvt, Mods::default(), &tys, operands);
    inst.loc = loc;
    inst
}
