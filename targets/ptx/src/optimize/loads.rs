//! Loads of what is in a register already.
//!
//! A load of an address that was loaded or stored before on every way here,
//! with nothing in between that may have written it, becomes a copy of the
//! register that holds the value:
//!
//! ```text
//! st.global.f32 [%p], %f1;            st.global.f32 [%p], %f1;
//! ...                          ->     ...
//! ld.global.f32 %f2, [%p];            mov.f32 %f2, %f1;
//! ```
//!
//! Barriers, fences and calls end what is known, since other threads may
//! write then. Of read-only and constant memory this is left to `cse`.

use super::alias::is_fence;
use super::facts::{Facts, accesses_memory, insts_of, is_plain};
use crate::cfg::Point;
use crate::ids::InstId;
use crate::inst::Inst;
use crate::modifiers::{Mods, ReadOnly, Space};
use crate::module::Func;
use crate::op::Op;
use crate::operand::Operand;
use crate::polynomial::Polynomial;
use crate::types::{RegTy, Ty};
use crate::values::Value;

/// What is known at once, the latest; more is seldom of use.
const MAX_KNOWN: usize = 64;

/// Functions with more blocks are looked at one block at a time.
const MAX_BLOCKS: usize = 2000;

/// An element of memory whose value is at hand.
#[derive(Clone)]
struct Known {
    /// The load or store that tells.
    by: InstId,
    space: Space,
    address: Polynomial,
    ty: Ty,
    stored: bool,
    /// A register and the value it must still hold, or a constant.
    data: Operand,
    value: Option<Value>,
}

/// Replaces such loads; returns their number.
pub fn forward(func: &mut Func) -> usize {
    if !accesses_memory(func) {
        return 0;
    }
    let facts = Facts::new(func);
    let changes = find(func, &facts);
    for (id, data) in &changes {
        copy(func, *id, data.clone());
    }
    changes.len()
}

fn find(func: &Func, facts: &Facts) -> Vec<(InstId, Operand)> {
    let cfg = &facts.cfg;
    let mut changes = Vec::new();
    let mut at_end: Vec<Vec<Known>> = vec![Vec::new(); cfg.len()];
    for &b in &cfg.rpo {
        let mut known = at_start(func, facts, &at_end, b);
        for (&id, index) in insts_of(func, cfg, b).iter().zip(0..) {
            let Some(inst) = func.insts.get(id) else {
                continue;
            };
            let point = Point { block: b, index };
            if inst.op == Op::Ld && is_plain(inst) {
                if let Some(data) = replacement(func, facts, &known, id, inst, point) {
                    changes.push((id, data));
                    continue;
                }
            } else {
                kill(&mut known, facts, id, inst);
            }
            learn(&mut known, facts, id, inst);
        }
        at_end[b as usize] = known;
    }
    changes
}

/// What is known when a block starts: what was at the end of its immediate
/// dominator, but for what is written on the ways from there.
fn at_start(func: &Func, facts: &Facts, at_end: &[Vec<Known>], b: u32) -> Vec<Known> {
    let cfg = &facts.cfg;
    let Some(up) = cfg.idom[b as usize].filter(|up| *up != b) else {
        return Vec::new();
    };
    if leaves_early(func, facts, up) {
        return Vec::new();
    }
    let mut known = at_end[up as usize].clone();
    if known.is_empty() || cfg.preds[b as usize][..] == [up] {
        return known;
    }
    if cfg.len() > MAX_BLOCKS {
        return Vec::new();
    }
    let mut seen = vec![false; cfg.len()];
    seen[up as usize] = true;
    let mut work: Vec<u32> = cfg.preds[b as usize].to_vec();
    while let Some(at) = work.pop() {
        if !cfg.is_reachable(at) || std::mem::replace(&mut seen[at as usize], true) {
            continue;
        }
        for &id in insts_of(func, cfg, at) {
            if let Some(inst) = func.insts.get(id) {
                kill(&mut known, facts, id, inst);
            }
        }
        if known.is_empty() {
            break;
        }
        work.extend(&cfg.preds[at as usize]);
    }
    known
}

/// Whether a branch out of a block stands before other instructions, so that
/// what is known at its end does not hold wherever it goes.
fn leaves_early(func: &Func, facts: &Facts, b: u32) -> bool {
    let insts = insts_of(func, &facts.cfg, b).iter();
    let mut insts = insts.filter_map(|id| func.insts.get(*id));
    insts.any(|i| i.op == Op::Bra) && insts.any(|i| i.op != Op::Bra)
}

