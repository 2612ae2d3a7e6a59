//! Barriers under branches that the threads of a block may take differently.
//!
//! Every value is uniform (the same in all threads of the block), divergent
//! (computed from the thread's number or the like) or unknown (read from
//! memory, returned by a call). A branch makes the blocks up to where its ways
//! meet again depend on its predicate; there, what is written to registers
//! that are written in more than one place becomes as the predicate, and a
//! barrier is reported: as an error if the predicate is divergent, as a
//! warning if it is unknown.
//!
//! A register that is written in several places has a value of its own at each
//! point: a counter of a loop that all threads run may share its register with
//! that of a loop inside, which one thread runs.

use super::{InstPlace, Reporter, Rule, Severity};
use crate::cfg::Cfg;
use crate::defs::Defs;
use crate::ids::Reg;
use crate::inst::Inst;
use crate::modifiers::{ReadOnly, Space};
use crate::module::{Func, FuncKind};
use crate::op::Op;
use crate::operand::{Operand, Uniformity};
use rustc_hash::FxHashMap;

/// The uniformity of every register and block of a function.
pub(crate) struct Divergence {
    /// The worst of what is written to a register.
    regs: Vec<Uniformity>,
    /// Registers that are written in several places, by number; what each has at the
    /// beginning of each block.
    several: FxHashMap<Reg, usize>,
    entry: Vec<Vec<Uniformity>>,
    /// How far the threads of a block agree on whether a block runs.
    pub blocks: Vec<Uniformity>,
    /// Whether parameters come from, or go to, calls.
    has_calls: bool,
}

impl Divergence {
    pub fn new(func: &Func, cfg: &Cfg, defs: &Defs) -> Divergence {
        // What a device function is given, the caller may have diverged on.
        let args = match func.kind {
            FuncKind::Kernel => Uniformity::Uniform,
            FuncKind::Device => Uniformity::Unknown,
        };
        let mut several = FxHashMap::default();
        for inst in func.insts_in_layout() {
            inst.for_each_def(|reg| {
                let next = several.len();
                if defs.single(reg).is_none() {
                    several.entry(reg).or_insert(next);
                }
            });
        }
        let mut d = Divergence {
            regs: vec![Uniformity::Uniform; func.regs.len()],
            entry: vec![vec![Uniformity::Uniform; several.len()]; cfg.len()],
            several,
            blocks: vec![Uniformity::Uniform; cfg.len()],
            has_calls: func.has_call_params(),
        };
        for arg in &func.args {
            d.raise(*arg, args);
            if let (Some(n), Some(first)) = (d.several.get(arg), cfg.rpo.first()) {
                d.entry[*first as usize][*n] = args;
            }
        }
        let post = cfg.post_dominators();
        loop {
            let mut changed = false;
            for &b in &cfg.rpo {
                changed |= d.block(func, cfg, &post, b);
            }
            if !changed {
                return d;
            }
        }
    }

    /// The worst that a register has anywhere.
    pub fn of(&self, reg: Reg) -> Uniformity {
        self.regs
            .get(reg.index())
            .copied()
            .unwrap_or(Uniformity::Unknown)
    }

    /// What a register has at a point of a block, where those written in several places
    /// have `now`.
    fn at(&self, now: &[Uniformity], reg: Reg) -> Uniformity {
        match self.several.get(&reg) {
            Some(n) => now[*n],
            None => self.of(reg),
        }
    }

    fn raise(&mut self, reg: Reg, to: Uniformity) -> bool {
        match self.regs.get_mut(reg.index()) {
            Some(have) if *have < to => {
                *have = to;
                true
            }
            _ => false,
        }
    }

    /// Walks a block; whether anything became worse.
    fn block(&mut self, func: &Func, cfg: &Cfg, post: &[Option<u32>], b: u32) -> bool {
        let mut changed = false;
        let Some(body) = func.blocks.get(cfg.blocks[b as usize]) else {
            return false;
        };
        let here = self.blocks[b as usize];
        let mut now = self.entry[b as usize].clone();
        for inst in body.insts.iter().filter_map(|id| func.insts.get(*id)) {
            let guard = (inst.guard).map_or(Uniformity::Uniform, |g| self.at(&now, g.reg));
            let value = self.value(inst, &now);
            let mut raised = false;
            inst.for_each_def(|reg| {
                let Some(n) = self.several.get(&reg).copied() else {
                    raised |= self.raise(reg, value);
                    return;
                };
                // Which of the writes to it a thread came by, the branches before say.
                let written = value.max(here).max(guard);
                now[n] = match inst.guard {
                    Some(_) => now[n].max(written),
                    None => written,
                };
                raised |= self.raise(reg, written);
            });
            changed |= raised;
            if inst.op.is_terminator() && guard > Uniformity::Uniform {
                changed |= self.branch(cfg, post, b, guard);
            }
        }
        for &to in &cfg.succs[b as usize] {
            for (have, new) in self.entry[to as usize].iter_mut().zip(&now) {
                changed |= *have < *new;
                *have = (*have).max(*new);
            }
        }
        changed
    }

