//! Constant folding and algebraic identities on integers, predicates, and the
//! exactly rounded operations of floats.
//!
//! An instruction whose result is known becomes `mov`; a multiplication by a
//! power of two becomes a shift; an addition to an addition becomes one.

use super::Shared;
use crate::defs::Defs;
use crate::ids::{InstId, Reg};
use crate::inst::Inst;
use crate::modifiers::{Cmp, Combine, Half, Mods, Rnd, Sat};
use crate::module::Func;
use crate::op::Op;
use crate::operand::Operand;
use crate::types::Ty;
use std::cmp::Ordering;

/// Folds; returns the number of instructions changed.
pub fn fold(func: &mut Func, shared: &mut Shared) -> usize {
    let defs = shared.defs(func);
    let mut changes = 0;
    for at in 0..func.layout.len() {
        let block = func.layout[at];
        let count = func.blocks.get(block).map_or(0, |b| b.insts.len());
        for at in 0..count {
            let id = func.blocks[block].insts[at];
            let Some(inst) = func.insts.get(id) else {
                continue;
            };
            if let Some(mut new) = simplify(func, defs, inst) {
                new.loc = inst.loc;
                new.guard = inst.guard;
                func.insts[id] = new;
                changes += 1;
            }
        }
    }
    changes
}

/// Guards that are known: true goes, false takes its instruction along. Returns
/// the number of blocks changed.
pub fn guards(func: &mut Func, shared: &mut Shared) -> usize {
    let defs = shared.defs(func);
    let mut changes = 0;
    for at in 0..func.layout.len() {
        let block = func.layout[at];
        let ids = func.blocks.get(block).map_or(&[][..], |b| &b.insts);
        let known = |func: &Func, id: InstId| {
            let guard = func.insts.get(id)?.guard?;
            let value = constant(func, defs, guard.reg)?;
            Some((value != 0) != guard.negated)
        };
        let ends = |func: &Func, id: InstId| func.insts.get(id).is_some_and(Inst::ends_block);
        let early = (ids.iter().rev().skip(1)).any(|id| ends(func, *id));
        if !early && ids.iter().all(|id| known(func, *id).is_none()) {
            continue;
        }
        let mut kept = Vec::with_capacity(ids.len());
        for id in ids.iter().copied() {
            match known(func, id) {
                Some(false) => continue,
                Some(true) => {
                    if let Some(inst) = func.insts.get_mut(id) {
                        inst.guard = None;
                    }
                }
                None => {}
            }
            kept.push(id);
            // What follows a branch that is now always taken never runs.
            if ends(func, id) {
                break;
            }
        }
        changes += 1;
        if let Some(body) = func.blocks.get_mut(block) {
            body.insts = kept;
        }
    }
    if changes > 0 {
        shared.blocks_changed();
    }
    changes
}

/// The integer that a register always holds.
fn constant(func: &Func, defs: &Defs, reg: Reg) -> Option<i64> {
    let inst = defs.inst(func, reg)?;
    match (inst.op, inst.operands.get(1)) {
        (Op::Mov, Some(Operand::Imm(v))) => Some(*v),
        _ => None,
    }
}

fn mov(inst: &Inst, ty: Ty, value: Operand) -> Option<Inst> {
    let dest = inst.operands.first()?.clone();
    Some(Inst::new(Op::Mov, Mods::default(), ty, [dest, value]))
}

