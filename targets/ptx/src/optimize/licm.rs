//! Loop-invariant code motion: what an iteration computes as every other does
//! is computed before the loop.
//!
//! Moved are
//! - instructions without effect. All of them may run where they did not run
//!   before: PTX has no traps on numbers, a division by zero gives some value;
//! - loads of parameters;
//! - other loads of what nothing in the loop writes (by [`alias`](super::alias)),
//!   from blocks that run whenever the loop is entered: an address may be good
//!   for nothing otherwise. Barriers, fences, calls and atomics with a result
//!   count as writing everything but local memory.
//!
//! Left in place are constants and addresses of variables (unless what moves
//! needs them), changes of a float's sign, which the machine's instructions
//! take as operands, and copies, which are phis' or copy propagation's. Once
//! the loop has as many live values as there are registers, everything stays.
//! Predicates are few (the machine has seven), so that only some of them move.
//!
//! Inner loops come first: what leaves one may leave the next.

use super::alias::{Aliases, is_fence};
use super::edit::insert_before_branches;
use super::liveness::Liveness;
use super::loops::{Loop, Loops, make_preheaders};
use super::rare::is_rare;
use crate::cfg::Cfg;
use crate::defs::Defs;
use crate::ids::{InstId, Reg};
use crate::inst::Inst;
use crate::modifiers::{ReadOnly, Sem, Space};
use crate::module::Func;
use crate::op::{Effect, Op};
use crate::operand::{Address, Base, Operand};
use crate::types::RegTy;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::OnceCell;

/// Live registers of 32 bits in a loop beyond which nothing moves into more.
const MAX_LIVE: u32 = 128;

/// Live predicates beyond which none moves.
const MAX_PREDICATES: u32 = 3;

/// Moves; returns the number of instructions moved, each loop left counting.
pub fn licm(func: &mut Func) -> usize {
    if Loops::new(&Cfg::new(func)).list.is_empty() {
        return 0;
    }
    make_preheaders(func);
    // Moving changes no edges, and no definitions but where they stand.
    let cfg = Cfg::new(func);
    let loops = Loops::new(&cfg);
    let defs = Defs::new(func);
    let pressure = pressure(func, &cfg);
    // Costs some time, and most loops do not ask. That instructions move does
    // not change what they access.
    let aliases = OnceCell::new();
    let mut moved = 0;
    for l in loops.list.iter().rev() {
        if is_rare(func, &cfg, &defs, l) {
            continue;
        }
        let live = || l.blocks.iter().filter_map(|b| pressure.get(*b as usize));
        let budget = Budget {
            live: live().map(|p| p.live).max().unwrap_or(0),
            predicates: live().map(|p| p.predicates).max().unwrap_or(0),
        };
        moved += hoist(func, &cfg, &defs, l, &aliases, budget);
    }
    moved
}

fn hoist(
    func: &mut Func,
    cfg: &Cfg,
    defs: &Defs,
    l: &Loop,
    aliases: &OnceCell<Aliases>,
    mut budget: Budget,
) -> usize {
    let Some(preheader) = l.preheader else {
        return 0;
    };
    let writes = Writes::new(func, cfg, l);
    let mut variant = writes.regs.clone();
    let mut moves: Vec<InstId> = Vec::new();
    // Constants that stand in the loop, until something that moves needs them.
    let mut constants: FxHashMap<Reg, InstId> = FxHashMap::default();
    // Definitions come before their uses in this order, but around the loop.
    for &b in cfg.rpo.iter().filter(|b| l.contains(**b)) {
        let always = runs_always(cfg, l, b);
        let Some(body) = func.blocks.get(cfg.blocks[b as usize]) else {
            continue;
        };
        for &id in &body.insts {
            let Some(inst) = func.insts.get(id) else {
                continue;
            };
            let mut fixed = is_candidate(inst);
            inst.for_each_use(|reg| fixed &= !variant.contains(&reg));
            inst.for_each_def(|reg| fixed &= defs.single(reg).is_some());
            if let Some(dest) = constant(inst)
                && defs.single(dest).is_some()
            {
                variant.remove(&dest);
                constants.insert(dest, id);
                continue;
            }
            let pure = inst.op.effect() == Effect::Pure;
            let allowed = || {
                let inside = |block| l.contains(block);
                writes.allow(func, (id, inst), always, aliases, inside)
            };
            if fixed && (pure || allowed()) && budget.take(func, inst) {
                inst.for_each_def(|reg| {
                    variant.remove(&reg);
                });
                inst.for_each_use(|reg| moves.extend(constants.remove(&reg)));
                moves.push(id);
            }
        }
    }
    let gone: FxHashSet<InstId> = moves.iter().copied().collect();
    for b in &l.blocks {
        let block = cfg.blocks[*b as usize];
        if let Some(body) = func.blocks.get_mut(block) {
            body.insts.retain(|id| !gone.contains(id));
        }
    }
    insert_before_branches(func, cfg.blocks[preheader as usize], &moves);
    moves.len()
}

/// Whether an instruction is one that moves when its sources allow it.
fn is_candidate(inst: &Inst) -> bool {
    if inst.guard.is_some() {
        return false;
    }
    let volatile = |o: &Operand| matches!(o, Operand::Special(s) if s.is_volatile());
    if inst.operands.iter().any(volatile) {
        return false;
    }
    match inst.op {
        Op::Mov => matches!(inst.operands.get(1), Some(Operand::Special(_))),
        Op::Neg | Op::Abs => !inst.ty().is_float(),
        Op::Ld => true,
        op => op.effect() == Effect::Pure,
    }
}

