//! Division and remainder by constants without division.
//!
//! The machine has no integer divider: a 32-bit division is about twenty
//! instructions, a 64-bit one a call of about seventy. By a constant it is a
//! shift, or a multiplication and a few shifts (see `magic`); ranges tell
//! when the dividend is not negative, or small, and the short forms serve.
//!
//! ```text
//! div.s32 %q, %n, 10;       mul.hi.s32 %t, %n, 1717986919;
//!                           shr.s32 %u, %t, 2;
//!                           shr.u32 %v, %n, 31;
//!                           add.s32 %q, %u, %v;
//! rem.s32 %r, %tid, 8;      and.b32 %r, %tid, 7;
//! ```
//!
//! `idioms` finds divisions that round down, spelt out in several
//! instructions, first.

mod idioms;
mod magic;
#[cfg(test)]
mod tests;

use super::ranges::{Cursor, Ranges};
use crate::cfg::Cfg;
use crate::cleanup::fold::wrap;
use crate::defs::Defs;
use crate::ids::{InstId, Reg};
use crate::inst::Inst;
use crate::modifiers::{Half, Mods};
use crate::module::Func;
use crate::op::Op;
use crate::operand::Operand;
use crate::types::Ty;
use magic::{Arg, Calc, Dividend, Steps};
use rustc_hash::FxHashMap;

/// Expands divisions; returns the number of instructions changed.
pub fn expand(func: &mut Func) -> usize {
    let divides = |i: &Inst| matches!(i.op, Op::Div | Op::Rem) && !i.ty().is_float();
    if !func.insts_in_layout().any(divides) {
        return 0;
    }
    let rounded = idioms::simplify(func);
    let mut plans: FxHashMap<InstId, Division> = FxHashMap::default();
    {
        let (cfg, defs) = (Cfg::new(func), Defs::new(func));
        let ranges = Ranges::new(func, &cfg, &defs);
        for (b, block) in (0u32..).zip(&cfg.blocks) {
            let Some(body) = func.blocks.get(*block) else {
                continue;
            };
            let mut cursor = ranges.cursor(b);
            for id in &body.insts {
                if let Some(inst) = func.insts.get(*id).filter(|i| divides(i))
                    && let Some(plan) = plan(func, &defs, &cursor, inst)
                {
                    plans.insert(*id, plan);
                }
                cursor.step();
            }
        }
    }
    if plans.is_empty() {
        return rounded;
    }
    for block in func.layout.clone() {
        let Some(body) = func.blocks.get(block) else {
            continue;
        };
        if !body.insts.iter().any(|id| plans.contains_key(id)) {
            continue;
        }
        let mut insts = Vec::with_capacity(body.insts.len() + 4);
        for id in body.insts.clone() {
            if let Some(plan) = plans.get(&id) {
                emit(func, id, plan, &mut insts);
            } else {
                insts.push(id);
            }
        }
        if let Some(body) = func.blocks.get_mut(block) {
            body.insts = insts;
        }
    }
    rounded + plans.len()
}

/// The integer that an operand always holds.
fn constant(func: &Func, defs: &Defs, operand: &Operand) -> Option<i64> {
    match operand {
        Operand::Imm(v) => Some(*v),
        Operand::Reg(r) => {
            let inst = defs.inst(func, *r)?;
            match (inst.op, inst.operands.get(1)) {
                (Op::Mov, Some(Operand::Imm(v))) => Some(*v),
                _ => None,
            }
        }
        _ => None,
    }
}

/// How a division is carried out.
struct Division {
    steps: Steps,
    /// Where a 64-bit one is done in 32: how the result is extended.
    half: Option<Ty>,
}

fn plan(func: &Func, defs: &Defs, cursor: &Cursor<'_, '_>, inst: &Inst) -> Option<Division> {
    let ty = inst.ty();
    let bits = ty.bits();
    if !matches!(bits, 16 | 32 | 64) || inst.mods != Mods::default() || inst.operands.len() != 3 {
        return None;
    }
    inst.dest()?;
    let n = inst
        .operands
        .get(1)
        .filter(|n| matches!(n, Operand::Reg(_)))?;
    let d = wrap(ty, constant(func, defs, inst.operands.get(2)?)?);
    let range = cursor.operand(n, ty);
    let signed = ty.is_signed();
    let steps = |bits: u32, dividend: Dividend, d: i64, signed: bool| match inst.op {
        Op::Div => magic::quotient(bits, dividend, d, signed),
        _ => magic::remainder(bits, dividend, d, signed),
    };
    if bits == 64 {
        // -1 aside, what fits 32 bits has quotients that do.
        let unsigned = range.fits_unsigned(32) && u32::try_from(d).is_ok();
        if unsigned {
            let steps = steps(32, Dividend::UpTo(range.umax()), d, false)?;
            let half = Some(Ty::U32);
            return Some(Division { steps, half });
        }
        if signed && range.fits_signed(32) && i32::try_from(d).is_ok() && d != -1 {
            let steps = steps(32, Dividend::Any, d, true)?;
            let half = Some(Ty::S32);
            return Some(Division { steps, half });
        }
    }
    let is_magnitude = || idioms::is_magnitude(func, defs, n);
    let dividend = match signed {
        true if range.is_nonnegative() => Dividend::UpTo(range.smax() as u64),
        true if is_magnitude() => Dividend::UpTo(i64::MAX as u64 >> (64 - bits)),
        true => Dividend::Any,
        false if is_magnitude() => Dividend::UpTo(range.umax().min(u64::MAX >> (65 - bits))),
        false => Dividend::UpTo(range.umax()),
    };
    let steps = steps(bits, dividend, d, signed)?;
    Some(Division { steps, half: None })
}