fn simplify(func: &Func, defs: &Defs, inst: &Inst) -> Option<Inst> {
    inst.dest()?;
    if inst.op == Op::Setp && inst.ty().is_float() {
        return compare_floats(inst);
    }
    if inst.ty().is_float() {
        return floats(inst);
    }
    let imm = |at: usize| match inst.operands.get(at)? {
        Operand::Imm(v) => Some(*v),
        Operand::Reg(r) => constant(func, defs, *r),
        _ => None,
    };
    if inst.op == Op::Selp {
        let pick = if imm(3)? != 0 { 1 } else { 2 };
        return mov(inst, inst.ty(), inst.operands.get(pick)?.clone());
    }
    if inst.op == Op::Setp && inst.mods.combine != Combine::Default {
        let other = match inst.operands.get(3)? {
            Operand::Not(r) => constant(func, defs, *r)? == 0,
            _ => imm(3)? != 0,
        };
        return combined(inst, other);
    }
    if inst.mods.sat != Sat::Off {
        return None;
    }
    let (a, b) = (imm(1), imm(2));
    if inst.op == Op::Cvt && inst.tys[1].is_int() && inst.tys[0].is_int() {
        let value = wrap(inst.tys[0], wrap(inst.tys[1], a?));
        // The register may be wider than the type; the value is extended.
        let reg = func.reg_ty(inst.dest()?)?;
        return (reg.bits() == inst.tys[0].bits().max(16))
            .then(|| mov(inst, inst.tys[0].as_bits(), Operand::Imm(value)))
            .flatten()
            .filter(|_| inst.tys[0].bits() >= 16);
    }
    if let Some(value) = evaluate(inst, a, b, imm(3)) {
        let ty = match (inst.op, inst.mods.half) {
            (Op::Setp, _) => Ty::Pred,
            (Op::Mul | Op::Mad, Half::Wide) => inst.ty().widened(),
            (Op::Popc | Op::Clz, _) => Ty::U32,
            _ => inst.ty(),
        };
        return mov(inst, ty, Operand::Imm(value));
    }
    identities(func, defs, inst, a, b)
}

/// A comparison combined with a known predicate.
fn combined(inst: &Inst, other: bool) -> Option<Inst> {
    match (inst.mods.combine, other) {
        (Combine::And, false) => mov(inst, Ty::Pred, Operand::Imm(0)),
        (Combine::Or, true) => mov(inst, Ty::Pred, Operand::Imm(1)),
        (Combine::And, true) | (Combine::Or | Combine::Xor, false) => {
            let mut alone = inst.clone();
            alone.mods.combine = Combine::Default;
            alone.operands.truncate(3);
            Some(alone)
        }
        _ => None,
    }
}

/// A value as the type's range has it.
pub(crate) fn wrap(ty: Ty, v: i64) -> i64 {
    match (ty.bits(), ty.is_signed()) {
        (1, _) => v & 1,
        (8, true) => i64::from(v as i8),
        (8, false) => i64::from(v as u8),
        (16, true) => i64::from(v as i16),
        (16, false) => i64::from(v as u16),
        (32, true) => i64::from(v as i32),
        (32, false) => i64::from(v as u32),
        _ => v,
    }
}

fn evaluate(inst: &Inst, a: Option<i64>, b: Option<i64>, c: Option<i64>) -> Option<i64> {
    let ty = inst.ty();
    let bits = ty.bits();
    if !matches!(bits, 1 | 16 | 32 | 64) {
        return None;
    }
    let w = |v: i64| wrap(ty, v);
    let a = w(a?);
    let wide = inst.mods.half == Half::Wide;
    let product = |b: i64| {
        // Factors of 32 bits or less have products of 64.
        let full = a.wrapping_mul(w(b));
        if wide { full } else { w(full) }
    };
    let unsigned64 = bits == 64 && !ty.is_signed();
    Some(match inst.op {
        Op::Not => w(!a),
        Op::Neg => w(a.wrapping_neg()),
        Op::Abs => w(a.wrapping_abs()),
        Op::Popc => i64::from((a as u64 & mask(bits)).count_ones()),
        Op::Clz => i64::from((a as u64 & mask(bits)).leading_zeros()) - i64::from(64 - bits),
        Op::Add => w(a.wrapping_add(w(b?))),
        Op::Sub => w(a.wrapping_sub(w(b?))),
        Op::Mul if inst.mods.half != Half::Hi => product(b?),
        Op::Mad if inst.mods.half != Half::Hi => {
            let sum = product(b?).wrapping_add(c?);
            if wide {
                wrap(ty.widened(), sum)
            } else {
                w(sum)
            }
        }
        Op::And => w(a & w(b?)),
        Op::Or => w(a | w(b?)),
        Op::Xor => w(a ^ w(b?)),
        Op::Min | Op::Max => {
            let b = w(b?);
            let less = less(unsigned64, a, b);
            if less == (inst.op == Op::Min) { a } else { b }
        }
        Op::Shl => match u32::try_from(wrap(Ty::U32, b?)) {
            Ok(k) if k < bits => w(((a as u64) << k) as i64),
            _ => 0,
        },
        Op::Shr => {
            let k = u32::try_from(wrap(Ty::U32, b?)).unwrap_or(u32::MAX);
            if ty.is_signed() {
                a >> k.min(63)
            } else if k >= bits {
                0
            } else {
                ((a as u64 & mask(bits)) >> k) as i64
            }
        }
        Op::Div | Op::Rem if w(b?) != 0 => {
            let b = w(b?);
            match (unsigned64, inst.op == Op::Div) {
                (true, true) => (a as u64 / b as u64) as i64,
                (true, false) => (a as u64 % b as u64) as i64,
                (false, true) => w(a.wrapping_div(b)),
                (false, false) => w(a.wrapping_rem(b)),
            }
        }
        Op::Setp => {
            let b = w(b?);
            let lt = less(unsigned64, a, b);
            let result = match inst.mods.cmp {
                Cmp::Eq => a == b,
                Cmp::Ne => a != b,
                Cmp::Lt | Cmp::Lo => lt,
                Cmp::Le | Cmp::Ls => lt || a == b,
                Cmp::Gt | Cmp::Hi => !lt && a != b,
                Cmp::Ge | Cmp::Hs => !lt,
                _ => return None,
            };
            i64::from(result)
        }
        _ => return None,
    })
}