/// Forgets what an instruction may overwrite.
fn kill(known: &mut Vec<Known>, facts: &Facts, id: InstId, inst: &Inst) {
    match inst.op {
        Op::Call => known.clear(),
        // Local memory is the thread's own.
        _ if is_fence(inst) => known.retain(|k| k.space == Space::Local),
        _ => {}
    }
    if facts.aliases.writes(id) {
        known.retain(|k| !facts.aliases.may_overlap(k.by, id));
    }
}

/// Remembers what an instruction loads or stores.
fn learn(known: &mut Vec<Known>, facts: &Facts, id: InstId, inst: &Inst) {
    let read_only =
        inst.mods.nc == ReadOnly::On || matches!(inst.mods.space, Space::Param | Space::Const);
    if !is_plain(inst) || inst.guard.is_some() || read_only {
        return;
    }
    let Some(address) = facts.aliases.access(id).and_then(|a| a.address.clone()) else {
        return;
    };
    let stored = inst.op == Op::St;
    let data = inst.operands.get(usize::from(stored));
    let elements: Vec<Operand> = match data {
        Some(Operand::Vec(list)) => list.iter().map(|r| Operand::Reg(*r)).collect(),
        Some(one) => vec![one.clone()],
        None => return,
    };
    for (data, at) in elements.into_iter().zip(0i64..) {
        let value = match data {
            Operand::Reg(reg) if stored => facts.values.found(id, reg),
            Operand::Reg(reg) => facts.values.written(id, reg),
            _ => None,
        };
        if matches!(data, Operand::Reg(_)) && value.is_none() {
            continue;
        }
        let mut address = address.clone();
        let step = i64::from(inst.ty().bytes());
        address.constant = address.constant.wrapping_add(at * step);
        known.push(Known {
            by: id,
            space: inst.mods.space,
            address,
            ty: inst.ty(),
            stored,
            data,
            value,
        });
    }
    if known.len() > MAX_KNOWN {
        known.drain(..known.len() - MAX_KNOWN);
    }
}

/// What a load of one element loads, if it is at hand.
fn replacement(
    func: &Func,
    facts: &Facts,
    known: &[Known],
    id: InstId,
    inst: &Inst,
    point: Point,
) -> Option<Operand> {
    let dest = inst.dest()?;
    let address = facts.aliases.access(id)?.address.as_ref()?;
    let to = func.reg_ty(dest)?;
    known.iter().rev().find_map(|k| {
        if k.space != inst.mods.space || k.address != *address {
            return None;
        }
        let from = match k.data {
            Operand::Reg(reg) => {
                let held = facts.values.holds(&facts.cfg, &facts.defs, k.value?, point);
                held.then(|| func.reg_ty(reg)).flatten()?
            }
            Operand::Imm(_) if !matches!(to, RegTy::F32 | RegTy::F64) => to,
            Operand::F32(_) => RegTy::F32,
            Operand::F64(_) => RegTy::F64,
            _ => return None,
        };
        let constant = !matches!(k.data, Operand::Reg(_));
        let whole = |ty: Ty, reg: RegTy| ty.bits() == reg.bits();
        let fits = if k.stored || k.ty != inst.ty() {
            // The register holds exactly what went to memory.
            k.ty.bits() == inst.ty().bits()
                && whole(k.ty, from)
                && whole(inst.ty(), to)
                && (!constant || from == to)
        } else {
            // A load of the same type extends in the same way.
            from == to
        };
        fits.then(|| k.data.clone())
    })
}

/// Makes a load a copy.
fn copy(func: &mut Func, id: InstId, data: Operand) {
    let from = data.as_reg().and_then(|r| func.reg_ty(r));
    let Some(inst) = func.insts.get(id) else {
        return;
    };
    let Some(to) = inst.dest().and_then(|r| func.reg_ty(r)) else {
        return;
    };
    let ty = match from {
        Some(from) if from != to => to.ty().as_bits(),
        _ => to.ty(),
    };
    let (loc, guard, dest) = (inst.loc, inst.guard, inst.operands[0].clone());
    func.insts[id] = Inst {
        loc,
        guard,
        ..Inst::new(Op::Mov, Mods::default(), ty, [dest, data])
    };
}

#[cfg(test)]
mod tests;
