//! Addresses in loops as pointers that are moved on.
//!
//! An address that grows by the same amount in every iteration gets a register
//! that starts in the preheader and is added to in the latch. Addresses that
//! differ by constants share it:
//!
//! ```text
//! loop:                                 loop:
//!   mul.lo.s64 %o, %k, %stride;           ld.global.f32 %f, [%q];
//!   shl.b64 %b, %o, 2;                    ld.global.f32 %g, [%q+4];
//!   add.s64 %q, %p, %b;          ->       ...
//!   ld.global.f32 %f, [%q];               add.s64 %q, %q, %bytes;
//!   add.s64 %r, %q, 4;                    add.s64 %k, %k, 1;
//!   ld.global.f32 %g, [%r];               bra loop;
//! ```
//!
//! Whether it pays is counted: the instructions of the loop that die against
//! those that move the pointers. Allen, Cocke and Kennedy, "Reduction of
//! Operator Strength" (1981), on polynomials instead of single operators.
//!
//! Needs and keeps the form of [`isolate`](super::isolate); loops need one
//! latch.

use super::facts::{Facts, accesses_memory, insts_of};
use super::loops::{Loop, Loops, make_preheaders};
use super::materialize::{Holders, Maker, holders};
use super::rare::is_rare;
use crate::cfg::{Cfg, Point};
use crate::defs::Defs;
use crate::ids::{BlockId, InstId, Reg};
use crate::inst::{Inst, Loc};
use crate::modifiers::{Half, Mods};
use crate::module::Func;
use crate::op::{Effect, Op};
use crate::operand::{Address, Base, Operand};
use crate::polynomial::{Ext, Polynomial};
use crate::types::{RegTy, Ty};
use crate::values::Value;
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;

/// Offsets that the machine's instructions hold: 24 bits, signed.
const OFFSETS: Range<i64> = -(1 << 23)..1 << 23;

/// Pointers of one loop. Each takes two registers in all of it.
const MAX_POINTERS: usize = 12;

/// Loops looked at: what is known is found out again after each change.
const MAX_LOOPS: usize = 64;

/// Instructions looked at for that, all times together: large functions with many
/// loops would take time in proportion to the product.
const MAX_WORK: usize = 1 << 18;

/// Moves pointers along; returns the number of accesses that now use one.
pub fn reduce(func: &mut Func) -> usize {
    if !accesses_memory(func) {
        return 0;
    }
    make_preheaders(func);
    let (cfg, defs) = (Cfg::new(func), Defs::new(func));
    let loops = Loops::new(&cfg);
    let may_move = |l: &Loop| l.preheader.is_some() && l.latch().is_some();
    if !(loops.list.iter()).any(|l| may_move(l) && !is_rare(func, &cfg, &defs, l)) {
        return 0;
    }
    let mut total = 0;
    // Changes add no blocks, so positions stay.
    let mut facts = Facts::with(func, cfg, defs);
    let mut stale = false;
    let size = func.inst_count();
    let mut work = 0;
    // Of the state that the facts are of, once a loop asks for them.
    let mut held: Option<Holders> = None;
    let mut uses = use_counts(func);
    // Inner loops first: they run most.
    for at in (0..loops.list.len()).rev().take(MAX_LOOPS) {
        if work > MAX_WORK {
            break;
        }
        let l = &loops.list[at];
        if !may_move(l) {
            continue;
        }
        if std::mem::take(&mut stale) {
            facts = Facts::new(func);
            uses = use_counts(func);
            held = None;
        }
        if is_rare(func, &facts.cfg, &facts.defs, l) {
            continue;
        }
        let plan = LoopPointers::new(func, &facts, &loops, l, &uses);
        let changes = plan.map_or(0, |plan| {
            let held = held.get_or_insert_with(|| holders(func, &facts));
            plan.apply(func, &facts, held, &loops, l)
        });
        if changes > 0 {
            total += changes;
            work += size;
            stale = true;
        }
    }
    total
}

