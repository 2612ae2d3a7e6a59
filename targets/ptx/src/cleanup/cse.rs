//! Common subexpressions: a value computed again where an earlier computation
//! dominates becomes a copy of it, which copy propagation then removes.
//!
//! Only values that depend on nothing but registers written once, constants
//! and read-only memory take part.

use crate::cfg::Cfg;
use crate::defs::Defs;
use crate::ids::{InstId, Reg};
use crate::inst::{Inst, Operands};
use crate::modifiers::{Half, Mods};
use crate::module::Func;
use crate::op::Op;
use crate::operand::Operand;
use crate::types::{RegTy, Ty};
use rustc_hash::FxHashMap;

/// What makes two computations the same.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    op: Op,
    mods: Mods,
    tys: [Ty; 4],
    sources: Operands,
    result: RegTy,
}

/// Eliminates; returns the number of computations that became copies.
pub fn eliminate(func: &mut Func) -> usize {
    let cfg = Cfg::new(func);
    if cfg.is_empty() {
        return 0;
    }
    let defs = Defs::new(func);
    let mut children: Vec<Vec<u32>> = vec![Vec::new(); cfg.len()];
    for &b in &cfg.rpo {
        if let Some(up) = cfg.idom[b as usize]
            && up != b
        {
            children[up as usize].push(b);
        }
    }
    // A walk of the dominator tree; what a block added is taken back when the
    // walk leaves it.
    enum Step {
        Enter(u32),
        Leave(Vec<Key>),
    }
    let mut known: FxHashMap<Key, Reg> = FxHashMap::default();
    let mut copies: Vec<(InstId, Reg)> = Vec::new();
    // What each register was found equal to, so that what is computed from it
    // is recognised in the same walk.
    let mut same_as: Vec<Reg> = (0..func.regs.len() as u32).map(Reg::from_index).collect();
    let mut work = vec![Step::Enter(0)];
    while let Some(step) = work.pop() {
        match step {
            Step::Leave(keys) => {
                for key in keys {
                    known.remove(&key);
                }
            }
            Step::Enter(b) => {
                let mut added = Vec::new();
                let body = func.blocks.get(cfg.blocks[b as usize]);
                for &id in body.map_or(&[][..], |body| &body.insts) {
                    let Some((dest, key)) = candidate(func, &defs, &same_as, id) else {
                        continue;
                    };
                    match known.get(&key) {
                        Some(earlier) => {
                            same_as[dest.index()] = *earlier;
                            copies.push((id, *earlier));
                        }
                        None => {
                            known.insert(key.clone(), dest);
                            added.push(key);
                        }
                    }
                }
                work.push(Step::Leave(added));
                work.extend(children[b as usize].iter().map(|c| Step::Enter(*c)));
            }
        }
    }
    for (id, earlier) in &copies {
        if let Some(inst) = func.insts.get_mut(*id) {
            let ty = func
                .regs
                .get(*earlier)
                .map_or(inst.ty(), |info| info.ty.ty());
            let operands: Operands = inst
                .operands
                .first()
                .cloned()
                .into_iter()
                .chain([Operand::Reg(*earlier)])
                .collect();
            *inst = Inst {
                loc: inst.loc,
                ..Inst::new(Op::Mov, Mods::default(), ty, operands)
            };
        }
    }
    copies.len()
}

/// The result and the key of an instruction that may be shared.
fn candidate(func: &Func, defs: &Defs, same_as: &[Reg], id: InstId) -> Option<(Reg, Key)> {
    let inst = func.insts.get(id)?;
    if inst.guard.is_some() || !inst.is_value() {
        return None;
    }
    let dest = inst.dest()?;
    defs.single(dest)?;
    // Copies of registers are copy propagation's business.
    if inst.op == Op::Mov && matches!(inst.operands.get(1), Some(Operand::Reg(_))) {
        return None;
    }
    let mut stable = true;
    inst.for_each_use(|reg| stable &= defs.is_stable(reg));
    let result = func.reg_ty(dest)?;
    stable.then(|| (dest, key(inst, result, same_as)))
}

fn key(inst: &Inst, result: RegTy, same_as: &[Reg]) -> Key {
    let mut sources: Operands = inst.sources().iter().cloned().collect();
    for source in &mut sources {
        source.map_regs(|reg| same_as.get(reg.index()).copied().unwrap_or(reg));
    }
    if inst.op.commutes() && sources.len() >= 2 && sources[0] > sources[1] {
        sources.swap(0, 1);
    }
    let mut tys = inst.tys;
    // Sign does not matter to the low bits of a sum or product.
    let signless = match inst.op {
        Op::Add | Op::Sub => inst.mods == Mods::default(),
        Op::Mul | Op::Mad => {
            inst.mods
                == Mods {
                    half: Half::Lo,
                    ..Mods::default()
                }
        }
        Op::Mov => true,
        _ => false,
    };
    if signless && tys[0].is_int() {
        tys[0] = tys[0].as_bits();
    }
    Key {
        op: inst.op,
        mods: inst.mods,
        tys,
        sources,
        result,
    }
}