    /// Marks the blocks that run depending on a branch at the end of `b`.
    fn branch(&mut self, cfg: &Cfg, post: &[Option<u32>], b: u32, guard: Uniformity) -> bool {
        let stop = post[b as usize];
        let mut changed = false;
        let mut seen = vec![false; cfg.len()];
        let mut work: Vec<u32> = cfg.succs[b as usize].to_vec();
        while let Some(at) = work.pop() {
            if Some(at) == stop || std::mem::replace(&mut seen[at as usize], true) {
                continue;
            }
            if self.blocks[at as usize] < guard {
                self.blocks[at as usize] = guard;
                changed = true;
            }
            work.extend(&cfg.succs[at as usize]);
        }
        changed
    }

    fn value(&self, inst: &Inst, now: &[Uniformity]) -> Uniformity {
        let mut of_sources = Uniformity::Uniform;
        for operand in inst.sources() {
            let of = match operand {
                Operand::Special(s) => s.uniformity(),
                other => {
                    let mut worst = Uniformity::Uniform;
                    other.for_each_reg(|reg| worst = worst.max(self.at(now, reg)));
                    worst
                }
            };
            of_sources = of_sources.max(of);
        }
        let own = match inst.op {
            Op::Atom | Op::Activemask | Op::Mma | Op::Ldmatrix => Uniformity::Divergent,
            Op::Ld => match inst.mods.space {
                // What a caller gives may differ between the threads.
                Space::Param if self.has_calls => Uniformity::Unknown,
                Space::Param | Space::Const => Uniformity::Uniform,
                Space::Local => Uniformity::Divergent,
                _ if inst.mods.nc == ReadOnly::On => Uniformity::Uniform,
                _ => Uniformity::Unknown,
            },
            // Agreement within a warp is not agreement within a block.
            Op::Shfl | Op::Vote | Op::Call | Op::Match | Op::Redux => Uniformity::Unknown,
            // What a barrier gives, it gives to all threads that wait at it; the
            // carry flag holds what any instruction before left there.
            Op::BarrierRed => Uniformity::Unknown,
            op if op.reads_carry() => Uniformity::Unknown,
            // The address of a local variable is the same number everywhere.
            _ => Uniformity::Uniform,
        };
        // Even of divergent sources, what a warp agreed on is only unknown.
        match inst.op {
            Op::Vote | Op::Redux => own,
            Op::BarRed => Uniformity::Uniform,
            _ => own.max(of_sources),
        }
    }
}

pub(super) fn check(r: &mut Reporter<'_>) {
    let func = r.func;
    if !func.insts_in_layout().any(|i| i.op.is_block_barrier()) {
        return;
    }
    let cfg = r.cfg;
    let divergence = Divergence::new(func, cfg, r.defs);
    for place in r.places() {
        let Some(inst) = func.insts.get(place.inst) else {
            continue;
        };
        if !inst.op.is_block_barrier() {
            continue;
        }
        let block = cfg
            .position(place.block)
            .map_or(Uniformity::Uniform, |b| divergence.blocks[b as usize]);
        let guard = inst
            .guard
            .map_or(Uniformity::Uniform, |g| divergence.of(g.reg));
        report(r, place, block.max(guard));
    }
}

fn report(r: &mut Reporter<'_>, place: InstPlace, how: Uniformity) {
    let (severity, found) = match how {
        Uniformity::Uniform => return,
        Uniformity::Unknown => (
            Severity::Warning,
            "a barrier under a branch whose predicate may differ between the threads of a block",
        ),
        Uniformity::Divergent => (
            Severity::Error,
            "a barrier under a branch whose predicate depends on the thread",
        ),
    };
    let expected = "a barrier that all threads of the block reach";
    r.push(
        severity,
        Rule::DivergentBarrier,
        Some(place),
        found,
        expected,
    );
}
