//! Addresses from what is there already.
//!
//! Lowering forms every address from its array's base. Where another way
//! takes fewer instructions, that is used: from the address of a neighbour
//! whose distance is at hand, or from an index that several arrays share:
//!
//! ```text
//! add.s64 %i1, %i, 1;                 shl.b64 %r, %n, 2;
//! mul.lo.s64 %o, %i1, %n;             add.s64 %q, %p, %r;
//! add.s64 %o, %o, %j;           ->
//! shl.b64 %b, %o, 2;
//! add.s64 %q, %a, %b;
//! ```
//!
//! where `%p` is the address of the element before, `%a + 4 * (%i * %n + %j)`.
//! Constants go into the offsets of the accesses. What an address costs are
//! the instructions that nothing else needs.

use super::facts::{Facts, accesses_memory, insts_of};
use super::loops::Loops;
use super::materialize::{Earlier, Holders, Maker, holders};
use super::strength::cost;
use crate::cfg::Point;
use crate::ids::{InstId, Reg};
use crate::inst::Inst;
use crate::modifiers::{Mods, Sat};
use crate::module::Func;
use crate::op::Op;
use crate::operand::{Address, Base, Operand};
use crate::polynomial::Polynomial;
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;

/// Offsets that the machine's instructions hold: 24 bits, signed.
const OFFSETS: Range<i64> = -(1 << 23)..1 << 23;

/// How much more often the body of a loop is taken to run than what is around.
const ROUNDS: u64 = 8;

/// Instructions that one address is made of, as far as they are looked at.
const MAX_PARTS: usize = 32;

/// Addresses made anew, and those looked at.
const MAX_ADDRESSES: usize = 1000;

/// Makes addresses anew; returns their number.
pub fn derive(func: &mut Func) -> usize {
    if !accesses_memory(func) {
        return 0;
    }
    let facts = Facts::new(func);
    let loops = Loops::new(&facts.cfg);
    let holders = holders(func, &facts);
    let uses = uses(func);
    let mut derive = Derive {
        facts: &facts,
        loops: &loops,
        holders: &holders,
        uses: &uses,
        shared: shared_indices(func, &facts, &uses),
        earlier: Earlier::default(),
        gone: FxHashSet::default(),
        inserts: FxHashMap::default(),
    };
    let mut changes = 0;
    for (point, id) in bases(func, &facts, &uses).into_iter().take(MAX_ADDRESSES) {
        changes += usize::from(derive.address(func, point, id).is_some());
    }
    let inserts = derive.inserts;
    if !inserts.is_empty() {
        for block in func.layout.clone() {
            if let Some(body) = func.blocks.get_mut(block) {
                let old = std::mem::take(&mut body.insts);
                for id in old {
                    body.insts.extend(inserts.get(&id).into_iter().flatten());
                    body.insts.push(id);
                }
            }
        }
    }
    changes
}

/// Where each register is read: instruction, position of the operand (none for
/// a guard).
type Uses = FxHashMap<Reg, Vec<(InstId, Option<usize>)>>;

fn uses(func: &Func) -> Uses {
    let mut uses = Uses::default();
    for (_, id) in crate::cfg::points(func) {
        let Some(inst) = func.insts.get(id) else {
            continue;
        };
        if let Some(guard) = inst.guard {
            uses.entry(guard.reg).or_default().push((id, None));
        }
        let skip = usize::from(inst.op.has_dest());
        for (at, operand) in inst.operands.iter().enumerate().skip(skip) {
            operand.for_each_reg(|r| uses.entry(r).or_default().push((id, Some(at))));
        }
    }
    uses
}

