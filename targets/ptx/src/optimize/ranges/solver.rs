//! The rounds that find the ranges: ascending with widening, then descending.

use super::env::Env;
use super::walk::{Edge, Walk};
use super::{NOWHERE, Range, Ranges};
use crate::ids::Reg;
use crate::op::Op;
use crate::operand::Operand;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Rounds after which the analysis gives up and knows nothing.
const MAX_ROUNDS: usize = 60;
/// Changes of a register at a block's start before it is widened.
const PATIENCE: u8 = 2;
/// Changes after which it is widened to the end at once.
const LAST_PATIENCE: u8 = 12;
/// Descending rounds.
const DESCENTS: usize = 3;
/// Copies known at a block's start, the newest.
const MAX_COPIES: usize = 16;

pub(super) struct Solver {
    /// Position in the order of blocks; later blocks depend on earlier ones
    /// but for the edges that go back.
    rank: Vec<u32>,
    /// Whether an edge goes back to the block.
    is_head: Vec<bool>,
    pub(super) has_loops: bool,
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
    pub(super) fn new(ranges: &Ranges<'_>) -> Solver {
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
    pub(super) fn ascend(&mut self, ranges: &mut Ranges<'_>) -> bool {
        ranges.entries[0] = Some(Env::default());
        let order = ranges.cfg.rpo.clone();
        let mut seen: Vec<Option<u64>> = vec![None; ranges.cfg.len()];
        // The count when something that a block reads last changed: all comes
        // from its dominators, but for the carried registers.
        let mut above = vec![0u64; ranges.cfg.len()];
        for _ in 0..MAX_ROUNDS {
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
    pub(super) fn descend(&mut self, ranges: &mut Ranges<'_>) {
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
            let old = copies.len().saturating_sub(MAX_COPIES);
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
