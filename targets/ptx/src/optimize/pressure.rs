//! How many registers the code of a function needs at each point.
//!
//! Virtual registers are counted in units of 32 bits, predicates apart, as the
//! machine has them. What the assembler keeps in no register counts nothing:
//! kernel parameters, which instructions read from constant memory, and
//! constants, which it puts into instructions. It is an estimate: the assembler
//! schedules and allocates by itself.

use super::liveness::Liveness;
use crate::cfg::Cfg;
use crate::defs::Defs;
use crate::ids::Reg;
use crate::inst::Inst;
use crate::modifiers::Space;
use crate::module::{Func, FuncKind};
use crate::op::Op;
use crate::operand::{Base, Operand};
use crate::types::RegTy;
use std::ops::{AddAssign, SubAssign};

/// A number of registers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Units {
    /// Of 32 bits.
    pub words: u32,
    pub predicates: u32,
}

impl Units {
    /// What a register of a type takes.
    pub const fn of(ty: RegTy) -> Units {
        match ty {
            RegTy::Pred => Units {
                words: 0,
                predicates: 1,
            },
            ty => Units {
                words: ty.bits().div_ceil(32),
                predicates: 0,
            },
        }
    }

    /// The larger number of each kind.
    pub fn max(self, other: Units) -> Units {
        Units {
            words: self.words.max(other.words),
            predicates: self.predicates.max(other.predicates),
        }
    }
}

impl AddAssign for Units {
    fn add_assign(&mut self, other: Units) {
        self.words = self.words.saturating_add(other.words);
        self.predicates = self.predicates.saturating_add(other.predicates);
    }
}

impl SubAssign for Units {
    fn sub_assign(&mut self, other: Units) {
        self.words = self.words.saturating_sub(other.words);
        self.predicates = self.predicates.saturating_sub(other.predicates);
    }
}

/// What each register of a function takes, by its number.
#[derive(Clone, Debug)]
pub struct Weights(Vec<Units>);

impl Weights {
    /// Of all registers.
    pub fn new(func: &Func, defs: &Defs) -> Weights {
        let of = |(reg, info): (Reg, &crate::module::RegInfo)| match is_free(func, defs, reg) {
            true => Units::default(),
            false => Units::of(info.ty),
        };
        Weights(func.regs.iter().map(of).collect())
    }

    /// Of one register.
    pub fn of(&self, reg: Reg) -> Units {
        self.0.get(reg.index()).copied().unwrap_or_default()
    }
}

/// Whether the assembler needs no register for a value: it never changes, and is
/// a constant or a parameter of the kernel.
fn is_free(func: &Func, defs: &Defs, reg: Reg) -> bool {
    match defs.inst(func, reg) {
        Some(inst) => is_constant(func, inst) || is_global_parameter(func, defs, inst),
        None => false,
    }
}

fn is_constant(func: &Func, inst: &Inst) -> bool {
    match inst.op {
        Op::Mov => matches!(
            inst.sources(),
            [Operand::Imm(_) | Operand::F32(_) | Operand::Sym(_)]
        ),
        Op::Ld => {
            inst.mods.space == Space::Param
                && func.kind == FuncKind::Kernel
                && matches!(inst.address(), Some(a) if matches!(a.base, Base::Sym(_)))
        }
        _ => false,
    }
}

/// A pointer parameter made one into global memory, which changes no bit.
fn is_global_parameter(func: &Func, defs: &Defs, inst: &Inst) -> bool {
    inst.op == Op::Cvta
        && inst.mods.space == Space::Global
        && matches!(inst.sources(), [Operand::Reg(from)]
            if defs.inst(func, *from).is_some_and(|i| is_constant(func, i)))
}

/// The registers that are live while a block runs backward from its end.
#[derive(Clone, Debug)]
pub struct Live<'a> {
    weights: &'a Weights,
    live: Vec<bool>,
    /// What they take together.
    pub now: Units,
}

