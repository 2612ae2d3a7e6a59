//! Single assignment by copies.
//!
//! A register that is written in several places, as lowering makes them for
//! values that loops and branches carry, becomes the storage of a phi: written
//! only by `mov` at the ends of blocks, read only by `mov` at the tops of the
//! blocks where several values meet. Everything else uses registers that are
//! written once:
//!
//! ```text
//! loop:                             loop:
//!   setp.lt.s32 %p, %i, %n;           mov.u32 %c, %i;
//!   @!%p bra end;                     setp.lt.s32 %p, %c, %n;
//!   ...                               @!%p bra end;
//!   add.s32 %i, %i, 1;                ...
//!   bra loop;                         add.s32 %next, %c, 1;
//!                                     mov.u32 %i, %next;
//!                                     bra loop;
//! ```
//!
//! That is conventional SSA form (Sreedhar, Ju, Gillies and Santhanam,
//! "Translating Out of Static Single Assignment Form", 1999), with the phi's
//! copies written out: each phi has its own storage, which is live exactly
//! where the register was, so leaving the form needs no care; `coalesce` only
//! removes the copies. Phis stand at the iterated dominance frontiers of the
//! definitions (Cytron et al., "Efficiently Computing Static Single Assignment
//! Form and the Control Dependence Graph", 1991), where the register is live.
//!
//! Left alone: registers with a guarded definition, which are a read as well
//! as a write, and the result and the arguments of a device function.

use super::liveness::Liveness;
use crate::cfg::Cfg;
use crate::ids::{BlockId, InstId, Reg};
use crate::inst::{Inst, Loc};
use crate::modifiers::Mods;
use crate::module::Func;
use crate::op::{Effect, Op};
use crate::operand::Operand;
use crate::types::RegTy;
use rustc_hash::{FxHashMap, FxHashSet};

/// Brings the function into the form; returns the number of registers that
/// were written in several places otherwise than as the storage of a phi.
pub fn isolate(func: &mut Func) -> usize {
    let cfg = Cfg::new(func);
    let subjects = subjects(func, &cfg);
    if subjects.is_empty() {
        return 0;
    }
    let live = Liveness::of(func, &cfg, |reg| subjects.contains_key(&reg));
    let joins = joins(&cfg, &subjects, &live);
    let stored = stored(&cfg, &subjects, &joins);
    let mut renamer = Renamer {
        current: subjects.keys().map(|r| (*r, *r)).collect(),
        subjects: &subjects,
        stored: &stored,
    };
    // A walk of the dominator tree; what a subtree changed is put back after
    // it. The stack is explicit, since the tree may be deep.
    let mut children: Vec<Vec<u32>> = vec![Vec::new(); cfg.len()];
    for &b in cfg.rpo.iter().rev() {
        match cfg.idom[b as usize] {
            Some(up) if up != b => children[up as usize].push(b),
            _ => {}
        }
    }
    enum Step {
        Enter(u32),
        Leave(Vec<(Reg, Reg)>),
    }
    let mut steps: Vec<Step> = cfg
        .rpo
        .first()
        .map(|b| Step::Enter(*b))
        .into_iter()
        .collect();
    while let Some(step) = steps.pop() {
        match step {
            Step::Enter(b) => {
                let before = renamer.block(func, &cfg, b, &joins[b as usize]);
                steps.push(Step::Leave(before));
                steps.extend(children[b as usize].iter().map(|c| Step::Enter(*c)));
            }
            Step::Leave(before) => renamer.current.extend(before.into_iter().rev()),
        }
    }
    subjects.len()
}

