//! The values that registers hold, as if the code were in SSA form.
//!
//! A register written once holds one value. One written in several places
//! holds a value for each write, and one where writes meet: a merge, placed
//! at iterated dominance frontiers (Cytron et al., "Efficiently Computing
//! Static Single Assignment Form", 1991; the frontiers as in Cooper, Harvey
//! and Kennedy, 2001). The code itself is left as it is.
//!
//! Two uses of one value see the same bits as long as the place that makes
//! the value is not executed in between; in particular where one use
//! dominates the other.

use crate::cfg::{Cfg, Point, points};
use crate::defs::Defs;
use crate::ids::{InstId, Reg};
use crate::inst::Inst;
use crate::module::Func;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// A value of a register, by number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Value(u32);

impl Value {
    /// Its number, for tables.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// What makes a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    /// What the register holds when the function starts: an argument, or
    /// nothing.
    Entry,
    /// An instruction. If that is guarded, the value may be the one before.
    Inst(InstId),
    /// The meeting of values at the start of a block, by position.
    Merge(u32),
}

#[derive(Clone, Copy, Debug)]
struct Info {
    reg: Reg,
    source: Source,
    block: u32,
}

/// A block in which a register written several times gets a value.
#[derive(Clone, Copy, Debug)]
struct Made {
    block: u32,
    /// Where values meet at its start.
    merge: Option<Value>,
    /// At its end.
    last: Value,
    /// The block and what it dominates, as numbers of the dominator tree.
    interval: (u32, u32),
    /// The nearest of the others that dominates it, by number, or [`NONE`].
    above: u32,
}

const NONE: u32 = u32::MAX;

/// The values of a function. Code that the entry does not reach has none, but
/// for registers written once.
#[derive(Clone, Debug)]
pub struct Values {
    infos: Vec<Info>,
    /// Of registers written once.
    stable: Vec<Option<Value>>,
    /// Number among the registers written several times.
    slot: Vec<Option<u32>>,
    /// By slot: the value that the register starts with.
    start: Vec<Value>,
    /// By slot: the blocks where the register gets a value, in the order of the
    /// dominator tree.
    made: Vec<SmallVec<[Made; 4]>>,
    /// Of each block that the entry reaches, its numbers in the dominator tree.
    interval: Vec<Option<(u32, u32)>>,
    /// The writes in each block of registers written several times, in order.
    writes: Vec<Vec<(u32, Reg, Value)>>,
    /// Of registers written several times: what an instruction finds there.
    found: FxHashMap<(InstId, Reg), Value>,
    written: FxHashMap<(InstId, Reg), Value>,
    merges: FxHashMap<Value, SmallVec<[(u32, Value); 2]>>,
}

impl Values {
    /// Finds them.
    pub fn new(func: &Func, cfg: &Cfg, defs: &Defs) -> Values {
        let n = func.regs.len();
        let mut values = Values {
            infos: Vec::with_capacity(n),
            stable: vec![None; n],
            slot: vec![None; n],
            start: Vec::new(),
            made: Vec::new(),
            interval: Vec::new(),
            writes: Vec::new(),
            found: FxHashMap::default(),
            written: FxHashMap::default(),
            merges: FxHashMap::default(),
        };
        for i in 0..n {
            let reg = Reg::from_index(i as u32);
            if let Some((point, id)) = defs.single(reg) {
                values.stable[i] = Some(values.add(reg, Source::Inst(id), point.block));
            } else if defs.is_stable(reg) {
                values.stable[i] = Some(values.add(reg, Source::Entry, 0));
            }
        }
        values.several(func, cfg);
        values
    }

    fn add(&mut self, reg: Reg, source: Source, block: u32) -> Value {
        let value = Value(self.infos.len() as u32);
        self.infos.push(Info { reg, source, block });
        value
    }