impl<'a> Live<'a> {
    /// None of so many.
    pub fn new(weights: &'a Weights) -> Live<'a> {
        Live {
            weights,
            live: vec![false; weights.0.len()],
            now: Units::default(),
        }
    }

    /// Whether a register is live.
    pub fn has(&self, reg: Reg) -> bool {
        self.live.get(reg.index()) == Some(&true)
    }

    /// A register becomes live; false if it was or is unknown.
    pub fn add(&mut self, reg: Reg) -> bool {
        match self.live.get_mut(reg.index()) {
            Some(live) if !*live => {
                *live = true;
                self.now += self.weights.of(reg);
                true
            }
            _ => false,
        }
    }

    /// A register is live no more; false if it was not.
    pub fn remove(&mut self, reg: Reg) -> bool {
        match self.live.get_mut(reg.index()) {
            Some(live) if *live => {
                *live = false;
                self.now -= self.weights.of(reg);
                true
            }
            _ => false,
        }
    }

    /// Exactly those at the end of a block.
    pub fn at_end(&mut self, liveness: &Liveness, block: u32) {
        self.live.fill(false);
        self.now = Units::default();
        for reg in liveness.live_out(block) {
            self.add(reg);
        }
    }

    /// From behind an instruction to before it; returns the registers that are
    /// needed while it runs: its results stand beside all that is live behind it,
    /// but may take the places of sources that are not.
    pub fn step_back(&mut self, inst: &Inst) -> Units {
        let mut unused = Units::default();
        inst.for_each_def(|reg| {
            if !self.has(reg) {
                unused += self.weights.of(reg);
            }
        });
        let mut during = self.now;
        during += unused;
        if inst.guard.is_none() {
            inst.for_each_def(|reg| {
                self.remove(reg);
            });
        }
        inst.for_each_use(|reg| {
            self.add(reg);
        });
        during.max(self.now)
    }
}

/// The registers needed, block by block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pressure {
    /// For each block by its position, what is needed at each instruction.
    pub points: Vec<Vec<Units>>,
}

impl Pressure {
    /// Of a function as it stands.
    pub fn new(func: &Func) -> Pressure {
        let cfg = Cfg::new(func);
        let weights = Weights::new(func, &Defs::new(func));
        let liveness = Liveness::new(func, &cfg);
        let mut live = Live::new(&weights);
        let mut points = Vec::with_capacity(cfg.len());
        for (b, block) in cfg.blocks.iter().enumerate() {
            live.at_end(&liveness, b as u32);
            let insts = func.blocks.get(*block).map_or(&[][..], |body| &body.insts);
            let mut here: Vec<Units> = (insts.iter().rev())
                .map(|id| match func.insts.get(*id) {
                    Some(inst) => live.step_back(inst),
                    None => live.now,
                })
                .collect();
            here.reverse();
            points.push(here);
        }
        Pressure { points }
    }

    /// The most that any point needs.
    pub fn most(&self) -> Units {
        let all = self.points.iter().flatten();
        all.fold(Units::default(), |most, units| most.max(*units))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::optimize::testing::kernel;

    fn words(body: &str) -> Vec<Vec<u32>> {
        let module = kernel(body);
        let (_, func) = module.funcs.iter().next().unwrap();
        let points = Pressure::new(func).points;
        let of = |block: &Vec<Units>| block.iter().map(|u| u.words).collect();
        points.iter().map(of).collect()
    }

    #[test]
    fn a_double_word_counts_two_and_parameters_nothing() {
        let found = words(
            "ld.param.u64 %d0, [p];
             cvta.to.global.u64 %d1, %d0;
             mov.u32 %r0, %tid.x;
             mul.wide.u32 %d2, %r0, 4;
             add.s64 %d3, %d1, %d2;
             ld.global.u32 %r1, [%d3];
             add.s32 %r2, %r1, %r0;
             st.global.u32 [%d3], %r2;
             ret;",
        );
        // Behind the product the thread's number stays beside it, as behind all.
        assert_eq!(found, [[0, 0, 1, 3, 3, 4, 4, 3, 0]]);
    }

    #[test]
    fn what_a_loop_reads_is_live_all_through_it() {
        let found = words(
            "mov.u32 %r0, %tid.x;
             mov.u32 %r1, %ctaid.x;
             bra $head;
             $head:
             add.s32 %r0, %r0, %r1;
             setp.lt.s32 %p0, %r0, 100;
             @%p0 bra $head;
             bra $end;
             $end:
             st.shared.u32 [tile], %r0;
             ret;",
        );
        assert_eq!(found, [vec![1, 2, 2], vec![2, 2, 2, 2], vec![1, 0]]);
    }

    #[test]
    fn a_guarded_definition_keeps_the_old_value_alive() {
        let found = words(
            "mov.u32 %r0, %tid.x;
             mov.u32 %r1, %ctaid.x;
             setp.lt.s32 %p0, %r1, 100;
             @%p0 add.s32 %r0, %r1, %r1;
             st.shared.u32 [tile], %r0;
             ret;",
        );
        assert_eq!(found, [[1, 2, 2, 2, 1, 0]]);
    }

    #[test]
    fn predicates_are_counted_apart_and_unused_results_for_a_moment() {
        let module = kernel(
            "mov.u32 %r0, %tid.x;
             setp.lt.s32 %p0, %r0, 100;
             setp.lt.s32 %p1, %r0, 200;
             mov.u32 %r1, %ctaid.x;
             @%p0 st.shared.u32 [tile], %r0;
             @%p1 st.shared.u32 [tile+4], %r0;
             ret;",
        );
        let (_, func) = module.funcs.iter().next().unwrap();
        let most = Pressure::new(func).most();
        assert_eq!((most.words, most.predicates), (2, 2));
    }
}
