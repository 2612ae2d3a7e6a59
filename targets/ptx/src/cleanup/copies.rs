//! Copy propagation: uses of `mov d, s` become uses of `s`.
//!
//! `d` and `s` must each be written once (or `s` be an immediate), so that
//! both hold their value wherever `d` does. Immediates go only where the
//! instruction table takes one.

use super::Shared;
use crate::defs::Defs;
use crate::form::{self, Kind};
use crate::ids::Reg;
use crate::inst::Inst;
use crate::module::Func;
use crate::op::Op;
use crate::operand::Operand;
use crate::types::{RegTy, Ty};

/// Propagates; returns the number of operands changed.
pub fn propagate(func: &mut Func, shared: &mut Shared) -> usize {
    let defs = shared.defs(func);
    let found: Vec<(Reg, Operand)> = (func.insts_in_layout())
        .filter_map(|inst| copy(func, defs, inst))
        .collect();
    if found.is_empty() {
        return 0;
    }
    let mut copies = Copies {
        number: vec![NONE; func.regs.len()],
        sources: Vec::with_capacity(found.len()),
    };
    for (dest, from) in found {
        copies.number[dest.index()] = copies.sources.len() as u32;
        copies.sources.push(from);
    }
    let mut changes = 0;
    for block in &func.layout {
        for id in func.blocks.get(*block).map_or(&[][..], |b| &b.insts) {
            if let Some(inst) = func.insts.get_mut(*id) {
                changes += rewrite(inst, &copies);
            }
        }
    }
    changes
}

/// No copy.
const NONE: u32 = u32::MAX;

/// What registers are copies of.
struct Copies {
    /// Of each register, the number of its source, or [`NONE`].
    number: Vec<u32>,
    sources: Vec<Operand>,
}

impl Copies {
    fn source(&self, reg: Reg) -> Option<&Operand> {
        let number = *self.number.get(reg.index())?;
        self.sources.get(number as usize)
    }

    /// The end of a chain of copies, as a register.
    fn end(&self, mut reg: Reg) -> Reg {
        // A chain is at most as long as there are copies; a cycle would need a
        // register written twice.
        for _ in 0..self.sources.len() {
            match self.source(reg) {
                Some(Operand::Reg(next)) if *next != reg => reg = *next,
                _ => break,
            }
        }
        reg
    }
}

/// Destination and source of an instruction that is nothing but a copy.
fn copy(func: &Func, defs: &Defs, inst: &Inst) -> Option<(Reg, Operand)> {
    if inst.op != Op::Mov || inst.guard.is_some() {
        return None;
    }
    let dest = inst.dest()?;
    defs.single(dest)?;
    match inst.operands.get(1)? {
        // A copy between a float and a bits register changes the type, which
        // uses of the destination may rely on.
        Operand::Reg(from) if defs.is_stable(*from) && func.reg_ty(*from) == func.reg_ty(dest) => {
            Some((dest, Operand::Reg(*from)))
        }
        Operand::Imm(v) => {
            let same = func.reg_ty(dest).map(RegTy::bits) == Some(inst.ty().bits());
            same.then_some((dest, Operand::Imm(*v)))
        }
        constant @ (Operand::F32(_) | Operand::F64(_)) => Some((dest, constant.clone())),
        _ => None,
    }
}

fn rewrite(inst: &mut Inst, copies: &Copies) -> usize {
    let mut any = false;
    inst.for_each_use(|reg| any |= copies.source(reg).is_some());
    if !any {
        return 0;
    }
    let mut changes = 0;
    if let Some(guard) = &mut inst.guard {
        let new = copies.end(guard.reg);
        changes += usize::from(new != guard.reg);
        guard.reg = new;
    }
    let mut constants = false;
    for operand in inst.sources_mut() {
        operand.map_regs(|reg| {
            let new = copies.end(reg);
            changes += usize::from(new != reg);
            constants |= copies.source(new).is_some();
            new
        });
    }
    let Some(form) = constants.then(|| form::find(inst)).flatten() else {
        return changes;
    };
    let tys = inst.tys;
    for (operand, kind) in inst.operands.iter_mut().zip(form.operands) {
        let (Operand::Reg(reg), Kind::Use(ty) | Kind::UseAny(ty)) = (&*operand, kind) else {
            continue;
        };
        let ty = form::resolve(*ty, &tys);
        if let Some(constant) = copies.source(*reg)
            && takes(ty, constant)
        {
            *operand = match constant {
                Operand::Imm(v) => Operand::Imm(super::fold::wrap(ty, *v)),
                other => other.clone(),
            };
            changes += 1;
        }
    }
    changes
}

/// Whether a position of a type can hold a constant.
fn takes(ty: Ty, constant: &Operand) -> bool {
    match constant {
        Operand::Imm(_) => !ty.is_float() && ty.bits() >= 16,
        Operand::F32(_) => ty == Ty::F32,
        Operand::F64(_) => ty == Ty::F64,
        _ => false,
    }
}