/// Accesses whose addresses differ by constants.
struct Group {
    /// The address without its constant, in terms of the header's values.
    rest: Polynomial,
    /// What it grows by in an iteration.
    step: Polynomial,
    bits: u32,
    members: Vec<Member>,
}

/// A memory operand, and the constant of its address.
#[derive(Clone, Copy)]
struct Member {
    id: InstId,
    at: usize,
    constant: i64,
}

/// What is to be done in a loop.
struct LoopPointers {
    groups: Vec<Group>,
    preheader: u32,
    latch: u32,
    inits: FxHashMap<Value, Polynomial>,
}

/// How often each register is read.
fn use_counts(func: &Func) -> Vec<u32> {
    let mut uses = vec![0; func.regs.len()];
    for inst in func.insts_in_layout() {
        inst.for_each_use(|r| {
            if let Some(count) = uses.get_mut(r.index()) {
                *count += 1;
            }
        });
    }
    uses
}

impl LoopPointers {
    fn new(
        func: &Func,
        facts: &Facts,
        loops: &Loops,
        l: &Loop,
        uses: &[u32],
    ) -> Option<LoopPointers> {
        let (preheader, latch) = (l.preheader?, l.latch()?);
        let steps = steps(facts, l, latch);
        if steps.is_empty() {
            return None;
        }
        let mut plan = LoopPointers {
            groups: Vec::new(),
            preheader,
            latch,
            inits: FxHashMap::default(),
        };
        for value in steps.keys() {
            let from = facts.values.inputs(*value).iter();
            let init = from.filter(|(b, _)| *b == preheader).map(|p| p.1).next()?;
            plan.inits.insert(*value, facts.forms.of(init));
        }
        for &b in l.blocks.iter() {
            let here = loops.innermost(b).is_some_and(|i| i.header == l.header);
            for &id in insts_of(func, &facts.cfg, b) {
                if here && let Some(inst) = func.insts.get(id) {
                    plan.collect(func, facts, l, &steps, id, inst);
                }
            }
        }
        if plan.groups.is_empty() {
            return None;
        }
        plan.pays(func, facts, l, uses).then_some(plan)
    }

    /// Puts an access into its group, if its address grows steadily.
    fn collect(
        &mut self,
        func: &Func,
        facts: &Facts,
        l: &Loop,
        steps: &FxHashMap<Value, Polynomial>,
        id: InstId,
        inst: &Inst,
    ) {
        for (at, address, _) in inst.addresses() {
            if let Base::Reg(reg) = address.base
                && let Some(bits) = func.reg_ty(reg).map(RegTy::bits)
            {
                self.add(facts, l, steps, (id, at), address, bits);
            }
        }
    }

    fn add(
        &mut self,
        facts: &Facts,
        l: &Loop,
        steps: &FxHashMap<Value, Polynomial>,
        (id, at): (InstId, usize),
        address: Address,
        bits: u32,
    ) {
        let Some(mut rest) = facts.forms.of_address(&facts.values, id, address) else {
            return;
        };
        let constant = std::mem::take(&mut rest.constant);
        let group = self.groups.iter_mut().find(|g| {
            g.bits == bits && g.rest == rest && {
                let away = constant.wrapping_sub(g.members[0].constant);
                OFFSETS.contains(&away)
            }
        });
        let member = Member { id, at, constant };
        if let Some(group) = group {
            group.members.push(member);
            return;
        }
        let Some(step) = growth(facts, l, steps, &rest) else {
            return;
        };
        if step == Polynomial::default() || is_pointer_already(&rest, steps) {
            return;
        }
        self.groups.push(Group {
            rest,
            step,
            bits,
            members: vec![member],
        });
    }

