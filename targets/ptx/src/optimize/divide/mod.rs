//! Division and remainder by constants without division.
//!
//! The machine has no integer divider: a 32-bit division is about twenty
//! instructions, a 64-bit one a call of about seventy. By a constant it is a
//! shift, or a multiplication and a few shifts (see [`magic`]); ranges tell
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
//! [`idioms`] finds divisions that round down, spelt out in several
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
    let mut plans: FxHashMap<InstId, Steps> = FxHashMap::default();
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
                    && let Some(steps) = plan(func, &defs, &cursor, inst)
                {
                    plans.insert(*id, steps);
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
            if let Some(steps) = plans.get(&id) {
                emit(func, id, steps, &mut insts);
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

fn plan(func: &Func, defs: &Defs, cursor: &Cursor<'_, '_>, inst: &Inst) -> Option<Steps> {
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
    let dividend = if ty.is_signed() {
        if range.is_nonnegative() || idioms::is_magnitude(func, defs, n) {
            let top = i64::MAX >> (64 - bits);
            Dividend::UpTo(range.smax().clamp(0, top) as u64)
        } else {
            Dividend::Any
        }
    } else if idioms::is_magnitude(func, defs, n) {
        Dividend::UpTo(range.umax().min(u64::MAX >> (65 - bits)))
    } else {
        Dividend::UpTo(range.umax())
    };
    match inst.op {
        Op::Div => magic::quotient(bits, dividend, d, ty.is_signed()),
        _ => magic::remainder(bits, dividend, d, ty.is_signed()),
    }
}

/// Puts a sequence in an instruction's place; the last step writes its
/// result, under its guard.
fn emit(func: &mut Func, id: InstId, steps: &Steps, out: &mut Vec<InstId>) {
    let Some(old) = func.insts.get(id).cloned() else {
        return;
    };
    let (Some(dest), Some(n)) = (old.dest(), old.operands.get(1).cloned()) else {
        out.push(id);
        return;
    };
    let width = old.ty().bits();
    let mut results: Vec<Reg> = Vec::with_capacity(steps.len());
    for (i, step) in steps.iter().enumerate() {
        let is_last = i + 1 == steps.len();
        let to = match is_last {
            true => dest,
            false => func.new_reg(old.ty().reg()),
        };
        results.push(to);
        let args = step.args.map(|arg| match arg {
            Arg::Dividend => n.clone(),
            Arg::Step(i) => results.get(i).map_or(n.clone(), |r| Operand::Reg(*r)),
            Arg::Constant(v) => Operand::Imm(v),
        });
        let mut inst = instruction(step.calc, width, to, args);
        inst.loc = old.loc;
        if is_last {
            inst.guard = old.guard;
            func.insts[id] = inst;
            out.push(id);
        } else {
            out.push(func.insts.alloc(inst));
        }
    }
    if steps.is_empty() {
        let mut copy = Inst::new(
            Op::Mov,
            Mods::default(),
            old.ty().as_bits(),
            [Operand::Reg(dest), n],
        );
        copy.loc = old.loc;
        copy.guard = old.guard;
        func.insts[id] = copy;
        out.push(id);
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