/// The registers to rename, with the blocks that write them.
fn subjects(func: &Func, cfg: &Cfg) -> FxHashMap<Reg, Vec<u32>> {
    let mut count = vec![0u32; func.regs.len()];
    for inst in func.insts_in_layout() {
        inst.for_each_def(|reg| count[reg.index()] += 1);
    }
    if count.iter().all(|n| *n < 2) {
        return FxHashMap::default();
    }
    let mut writers: FxHashMap<Reg, Vec<u32>> = FxHashMap::default();
    let mut excluded = vec![false; func.regs.len()];
    for reg in func.args.iter().chain(&func.result) {
        exclude(&mut excluded, *reg);
    }
    let mut is_storage = vec![true; func.regs.len()];
    for &b in &cfg.rpo {
        let Some(body) = func.blocks.get(cfg.blocks[b as usize]) else {
            continue;
        };
        // Where only one way leads in, nothing meets.
        let tops = match cfg.preds[b as usize].len() {
            1 => 0,
            _ => tops(func, &body.insts),
        };
        let ends = ends(func, &body.insts);
        for (at, inst) in body
            .insts
            .iter()
            .filter_map(|id| func.insts.get(*id))
            .enumerate()
        {
            let copies = inst.op == Op::Mov && inst.guard.is_none();
            inst.for_each_use(|reg| {
                is_storage[reg.index()] &= at < tops && copies;
            });
            inst.for_each_def(|reg| {
                if count[reg.index()] > 1 {
                    writers.entry(reg).or_default().push(b);
                }
                is_storage[reg.index()] &= at >= ends && copies;
                if inst.guard.is_some() {
                    exclude(&mut excluded, reg);
                }
            });
        }
    }
    writers
        .retain(|reg, list| list.len() > 1 && !excluded[reg.index()] && !is_storage[reg.index()]);
    writers
}

fn exclude(excluded: &mut [bool], reg: Reg) {
    if let Some(flag) = excluded.get_mut(reg.index()) {
        *flag = true;
    }
}

fn is_copy(inst: Option<&Inst>) -> bool {
    inst.is_some_and(|i| i.op == Op::Mov && i.guard.is_none())
}

/// Number of copies at the top of a block.
fn tops(func: &Func, insts: &[InstId]) -> usize {
    insts
        .iter()
        .take_while(|id| is_copy(func.insts.get(**id)))
        .count()
}

/// Index of the first of the copies before the first way out of a block.
fn ends(func: &Func, insts: &[InstId]) -> usize {
    let leaves = |id: &InstId| func.insts.get(*id).is_some_and(leaves);
    let out = insts.iter().position(leaves).unwrap_or(insts.len());
    let copies = insts[..out].iter().rev();
    out - copies
        .take_while(|id| is_copy(func.insts.get(**id)))
        .count()
}

/// Whether control may go elsewhere here.
fn leaves(inst: &Inst) -> bool {
    inst.op != Op::Call && inst.op.effect() == Effect::Control
}

/// The registers that need a phi at each block.
fn joins(cfg: &Cfg, subjects: &FxHashMap<Reg, Vec<u32>>, live: &Liveness) -> Vec<Vec<Reg>> {
    let frontiers = frontiers(cfg);
    let mut joins: Vec<Vec<Reg>> = vec![Vec::new(); cfg.len()];
    // In the order of registers, so that equal input gives equal output.
    let mut order: Vec<Reg> = subjects.keys().copied().collect();
    order.sort_unstable();
    let mut has = vec![u32::MAX; cfg.len()];
    for (n, reg) in order.into_iter().enumerate() {
        let mut work = subjects[&reg].clone();
        while let Some(b) = work.pop() {
            for &f in &frontiers[b as usize] {
                if has[f as usize] != n as u32 && live.is_live_in(f, reg) {
                    has[f as usize] = n as u32;
                    joins[f as usize].push(reg);
                    work.push(f);
                }
            }
        }
    }
    joins
}

/// The ends of blocks from which a phi is reached with nothing written on the
/// way: there its storage must hold the value. The phi itself reads that and
/// writes another register, so that behind it the storage still holds it.
fn stored(
    cfg: &Cfg,
    subjects: &FxHashMap<Reg, Vec<u32>>,
    joins: &[Vec<Reg>],
) -> FxHashSet<(u32, Reg)> {
    let mut stored = FxHashSet::default();
    let mut work: Vec<(u32, Reg)> = Vec::new();
    for (b, regs) in joins.iter().enumerate() {
        for reg in regs {
            let before = cfg.preds[b].iter().map(|p| (*p, *reg));
            work.extend(before);
        }
    }
    while let Some((b, reg)) = work.pop() {
        let writes = subjects.get(&reg).is_some_and(|list| list.contains(&b));
        if stored.insert((b, reg)) && !writes {
            let before = cfg.preds[b as usize].iter().map(|p| (*p, reg));
            work.extend(before);
        }
    }
    stored
}

