//! Accesses of neighbouring elements as one access of a vector.
//!
//! ```text
//! ld.global.f32 %f1, [%p];
//! ld.global.f32 %f2, [%p+4];      ->      ld.global.v2.f32 {%f1, %f2}, [%p];
//! ```
//!
//! Legal where the whole is aligned to its size, which `congruence` must
//! prove, and where all of the loads can move to the first or to the last of
//! them (all of the stores likewise): nothing in between may touch the same
//! memory, no barrier stands in between, and no register on the way is written
//! or needed too early. Vectors have at most 16 bytes.

use super::alias::is_fence;
use super::facts::{Facts, accesses_memory, insts_of, is_plain};
use crate::cfg::Point;
use crate::congruence::Congruences;
use crate::ids::{InstId, Reg};
use crate::inst::{Guard, Inst};
use crate::modifiers::{Mods, Space, VecLen};
use crate::module::{Func, Module};
use crate::op::Op;
use crate::operand::{Address, Operand, RegList};
use crate::polynomial::Polynomial;
use crate::types::Ty;
use crate::values::Value;
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;

/// Offsets that the machine's instructions hold: 24 bits, signed.
const OFFSETS: Range<i64> = -(1 << 23)..1 << 23;

/// Bytes that one access moves at most.
const MAX_BYTES: u32 = 16;

/// Accesses that stand further apart are left alone: merging them would hold
/// registers for long.
const MAX_APART: u32 = 512;

/// What accesses must have in common.
#[derive(PartialEq, Eq, Hash)]
struct Key {
    mods: Mods,
    ty: Ty,
    guard: Option<(Guard, Option<Value>)>,
    /// The address without its constant.
    rest: Polynomial,
}

/// An access of one element.
#[derive(Clone, Copy)]
struct Member {
    id: InstId,
    index: u32,
    /// The constant of its address.
    at: i64,
}

/// A vector access to be made.
struct Merge {
    /// In the order of their addresses.
    members: Vec<Member>,
    /// The member in whose place it stands.
    anchor: Member,
    /// Whether loaded elements go to registers of their own first.
    through: bool,
}

/// Merges accesses; returns how many were merged away.
pub fn vectorize(module: &Module, func: &mut Func) -> usize {
    if !accesses_memory(func) {
        return 0;
    }
    // One after the other: loads move up and stores down, and a load and a
    // store that both move might pass each other.
    let facts = Facts::new(func);
    let loads = merges(module, func, &facts, Op::Ld);
    let facts = match loads.is_empty() {
        true => facts,
        false => {
            apply_all(func, &loads);
            Facts::new(func)
        }
    };
    let stores = merges(module, func, &facts, Op::St);
    apply_all(func, &stores);
    (loads.iter().chain(&stores))
        .map(|m| m.members.len() - 1)
        .sum()
}

fn merges(module: &Module, func: &Func, facts: &Facts, op: Op) -> Vec<Merge> {
    let mut merges = Vec::new();
    let congruences = Congruences::new(module, func, &facts.cfg);
    for &b in &facts.cfg.rpo {
        let mut search = Search {
            func,
            facts,
            congruences: &congruences,
            op,
            block: b,
            taken: FxHashSet::default(),
            merges: &mut merges,
        };
        search.run();
    }
    merges
}

fn apply_all(func: &mut Func, merges: &[Merge]) {
    let mut gone: FxHashSet<InstId> = FxHashSet::default();
    for merge in merges {
        apply(func, merge);
        if !merge.through {
            let others = merge.members.iter().map(|m| m.id);
            gone.extend(others.filter(|id| *id != merge.anchor.id));
        }
    }
    if gone.is_empty() {
        return;
    }
    for block in func.layout.clone() {
        if let Some(body) = func.blocks.get_mut(block) {
            body.insts.retain(|id| !gone.contains(id));
        }
    }
}

struct Search<'a> {
    func: &'a Func,
    facts: &'a Facts,
    congruences: &'a Congruences<'a>,
    op: Op,
    block: u32,
    taken: FxHashSet<InstId>,
    merges: &'a mut Vec<Merge>,
}