fn mask(bits: u32) -> u64 {
    if bits >= 64 {
        u64::MAX
    } else {
        (1 << bits) - 1
    }
}

fn less(unsigned64: bool, a: i64, b: i64) -> bool {
    if unsigned64 {
        (a as u64) < b as u64
    } else {
        a < b
    }
}

/// Rewrites with one constant operand.
fn identities(
    func: &Func,
    defs: &Defs,
    inst: &Inst,
    a: Option<i64>,
    b: Option<i64>,
) -> Option<Inst> {
    let ty = inst.ty();
    let w = |v: i64| wrap(ty, v);
    // The constant second, where order does not matter.
    let (x, k) = match (a, b) {
        (_, Some(k)) => (inst.operands.get(1)?, w(k)),
        (Some(k), None) if inst.op.commutes() => (inst.operands.get(2)?, w(k)),
        _ => return None,
    };
    let all_ones = w(-1);
    let low = inst.mods.half == Half::Lo;
    match (inst.op, k) {
        (Op::Add | Op::Sub | Op::Or | Op::Xor | Op::Shl | Op::Shr, 0) => mov(inst, ty, x.clone()),
        (Op::And, k) if k == all_ones => mov(inst, ty, x.clone()),
        (Op::And, 0) => mov(inst, ty, Operand::Imm(0)),
        (Op::Or, k) if k == all_ones => mov(inst, ty, Operand::Imm(k)),
        (Op::Div, 1) => mov(inst, ty, x.clone()),
        (Op::Mul, 0) if low => mov(inst, ty, Operand::Imm(0)),
        (Op::Mul, 1) if low => mov(inst, ty, x.clone()),
        (Op::Mul, k) if low && k > 1 && k & (k - 1) == 0 => {
            let dest = inst.operands.first()?.clone();
            let amount = Operand::Imm(i64::from(k.trailing_zeros()));
            let operands = [dest, x.clone(), amount];
            Some(Inst::new(Op::Shl, Mods::default(), ty.as_bits(), operands))
        }
        (Op::Mad, 0) if low => mov(inst, ty, inst.operands.get(3)?.clone()),
        (Op::Mad, 1) if low => {
            let operands = [
                inst.operands.first()?.clone(),
                x.clone(),
                inst.operands.get(3)?.clone(),
            ];
            Some(Inst::new(Op::Add, Mods::default(), ty, operands))
        }
        (Op::Add | Op::Sub, k) => reassociate(func, defs, inst, x, k),
        _ => None,
    }
}

/// `(y + k1) + k2` as `y + (k1 + k2)`.
fn reassociate(func: &Func, defs: &Defs, inst: &Inst, x: &Operand, k: i64) -> Option<Inst> {
    let ty = inst.ty();
    let inner = defs.inst(func, x.as_reg()?)?;
    if !matches!(inner.op, Op::Add | Op::Sub)
        || inner.mods != Mods::default()
        || inst.mods != Mods::default()
        || inner.ty().bits() != ty.bits()
        || inner.ty().is_float()
    {
        return None;
    }
    let (Operand::Reg(y), Operand::Imm(k1)) = (inner.operands.get(1)?, inner.operands.get(2)?)
    else {
        return None;
    };
    if !defs.is_stable(*y) {
        return None;
    }
    let signed = |op: Op, k: i64| if op == Op::Sub { k.wrapping_neg() } else { k };
    let sum = signed(inst.op, k).wrapping_add(signed(inner.op, *k1));
    let operands = [
        inst.operands.first()?.clone(),
        Operand::Reg(*y),
        Operand::Imm(wrap(ty, sum)),
    ];
    Some(Inst::new(Op::Add, Mods::default(), ty, operands))
}