/// The register that an instruction writes a constant to.
fn constant(inst: &Inst) -> Option<Reg> {
    let constant = matches!(
        inst.operands.get(1)?,
        Operand::Imm(_) | Operand::F32(_) | Operand::F64(_) | Operand::Sym(_)
    );
    let dest = inst.dest().filter(|_| inst.op == Op::Mov && constant);
    dest.filter(|_| inst.guard.is_none())
}

/// Whether every run of the loop passes a block before it leaves.
fn runs_always(cfg: &Cfg, l: &Loop, b: u32) -> bool {
    let out = l.exits.iter().map(|e| e.0);
    let returns = l.blocks.iter().copied().filter(|b| cfg.exits[*b as usize]);
    // A loop without a way out runs round its latches.
    let ends = out.chain(returns).chain(l.latches.iter().copied());
    ends.into_iter().all(|end| cfg.dominates(b, end))
}

/// What a loop writes.
struct Writes {
    regs: FxHashSet<Reg>,
    /// Instructions that write memory, with their state spaces.
    memory: Vec<(InstId, Space)>,
    /// Other threads may write meanwhile, and that be seen.
    synchronizes: bool,
}

impl Writes {
    fn new(func: &Func, cfg: &Cfg, l: &Loop) -> Writes {
        let mut writes = Writes {
            regs: FxHashSet::default(),
            memory: Vec::new(),
            synchronizes: false,
        };
        let blocks = l.blocks.iter().map(|b| cfg.blocks[*b as usize]);
        let ids = blocks
            .filter_map(|b| func.blocks.get(b))
            .flat_map(|b| &b.insts);
        for &id in ids {
            let Some(inst) = func.insts.get(id) else {
                continue;
            };
            inst.for_each_def(|reg| {
                writes.regs.insert(reg);
            });
            // What an atomic answers may tell what others have written.
            writes.synchronizes |= is_fence(inst) || inst.op == Op::Atom;
            match (inst.op, inst.op.effect()) {
                // What lanes exchange is no memory.
                (Op::Shfl | Op::Vote | Op::Activemask | Op::Prefetch, _) => {}
                (_, Effect::Write) => writes.memory.push((id, inst.mods.space)),
                (_, Effect::Sync) => writes.synchronizes = true,
                _ => {}
            }
        }
        writes
    }

    /// Whether a load gives the same in every iteration and does no harm
    /// before the loop.
    fn allow(
        &self,
        func: &Func,
        (id, inst): (InstId, &Inst),
        runs_always: bool,
        aliases: &OnceCell<Aliases>,
        in_loop: impl Fn(u32) -> bool,
    ) -> bool {
        let Some(Address { base, .. }) = inst.address().filter(|_| is_plain(inst)) else {
            return false;
        };
        let space = inst.mods.space;
        let constant = matches!(space, Space::Param | Space::Const);
        if constant && matches!(base, Base::Sym(_)) {
            return true;
        }
        if !runs_always {
            return false;
        }
        if constant || inst.mods.nc == ReadOnly::On {
            return true;
        }
        if self.synchronizes && space != Space::Local {
            return false;
        }
        let mut meeting = self.memory.iter().filter(|(_, s)| meet(*s, space));
        meeting.all(|(write, _)| {
            let aliases = aliases.get_or_init(|| Aliases::new(func));
            !aliases.may_ever_overlap(id, *write, |block| !in_loop(block))
        })
    }
}

fn is_plain(inst: &Inst) -> bool {
    matches!(inst.mods.sem, Sem::Default | Sem::Weak)
}

/// Whether accesses to two state spaces may be to one place.
fn meet(a: Space, b: Space) -> bool {
    a == b || a == Space::Generic || b == Space::Generic
}

/// What lives across a loop: registers of 32 bits, predicates.
struct Budget {
    live: u32,
    predicates: u32,
}

impl Budget {
    /// Whether the result of an instruction may live across the loop; counts
    /// it then. Nothing is taken off for what its sources no longer need.
    fn take(&mut self, func: &Func, inst: &Inst) -> bool {
        let (mut registers, mut predicates) = (0, 0);
        inst.for_each_def(|reg| match func.reg_ty(reg) {
            Some(RegTy::Pred) => predicates += 1,
            Some(ty) => registers += size(ty),
            None => {}
        });
        let fits =
            self.live + registers <= MAX_LIVE && self.predicates + predicates <= MAX_PREDICATES;
        if fits {
            self.live += registers;
            self.predicates += predicates;
        }
        fits
    }
}

/// What is live at the end of each block.
fn pressure(func: &Func, cfg: &Cfg) -> Vec<Budget> {
    let liveness = Liveness::new(func, cfg);
    let of = |b: u32| {
        let regs = || liveness.live_out(b).filter_map(|r| func.reg_ty(r));
        Budget {
            live: regs().map(size).sum(),
            predicates: regs().map(|ty| u32::from(ty == RegTy::Pred)).sum(),
        }
    };
    (0..cfg.len() as u32).map(of).collect()
}

/// Registers of 32 bits.
fn size(ty: RegTy) -> u32 {
    match ty {
        RegTy::Pred => 0,
        ty => ty.bits().div_ceil(32),
    }
}

#[cfg(test)]
mod tests;