impl Search<'_> {
    fn run(&mut self) {
        let mut groups: FxHashMap<Key, Vec<Member>> = FxHashMap::default();
        // The order in which groups were met, so that runs give the same code.
        let mut order: Vec<Vec<Member>> = Vec::new();
        let insts = insts_of(self.func, &self.facts.cfg, self.block);
        for (&id, index) in insts.iter().zip(0u32..) {
            let Some(inst) = self.func.insts.get(id) else {
                continue;
            };
            if is_fence(inst) {
                order.extend(groups.drain().map(|g| g.1));
            }
            if let Some((key, at)) = self.candidate(id, inst) {
                let member = Member { id, index, at };
                groups.entry(key).or_default().push(member);
            }
        }
        order.extend(groups.into_values());
        order.retain(|g| g.len() > 1);
        order.sort_by_key(|g| g[0].index);
        for group in order {
            self.group(group);
        }
    }

    fn candidate(&self, id: InstId, inst: &Inst) -> Option<(Key, i64)> {
        let spaces = [Space::Global, Space::Shared, Space::Local, Space::Generic];
        if inst.op != self.op
            || !is_plain(inst)
            || inst.mods.vec != VecLen::V1
            || !spaces.contains(&inst.mods.space)
        {
            return None;
        }
        let data = inst.operands.get(usize::from(inst.op == Op::St))?;
        if !matches!(data, Operand::Reg(_)) {
            return None;
        }
        let mut rest = self.facts.aliases.access(id)?.address.clone()?;
        let at = std::mem::take(&mut rest.constant);
        let guard = match inst.guard {
            Some(guard) => Some((guard, Some(self.facts.values.found(id, guard.reg)?))),
            None => None,
        };
        let ty = match inst.ty().bits() {
            0..=16 => inst.ty(),
            _ => inst.ty().as_bits(),
        };
        let key = Key {
            mods: inst.mods,
            ty,
            guard,
            rest,
        };
        Some((key, at))
    }

    /// Merges what can be of accesses that differ by constants.
    fn group(&mut self, mut group: Vec<Member>) {
        let Some(bytes) = self.func.insts.get(group[0].id).map(|i| i.ty().bytes()) else {
            return;
        };
        group.sort_by_key(|m| (m.at, m.index));
        for count in [4usize, 2] {
            if bytes == 0 || count as u32 * bytes > MAX_BYTES {
                continue;
            }
            for first in 0..group.len() {
                if let Some(members) = self.run_from(&group, first, count, i64::from(bytes))
                    && self.is_aligned(&members, count as u32 * bytes)
                    && let Some(merge) = self.place(members)
                {
                    self.taken.extend(merge.members.iter().map(|m| m.id));
                    self.merges.push(merge);
                }
            }
        }
    }

    /// `count` members that follow each other in memory, from one on.
    fn run_from(
        &self,
        group: &[Member],
        first: usize,
        count: usize,
        bytes: i64,
    ) -> Option<Vec<Member>> {
        let free = |m: &&Member| !self.taken.contains(&m.id);
        let mut run = vec![*group.get(first).filter(free)?];
        for k in 1..count as i64 {
            let at = run[0].at.checked_add(k * bytes)?;
            let from = group.partition_point(|m| m.at < at);
            // Of several at one address the nearest in the text.
            let here = group[from..].iter().take_while(|m| m.at == at);
            let near = |m: &&Member| m.index.abs_diff(run[0].index);
            run.push(*here.filter(free).min_by_key(near)?);
        }
        Some(run)
    }

    fn is_aligned(&self, members: &[Member], bytes: u32) -> bool {
        members.iter().any(|m| {
            let address = self.func.insts.get(m.id).and_then(Inst::address);
            let Some(address) = address else { return false };
            // The first element stands this much before it.
            let before = m.at.wrapping_sub(members[0].at);
            let Some(offset) = i32::try_from(before)
                .ok()
                .and_then(|b| address.offset.checked_sub(b))
            else {
                return false;
            };
            let first = Address { offset, ..address };
            let known = self.congruences.of_address(first);
            known.is_multiple_of(u64::from(bytes)) == Some(true)
        })
    }

    /// Where the vector access can stand.
    fn place(&self, members: Vec<Member>) -> Option<Merge> {
        let first = *members.iter().min_by_key(|m| m.index)?;
        let last = *members.iter().max_by_key(|m| m.index)?;
        if last.index - first.index > MAX_APART {
            return None;
        }
        // Stores go to the last, where all that they store is there; loads
        // to the first, in need through registers of their own.
        let ways: &[(Member, bool)] = match self.op {
            Op::Ld => &[(first, false), (last, false), (first, true)],
            _ => &[(last, false)],
        };
        for &(anchor, through) in ways {
            if offset(self.func, &members, anchor).is_some()
                && members.iter().all(|m| self.moves(*m, anchor, through))
                && (through || self.distinct(&members))
            {
                return Some(Merge {
                    members,
                    anchor,
                    through,
                });
            }
        }
        None
    }

    /// Whether no register is loaded twice.
    fn distinct(&self, members: &[Member]) -> bool {
        let dest = |m: &Member| self.func.insts.get(m.id).and_then(Inst::dest);
        let all: Vec<Reg> = members.iter().filter_map(dest).collect();
        (1..all.len()).all(|i| !all[..i].contains(&all[i]))
    }

    /// Whether an access can be made in the place of the anchor.
    fn moves(&self, m: Member, anchor: Member, through: bool) -> bool {
        if m.id == anchor.id {
            return self.keeps_base(m);
        }
        let Some(inst) = self.func.insts.get(m.id) else {
            return false;
        };
        let (from, to) = (m.index.min(anchor.index), m.index.max(anchor.index));
        let between = from as usize + 1..to as usize;
        let insts = insts_of(self.func, &self.facts.cfg, self.block);
        let Some(between) = insts.get(between) else {
            return false;
        };
        let is_load = inst.op == Op::Ld;
        let aliases = &self.facts.aliases;
        let free = between.iter().chain([&anchor.id]).all(|id| {
            let concerns = aliases.writes(*id) || !is_load && aliases.reads(*id);
            !concerns || !aliases.may_overlap(m.id, *id)
        });
        if !free || !self.keeps_base(m) {
            return false;
        }
        let Some(data) = inst.operands.get(usize::from(!is_load)) else {
            return false;
        };
        let Operand::Reg(data) = *data else {
            return false;
        };
        if !is_load {
            // What is stored must be there already, and there still.
            let point = Point {
                block: self.block,
                index: anchor.index,
            };
            let value = self.facts.values.found(m.id, data);
            let Facts {
                values, cfg, defs, ..
            } = self.facts;
            return value.is_some_and(|v| values.holds(cfg, defs, v, point));
        }
        if through {
            return inst.guard.is_none();
        }
        // A load that moves must not write its register too early or late.
        between.iter().chain([&anchor.id]).all(|id| {
            let mut touches = false;
            if let Some(other) = self.func.insts.get(*id) {
                other.for_each_use(|r| touches |= r == data);
                other.for_each_def(|r| touches |= r == data);
            }
            !touches
        })
    }

    /// Whether a load leaves the registers of address and guard alone that
    /// the others were found by.
    fn keeps_base(&self, m: Member) -> bool {
        let Some(inst) = self.func.insts.get(m.id) else {
            return false;
        };
        let Some(dest) = inst.dest() else { return true };
        inst.address_reg() != Some(dest)
    }
}