/// A comparison of two known floats. Flushing makes subnormal operands zero, and
/// is left to the machine.
fn compare_floats(inst: &Inst) -> Option<Inst> {
    let plain = Mods {
        cmp: inst.mods.cmp,
        ..Mods::default()
    };
    if inst.mods != plain {
        return None;
    }
    let v = |at: usize| match inst.operands.get(at)? {
        Operand::F32(bits) => Some(f64::from(f32::from_bits(*bits))),
        Operand::F64(bits) => Some(f64::from_bits(*bits)),
        _ => None,
    };
    let order = v(1)?.partial_cmp(&v(2)?);
    let ordered = order.is_some();
    let (lt, eq, gt) = (
        order.is_some_and(Ordering::is_lt),
        order.is_some_and(Ordering::is_eq),
        order.is_some_and(Ordering::is_gt),
    );
    let result = match inst.mods.cmp {
        Cmp::Eq => eq,
        Cmp::Ne => lt || gt,
        Cmp::Lt => lt,
        Cmp::Le => lt || eq,
        Cmp::Gt => gt,
        Cmp::Ge => gt || eq,
        Cmp::Equ => !(lt || gt),
        Cmp::Neu => !eq,
        Cmp::Ltu => !(gt || eq),
        Cmp::Leu => !gt,
        Cmp::Gtu => !(lt || eq),
        Cmp::Geu => !lt,
        Cmp::Num => ordered,
        Cmp::Nan => !ordered,
        _ => return None,
    };
    mov(inst, Ty::Pred, Operand::Imm(i64::from(result)))
}

/// The operations whose result the host computes to the bit: rounded to
/// nearest, no flushing, no saturation. A NaN is left to the machine, whose
/// payload is its own.
fn floats(inst: &Inst) -> Option<Inst> {
    let plain = Mods {
        rnd: Rnd::Rn,
        ..Mods::default()
    };
    let exact_sign = matches!(inst.op, Op::Neg | Op::Abs) && inst.mods == Mods::default();
    if inst.mods != plain && !exact_sign {
        return None;
    }
    match inst.ty() {
        Ty::F32 => {
            let v = |at: usize| match inst.operands.get(at)? {
                Operand::F32(bits) => Some(f32::from_bits(*bits)),
                _ => None,
            };
            let value = match inst.op {
                Op::Add => v(1)? + v(2)?,
                Op::Sub => v(1)? - v(2)?,
                Op::Mul => v(1)? * v(2)?,
                Op::Div => v(1)? / v(2)?,
                Op::Fma => v(1)?.mul_add(v(2)?, v(3)?),
                Op::Sqrt => v(1)?.sqrt(),
                Op::Neg => -v(1)?,
                Op::Abs => v(1)?.abs(),
                _ => return None,
            };
            (!value.is_nan())
                .then(|| mov(inst, Ty::F32, Operand::from(value)))
                .flatten()
        }
        Ty::F64 => {
            let v = |at: usize| match inst.operands.get(at)? {
                Operand::F64(bits) => Some(f64::from_bits(*bits)),
                _ => None,
            };
            let value = match inst.op {
                Op::Add => v(1)? + v(2)?,
                Op::Sub => v(1)? - v(2)?,
                Op::Mul => v(1)? * v(2)?,
                Op::Div => v(1)? / v(2)?,
                Op::Fma => v(1)?.mul_add(v(2)?, v(3)?),
                Op::Sqrt => v(1)?.sqrt(),
                Op::Neg => -v(1)?,
                Op::Abs => v(1)?.abs(),
                _ => return None,
            };
            (!value.is_nan())
                .then(|| mov(inst, Ty::F64, Operand::from(value)))
                .flatten()
        }
        _ => None,
    }
}