/// Puts a sequence in an instruction's place; the last step writes its
/// result, under its guard.
fn emit(func: &mut Func, id: InstId, plan: &Division, out: &mut Vec<InstId>) {
    let Some(old) = func.insts.get(id).cloned() else {
        return;
    };
    let (Some(dest), Some(n)) = (old.dest(), old.operands.get(1).cloned()) else {
        out.push(id);
        return;
    };
    let ty = plan.half.unwrap_or(old.ty());
    let mut push = |func: &mut Func, mut inst: Inst| {
        inst.loc = old.loc;
        if inst.dest() == Some(dest) {
            inst.guard = old.guard;
            func.insts[id] = inst;
            out.push(id);
        } else {
            out.push(func.insts.alloc(inst));
        }
    };
    let cvt = |to: Ty, from: Ty, dest: Reg, source: Operand| {
        let operands = [Operand::Reg(dest), source];
        Inst::with_types(Op::Cvt, Mods::default(), &[to, from], operands)
    };
    let mut dividend = n;
    if plan.half.is_some() {
        let low = func.new_reg(ty.reg());
        push(func, cvt(Ty::U32, Ty::U64, low, dividend));
        dividend = Operand::Reg(low);
    }
    let mut results: Vec<Reg> = Vec::with_capacity(plan.steps.len());
    for (i, step) in plan.steps.iter().enumerate() {
        let is_last = i + 1 == plan.steps.len() && plan.half.is_none();
        let to = match is_last {
            true => dest,
            false => func.new_reg(ty.reg()),
        };
        results.push(to);
        let args = step.args.map(|arg| match arg {
            Arg::Dividend => dividend.clone(),
            Arg::Step(i) => results
                .get(i)
                .map_or(dividend.clone(), |r| Operand::Reg(*r)),
            Arg::Constant(v) => Operand::Imm(v),
        });
        push(func, instruction(step.calc, ty.bits(), to, args));
    }
    let result = results.last().map_or(dividend, |r| Operand::Reg(*r));
    if plan.half.is_some() {
        let to = if ty.is_signed() { Ty::S64 } else { Ty::U64 };
        push(func, cvt(to, ty, dest, result));
    } else if plan.steps.is_empty() {
        let operands = [Operand::Reg(dest), result];
        let ty = old.ty().as_bits();
        push(func, Inst::new(Op::Mov, Mods::default(), ty, operands));
    }
}

fn instruction(calc: Calc, bits: u32, to: Reg, args: [Operand; 3]) -> Inst {
    let (signed, unsigned, untyped) = match bits {
        16 => (Ty::S16, Ty::U16, Ty::B16),
        32 => (Ty::S32, Ty::U32, Ty::B32),
        _ => (Ty::S64, Ty::U64, Ty::B64),
    };
    let half = |half: Half| Mods {
        half,
        ..Mods::default()
    };
    let (op, mods, ty) = match calc {
        Calc::Add => (Op::Add, Mods::default(), signed),
        Calc::Sub => (Op::Sub, Mods::default(), signed),
        Calc::And => (Op::And, Mods::default(), untyped),
        Calc::MulHighUnsigned => (Op::Mul, half(Half::Hi), unsigned),
        Calc::MulHighSigned => (Op::Mul, half(Half::Hi), signed),
        Calc::MulAdd => (Op::Mad, half(Half::Lo), signed),
        Calc::ShrUnsigned => (Op::Shr, Mods::default(), unsigned),
        Calc::ShrSigned => (Op::Shr, Mods::default(), signed),
    };
    let [a, b, c] = args;
    let is_shift = op == Op::Shr;
    // Constants as the type has them.
    let fit = |operand: Operand| match operand {
        Operand::Imm(v) => Operand::Imm(wrap(ty, v)),
        other => other,
    };
    let (a, c) = (fit(a), fit(c));
    let b = if is_shift { b } else { fit(b) };
    let mut operands = vec![Operand::Reg(to), a, b];
    if calc == Calc::MulAdd {
        operands.push(c);
    }
    Inst::new(op, mods, ty, operands)
}