/// The definitions of registers that are sums and serve as addresses only.
fn bases(func: &Func, facts: &Facts, uses: &Uses) -> Vec<(Point, InstId)> {
    let mut found = Vec::new();
    for &b in &facts.cfg.rpo {
        for (&id, index) in insts_of(func, &facts.cfg, b).iter().zip(0..) {
            let Some(inst) = func.insts.get(id) else {
                continue;
            };
            let Some(dest) = inst.dest().filter(|r| facts.defs.single(*r).is_some()) else {
                continue;
            };
            let addresses = uses.get(&dest).is_some_and(|list| {
                list.iter().all(|(user, at)| {
                    let operand = at.and_then(|at| func.insts.get(*user)?.operands.get(at));
                    matches!(operand, Some(Operand::Addr(_)))
                })
            });
            if addresses && is_arithmetic(inst) {
                found.push((Point { block: b, index }, id));
            }
        }
    }
    found
}

fn is_arithmetic(inst: &Inst) -> bool {
    let plain = inst.guard.is_none() && inst.mods.sat == Sat::Off && !inst.ty().is_float();
    plain
        && matches!(
            inst.op,
            Op::Add | Op::Sub | Op::Mul | Op::Mad | Op::Shl | Op::Cvt
        )
}

/// A sum without its pointer and constant: what arrays may share.
fn index_of(facts: &Facts, sum: &Polynomial) -> Polynomial {
    let mut index = Polynomial {
        constant: 0,
        sym: None,
        ..sum.clone()
    };
    index.terms.retain(|(monomial, _)| match monomial[..] {
        [atom] => !facts.aliases.is_object(atom.value),
        _ => true,
    });
    index
}

/// The indices that addresses of several arrays have.
fn shared_indices(func: &Func, facts: &Facts, uses: &Uses) -> FxHashSet<Polynomial> {
    let mut seen: FxHashMap<Polynomial, FxHashSet<Polynomial>> = FxHashMap::default();
    for (_, id) in bases(func, facts, uses) {
        let dest = func.insts.get(id).and_then(Inst::dest);
        let Some(value) = dest.and_then(|r| facts.values.written(id, r)) else {
            continue;
        };
        let mut sum = facts.forms.of(value);
        sum.constant = 0;
        let index = index_of(facts, &sum);
        if index.terms.len() > 1 {
            seen.entry(index).or_default().insert(sum);
        }
    }
    seen.retain(|_, sums| sums.len() > 1);
    seen.into_keys().collect()
}

struct Derive<'a> {
    facts: &'a Facts,
    loops: &'a Loops,
    holders: &'a Holders,
    uses: &'a Uses,
    shared: FxHashSet<Polynomial>,
    /// What was made so far.
    earlier: Earlier,
    /// Registers that nothing needs any more.
    gone: FxHashSet<Reg>,
    /// Code to be put in front of instructions.
    inserts: FxHashMap<InstId, Vec<InstId>>,
}