/// The offset of the first element from the anchor's base.
fn offset(func: &Func, members: &[Member], anchor: Member) -> Option<i32> {
    let address = func.insts.get(anchor.id)?.address()?;
    let distance = members.first()?.at.checked_sub(anchor.at)?;
    let offset = i64::from(address.offset).checked_add(distance)?;
    OFFSETS
        .contains(&offset)
        .then(|| i32::try_from(offset).ok())
        .flatten()
}

fn apply(func: &mut Func, merge: &Merge) {
    let Some(offset) = offset(func, &merge.members, merge.anchor) else {
        return;
    };
    let anchor = func.insts[merge.anchor.id].clone();
    let Some(address) = anchor.address() else {
        return;
    };
    let is_load = anchor.op == Op::Ld;
    let at = usize::from(!is_load);
    let originals: Vec<Inst> = (merge.members.iter())
        .map(|m| func.insts[m.id].clone())
        .collect();
    let data = originals.iter().filter_map(|i| i.operands[at].as_reg());
    let mut regs: RegList = data.collect();
    if merge.through {
        for (reg, (original, member)) in regs.iter_mut().zip(originals.iter().zip(&merge.members)) {
            let Some(ty) = func.reg_ty(*reg) else { return };
            let fresh = func.new_reg(ty);
            let copy = Inst::new(
                Op::Mov,
                Mods::default(),
                ty.ty(),
                [Operand::Reg(*reg), Operand::Reg(fresh)],
            );
            func.insts[member.id] = Inst {
                loc: original.loc,
                ..copy
            };
            *reg = fresh;
        }
    }
    let ty = anchor.ty();
    let ty = match originals.iter().all(|i| i.ty() == ty) {
        true => ty,
        false => ty.as_bits(),
    };
    let address = Operand::Addr(Address { offset, ..address });
    let list = Operand::Vec(regs);
    let operands = if is_load {
        [list, address]
    } else {
        [address, list]
    };
    let vec = VecLen::from_len(merge.members.len()).unwrap_or_default();
    let vector = Inst {
        loc: anchor.loc,
        guard: anchor.guard,
        ..Inst::new(anchor.op, Mods { vec, ..anchor.mods }, ty, operands)
    };
    if merge.through {
        // The first of them stays as the copy; the access comes before it.
        let id = func.insts.alloc(vector);
        for block in &func.layout {
            if let Some(body) = func.blocks.get_mut(*block)
                && let Some(at) = body.insts.iter().position(|i| *i == merge.anchor.id)
            {
                body.insts.insert(at, id);
                break;
            }
        }
    } else {
        func.insts[merge.anchor.id] = vector;
    }
}

#[cfg(test)]
mod tests;