/// Dominance frontiers (Cooper, Harvey and Kennedy, Figure 5).
fn frontiers(cfg: &Cfg) -> Vec<Vec<u32>> {
    let mut frontiers: Vec<Vec<u32>> = vec![Vec::new(); cfg.len()];
    for &b in &cfg.rpo {
        let Some(up) = cfg.idom[b as usize] else {
            continue;
        };
        // The entry has no dominator above it, so that a walk from a loop's
        // end to the entry passes the entry too.
        let stop = (up != b).then_some(up);
        for &pred in cfg.preds[b as usize]
            .iter()
            .filter(|p| cfg.is_reachable(**p))
        {
            let mut at = Some(pred);
            while let Some(x) = at.filter(|x| Some(*x) != stop) {
                if frontiers[x as usize].last() != Some(&b) {
                    frontiers[x as usize].push(b);
                }
                at = cfg.idom[x as usize].filter(|next| *next != x);
            }
        }
    }
    frontiers
}

struct Renamer<'a> {
    /// The register that holds each subject's value here; itself where
    /// nothing was written yet.
    current: FxHashMap<Reg, Reg>,
    subjects: &'a FxHashMap<Reg, Vec<u32>>,
    stored: &'a FxHashSet<(u32, Reg)>,
}

impl Renamer<'_> {
    /// Rewrites a block; returns what `current` said before, in the order of
    /// the changes.
    fn block(&mut self, func: &mut Func, cfg: &Cfg, b: u32, phis: &[Reg]) -> Vec<(Reg, Reg)> {
        let block: BlockId = cfg.blocks[b as usize];
        let old = func.blocks.get(block).map(|body| body.insts.clone());
        let old = old.unwrap_or_default();
        let mut before = Vec::new();
        let mut new = Vec::with_capacity(old.len() + phis.len());
        let loc = old
            .first()
            .and_then(|id| func.insts.get(*id))
            .map_or(Loc::default(), |i| i.loc);
        for &reg in phis {
            let fresh = self.renamed(func, reg, &mut before);
            new.extend(copy(func, fresh, reg, loc));
        }
        // Subjects whose storage is yet to be written, in order.
        let mut pending: Vec<(Reg, Loc)> = Vec::new();
        for id in old {
            let Some(inst) = func.insts.get_mut(id) else {
                continue;
            };
            let current = &self.current;
            let now = |reg: Reg| current.get(&reg).copied().unwrap_or(reg);
            if let Some(guard) = &mut inst.guard {
                guard.reg = now(guard.reg);
            }
            for operand in inst.sources_mut() {
                operand.map_regs(now);
            }
            if leaves(inst) {
                self.store(func, b, &mut pending, &mut new);
                new.push(id);
                continue;
            }
            let mut written = Vec::new();
            inst.for_each_def(|reg| written.push(reg));
            written.retain(|reg| self.subjects.contains_key(reg));
            let loc = inst.loc;
            let mut names = Vec::with_capacity(written.len());
            for reg in written {
                names.push((reg, self.renamed(func, reg, &mut before)));
                pending.retain(|(r, _)| *r != reg);
                pending.push((reg, loc));
            }
            if let Some(inst) = func.insts.get_mut(id)
                && let Some(dest) = inst.operands.first_mut()
                && !names.is_empty()
            {
                dest.map_regs(|reg| names.iter().find(|n| n.0 == reg).map_or(reg, |n| n.1));
            }
            new.push(id);
        }
        self.store(func, b, &mut pending, &mut new);
        if let Some(body) = func.blocks.get_mut(block) {
            body.insts = new;
        }
        before
    }

    /// A fresh register for the next value of a subject.
    fn renamed(&mut self, func: &mut Func, reg: Reg, before: &mut Vec<(Reg, Reg)>) -> Reg {
        let info = func.regs[reg].clone();
        let fresh = func.regs.alloc(info);
        if let Some(old) = self.current.insert(reg, fresh) {
            before.push((reg, old));
        }
        fresh
    }

    /// Writes the values that blocks after this one may read to their storage.
    fn store(&self, func: &mut Func, b: u32, pending: &mut Vec<(Reg, Loc)>, new: &mut Vec<InstId>) {
        for (reg, loc) in pending.drain(..) {
            if self.stored.contains(&(b, reg))
                && let Some(now) = self.current.get(&reg)
            {
                new.extend(copy(func, reg, *now, loc));
            }
        }
    }
}

/// `mov dest, source` for two registers of one type.
fn copy(func: &mut Func, dest: Reg, source: Reg, loc: Loc) -> Option<InstId> {
    let ty = func.reg_ty(dest).map(RegTy::ty)?;
    let mut inst = Inst::new(
        Op::Mov,
        Mods::default(),
        ty,
        [Operand::Reg(dest), Operand::Reg(source)],
    );
    inst.loc = loc;
    Some(func.insts.alloc(inst))
}

#[cfg(test)]
mod tests;