impl Derive<'_> {
    /// Makes the address that an instruction computes anew, if that is cheaper.
    fn address(&mut self, func: &mut Func, point: Point, id: InstId) -> Option<()> {
        let dest = func.insts.get(id)?.dest()?;
        let ty = func.reg_ty(dest)?;
        let bits = ty.bits();
        let value = self.facts.values.written(id, dest)?;
        let sum = self.facts.forms.of(value);
        if self.gone.contains(&dest) || sum.terms.len() < 2 || sum.as_atom().is_some() {
            return None;
        }
        let (parts, old) = self.parts(func, id, point);
        let loc = func.insts.get(id)?.loc;
        let mut maker = Maker::new(func, self.facts, self.loops, self.holders, point, loc);
        maker.earlier = &self.earlier;
        maker.gone = Some(&self.gone);
        maker.without.clone_from(&parts);
        maker.without.insert(dest);
        if !maker.can(&sum, bits) {
            return None;
        }
        // Of an index that arrays share the sum comes first, to be found again.
        let index = index_of(self.facts, &sum);
        let shares = self.shared.contains(&index);
        if shares {
            maker.sum(&index, bits)?;
        }
        let (new, constant) = maker.up_to_constant(&sum, bits)?;
        // What is missing goes into the accesses, if it fits.
        let offsets = self.offsets(maker.func, dest, constant);
        let new = match offsets {
            Some(_) => new,
            None => maker.plus_constant(&sum, new, constant, bits),
        };
        let (code, made) = (maker.code, maker.made);
        let weight = self.weight(point.block);
        let costs = code.iter().filter_map(|id| func.insts.get(*id));
        let price = costs.map(|i| u64::from(cost(i))).sum::<u64>() * weight;
        let pays = price < old || price == old && shares;
        if !pays {
            // What was made stands nowhere.
            return None;
        }
        let inst = func.insts.get_mut(id)?;
        *inst = Inst {
            loc,
            ..Inst::new(
                Op::Mov,
                Mods::default(),
                ty.ty(),
                [Operand::Reg(dest), Operand::Reg(new)],
            )
        };
        for (user, at, address) in offsets.into_iter().flatten() {
            let operand = func
                .insts
                .get_mut(user)
                .and_then(|i| i.operands.get_mut(at));
            if let Some(operand @ Operand::Addr(_)) = operand {
                *operand = Operand::Addr(address);
            }
        }
        self.gone.extend(parts);
        // Without its constant it is not what the analyses say.
        self.gone.insert(dest);
        self.inserts.entry(id).or_default().extend(code);
        let mut made: Vec<_> = made.into_iter().collect();
        made.sort_by_key(|(_, reg)| *reg);
        for (sum, reg) in made {
            self.earlier.push(sum, reg, point);
        }
        Some(())
    }

    fn weight(&self, block: u32) -> u64 {
        ROUNDS.pow(self.loops.depth(block).min(8))
    }

    /// The registers that only this instruction needs, through others of the
    /// same kind, and what it costs to compute them and the instruction itself.
    fn parts(&self, func: &Func, id: InstId, point: Point) -> (FxHashSet<Reg>, u64) {
        let mut insts = FxHashSet::from_iter([id]);
        let mut regs: FxHashSet<Reg> = FxHashSet::default();
        let own = func.insts.get(id).map_or(0, cost);
        let mut total = u64::from(own) * self.weight(point.block);
        let mut work = vec![id];
        while let Some(at) = work.pop() {
            let Some(inst) = func.insts.get(at) else {
                continue;
            };
            inst.for_each_use(|reg| {
                let Some((place, def)) = self.facts.defs.single(reg) else {
                    return;
                };
                let Some(by) = func.insts.get(def).filter(|i| is_arithmetic(i)) else {
                    return;
                };
                let only = self.uses.get(&reg).is_some_and(|list| {
                    list.iter()
                        .all(|(user, _)| insts.contains(user) || self.is_gone(func, *user))
                });
                let value = self.facts.values.written(def, reg);
                let whole = value.and_then(|v| self.facts.forms.as_atom(v));
                // A value that is not looked into is needed in any case.
                let opaque = whole.is_some_and(|atom| Some(atom.value) == value);
                if only && !opaque && regs.len() < MAX_PARTS && insts.insert(def) {
                    regs.insert(reg);
                    total += u64::from(cost(by)) * self.weight(place.block);
                    work.push(def);
                }
            });
        }
        (regs, total)
    }

    /// Whether an instruction computes what nothing needs any more.
    fn is_gone(&self, func: &Func, id: InstId) -> bool {
        let dest = func.insts.get(id).and_then(Inst::dest);
        dest.is_some_and(|r| self.gone.contains(&r))
    }

    /// The addresses that start from a register with a constant more, if all
    /// can have it.
    fn offsets(
        &self,
        func: &Func,
        reg: Reg,
        constant: i64,
    ) -> Option<Vec<(InstId, usize, Address)>> {
        let list = self.uses.get(&reg)?;
        let more = |(user, at): &(InstId, Option<usize>)| {
            let at = (*at)?;
            let Operand::Addr(address) = func.insts.get(*user)?.operands.get(at)? else {
                return None;
            };
            // Another address may be derived from here by now.
            if address.base != Base::Reg(reg) {
                return None;
            }
            let offset = i64::from(address.offset).checked_add(constant)?;
            let offset = OFFSETS.contains(&offset).then_some(offset)?;
            let offset = i32::try_from(offset).ok()?;
            Some((*user, at, Address { offset, ..*address }))
        };
        list.iter().map(more).collect()
    }
}

#[cfg(test)]
mod tests;
