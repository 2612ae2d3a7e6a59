//! A place in memory that a loop reads and writes again and again is held in
//! a register meanwhile.
//!
//! ```text
//! body:                              ld.global.f32 %v, [%a];
//!   ld.global.f32 %c, [%a];        body:
//!   ..                               ..
//!   st.global.f32 [%a], %s;          mov.f32 %v, %s;
//!   @%p bra body;                    @%p bra body;
//!                                    st.global.f32 [%a], %v;
//! ```
//!
//! That is register promotion (Cooper and Lu, "Register Promotion in C
//! Programs", 1997): of sums that are kept in an array's element. The
//! conditions, for a group of accesses at one address:
//! - the address is fixed in the loop, and all accesses are unguarded plain
//!   loads and stores of one type;
//! - nothing else in the loop may touch the place, and nothing orders memory
//!   accesses (barriers, fences, calls, volatile accesses, atomics with
//!   a result): without that no other thread may look;
//! - some store runs whenever the loop is entered, so that no write is made
//!   that was none; some access before any other runs always too, so that a
//!   first load, if there is one, is of memory that would be read anyway;
//! - each way out of the loop has room for the store.
//!
//! The register is written in several places: `isolate` comes next.

use super::alias::{Aliases, is_fence};
use super::edit::{branch, insert_before_branches, lay_behind, redirect};
use super::loops::{Loop, Loops, make_preheaders};
use crate::cfg::Cfg;
use crate::defs::Defs;
use crate::ids::{BlockId, InstId, Reg};
use crate::inst::Inst;
use crate::modifiers::{Mods, Sem, Space, VecLen};
use crate::module::Func;
use crate::op::{Effect, Op};
use crate::operand::{Address, Base, Operand};
use crate::types::{RegTy, Ty};
use rustc_hash::FxHashMap;
use std::cell::OnceCell;

/// Places held in one loop: each takes a register.
const MAX_PLACES: usize = 16;

/// Holds; returns the number of places.
pub fn hold(func: &mut Func) -> usize {
    let stores = |func: &Func| func.insts_in_layout().any(|i| i.op == Op::St);
    if !stores(func) || Loops::new(&Cfg::new(func)).list.is_empty() {
        return 0;
    }
    make_preheaders(func);
    let cfg = Cfg::new(func);
    let defs = Defs::new(func);
    // Costs some time, and most loops have no such place.
    let aliases = OnceCell::new();
    let mut taken: Vec<InstId> = Vec::new();
    let mut plans = Vec::new();
    // An outer loop comes first: what it holds, those in it need not.
    for l in &Loops::new(&cfg).list {
        for plan in places(func, &cfg, &defs, &aliases, l) {
            if !plan.accesses.iter().any(|id| taken.contains(id)) {
                taken.extend(&plan.accesses);
                plans.push(plan);
            }
        }
    }
    let mut between = Between::default();
    for plan in &plans {
        carry_out(func, plan, &mut between);
    }
    plans.len()
}

/// The block on each way out of a loop that stores what was held.
type Between = FxHashMap<(BlockId, BlockId), BlockId>;

/// A place to be held.
struct HeldElement {
    address: Address,
    space: Space,
    ty: Ty,
    reg: RegTy,
    accesses: Vec<InstId>,
    /// Whether the first access reads.
    reads_first: bool,
    preheader: BlockId,
    /// Ways out of the loop.
    exits: Vec<(BlockId, BlockId)>,
}

/// The accesses of a loop, in an order in which what dominates comes first.
fn accesses(func: &Func, cfg: &Cfg, l: &Loop) -> Option<Vec<(u32, InstId)>> {
    let mut found = Vec::new();
    for &b in cfg.rpo.iter().filter(|b| l.contains(**b)) {
        for &id in &func.blocks.get(cfg.blocks[b as usize])?.insts {
            let inst = func.insts.get(id)?;
            match (inst.op, inst.op.effect()) {
                (Op::Shfl | Op::Vote | Op::Activemask, _) => {}
                (_, Effect::Sync) => return None,
                _ if is_fence(inst) || inst.op == Op::Atom => return None,
                (Op::Prefetch, _) => {}
                (_, Effect::Read | Effect::Write) => found.push((b, id)),
                _ => {}
            }
        }
    }
    Some(found)
}

fn places(
    func: &Func,
    cfg: &Cfg,
    defs: &Defs,
    aliases: &OnceCell<Aliases>,
    l: &Loop,
) -> Vec<HeldElement> {
    let (Some(preheader), Some(accesses)) = (l.preheader, accesses(func, cfg, l)) else {
        return Vec::new();
    };
    // What stands behind the loop must be reached through its exits only, by
    // branches that can be sent elsewhere.
    if l.blocks.iter().any(|b| cfg.exits[*b as usize]) || l.exits.is_empty() {
        return Vec::new();
    }
    let mut groups: FxHashMap<(Base, i32, Space), Vec<(u32, InstId)>> = FxHashMap::default();
    let mut order = Vec::new();
    for &(b, id) in &accesses {
        if let Some(key) = func.insts.get(id).and_then(|i| key(defs, l, i)) {
            let group = groups.entry(key).or_default();
            if group.is_empty() {
                order.push(key);
            }
            group.push((b, id));
        }
    }
    let block = |at: u32| cfg.blocks[at as usize];
    let mut plans = Vec::new();
    for key in order {
        let group = &groups[&key];
        let Some((ty, reg)) = fits(func, cfg, l, group) else {
            continue;
        };
        let aliases = aliases.get_or_init(|| Aliases::new(func));
        let ids: Vec<InstId> = group.iter().map(|a| a.1).collect();
        let fixed = |at: u32| !l.contains(at);
        let meets = |other: &InstId| {
            !ids.contains(other)
                && (ids.iter()).any(|id| aliases.may_ever_overlap(*id, *other, fixed))
        };
        if accesses.iter().any(|(_, other)| meets(other)) || plans.len() >= MAX_PLACES {
            continue;
        }
        let (base, offset, space) = key;
        let first = func.insts.get(ids[0]).map(|i| i.op);
        plans.push(HeldElement {
            address: Address { base, offset },
            space,
            ty,
            reg,
            accesses: ids,
            reads_first: first == Some(Op::Ld),
            preheader: block(preheader),
            exits: l
                .exits
                .iter()
                .map(|(a, b)| (block(*a), block(*b)))
                .collect(),
        });
    }
    plans
}

