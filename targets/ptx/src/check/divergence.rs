//! Barriers under branches that the threads of a block may take differently.
//!
//! Every register is uniform (the same in all threads of the block),
//! divergent (computed from the thread's number or the like) or unknown (read
//! from memory, returned by a call). A branch makes the blocks up to where
//! its ways meet again depend on its predicate; there, registers written in
//! more than one place become as the predicate, and a barrier is reported: as
//! an error if the predicate is divergent, as a warning if it is unknown.

use super::{InstPlace, Reporter, Rule, Severity};
use crate::cfg::Cfg;
use crate::defs::Defs;
use crate::ids::Reg;
use crate::inst::Inst;
use crate::modifiers::{ReadOnly, Space};
use crate::module::{Func, FuncKind};
use crate::op::Op;
use crate::operand::{Operand, Uniformity};

/// The uniformity of every register and block of a function.
pub(crate) struct Divergence {
    regs: Vec<Uniformity>,
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
        let mut d = Divergence {
            regs: vec![Uniformity::Uniform; func.regs.len()],
            blocks: vec![Uniformity::Uniform; cfg.len()],
            has_calls: func.has_call_params(),
        };
        for arg in &func.args {
            d.raise(*arg, args);
        }
        let post = cfg.post_dominators();
        loop {
            let mut changed = false;
            for &b in &cfg.rpo {
                changed |= d.block(func, cfg, defs, &post, b);
            }
            if !changed {
                return d;
            }
        }
    }

    pub fn of(&self, reg: Reg) -> Uniformity {
        self.regs
            .get(reg.index())
            .copied()
            .unwrap_or(Uniformity::Unknown)
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

    fn block(&mut self, func: &Func, cfg: &Cfg, defs: &Defs, post: &[Option<u32>], b: u32) -> bool {
        let mut changed = false;
        let Some(body) = func.blocks.get(cfg.blocks[b as usize]) else {
            return false;
        };
        let here = self.blocks[b as usize];
        for inst in body.insts.iter().filter_map(|id| func.insts.get(*id)) {
            let value = self.value(inst);
            let guard = inst.guard.map_or(Uniformity::Uniform, |g| self.of(g.reg));
            let mut raised = false;
            inst.for_each_def(|reg| {
                // A register written in several places depends on which of
                // the writes a thread came by.
                let path = match defs.single(reg) {
                    Some(_) => Uniformity::Uniform,
                    None => here.max(guard),
                };
                raised |= self.raise(reg, value.max(path));
            });
            changed |= raised;
            if inst.op.is_terminator() && guard > Uniformity::Uniform {
                changed |= self.branch(cfg, post, b, guard);
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

    fn value(&self, inst: &Inst) -> Uniformity {
        let mut of_sources = Uniformity::Uniform;
        for operand in inst.sources() {
            let of = match operand {
                Operand::Special(s) => s.uniformity(),
                other => {
                    let mut worst = Uniformity::Uniform;
                    other.for_each_reg(|reg| worst = worst.max(self.of(reg)));
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
