//! Copies made unnecessary: the two registers of a `mov` become one where
//! they are never live with different values at the same time.
//!
//! Leaves the form of [`isolate`](super::isolate). Copies in the deepest
//! loops come first. The test of a merge looks at every definition of either
//! register and asks whether the other is live behind it (Chaitin,
//! "Register Allocation and Spilling via Graph Coloring", 1982, section 3:
//! a copy does not make its two sides interfere).

use super::liveness::Liveness;
use super::loops::Loops;
use crate::cfg::{Cfg, Point};
use crate::ids::{InstId, Reg};
use crate::inst::Inst;
use crate::module::Func;
use crate::op::Op;
use crate::operand::Operand;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Merges; returns the number of copies removed.
pub fn coalesce(func: &mut Func) -> usize {
    let cfg = Cfg::new(func);
    let mut copies = copies(func, &cfg);
    if copies.is_empty() {
        return 0;
    }
    let loops = Loops::new(&cfg);
    copies.sort_by_key(|c| (std::cmp::Reverse(loops.depth(c.at.block)), c.at));
    let mut classes = Classes::new(func, &cfg, &copies);
    for copy in &copies {
        classes.merge(copy.dest, copy.source);
    }
    let names = classes.names();
    rewrite(func, &names)
}

struct Copy {
    dest: Reg,
    source: Reg,
    at: Point,
}

fn as_copy(func: &Func, inst: &Inst) -> Option<(Reg, Reg)> {
    if inst.op != Op::Mov || inst.guard.is_some() {
        return None;
    }
    let (dest, Operand::Reg(source)) = (inst.dest()?, inst.operands.get(1)?) else {
        return None;
    };
    (func.reg_ty(dest) == func.reg_ty(*source)).then_some((dest, *source))
}

fn copies(func: &Func, cfg: &Cfg) -> Vec<Copy> {
    // What the caller of a device function sees keeps its register.
    let fixed: Vec<Reg> = func.args.iter().chain(&func.result).copied().collect();
    let mut copies = Vec::new();
    for (at, id) in crate::cfg::points(func) {
        if let Some((dest, source)) = func.insts.get(id).and_then(|i| as_copy(func, i))
            && dest != source
            && cfg.is_reachable(at.block)
            && !fixed.contains(&dest)
            && !fixed.contains(&source)
        {
            copies.push(Copy { dest, source, at });
        }
    }
    copies
}

/// Where a register, or a class of merged ones, is live and touched.
#[derive(Default)]
struct Range {
    members: Vec<Reg>,
    /// Blocks with the value live at the start, at the end; sorted.
    live_in: Vec<u32>,
    live_out: Vec<u32>,
    /// Points that write, with the source if it is a copy; and that read.
    defs: Vec<(Point, Option<Reg>)>,
    uses: Vec<Point>,
}

struct Classes {
    range: Vec<Range>,
    class: FxHashMap<Reg, usize>,
}

impl Classes {
    fn new(func: &Func, cfg: &Cfg, copies: &[Copy]) -> Classes {
        let mut class: FxHashMap<Reg, usize> = FxHashMap::default();
        let mut range: Vec<Range> = Vec::new();
        for reg in copies.iter().flat_map(|c| [c.dest, c.source]) {
            class.entry(reg).or_insert_with(|| {
                range.push(Range {
                    members: vec![reg],
                    ..Range::default()
                });
                range.len() - 1
            });
        }
        let live = Liveness::of(func, cfg, |reg| class.contains_key(&reg));
        for b in 0..cfg.len() as u32 {
            for reg in live.live_in(b) {
                range[class[&reg]].live_in.push(b);
            }
            for reg in live.live_out(b) {
                range[class[&reg]].live_out.push(b);
            }
        }
        for (at, id) in crate::cfg::points(func) {
            let Some(inst) = func.insts.get(id) else {
                continue;
            };
            let source = as_copy(func, inst).map(|c| c.1);
            inst.for_each_use(|reg| {
                if let Some(c) = class.get(&reg) {
                    range[*c].uses.push(at);
                }
            });
            inst.for_each_def(|reg| {
                if let Some(c) = class.get(&reg) {
                    range[*c].defs.push((at, source));
                    // The old value lives on where the guard is false.
                    if inst.guard.is_some() {
                        range[*c].uses.push(at);
                    }
                }
            });
        }
        Classes { range, class }
    }

    fn merge(&mut self, a: Reg, b: Reg) {
        let (Some(&a), Some(&b)) = (self.class.get(&a), self.class.get(&b)) else {
            return;
        };
        if a == b || self.interfere(a, b) || self.interfere(b, a) {
            return;
        }
        let from = std::mem::take(&mut self.range[b]);
        for reg in &from.members {
            self.class.insert(*reg, a);
        }
        let to = &mut self.range[a];
        to.members.extend(from.members);
        unite(&mut to.live_in, from.live_in);
        unite(&mut to.live_out, from.live_out);
        unite(&mut to.defs, from.defs);
        unite(&mut to.uses, from.uses);
    }