/// The place that an access is to, if it is one that may be held.
fn key(defs: &Defs, l: &Loop, inst: &Inst) -> Option<(Base, i32, Space)> {
    let plain = matches!(inst.mods.sem, Sem::Default | Sem::Weak)
        && inst.mods.vec == VecLen::V1
        && inst.guard.is_none();
    let writable = matches!(
        inst.mods.space,
        Space::Global | Space::Shared | Space::Local | Space::Generic
    );
    if !matches!(inst.op, Op::Ld | Op::St) || !plain || !writable {
        return None;
    }
    let Address { base, offset } = inst.address()?;
    if let Base::Reg(reg) = base {
        let (at, _) = defs.single(reg)?;
        if l.contains(at.block) {
            return None;
        }
    }
    Some((base, offset, inst.mods.space))
}

/// The type of a group's accesses, if they agree and run as they must.
fn fits(func: &Func, cfg: &Cfg, l: &Loop, group: &[(u32, InstId)]) -> Option<(Ty, RegTy)> {
    let insts = || group.iter().filter_map(|(_, id)| func.insts.get(*id));
    let ty = insts().next()?.ty();
    let reg = ty.reg();
    // Narrow integers change their width on the way; a register of another
    // class would change the type.
    let same = |inst: &Inst| {
        let value = match inst.op {
            Op::Ld => inst.operands.first(),
            _ => inst.operands.get(1),
        };
        let fits = match value {
            Some(Operand::Reg(r)) => func.reg_ty(*r) == Some(reg),
            Some(Operand::Imm(_)) => !ty.is_float(),
            Some(Operand::F32(_)) => ty == Ty::F32,
            Some(Operand::F64(_)) => ty == Ty::F64,
            _ => false,
        };
        inst.ty().bits() == ty.bits() && fits
    };
    if !matches!(ty.bits(), 32 | 64) || reg.bits() != ty.bits() || !insts().all(same) {
        return None;
    }
    let ends = || l.exits.iter().map(|e| e.0).chain(l.latches.iter().copied());
    let always = |b: u32| ends().all(|end| cfg.dominates(b, end));
    let stores = |id: &InstId| func.insts.get(*id).is_some_and(|i| i.op == Op::St);
    let written = group.iter().any(|(b, id)| stores(id) && always(*b));
    let (first, _) = group.first()?;
    let before_all = always(*first) && group.iter().all(|(b, _)| cfg.dominates(*first, *b));
    (written && before_all).then_some((ty, reg))
}

fn carry_out(func: &mut Func, plan: &HeldElement, between: &mut Between) {
    let held = func.new_reg(plan.reg);
    let ty = plan.reg.ty();
    let mods = Mods {
        space: plan.space,
        ..Mods::default()
    };
    let first = plan.accesses.first().and_then(|id| func.insts.get(*id));
    let loc = first.map_or_else(Default::default, |i| i.loc);
    if plan.reads_first {
        let operands = [Operand::Reg(held), Operand::Addr(plan.address)];
        let mut load = Inst::new(Op::Ld, mods, plan.ty, operands);
        load.loc = loc;
        let id = func.insts.alloc(load);
        insert_before_branches(func, plan.preheader, &[id]);
    }
    for id in &plan.accesses {
        if let Some(inst) = func.insts.get_mut(*id) {
            hold_in(inst, held, ty);
        }
    }
    for &(from, to) in &plan.exits {
        let between = *between.entry((from, to)).or_insert_with(|| {
            let new = func.blocks.alloc(Default::default());
            redirect(func, from, to, new);
            lay_behind(func, from, [new]);
            branch(func, new, None, to, loc);
            new
        });
        let operands = [Operand::Addr(plan.address), Operand::Reg(held)];
        let mut store = Inst::new(Op::St, mods, plan.ty, operands);
        store.loc = loc;
        let id = func.insts.alloc(store);
        insert_before_branches(func, between, &[id]);
    }
}

/// Makes a load or store a copy from or to the register.
fn hold_in(inst: &mut Inst, held: Reg, ty: Ty) {
    let operands = match (inst.op, &inst.operands[..]) {
        (Op::Ld, [value, _]) => [value.clone(), Operand::Reg(held)],
        (Op::St, [_, value]) => [Operand::Reg(held), value.clone()],
        _ => return,
    };
    let mut copy = Inst::new(Op::Mov, Mods::default(), ty, operands);
    copy.loc = inst.loc;
    *inst = copy;
}

#[cfg(test)]
mod tests;
