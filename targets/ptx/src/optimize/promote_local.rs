//! Scalar replacement of local arrays: elements that are only accessed at
//! constant places become registers.
//!
//! Local memory is memory like any other, a hundred times as far away as
//! registers, which have no numbers that a program could compute. An array
//! of accumulators is written with indices of loops; once those are unrolled,
//! its accesses are at constants.
//!
//! A variable is replaced if every mention of it is the address of a plain
//! access of whole elements in local space, and accesses meet either exactly
//! or not at all. An element that may be read before it is written reads as
//! zero, where it would have been any value.
//!
//! Writes registers in several places: `isolate` comes next.

use super::liveness::Liveness;
use crate::cfg::Cfg;
use crate::ids::{InstId, Reg};
use crate::inst::Inst;
use crate::modifiers::{Mods, Sem, Space};
use crate::module::{Func, Var};
use crate::op::Op;
use crate::operand::{Address, Base, Operand, Sym};
use crate::types::{RegTy, Ty};
use std::collections::BTreeMap;

/// Registers of 32 bits that all arrays of a function may become.
const MAX_REGISTERS: u64 = 160;

/// Replaces; returns the number of variables that went.
pub fn promote(func: &mut Func) -> usize {
    let mut plans: Vec<Option<Elements>> = func.vars.iter().map(Elements::of).collect();
    for inst in func.insts_in_layout() {
        for (at, operand) in inst.operands.iter().enumerate() {
            let (Operand::Sym(Sym::Local(i))
            | Operand::Addr(Address {
                base: Base::Sym(Sym::Local(i)),
                ..
            })) = operand
            else {
                continue;
            };
            let Some(plan) = plans.get_mut(*i as usize) else {
                continue;
            };
            let fits = at == address_at(inst) && plan.as_mut().is_some_and(|p| p.see(func, inst));
            if !fits {
                *plan = None;
            }
        }
    }
    let mut left = MAX_REGISTERS;
    for plan in &mut plans {
        let size = plan.as_ref().map_or(0, Elements::registers);
        match left.checked_sub(size) {
            Some(rest) => left = rest,
            None => *plan = None,
        }
    }
    let replaced = plans.iter().flatten().count();
    if replaced > 0 {
        replace(func, plans);
    }
    replaced
}

/// Position of the address among the operands of an access.
fn address_at(inst: &Inst) -> usize {
    match inst.op {
        Op::Ld => 1,
        Op::St => 0,
        _ => usize::MAX,
    }
}

/// The elements of an array, by offset in bytes.
struct Elements {
    bytes: u64,
    list: BTreeMap<i64, (u32, RegTy)>,
}

impl Elements {
    fn of(var: &Var) -> Option<Elements> {
        (var.space == Space::Local && var.init.is_empty()).then(|| Elements {
            bytes: var.bytes(),
            list: BTreeMap::new(),
        })
    }

    /// Notes an access; false if it cannot be one of registers.
    fn see(&mut self, func: &Func, inst: &Inst) -> bool {
        let plain = matches!(inst.mods.sem, Sem::Default | Sem::Weak);
        let bytes = inst.ty().bytes();
        if inst.mods.space != Space::Local || !plain || !matches!(bytes, 2 | 4 | 8) {
            return false;
        }
        let Some(Address { offset, .. }) = inst.address() else {
            return false;
        };
        (0..inst.mods.vec.len()).all(|n| {
            let at = i64::from(offset) + n as i64 * i64::from(bytes);
            let end = at + i64::from(bytes);
            let Some(ty) = element_ty(func, inst, n) else {
                return false;
            };
            if at < 0 || u64::try_from(end).is_ok_and(|end| end > self.bytes) {
                return false;
            }
            let before = self.list.range(..=at).next_back();
            if let Some((from, (size, known))) = before
                && from + i64::from(*size) > at
            {
                return *from == at && *size == bytes && known.bits() == ty.bits();
            }
            if self.list.range(at..end).next().is_some() {
                return false;
            }
            self.list.insert(at, (bytes, ty));
            true
        })
    }

    fn registers(&self) -> u64 {
        let sizes = self
            .list
            .values()
            .map(|(bytes, _)| u64::from(*bytes).div_ceil(4));
        sizes.sum()
    }
}

/// The register type for the element that an access moves; none if the access
/// changes its width on the way.
fn element_ty(func: &Func, inst: &Inst, n: usize) -> Option<RegTy> {
    let bits = inst.ty().bits();
    let of = match value(inst, n)? {
        Operand::Reg(reg) => func.reg_ty(reg)?,
        _ => inst.ty().reg(),
    };
    (of.bits() == bits && of != RegTy::Pred).then_some(of)
}

/// The register that element `n` of an access goes to, or the operand that it
/// comes from.
fn value(inst: &Inst, n: usize) -> Option<Operand> {
    let at = if inst.op == Op::Ld { 0 } else { 1 };
    match inst.operands.get(at)? {
        Operand::Vec(list) => list.get(n).map(|r| Operand::Reg(*r)),
        one if n == 0 && inst.mods.vec.len() == 1 => Some(one.clone()),
        _ => None,
    }
}

