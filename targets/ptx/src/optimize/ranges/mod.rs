//! Value ranges of integer registers.
//!
//! An interval analysis over the control-flow graph (Cousot and Cousot,
//! "Abstract Interpretation", 1977): ascending rounds with widening where
//! edges go back, then descending rounds. Sources are special registers under
//! the launch bounds, constants, parameters with a promised range, narrow
//! loads; branch conditions and guards bound what they compare.
//!
//! The machine form is not SSA, so there are two kinds of registers. One that
//! is written once, unguarded, has one range for all of its life; what
//! conditions say of it holds in the blocks they dominate. A register written
//! in several places (carried by a loop, or guarded) has a range at every
//! block's start. Both are sound on irreducible control flow; in blocks that
//! nothing reaches everything is unknown.
//!
//! ```text
//! mov.u32 %i, 0;
//! loop:                          i in [0, n], where n is in [0, 100]: [0, 100]
//!   setp.lt.s32 %p, %i, %n;
//!   @!%p bra end;
//!   mul.lo.s32 %a, %i, 8;        i in [0, 99], a in [0, 792]
//!   add.s32 %i, %i, 1;           i in [1, 100]
//!   bra loop;
//! ```

mod conditions;
mod env;
mod eval;
mod interval;
mod solver;
#[cfg(test)]
mod tests;
mod walk;

pub use eval::special;
pub use interval::Range;

use super::liveness::Liveness;
use crate::cfg::{Cfg, Point};
use crate::defs::Defs;
use crate::ids::{InstId, Reg};
use crate::inst::Inst;
use crate::modifiers::{Cmp, Mods};
use crate::module::Func;
use crate::op::Op;
use crate::operand::Operand;
use crate::types::Ty;
use conditions::Facts;
use env::Env;
use solver::Solver;
use walk::{Copies, Walk};

/// Carried registers that are live at the starts of all blocks together; beyond,
/// carried registers are unknown.
const MAX_ENTRIES: usize = 1 << 21;
/// Carried registers times blocks, beyond which they are unknown.
const MAX_BITS: usize = 1 << 28;
/// Blocks above another whose facts are looked at, the nearest first.
const MAX_ABOVE: usize = 64;
const NO_SLOT: u32 = u32::MAX;
const NOWHERE: u32 = u32::MAX;

/// The ranges of a function's registers.
pub struct Ranges<'a> {
    func: &'a Func,
    cfg: &'a Cfg,
    defs: &'a Defs,
    /// Slot of each carried register.
    slots: Vec<u32>,
    /// The carried registers, by slot, and where they are live.
    carried: Vec<Reg>,
    live: Option<Liveness>,
    /// Of registers written once: their value.
    values: Vec<Option<Range>>,
    /// Of carried registers: the values of all their writes.
    hulls: Vec<Option<Range>>,
    /// The carried registers at each block's start; none if nothing gets there.
    entries: Vec<Option<Env>>,
    /// What the one edge into a block, or into a loop, says of registers
    /// written once.
    facts: Vec<Facts>,
    /// Carried registers that equal another where the one edge into a block
    /// comes in.
    copies: Vec<Copies>,
    /// The nearest dominator, or the block itself, that has facts.
    above: Vec<u32>,
    has_facts: Vec<bool>,
}

