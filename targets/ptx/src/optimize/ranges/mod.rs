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
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use walk::{Copies, Edge, Walk};

/// Rounds after which the analysis gives up and knows nothing.
const MOST_ROUNDS: usize = 60;
/// Changes of a register at a block's start before it is widened.
const PATIENCE: u8 = 2;
/// Changes after which it is widened to the end at once.
const LAST_PATIENCE: u8 = 12;
/// Descending rounds.
const DESCENTS: usize = 3;
/// Carried registers that are live at the starts of all blocks together; beyond,
/// carried registers are unknown.
const MOST_ENTRIES: usize = 1 << 21;
/// Carried registers times blocks, beyond which they are unknown.
const MOST_BITS: usize = 1 << 28;
/// Blocks above another whose facts are looked at, the nearest first.
const MOST_ABOVE: usize = 64;
/// Copies known at a block's start, the newest.
const MOST_COPIES: usize = 16;
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
        if self.carried.len().saturating_mul(self.cfg.len()) <= MOST_BITS {
            let slots = &self.slots;
            let wanted = |reg: Reg| slots.get(reg.index()).is_some_and(|s| *s != NO_SLOT);
            let live = Liveness::of(self.func, self.cfg, wanted);
            if live.count_live_in() <= MOST_ENTRIES {
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
        .take(MOST_ABOVE)
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

struct Solver {
    /// Position in the order of blocks; later blocks depend on earlier ones
    /// but for the edges that go back.
    rank: Vec<u32>,
    /// Whether an edge goes back to the block.
    is_head: Vec<bool>,
    has_loops: bool,
    /// Changes seen at a block's start that came from behind it, by slot.
    changes: FxHashMap<(u32, u32), u8>,
    /// Comparisons, whose bounds are where widening stops.
    bounds: Vec<Operand>,
    /// Registers whose range grew: what a loop counts, and no bound of one.
    moving: Vec<bool>,
    /// Counts every change.
    version: u64,
    /// The count when a value that a block writes, or what the edge into it says,
    /// last changed.
    changed: Vec<u64>,
    /// The count when the carried registers at a block's start last changed.
    entered: Vec<u64>,
}

impl Solver {
    fn new(ranges: &Ranges<'_>) -> Solver {
        let cfg = ranges.cfg;
        let mut rank = vec![u32::MAX; cfg.len()];
        for (i, b) in cfg.rpo.iter().enumerate() {
            rank[*b as usize] = i as u32;
        }
        let mut is_head = vec![false; cfg.len()];
        for &b in &cfg.rpo {
            for &s in &cfg.succs[b as usize] {
                if rank[s as usize] <= rank[b as usize] {
                    is_head[s as usize] = true;
                }
            }
        }
        let has_loops = is_head.contains(&true);
        let mut bounds = Vec::new();
        if has_loops {
            for inst in ranges.func.insts_in_layout() {
                if inst.op == Op::Setp && !inst.ty().is_float() {
                    bounds.extend(inst.operands.iter().skip(1).take(2).cloned());
                }
            }
            bounds.sort_unstable();
            bounds.dedup();
        }
        Solver {
            rank,
            changes: FxHashMap::default(),
            is_head,
            has_loops,
            bounds,
            moving: vec![false; ranges.func.regs.len()],
            version: 0,
            changed: vec![0; cfg.len()],
            entered: vec![0; cfg.len()],
        }
    }

    /// Numbers at which widening stops for a while, sorted.
    fn thresholds(&self, ranges: &Ranges<'_>) -> Vec<i64> {
        let (low, high) = (i64::from(i32::MIN), i64::from(i32::MAX));
        let mut all = vec![low, -1, 0, high - 1, high, i64::MAX - 1];
        all.push(i64::from(u32::MAX));
        let mut near = |v: i64| all.extend([v.saturating_sub(1), v, v.saturating_add(1)]);
        for bound in &self.bounds {
            match bound {
                Operand::Imm(v) => near(*v),
                Operand::Reg(r) if self.moving.get(r.index()) == Some(&false) => {
                    if let Some(Some(range)) = ranges.values.get(r.index()) {
                        near(range.smin());
                        near(range.smax());
                    }
                }
                _ => {}
            }
        }
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Up to a state that holds everything; false if that took too long.
    fn ascend(&mut self, ranges: &mut Ranges<'_>) -> bool {
        ranges.entries[0] = Some(Env::default());
        let order = ranges.cfg.rpo.clone();
        let mut seen: Vec<Option<u64>> = vec![None; ranges.cfg.len()];
        // The count when something that a block reads last changed: all comes
        // from its dominators, but for the carried registers.
        let mut above = vec![0u64; ranges.cfg.len()];
        for _ in 0..MOST_ROUNDS {
            let before = self.version;
            let thresholds = match self.has_loops {
                true => self.thresholds(ranges),
                false => Vec::new(),
            };
            for &b in &order {
                let at = b as usize;
                let up = ranges.cfg.idom[at].filter(|up| *up != b);
                let from_above = up.map_or(0, |up| above[up as usize]);
                above[at] = from_above.max(self.changed[at]);
                let last = above[at].max(self.entered[at]);
                if seen[at].is_some_and(|seen| seen >= last) {
                    continue;
                }
                let started = self.version;
                for edge in self.visit(ranges, b, false) {
                    self.flow_up(ranges, b, edge, &thresholds);
                }
                above[at] = from_above.max(self.changed[at]);
                // What it changed itself only it can see if it goes to itself.
                let to_itself = ranges.cfg.succs[at].contains(&b);
                seen[at] = Some(if to_itself { started } else { self.version });
            }
            if self.version == before || !self.has_loops {
                return true;
            }
        }
        false
    }

    /// Down again, as far as a few rounds go: what holds everything, put
    /// through the code once more, still does.
    fn descend(&mut self, ranges: &mut Ranges<'_>) {
        let order = ranges.cfg.rpo.clone();
        for _ in 0..DESCENTS {
            self.version = 0;
            ranges.hulls.fill(None);
            let mut next: Vec<Option<Env>> = vec![None; ranges.cfg.len()];
            next[0] = Some(Env::default());
            let mut changed = false;
            for &b in &order {
                if !self.is_head[b as usize] {
                    // All ways here have been walked in this round.
                    ranges.entries[b as usize] = next[b as usize].take();
                }
                for mut edge in self.visit(ranges, b, true) {
                    self.record_facts(ranges, b, &mut edge);
                    match &mut next[edge.to as usize] {
                        Some(entry) => entry.join(edge.env),
                        entry => *entry = Some(edge.env),
                    }
                }
            }
            for &b in &order {
                if !self.is_head[b as usize] {
                    continue;
                }
                let old = &mut ranges.entries[b as usize];
                let new = match (&*old, next[b as usize].take()) {
                    (Some(old), Some(new)) => Some(old.lowered(new)),
                    _ => None,
                };
                changed |= *old != new;
                *old = new;
            }
            // Another round would see what this one saw.
            if !changed && self.version == 0 {
                break;
            }
        }
    }

    fn start(&self, ranges: &mut Ranges<'_>, b: u32) -> Option<Walk> {
        let up = ranges.cfg.idom.get(b as usize).copied().flatten();
        let inherited = match up {
            Some(up) if up != b => ranges.above[up as usize],
            _ => NOWHERE,
        };
        ranges.above[b as usize] = match ranges.facts[b as usize].is_empty() {
            true => inherited,
            false => b,
        };
        let mut walk = Walk::new(b, ranges.entries[b as usize].clone()?);
        walk.copies = ranges.copies[b as usize].clone();
        Some(walk)
    }

    /// Walks a block, takes in what it writes, and returns the ways out.
    fn visit(&mut self, ranges: &mut Ranges<'_>, b: u32, down: bool) -> Vec<Edge> {
        let Some(mut walk) = self.start(ranges, b) else {
            return Vec::new();
        };
        let func = ranges.func;
        let body = ranges.cfg.blocks.get(b as usize);
        let body = body.and_then(|b| func.blocks.get(*b));
        let mut wrote: SmallVec<[(Reg, Range); 4]> = SmallVec::new();
        let mut edges: Vec<Edge> = Vec::new();
        for id in body.map_or(&[][..], |b| &b.insts) {
            walk.step(
                ranges,
                *id,
                &mut |reg, range| wrote.push((reg, range)),
                &mut |edge| edges.push(edge),
            );
            for (reg, range) in wrote.drain(..) {
                if self.take(ranges, reg, range, down) {
                    self.version += 1;
                    self.changed[b as usize] = self.version;
                }
            }
            if !walk.live {
                break;
            }
        }
        // What holds on one of two edges between the same blocks does not
        // hold behind them.
        let targets: SmallVec<[u32; 4]> = edges.iter().map(|e| e.to).collect();
        for edge in &mut edges {
            if targets.iter().filter(|t| **t == edge.to).count() > 1 {
                edge.facts.clear();
            }
        }
        edges
    }

    /// Takes in what a register is written; whether that changes what is known
    /// of one that is written once.
    fn take(&mut self, ranges: &mut Ranges<'_>, reg: Reg, range: Range, down: bool) -> bool {
        let is_carried = ranges.slot(reg).is_some();
        let table = match is_carried {
            true => &mut ranges.hulls,
            false => &mut ranges.values,
        };
        let Some(old) = table.get_mut(reg.index()) else {
            return false;
        };
        let new = match *old {
            None => range,
            // Written in one place only, which bounds it.
            Some(old) if down && !is_carried => old.meet(range).unwrap_or(old),
            Some(old) => old.join(range),
        };
        if *old != Some(new) {
            if let (Some(_), Some(flag)) = (*old, self.moving.get_mut(reg.index())) {
                *flag = true;
            }
            *old = Some(new);
            return !is_carried;
        }
        false
    }

    /// Records what the edge into a block with no other says, or the edge into
    /// a loop with no other from outside: what it speaks of is written where it
    /// dominates the edge, and so not in the loop.
    fn record_facts(&mut self, ranges: &mut Ranges<'_>, from: u32, edge: &mut Edge) {
        let to = edge.to as usize;
        let back = |p: &u32| ranges.cfg.dominates(edge.to, *p);
        let preds = &ranges.cfg.preds[to];
        let only = to != 0 && !back(&from) && preds.iter().filter(|p| !back(p)).count() == 1;
        let alone = preds.len() == 1;
        let facts = std::mem::take(&mut edge.facts);
        if !only {
            return;
        }
        if alone {
            let alive = |copy: &Reg| {
                ranges
                    .slot(*copy)
                    .is_some_and(|s| edge.env.get(s).is_some())
            };
            let mut copies = std::mem::take(&mut edge.copies);
            copies.retain(|(copy, _)| alive(copy));
            let old = copies.len().saturating_sub(MOST_COPIES);
            copies.drain(..old);
            if ranges.copies[to] != copies {
                ranges.copies[to] = copies;
                self.version += 1;
                self.changed[to] = self.version;
            }
        }
        for (reg, _) in &facts {
            if let Some(flag) = ranges.has_facts.get_mut(reg.index()) {
                *flag = true;
            }
        }
        if ranges.facts[to] != facts {
            ranges.facts[to] = facts;
            self.version += 1;
            self.changed[to] = self.version;
        }
    }

    fn flow_up(&mut self, ranges: &mut Ranges<'_>, from: u32, mut edge: Edge, thresholds: &[i64]) {
        self.record_facts(ranges, from, &mut edge);
        let to = edge.to as usize;
        let back = self.rank[to] <= self.rank[from as usize];
        let Some(entry) = &mut ranges.entries[to] else {
            ranges.entries[to] = Some(edge.env);
            self.version += 1;
            self.entered[to] = self.version;
            return;
        };
        for (slot, new) in edge.env.iter() {
            let old = entry.get(slot);
            let mut joined = old.map_or(new, |old| old.join(new));
            if old == Some(joined) {
                continue;
            }
            if back && let Some(old) = old {
                let count = self.changes.entry((edge.to, slot)).or_default();
                *count = count.saturating_add(1);
                if *count > LAST_PATIENCE {
                    joined = joined.widened(old, &[]);
                } else if *count > PATIENCE {
                    joined = joined.widened(old, thresholds);
                }
            }
            entry.set(slot, Some(joined));
            self.version += 1;
            self.entered[to] = self.version;
        }
    }
}
