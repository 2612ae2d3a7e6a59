//! Copy propagation: uses of `mov d, s` become uses of `s`.
//!
//! `d` and `s` must each be written once (or `s` be an immediate), so that
//! both hold their value wherever `d` does. Immediates go only where the
//! instruction table takes one.

use crate::defs::Defs;
use crate::form::{self, Kind};
use crate::ids::Reg;
use crate::inst::Inst;
use crate::module::Func;
use crate::op::Op;
use crate::operand::Operand;
use crate::types::{RegTy, Ty};

/// Propagates; returns the number of operands changed.
pub fn propagate(func: &mut Func) -> usize {
    let defs = Defs::new(func);
    let mut source: Vec<Option<Operand>> = vec![None; func.regs.len()];
    for inst in func.insts_in_layout() {
        if let Some((dest, from)) = copy(func, &defs, inst) {
            source[dest.index()] = Some(from);
        }
    }
    let ids: Vec<_> = func
        .layout
        .iter()
        .filter_map(|b| func.blocks.get(*b))
        .flat_map(|b| b.insts.iter().copied())
        .collect();
    let mut changes = 0;
    for id in ids {
        if let Some(inst) = func.insts.get_mut(id) {
            changes += rewrite(inst, &source);
        }
    }
    changes
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

/// The end of a chain of copies, as a register.
fn final_reg(source: &[Option<Operand>], mut reg: Reg) -> Reg {
    // A chain is at most as long as there are registers; a cycle would need a
    // register written twice.
    for _ in 0..source.len() {
        match source.get(reg.index()) {
            Some(Some(Operand::Reg(next))) if *next != reg => reg = *next,
            _ => break,
        }
    }
    reg
}

fn rewrite(inst: &mut Inst, source: &[Option<Operand>]) -> usize {
    let mut changes = 0;
    if let Some(guard) = &mut inst.guard {
        let new = final_reg(source, guard.reg);
        changes += usize::from(new != guard.reg);
        guard.reg = new;
    }
    for operand in inst.sources_mut() {
        operand.map_regs(|reg| {
            let new = final_reg(source, reg);
            changes += usize::from(new != reg);
            new
        });
    }
    let Some(form) = form::find(inst) else {
        return changes;
    };
    let tys = inst.tys;
    for (operand, kind) in inst.operands.iter_mut().zip(form.operands) {
        let (Operand::Reg(reg), Kind::Use(ty) | Kind::UseAny(ty)) = (&*operand, kind) else {
            continue;
        };
        let ty = form::resolve(*ty, &tys);
        if let Some(Some(constant)) = source.get(reg.index())
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