    /// The registers written several times.
    fn several(&mut self, func: &Func, cfg: &Cfg) {
        let mut regs: Vec<Reg> = Vec::new();
        let mut places: Vec<Vec<u32>> = Vec::new();
        for (point, id) in points(func) {
            let Some(inst) = func.insts.get(id) else {
                continue;
            };
            inst.for_each_def(|reg| {
                if self.stable.get(reg.index()) != Some(&None) {
                    return;
                }
                let slot = *self.slot[reg.index()].get_or_insert_with(|| {
                    regs.push(reg);
                    places.push(Vec::new());
                    (regs.len() - 1) as u32
                });
                let list = &mut places[slot as usize];
                if list.last() != Some(&point.block) {
                    list.push(point.block);
                }
            });
        }
        if regs.is_empty() || cfg.is_empty() {
            return;
        }
        let frontiers = frontiers(cfg);
        let mut merged: Vec<Vec<u32>> = vec![Vec::new(); cfg.len()];
        let mut seen = vec![u32::MAX; cfg.len()];
        // Where a block is left before a write in it, the value at its end is
        // not the one that arrives.
        let mut early = self.early_exits(func, cfg);
        early.sort_by_key(|(_, slot)| *slot);
        let mut early = early.into_iter().peekable();
        for (slot, list) in places.iter_mut().enumerate() {
            while let Some((at, _)) = early.next_if(|(_, s)| *s == slot as u32) {
                if std::mem::replace(&mut seen[at as usize], slot as u32) != slot as u32 {
                    merged[at as usize].push(slot as u32);
                    list.push(at);
                }
            }
            // The work list holds every block with a write or a merge.
            while let Some(block) = list.pop() {
                for &at in &frontiers[block as usize] {
                    if std::mem::replace(&mut seen[at as usize], slot as u32) != slot as u32 {
                        merged[at as usize].push(slot as u32);
                        list.push(at);
                    }
                }
            }
        }
        self.start = (regs.iter())
            .map(|reg| self.add(*reg, Source::Entry, 0))
            .collect();
        self.made = vec![SmallVec::new(); regs.len()];
        self.writes = vec![Vec::new(); cfg.len()];
        self.interval = (0..cfg.len() as u32)
            .map(|b| cfg.is_reachable(b).then(|| cfg.interval(b)))
            .collect();
        for &b in &cfg.rpo {
            for &slot in &merged[b as usize] {
                let value = self.add(regs[slot as usize], Source::Merge(b), b);
                self.made[slot as usize].push(Made {
                    block: b,
                    merge: Some(value),
                    last: value,
                    interval: cfg.interval(b),
                    above: NONE,
                });
            }
            self.writes_of(func, cfg, b);
        }
        for list in &mut self.made {
            nest(list);
        }
        self.uses(func, cfg);
        for (at, slots) in merged.iter().enumerate() {
            let at = at as u32;
            let preds = match slots.is_empty() {
                true => Vec::new(),
                false => ways_in(func, cfg, at),
            };
            for &slot in slots {
                let merge = self.arriving(at, slot);
                let mut inputs = SmallVec::new();
                // The entry block has the function's start as one more way in.
                if at == 0 {
                    inputs.push((0, self.start[slot as usize]));
                }
                for &(from, is_last) in &preds {
                    let value = match is_last {
                        true => self.leaving(from.block, slot),
                        false => self.at(from, regs[slot as usize]),
                    };
                    inputs.extend(value.map(|v| (from.block, v)));
                }
                self.merges.insert(merge, inputs);
            }
        }
    }

    /// Blocks, by position, that a block goes to before it writes a register,
    /// with the register's slot.
    fn early_exits(&self, func: &Func, cfg: &Cfg) -> Vec<(u32, u32)> {
        let mut early = Vec::new();
        let mut targets: Vec<u32> = Vec::new();
        for &b in &cfg.rpo {
            targets.clear();
            let body = func.blocks.get(cfg.blocks[b as usize]);
            let ids = body.map_or(&[][..], |body| &body.insts);
            for inst in ids.iter().filter_map(|id| func.insts.get(*id)) {
                if !targets.is_empty() {
                    inst.for_each_def(|reg| {
                        if let Some(Some(slot)) = self.slot.get(reg.index()) {
                            early.extend(targets.iter().map(|t| (*t, *slot)));
                        }
                    });
                }
                targets.extend(inst.branch_target().and_then(|t| cfg.position(t)));
            }
        }
        early
    }

    /// Numbers what a block writes.
    fn writes_of(&mut self, func: &Func, cfg: &Cfg, b: u32) {
        let body = func.blocks.get(cfg.blocks[b as usize]);
        for (index, &id) in (0u32..).zip(body.map_or(&[][..], |body| &body.insts)) {
            let Some(inst) = func.insts.get(id) else {
                continue;
            };
            inst.for_each_def(|reg| {
                let Some(Some(slot)) = self.slot.get(reg.index()).copied() else {
                    return;
                };
                let value = self.add(reg, Source::Inst(id), b);
                let made = &mut self.made[slot as usize];
                match made.last_mut().filter(|made| made.block == b) {
                    Some(made) => made.last = value,
                    None => made.push(Made {
                        block: b,
                        merge: None,
                        last: value,
                        interval: cfg.interval(b),
                        above: NONE,
                    }),
                }
                self.writes[b as usize].push((index, reg, value));
                self.written.insert((id, reg), value);
            });
        }
    }