    /// Whether more instructions of the loop die than come to move the
    /// pointers; groups that are too many go.
    fn pays(&mut self, func: &Func, facts: &Facts, l: &Loop, uses: &[u32]) -> bool {
        self.groups
            .sort_by_key(|g| std::cmp::Reverse(g.members.len()));
        self.groups.truncate(MAX_POINTERS);
        let moved: FxHashSet<(InstId, usize)> = (self.groups.iter())
            .flat_map(|g| g.members.iter().map(|m| (m.id, m.at)))
            .collect();
        let before = needed(func, facts, l, uses, &FxHashSet::default());
        let after = needed(func, facts, l, uses, &moved);
        let cost: u32 = self.groups.iter().map(|g| g.bits / 32).sum();
        before.saturating_sub(after) > cost
    }

    fn apply(
        &self,
        func: &mut Func,
        facts: &Facts,
        holders: &Holders,
        loops: &Loops,
        l: &Loop,
    ) -> usize {
        let preheader = facts.cfg.blocks[self.preheader as usize];
        let point = Point {
            block: self.preheader,
            index: func.blocks[preheader].insts.len() as u32,
        };
        let loc = |func: &Func, at: u32| -> Loc {
            let last = insts_of(func, &facts.cfg, at).last();
            last.and_then(|id| func.insts.get(*id))
                .map_or_else(Loc::default, |i| i.loc)
        };
        let (start_loc, step_loc) = (loc(func, self.preheader), loc(func, self.latch));
        let mut maker = Maker::new(func, facts, loops, holders, point, start_loc);
        let mut made: Vec<(&Group, Reg, Reg, Operand, i64)> = Vec::new();
        let mut writes = Vec::new();
        for group in &self.groups {
            let bits = group.bits;
            let Some(mut start) = self.start(group) else {
                continue;
            };
            let lowest = group.members.iter().map(|m| m.constant).min().unwrap_or(0);
            // The pointer starts where the first member is if offsets from the
            // sum without its constant do not fit.
            let away = if group.members.iter().all(|m| {
                start
                    .constant
                    .checked_add(m.constant)
                    .is_some_and(|at| OFFSETS.contains(&at))
            }) {
                std::mem::take(&mut start.constant).wrapping_neg()
            } else {
                start.constant = start.constant.wrapping_add(lowest);
                lowest
            };
            if !maker.can(&start, bits) || !maker.can(&group.step, bits) {
                continue;
            }
            let (Some(start), Some(step)) = (maker.sum(&start, bits), maker.sum(&group.step, bits))
            else {
                continue;
            };
            let ty = if bits == 64 { RegTy::B64 } else { RegTy::B32 };
            let (storage, current) = (maker.func.new_reg(ty), maker.func.new_reg(ty));
            writes.push(copy(maker.func, storage, start, start_loc));
            made.push((group, storage, current, step, away));
        }
        let code = std::mem::take(&mut maker.code);
        insert_at_end(func, &facts.defs, preheader, code, writes);
        let header = facts.cfg.blocks[l.header as usize];
        let latch = facts.cfg.blocks[self.latch as usize];
        let (mut tops, mut sums, mut writes) = (Vec::new(), Vec::new(), Vec::new());
        let mut changes = 0;
        for (group, storage, current, step, away) in made {
            let Some(ty) = func.reg_ty(storage) else {
                continue;
            };
            let next = func.new_reg(ty);
            tops.push(copy(func, current, Operand::Reg(storage), step_loc));
            let int = if group.bits == 64 { Ty::S64 } else { Ty::S32 };
            let add = Inst {
                loc: step_loc,
                ..Inst::new(
                    Op::Add,
                    Mods::default(),
                    int,
                    [Operand::Reg(next), Operand::Reg(current), step],
                )
            };
            sums.push(func.insts.alloc(add));
            writes.push(copy(func, storage, Operand::Reg(next), step_loc));
            for member in &group.members {
                let offset = i32::try_from(member.constant.wrapping_sub(away));
                let operand = (func.insts.get_mut(member.id))
                    .and_then(|inst| inst.operands.get_mut(member.at));
                if let (Some(operand @ Operand::Addr(_)), Ok(offset)) = (operand, offset) {
                    *operand = Operand::Addr(Address {
                        base: Base::Reg(current),
                        offset,
                    });
                    changes += 1;
                }
            }
        }
        func.blocks[header].insts.splice(0..0, tops);
        insert_at_end(func, &facts.defs, latch, sums, writes);
        changes
    }

