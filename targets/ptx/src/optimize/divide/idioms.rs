//! Divisions that round down, as several instructions say them.
//!
//! MLIR lowers `affine` and `arith` division to C's, with corrections for
//! negative numbers. By a power of two they are one instruction:
//!
//! ```text
//! r = n rem 2^k; r < 0 ? r + 2^k : r               and n, 2^k - 1
//! m = n < 0 ? -1 - n : n; q = m / 2^k;
//! n < 0 ? -1 - q : q                               shr.s n, k
//! ```

use super::constant;
use crate::defs::Defs;
use crate::ids::{InstId, Reg};
use crate::inst::Inst;
use crate::modifiers::{Cmp, Mods};
use crate::module::Func;
use crate::op::Op;
use crate::operand::Operand;

/// Replaces them; returns how many.
pub(super) fn simplify(func: &mut Func) -> usize {
    let defs = Defs::new(func);
    let mut changes: Vec<(InstId, Inst)> = Vec::new();
    for block in &func.layout {
        let Some(body) = func.blocks.get(*block) else {
            continue;
        };
        for id in &body.insts {
            if let Some(inst) = func.insts.get(*id)
                && inst.op == Op::Selp
                && let Some(mut new) =
                    modulo(func, &defs, inst).or_else(|| floor_division(func, &defs, inst))
            {
                new.loc = inst.loc;
                new.guard = inst.guard;
                changes.push((*id, new));
            }
        }
    }
    let n = changes.len();
    for (id, inst) in changes {
        func.insts[id] = inst;
    }
    n
}

fn reg(operand: Option<&Operand>) -> Option<Reg> {
    operand.and_then(Operand::as_reg)
}

/// Whether a predicate says that a register is negative.
fn is_sign_test(func: &Func, defs: &Defs, p: Reg, of: Reg) -> bool {
    let Some(test) = defs.inst(func, p) else {
        return false;
    };
    let less = Mods {
        cmp: Cmp::Lt,
        ..Mods::default()
    };
    test.op == Op::Setp
        && test.mods == less
        && test.ty().is_signed()
        && test.dest() == Some(p)
        && reg(test.operands.get(1)) == Some(of)
        && test.operands.get(2).and_then(|o| constant(func, defs, o)) == Some(0)
}

/// The power that a positive power of two is.
fn exponent(func: &Func, defs: &Defs, operand: Option<&Operand>) -> Option<u32> {
    let d = constant(func, defs, operand?)?;
    (d > 0 && d & (d - 1) == 0).then(|| d.trailing_zeros())
}

/// `r < 0 ? r + d : r` for `r = n rem d`.
fn modulo(func: &Func, defs: &Defs, select: &Inst) -> Option<Inst> {
    let (more, r) = (reg(select.operands.get(1))?, reg(select.operands.get(2))?);
    let p = reg(select.operands.get(3))?;
    let (rem, add) = (defs.inst(func, r)?, defs.inst(func, more)?);
    let n = reg(rem.operands.get(1))?;
    let k = exponent(func, defs, rem.operands.get(2))?;
    let corrected = add.op == Op::Add
        && add.mods == Mods::default()
        && reg(add.operands.get(1)) == Some(r)
        && add.operands.get(2).and_then(|o| constant(func, defs, o)) == Some(1i64 << k);
    let ty = rem.ty();
    let fits = rem.op == Op::Rem
        && ty.is_signed()
        && k + 1 < ty.bits()
        && select.ty().bits() == ty.bits()
        && !select.ty().is_float();
    if !corrected || !fits || !defs.is_stable(n) || !is_sign_test(func, defs, p, r) {
        return None;
    }
    let operands = [
        select.operands.first()?.clone(),
        Operand::Reg(n),
        Operand::Imm((1i64 << k) - 1),
    ];
    Some(Inst::new(Op::And, Mods::default(), ty.as_bits(), operands))
}

/// Whether a register is -1 less another one, or its complement.
fn is_complement(func: &Func, defs: &Defs, of: Reg, x: Reg) -> bool {
    let Some(inst) = defs.inst(func, of) else {
        return false;
    };
    let minus_one = |o: Option<&Operand>| o.and_then(|o| constant(func, defs, o)) == Some(-1);
    if inst.mods != Mods::default() || inst.ty().is_float() {
        return false;
    }
    match inst.op {
        Op::Sub => minus_one(inst.operands.get(1)) && reg(inst.operands.get(2)) == Some(x),
        Op::Xor => reg(inst.operands.get(1)) == Some(x) && minus_one(inst.operands.get(2)),
        Op::Not => reg(inst.operands.get(1)) == Some(x),
        _ => false,
    }
}

/// `n < 0 ? -1 - q : q` for `q = (n < 0 ? -1 - n : n) / d`.
fn floor_division(func: &Func, defs: &Defs, select: &Inst) -> Option<Inst> {
    let (down, q) = (reg(select.operands.get(1))?, reg(select.operands.get(2))?);
    let p = reg(select.operands.get(3))?;
    let div = defs.inst(func, q)?;
    let k = exponent(func, defs, div.operands.get(2))?;
    let magnitude = defs.inst(func, reg(div.operands.get(1))?)?;
    let n = reg(magnitude.operands.get(2))?;
    let ty = div.ty();
    let fits = div.op == Op::Div
        && magnitude.op == Op::Selp
        && magnitude.ty().bits() == ty.bits()
        && select.ty().bits() == ty.bits()
        && !ty.is_float()
        && k + 1 < ty.bits();
    let minus = reg(magnitude.operands.get(1))?;
    let negative =
        |of: &Inst| reg(of.operands.get(3)).is_some_and(|p| is_sign_test(func, defs, p, n));
    if !fits
        || !defs.is_stable(n)
        || !is_complement(func, defs, minus, n)
        || !is_complement(func, defs, down, q)
        || !negative(magnitude)
        || !is_sign_test(func, defs, p, n)
    {
        return None;
    }
    let signed = match ty.bits() {
        16 => crate::types::Ty::S16,
        32 => crate::types::Ty::S32,
        _ => crate::types::Ty::S64,
    };
    let operands = [
        select.operands.first()?.clone(),
        Operand::Reg(n),
        Operand::Imm(i64::from(k)),
    ];
    Some(Inst::new(Op::Shr, Mods::default(), signed, operands))
}

/// Whether a value is `n xor (n >> (bits - 1))`: n or its complement, whichever
/// is not negative.
pub(super) fn is_magnitude(func: &Func, defs: &Defs, operand: &Operand) -> bool {
    let found = || {
        let xor = defs.inst(func, operand.as_reg()?)?;
        let (a, b) = (reg(xor.operands.get(1))?, reg(xor.operands.get(2))?);
        if xor.op != Op::Xor || xor.ty().bits() < 16 {
            return None;
        }
        [(a, b), (b, a)].into_iter().find(|(n, sign)| {
            defs.inst(func, *sign).is_some_and(|shift| {
                shift.op == Op::Shr
                    && shift.ty().is_signed()
                    && shift.ty().bits() == xor.ty().bits()
                    && reg(shift.operands.get(1)) == Some(*n)
                    && defs.is_stable(*n)
                    && shift.operands.get(2).and_then(|o| constant(func, defs, o))
                        == Some(i64::from(xor.ty().bits()) - 1)
            })
        })
    };
    found().is_some()
}