    /// What each instruction finds in the registers that it reads.
    fn uses(&mut self, func: &Func, cfg: &Cfg) {
        // What each register holds now, by slot, where `since` is this block.
        let mut now: Vec<Value> = self.start.clone();
        let mut since = vec![u32::MAX; now.len()];
        for &b in &cfg.rpo {
            let body = func.blocks.get(cfg.blocks[b as usize]);
            let mut writes = 0;
            for (index, &id) in (0u32..).zip(body.map_or(&[][..], |body| &body.insts)) {
                let Some(inst) = func.insts.get(id) else {
                    continue;
                };
                let mut read = |reg: Reg| {
                    let Some(Some(slot)) = self.slot.get(reg.index()).copied() else {
                        return;
                    };
                    if std::mem::replace(&mut since[slot as usize], b) != b {
                        now[slot as usize] = self.arriving(b, slot);
                    }
                    self.found.insert((id, reg), now[slot as usize]);
                };
                inst.for_each_use(&mut read);
                if inst.guard.is_some() {
                    inst.for_each_def(&mut read);
                }
                let all = &self.writes[b as usize];
                while let Some((_, reg, value)) = all.get(writes).filter(|w| w.0 == index) {
                    writes += 1;
                    if let Some(Some(slot)) = self.slot.get(reg.index()) {
                        since[*slot as usize] = b;
                        now[*slot as usize] = *value;
                    }
                }
            }
        }
    }

    /// What a register written several times holds at the start of a block that
    /// the entry reaches: what the nearest dominator left that gives it a value.
    fn arriving(&self, block: u32, slot: u32) -> Value {
        let list = &self.made[slot as usize];
        let at = self.interval.get(block as usize).copied().flatten();
        let at = at.map_or(0, |i| i.0);
        let mut made = list[..list.partition_point(|m| m.interval.0 <= at)].last();
        while let Some(m) = made {
            let merge = m.merge.filter(|_| m.block == block);
            if merge.is_some() || m.block != block && at <= m.interval.1 {
                return merge.unwrap_or(m.last);
            }
            made = list.get(m.above as usize);
        }
        self.start[slot as usize]
    }

    /// What a register written several times holds at the end of a block, if the
    /// entry reaches it.
    fn leaving(&self, block: u32, slot: u32) -> Option<Value> {
        let (first, _) = self.interval.get(block as usize).copied().flatten()?;
        let list = &self.made[slot as usize];
        let at = list.partition_point(|m| m.interval.0 <= first);
        let here = list[..at].last().filter(|m| m.block == block);
        Some(here.map_or_else(|| self.arriving(block, slot), |m| m.last))
    }

    /// Number of values.
    pub fn len(&self) -> usize {
        self.infos.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.infos.is_empty()
    }

    /// What an instruction finds in a register that it reads, or (of a
    /// guarded one) writes.
    pub fn found(&self, inst: InstId, reg: Reg) -> Option<Value> {
        let stable = self.stable.get(reg.index()).copied().flatten();
        stable.or_else(|| self.found.get(&(inst, reg)).copied())
    }

    /// What an instruction leaves in a register that it writes.
    pub fn written(&self, inst: InstId, reg: Reg) -> Option<Value> {
        let stable = self.stable.get(reg.index()).copied().flatten();
        stable.or_else(|| self.written.get(&(inst, reg)).copied())
    }

    /// What a register holds before the instruction at a point, which its
    /// definition must reach if it is written only once.
    pub fn at(&self, point: Point, reg: Reg) -> Option<Value> {
        let index = reg.index();
        if let Some(value) = self.stable.get(index).copied().flatten() {
            return Some(value);
        }
        let slot = self.slot.get(index).copied().flatten()?;
        let writes = self.writes.get(point.block as usize)?;
        let before = writes.partition_point(|(at, ..)| *at < point.index);
        let here = writes[..before].iter().rev().find(|(_, r, _)| *r == reg);
        match here {
            Some((.., value)) => Some(*value),
            None => {
                self.interval.get(point.block as usize).copied().flatten()?;
                Some(self.arriving(point.block, slot))
            }
        }
    }