impl<'a> Ranges<'a> {
    /// Computes them.
    pub fn new(func: &'a Func, cfg: &'a Cfg, defs: &'a Defs) -> Ranges<'a> {
        let n = func.regs.len();
        let mut ranges = Ranges {
            func,
            cfg,
            defs,
            slots: vec![NO_SLOT; n],
            carried: Vec::new(),
            live: None,
            values: vec![None; n],
            hulls: vec![None; n],
            entries: vec![None; cfg.len()],
            facts: vec![Facts::new(); cfg.len()],
            copies: vec![Copies::new(); cfg.len()],
            above: vec![NOWHERE; cfg.len()],
            has_facts: vec![false; n],
        };
        ranges.number_carried();
        if !cfg.is_empty() {
            let mut solver = Solver::new(&ranges);
            if !solver.ascend(&mut ranges) {
                ranges.forget();
            } else if solver.has_loops {
                solver.descend(&mut ranges);
            }
        }
        ranges
    }

    fn number_carried(&mut self) {
        let mut written = vec![false; self.func.regs.len()];
        for inst in self.func.insts_in_layout() {
            inst.for_each_def(|reg| {
                if let Some(flag) = written.get_mut(reg.index()) {
                    *flag = true;
                }
            });
        }
        for (i, written) in written.iter().enumerate() {
            let reg = Reg::from_index(i as u32);
            let int = self.func.reg_ty(reg).is_some_and(eval::is_int);
            if int && *written && !self.defs.is_stable(reg) {
                self.slots[i] = self.carried.len() as u32;
                self.carried.push(reg);
            }
        }
        if self.carried.is_empty() {
            return;
        }
        if self.carried.len().saturating_mul(self.cfg.len()) <= MAX_BITS {
            let slots = &self.slots;
            let wanted = |reg: Reg| slots.get(reg.index()).is_some_and(|s| *s != NO_SLOT);
            let live = Liveness::of(self.func, self.cfg, wanted);
            if live.count_live_in() <= MAX_ENTRIES {
                self.live = Some(live);
                return;
            }
        }
        self.slots.fill(NO_SLOT);
        self.carried.clear();
    }

    /// What is left of the carried registers on the way to a block.
    fn arriving(&self, to: u32, env: &Env) -> Env {
        env.restricted(|slot| {
            let reg = self.carried.get(slot as usize);
            let live = reg.zip(self.live.as_ref());
            live.is_some_and(|(reg, live)| live.is_live_in(to, *reg))
        })
    }

    /// Nothing is known any more.
    fn forget(&mut self) {
        self.slots.fill(NO_SLOT);
        self.values.fill(None);
        self.hulls.fill(None);
        self.entries.fill(None);
        self.facts.fill(Facts::new());
        self.copies.fill(Copies::new());
        self.above.fill(NOWHERE);
    }

    fn slot(&self, reg: Reg) -> Option<u32> {
        let slot = self.slots.get(reg.index()).copied();
        slot.filter(|slot| *slot != NO_SLOT)
    }

    /// Whether the register has a range of its own for all of its life. The
    /// arguments of a device function do not: they can be anything.
    fn is_tracked(&self, reg: Reg) -> bool {
        self.defs.single(reg).is_some()
    }

    fn full(&self, reg: Reg) -> Range {
        Range::full(self.func.reg_ty(reg).map_or(64, |t| t.bits()))
    }

    fn any_facts(&self, block: u32) -> bool {
        self.above
            .get(block as usize)
            .is_some_and(|b| *b != NOWHERE)
    }

    fn facts_above(&self, block: u32) -> impl Iterator<Item = &Facts> {
        let mut at = self.above.get(block as usize).copied().unwrap_or(NOWHERE);
        std::iter::from_fn(move || {
            let facts = self.facts.get(at as usize)?;
            at = match self.cfg.idom.get(at as usize).copied().flatten() {
                Some(up) if up != at => self.above.get(up as usize).copied().unwrap_or(NOWHERE),
                _ => NOWHERE,
            };
            Some(facts)
        })
        .take(MAX_ABOVE)
    }

    /// All values that a register ever holds once it has one.
    pub fn of(&self, reg: Reg) -> Range {
        let table = match self.slot(reg) {
            Some(_) => &self.hulls,
            None => &self.values,
        };
        let known = table.get(reg.index()).copied().flatten();
        known.unwrap_or_else(|| self.full(reg))
    }

    /// The values of a register where the instruction at a point reads it.
    /// Takes time in proportion to the block; [`Ranges::cursor`] is for
    /// whoever asks about every instruction.
    pub fn at(&self, reg: Reg, point: Point) -> Range {
        let mut cursor = self.cursor(point.block);
        for _ in 0..point.index {
            cursor.step();
        }
        cursor.of(reg)
    }

    /// A walk through a block, from its start.
    pub fn cursor(&self, block: u32) -> Cursor<'_, 'a> {
        let entry = self.entries.get(block as usize).cloned().flatten();
        let live = entry.is_some();
        let body = self.cfg.blocks.get(block as usize);
        let body = body.and_then(|b| self.func.blocks.get(*b));
        let mut walk = Walk::new(block, entry.unwrap_or_default());
        walk.copies = self.copies.get(block as usize).cloned().unwrap_or_default();
        walk.live = live;
        Cursor {
            ranges: self,
            walk,
            insts: body.map_or(&[], |b| &b.insts),
        }
    }
}

/// A place in a block, before an instruction.
pub struct Cursor<'r, 'a> {
    ranges: &'r Ranges<'a>,
    walk: Walk,
    insts: &'a [InstId],
}

impl Cursor<'_, '_> {
    /// The values of a register that an instruction here would read.
    pub fn of(&self, reg: Reg) -> Range {
        let full = self.ranges.full(reg);
        if !self.walk.live {
            return full;
        }
        let none = Facts::new();
        let known = self.walk.sharp(self.ranges, reg, &none, 0);
        known.unwrap_or(full)
    }

    /// The values of an operand read as a type.
    pub fn operand(&self, operand: &Operand, ty: Ty) -> Range {
        let of = |r: Reg| Some(self.of(r));
        eval::operand(self.ranges.func, Some(operand), ty, &of)
            .unwrap_or_else(|| Range::full(ty.bits()))
    }

    /// The only outcome of an integer comparison here, before it is combined
    /// with a predicate.
    pub fn outcome(&self, inst: &Inst) -> Option<bool> {
        let ty = inst.ty();
        let plain = Mods {
            cmp: inst.mods.cmp,
            combine: inst.mods.combine,
            ..Mods::default()
        };
        if inst.op != Op::Setp || ty.is_float() || inst.mods != plain || !self.walk.live {
            return None;
        }
        let a = self.operand(inst.operands.get(1)?, ty);
        let b = self.operand(inst.operands.get(2)?, ty);
        let can = |cmp: Cmp| conditions::refine(cmp, ty, a, b).is_some();
        match (can(inst.mods.cmp), can(inst.mods.cmp.negated(false))) {
            (true, false) => Some(true),
            (false, true) => Some(false),
            _ => None,
        }
    }

    /// The only value of an instruction's integer result here, with the type
    /// of its register.
    pub fn result(&self, inst: &Inst) -> Option<(Ty, i64)> {
        let dest = inst.dest()?;
        let ty = self.ranges.func.reg_ty(dest).filter(|t| eval::is_int(*t))?;
        let of = |r: Reg| Some(self.of(r));
        let range = eval::result(self.ranges.func, inst, ty.bits(), &of)?;
        let own = match self.ranges.defs.single(dest) {
            Some(_) => range.meet(self.ranges.of(dest))?,
            None => range,
        };
        Some((ty.ty(), own.as_constant()?))
    }

    /// Whether control can get here.
    pub fn is_reached(&self) -> bool {
        self.walk.live
    }

    /// Goes past the next instruction, if there is one.
    pub fn step(&mut self) {
        if let Some(id) = self.insts.get(self.walk.index as usize) {
            self.walk
                .step(self.ranges, *id, &mut |_, _| {}, &mut |_| {});
        }
    }
}