    /// The address without its constant in the first iteration.
    fn start(&self, group: &Group) -> Option<Polynomial> {
        let mut start = Polynomial {
            sym: group.rest.sym,
            ..Polynomial::default()
        };
        for (monomial, c) in &group.rest.terms {
            let mut factor = Polynomial::constant(*c);
            for atom in monomial {
                let of = match self.inits.get(&atom.value) {
                    Some(init) if atom.ext == Ext::None => init.clone(),
                    Some(_) => return None,
                    None => Polynomial::atom(atom.value, atom.ext),
                };
                factor = factor.product(&of)?;
            }
            start = start.plus(&factor, 1)?;
        }
        Some(start)
    }
}

fn copy(func: &mut Func, to: Reg, from: Operand, loc: Loc) -> InstId {
    let ty = func.reg_ty(to).map_or(Ty::B64, RegTy::ty);
    let inst = Inst::new(Op::Mov, Mods::default(), ty, [Operand::Reg(to), from]);
    func.insts.alloc(Inst { loc, ..inst })
}

/// Puts code and copies at the end of a block: the copies with those to other
/// storages, before the branches, the code before all of them.
fn insert_at_end(
    func: &mut Func,
    defs: &Defs,
    block: BlockId,
    code: Vec<InstId>,
    copies: Vec<InstId>,
) {
    let Some(body) = func.blocks.get(block) else {
        return;
    };
    let is = |id: &InstId, test: fn(&Inst) -> bool| func.insts.get(*id).is_some_and(test);
    let leaves = |i: &Inst| i.op != Op::Call && i.op.effect() == Effect::Control;
    let out = body.insts.iter().position(|id| is(id, leaves));
    let out = out.unwrap_or(body.insts.len());
    let there = body.insts[..out].iter().rev();
    // Not those from storages, which the code may read.
    let there = there.take_while(|id| {
        let dest = func.insts.get(**id).and_then(Inst::dest);
        is(id, |i| i.op == Op::Mov && i.guard.is_none()) && !dest.is_some_and(|r| defs.is_stable(r))
    });
    let first = out - there.count();
    if let Some(body) = func.blocks.get_mut(block) {
        body.insts.splice(out..out, copies);
        body.insts.splice(first..first, code);
    }
}

/// The values at the header that grow by the same amount in each iteration,
/// with that amount.
fn steps(facts: &Facts, l: &Loop, latch: u32) -> FxHashMap<Value, Polynomial> {
    let mut steps = FxHashMap::default();
    let values = &facts.values;
    for value in values.iter() {
        let inputs = values.inputs(value);
        let [a, b] = inputs else { continue };
        if values.block_of(value) != Some(l.header) {
            continue;
        }
        let back = if a.0 == latch { a.1 } else { b.1 };
        if (a.0 == latch) == (b.0 == latch) {
            continue;
        }
        let next = facts.forms.of(back);
        let Some(step) = next.plus(&Polynomial::atom(value, Ext::None), -1) else {
            continue;
        };
        if step.sym.is_none() && fixed(facts, l, &step) && step.as_constant() != Some(0) {
            steps.insert(value, step);
        }
    }
    steps
}

/// Whether everything that it is made of is made outside of the loop.
fn fixed(facts: &Facts, l: &Loop, sum: &Polynomial) -> bool {
    sum.values().all(|value| {
        let block = facts.values.block_of(value);
        block.is_some_and(|b| !l.contains(b))
    })
}