    /// What a register holds at the end of a block.
    pub fn at_end(&self, block: u32, reg: Reg) -> Option<Value> {
        let end = Point {
            block,
            index: u32::MAX,
        };
        self.at(end, reg)
    }

    /// The register that holds it.
    pub fn reg(&self, value: Value) -> Option<Reg> {
        Some(self.infos.get(value.index())?.reg)
    }

    /// What makes it.
    pub fn source(&self, value: Value) -> Option<Source> {
        Some(self.infos.get(value.index())?.source)
    }

    /// The instruction that makes it, if it makes it always.
    pub fn inst<'f>(&self, func: &'f Func, value: Value) -> Option<(InstId, &'f Inst)> {
        match self.source(value)? {
            Source::Inst(id) => {
                let inst = func.insts.get(id).filter(|i| i.guard.is_none())?;
                Some((id, inst))
            }
            _ => None,
        }
    }

    /// The position of the block in which it is made.
    pub fn block_of(&self, value: Value) -> Option<u32> {
        Some(self.infos.get(value.index())?.block)
    }

    /// What meets in a merge: blocks by position, and the value each brings.
    pub fn inputs(&self, value: Value) -> &[(u32, Value)] {
        self.merges.get(&value).map_or(&[], |list| list)
    }

    /// Every value.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = Value> + use<> {
        (0..self.infos.len() as u32).map(Value)
    }

    /// Whether the value's register still holds it before a point, and the
    /// place that makes it comes before on every path.
    pub fn holds(&self, cfg: &Cfg, defs: &Defs, value: Value, point: Point) -> bool {
        let Some(info) = self.infos.get(value.index()) else {
            return false;
        };
        if self.stable.get(info.reg.index()).copied().flatten() == Some(value) {
            return info.source == Source::Entry || defs.reaches(cfg, info.reg, point);
        }
        self.at(point, info.reg) == Some(value)
    }
}

/// Sorts the blocks by the dominator tree, and finds for each the one above it.
fn nest(list: &mut [Made]) {
    list.sort_unstable_by_key(|made| made.interval.0);
    let mut around: Vec<u32> = Vec::new();
    for at in 0..list.len() {
        let first = list[at].interval.0;
        while around
            .pop_if(|up| list[*up as usize].interval.1 < first)
            .is_some()
        {}
        list[at].above = around.last().copied().unwrap_or(NONE);
        around.push(at as u32);
    }
}

/// The places from which other blocks go to one, in the order of the blocks in front of it,
/// and whether the place is the last of its block.
fn ways_in(func: &Func, cfg: &Cfg, to: u32) -> Vec<(Point, bool)> {
    let target = cfg.blocks.get(to as usize).copied();
    let mut found = Vec::new();
    for &block in &cfg.preds[to as usize] {
        let body = func.blocks.get(cfg.blocks[block as usize]);
        let ids = body.map_or(&[][..], |body| &body.insts);
        for (id, index) in ids.iter().zip(0u32..) {
            let branch = func.insts.get(*id).and_then(Inst::branch_target);
            if branch.is_some() && branch == target {
                found.push((Point { block, index }, index as usize + 1 == ids.len()));
            }
        }
    }
    found
}

/// The dominance frontier of every block.
fn frontiers(cfg: &Cfg) -> Vec<SmallVec<[u32; 2]>> {
    let mut frontiers: Vec<SmallVec<[u32; 2]>> = vec![SmallVec::new(); cfg.len()];
    for &b in &cfg.rpo {
        let preds = &cfg.preds[b as usize];
        // The entry with a way back to it is a meeting too.
        if preds.len() < 2 && (b != 0 || preds.is_empty()) {
            continue;
        }
        let stop = cfg.idom[b as usize].filter(|up| *up != b);
        for &pred in preds {
            let mut runner = Some(pred).filter(|p| cfg.is_reachable(*p));
            while let Some(at) = runner.filter(|at| Some(*at) != stop) {
                if !frontiers[at as usize].contains(&b) {
                    frontiers[at as usize].push(b);
                }
                runner = cfg.idom[at as usize].filter(|up| *up != at);
            }
        }
    }
    frontiers
}

#[cfg(test)]
mod tests;