    /// Whether a definition in `a` would overwrite a value of `b` that is
    /// still wanted.
    fn interfere(&self, a: usize, b: usize) -> bool {
        let other = &self.range[b];
        let overwrites = |(at, source): &(Point, Option<Reg>)| {
            let same_value = source.is_some_and(|s| self.class.get(&s) == Some(&b));
            // Two results of one instruction are two registers.
            let together = other.defs.binary_search_by_key(at, |d| d.0).is_ok();
            together || !same_value && other.is_live_behind(*at)
        };
        let defs = &self.range[a].defs;
        if defs.len() <= MANY * other.blocks().count() {
            return defs.iter().any(overwrites);
        }
        // Only where the other is written or read, or lives on.
        other.blocks().any(|block| {
            let from = defs.partition_point(|d| d.0.block < block);
            let here = defs[from..].iter().take_while(|d| d.0.block == block);
            here.into_iter().any(overwrites)
        })
    }

    /// For each merged register, the one that stands for its class.
    fn names(&self) -> FxHashMap<Reg, Reg> {
        let mut names = FxHashMap::default();
        for range in self.range.iter().filter(|r| r.members.len() > 1) {
            let first = range.members.iter().min().copied();
            for reg in &range.members {
                names.insert(*reg, first.unwrap_or(*reg));
            }
        }
        names
    }
}

/// How many times longer a list is than another for the longer to be searched
/// rather than walked.
const MANY: usize = 8;

/// Adds a sorted list to another, each element once.
fn unite<T: Ord>(to: &mut Vec<T>, mut from: Vec<T>) {
    if to.len() < from.len() {
        std::mem::swap(to, &mut from);
    }
    if from.len() * MANY < to.len() {
        for element in from {
            if let Err(at) = to.binary_search(&element) {
                to.insert(at, element);
            }
        }
        return;
    }
    to.extend(from);
    // Finds the two runs and merges them.
    to.sort();
    to.dedup();
}

impl Range {
    /// The blocks where the value is written or read, or lives on; some come
    /// several times.
    fn blocks(&self) -> impl Iterator<Item = u32> {
        let defs = self.defs.iter().map(|d| d.0.block);
        let uses = self.uses.iter().map(|u| u.block);
        defs.chain(uses).chain(self.live_out.iter().copied())
    }

    /// Whether the value is read after a point and before it is written
    /// again, on some path.
    fn is_live_behind(&self, at: Point) -> bool {
        let next_use = self.uses[self.uses.partition_point(|u| *u <= at)..].first();
        let next_def = self.defs[self.defs.partition_point(|d| d.0 <= at)..].first();
        let here = |p: &&Point| p.block == at.block;
        let use_at = next_use.filter(here).map(|p| p.index);
        let def_at = next_def.map(|d| &d.0).filter(here).map(|p| p.index);
        match (use_at, def_at) {
            // An instruction reads before it writes.
            (Some(u), Some(d)) => u <= d,
            (Some(_), None) => true,
            (None, Some(_)) => false,
            (None, None) => self.live_out.binary_search(&at.block).is_ok(),
        }
    }
}

/// Renames, and drops the copies that copy nothing now.
fn rewrite(func: &mut Func, names: &FxHashMap<Reg, Reg>) -> usize {
    let name = |reg: Reg| names.get(&reg).copied().unwrap_or(reg);
    let mut removed = 0;
    for block in func.layout.clone() {
        let ids: SmallVec<[InstId; 16]> = match func.blocks.get(block) {
            Some(body) => body.insts.iter().copied().collect(),
            None => continue,
        };
        let mut dead = Vec::new();
        for id in ids {
            let Some(inst) = func.insts.get_mut(id) else {
                continue;
            };
            if let Some(guard) = &mut inst.guard {
                guard.reg = name(guard.reg);
            }
            for operand in &mut inst.operands {
                operand.map_regs(name);
            }
            let nothing =
                matches!(&inst.operands[..], [Operand::Reg(a), Operand::Reg(b)] if a == b);
            if inst.op == Op::Mov && nothing {
                dead.push(id);
            }
        }
        removed += dead.len();
        if !dead.is_empty()
            && let Some(body) = func.blocks.get_mut(block)
        {
            // In the order of the block.
            let mut dead = dead.into_iter().peekable();
            body.insts.retain(|id| dead.next_if_eq(id).is_none());
        }
    }
    removed
}

#[cfg(test)]
mod tests;