/// What a sum grows by in an iteration, if always by the same.
fn growth(
    facts: &Facts,
    l: &Loop,
    steps: &FxHashMap<Value, Polynomial>,
    sum: &Polynomial,
) -> Option<Polynomial> {
    let mut total = Polynomial::default();
    for (monomial, c) in &sum.terms {
        let mut factor = Polynomial::constant(*c);
        let mut grows = None;
        for atom in monomial {
            let step = steps.get(&atom.value);
            if let Some(step) = step {
                // A square grows by more each time, a value of 32 bits that is
                // widened may wrap.
                if grows.is_some() || atom.ext != Ext::None {
                    return None;
                }
                grows = Some(step);
                continue;
            }
            let itself = Polynomial::atom(atom.value, atom.ext);
            if !fixed(facts, l, &itself) {
                return None;
            }
            factor = factor.product(&itself)?;
        }
        if let Some(step) = grows {
            total = total.plus(&factor.product(step)?, 1)?;
        }
    }
    Some(total)
}

/// Whether an address is a value that the loop moves on by itself.
fn is_pointer_already(rest: &Polynomial, steps: &FxHashMap<Value, Polynomial>) -> bool {
    let atom = rest.as_atom();
    atom.is_some_and(|a| a.ext == Ext::None && steps.contains_key(&a.value))
}

/// The machine instructions that the integer arithmetic of a loop takes, as
/// far as anything needs it, if the addresses of some accesses come for free.
fn needed(
    func: &Func,
    facts: &Facts,
    l: &Loop,
    uses: &[u32],
    free: &FxHashSet<(InstId, usize)>,
) -> u32 {
    let inside: Vec<InstId> = (l.blocks.iter())
        .flat_map(|b| insts_of(func, &facts.cfg, *b).iter().copied())
        .collect();
    let mut writers: FxHashMap<Reg, Vec<InstId>> = FxHashMap::default();
    let mut work: Vec<Reg> = Vec::new();
    let mut seen: FxHashSet<Reg> = FxHashSet::default();
    let mut used_inside: FxHashMap<Reg, u32> = FxHashMap::default();
    for inst in inside.iter().filter_map(|id| func.insts.get(*id)) {
        inst.for_each_use(|r| *used_inside.entry(r).or_default() += 1);
    }
    let used_outside = |r: Reg| {
        let all = uses.get(r.index()).copied().unwrap_or(0);
        all > used_inside.get(&r).copied().unwrap_or(0)
    };
    for &id in &inside {
        let Some(inst) = func.insts.get(id) else {
            continue;
        };
        inst.for_each_def(|r| {
            writers.entry(r).or_default().push(id);
            if used_outside(r) {
                work.push(r);
            }
        });
        if !inst.is_removable() || inst.op == Op::Ld {
            work.extend(inst.guard.map(|g| g.reg));
            let skip = usize::from(inst.op.has_dest());
            for (at, operand) in inst.operands.iter().enumerate().skip(skip) {
                if !free.contains(&(id, at)) {
                    operand.for_each_reg(|r| work.push(r));
                }
            }
        }
    }
    let mut total = 0;
    let mut counted: FxHashSet<InstId> = FxHashSet::default();
    while let Some(reg) = work.pop() {
        if !seen.insert(reg) {
            continue;
        }
        for &id in writers.get(&reg).map_or(&[][..], |list| list) {
            let Some(inst) = func.insts.get(id) else {
                continue;
            };
            if !counted.insert(id) {
                continue;
            }
            total += cost(inst);
            if inst.is_removable() && inst.op != Op::Ld {
                inst.for_each_use(|r| work.push(r));
            }
        }
    }
    total
}

/// Machine instructions that integer arithmetic takes: 64 bits are two of 32.
pub(super) fn cost(inst: &Inst) -> u32 {
    let wide = inst.ty().bits() == 64;
    match inst.op {
        Op::Add | Op::Sub | Op::And | Op::Or | Op::Xor | Op::Shl | Op::Shr | Op::Selp => {
            1 + u32::from(wide)
        }
        Op::Mul | Op::Mad if inst.mods.half == Half::Wide => 1,
        Op::Mul | Op::Mad if wide => 4,
        Op::Mul | Op::Mad => 1,
        _ => 0,
    }
}

#[cfg(test)]
mod tests;