fn replace(func: &mut Func, plans: Vec<Option<Elements>>) {
    // Names of variables are positions, which change as variables go.
    let mut kept = 0u32;
    let mut renumbered = Vec::with_capacity(plans.len());
    let mut registers: Vec<BTreeMap<i64, Reg>> = Vec::with_capacity(plans.len());
    for plan in &plans {
        renumbered.push(kept);
        kept += u32::from(plan.is_none());
        let mut of = BTreeMap::new();
        for (at, (_, ty)) in plan.iter().flat_map(|p| &p.list) {
            of.insert(*at, func.new_reg(*ty));
        }
        registers.push(of);
    }
    let mut at = 0;
    func.vars.retain(|_| {
        at += 1;
        plans.get(at - 1).is_none_or(Option::is_none)
    });
    for block in func.layout.clone() {
        let Some(body) = func.blocks.get(block) else {
            continue;
        };
        let mut new = Vec::with_capacity(body.insts.len());
        for id in body.insts.clone() {
            match moves(func, &registers, id) {
                Some(moves) => new.extend(moves),
                None => {
                    renumber(func, id, &renumbered);
                    new.push(id);
                }
            }
        }
        if let Some(body) = func.blocks.get_mut(block) {
            body.insts = new;
        }
    }
    let all: Vec<Reg> = registers
        .iter()
        .flat_map(|of| of.values().copied())
        .collect();
    define(func, &all);
}

/// The copies that an access to a replaced variable becomes.
fn moves(func: &mut Func, registers: &[BTreeMap<i64, Reg>], id: InstId) -> Option<Vec<InstId>> {
    let inst = func.insts.get(id)?.clone();
    let Address {
        base: Base::Sym(Sym::Local(var)),
        offset,
    } = inst.address()?
    else {
        return None;
    };
    let of = registers.get(var as usize).filter(|of| !of.is_empty())?;
    let mut moves = Vec::new();
    for n in 0..inst.mods.vec.len() {
        let at = i64::from(offset) + n as i64 * i64::from(inst.ty().bytes());
        let (element, value) = (Operand::Reg(*of.get(&at)?), value(&inst, n)?);
        let operands = match inst.op {
            Op::Ld => [value, element],
            _ => [element, value],
        };
        let ty = move_ty(func, &operands, inst.ty());
        let mut copy = Inst::new(Op::Mov, Mods::default(), ty, operands);
        copy.loc = inst.loc;
        copy.guard = inst.guard;
        moves.push(func.insts.alloc(copy));
    }
    Some(moves)
}

/// A type for a copy that takes both registers: bits, if one is a float's and
/// the other is not.
fn move_ty(func: &Func, operands: &[Operand; 2], access: Ty) -> Ty {
    let ty = |o: &Operand| o.as_reg().and_then(|r| func.reg_ty(r));
    match (ty(&operands[0]), ty(&operands[1])) {
        (Some(a), Some(b)) if a == b => a.ty(),
        (Some(a), None) => match operands[1] {
            Operand::F32(_) | Operand::F64(_) => access,
            _ => a.ty().as_bits(),
        },
        _ => access.as_bits(),
    }
}

fn renumber(func: &mut Func, id: InstId, renumbered: &[u32]) {
    let Some(inst) = func.insts.get_mut(id) else {
        return;
    };
    for operand in &mut inst.operands {
        if let Operand::Sym(Sym::Local(i))
        | Operand::Addr(Address {
            base: Base::Sym(Sym::Local(i)),
            ..
        }) = operand
        {
            *i = renumbered.get(*i as usize).copied().unwrap_or(*i);
        }
    }
}

/// Writes zero at the entry to registers that may be read unwritten.
fn define(func: &mut Func, registers: &[Reg]) {
    let cfg = Cfg::new(func);
    let mut wanted = vec![false; func.regs.len()];
    for reg in registers {
        wanted[reg.index()] = true;
    }
    let live = Liveness::of(func, &cfg, |reg| wanted[reg.index()]);
    let Some(&entry) = func.layout.first() else {
        return;
    };
    let unwritten = registers.iter().filter(|reg| live.is_live_in(0, **reg));
    let mut new = Vec::new();
    for reg in unwritten {
        let Some(ty) = func.reg_ty(*reg) else {
            continue;
        };
        let zero = match ty {
            RegTy::F32 => Operand::F32(0),
            RegTy::F64 => Operand::F64(0),
            _ => Operand::Imm(0),
        };
        let operands = [Operand::Reg(*reg), zero];
        let inst = Inst::new(Op::Mov, Mods::default(), ty.ty(), operands);
        new.push(func.insts.alloc(inst));
    }
    if let Some(body) = func.blocks.get_mut(entry) {
        body.insts.splice(0..0, new);
    }
}

#[cfg(test)]
mod tests;
