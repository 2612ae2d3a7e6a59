//! Common subexpressions: a value computed again where an earlier computation
//! dominates becomes a copy of it, which copy propagation then removes.
//!
//! Only values that depend on nothing but registers written once, constants
//! and read-only memory take part.

use super::Shared;
use crate::defs::Defs;
use crate::ids::{InstId, Reg};
use crate::inst::{Inst, Operands};
use crate::modifiers::{Half, Mods};
use crate::module::Func;
use crate::op::Op;
use crate::operand::Operand;
use crate::types::{RegTy, Ty};
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

/// Eliminates; returns the number of computations that became copies.
pub fn eliminate(func: &mut Func, shared: &mut Shared) -> usize {
    let (cfg, defs) = shared.both(func);
    if cfg.is_empty() {
        return 0;
    }
    let mut walk = Walk {
        func,
        defs,
        known: Table::new(func.inst_count()),
        same_as: (0..func.regs.len() as u32).map(Reg::from_index).collect(),
        copies: Vec::new(),
    };
    // A walk of the dominator tree; what a block added is taken back when the
    // walk leaves it.
    enum Step {
        Enter(u32),
        Leave(usize),
    }
    let children = cfg.dominator_tree();
    let mut work = vec![Step::Enter(0)];
    while let Some(step) = work.pop() {
        match step {
            Step::Leave(count) => walk.known.shrink(count),
            Step::Enter(b) => {
                work.push(Step::Leave(walk.known.entries.len()));
                let body = func.blocks.get(cfg.blocks[b as usize]);
                for &id in body.map_or(&[][..], |body| &body.insts) {
                    walk.visit(id);
                }
                work.extend(children.of(b).iter().map(|c| Step::Enter(*c)));
            }
        }
    }
    let copies = walk.copies;
    for (id, earlier) in &copies {
        if let Some(inst) = func.insts.get_mut(*id) {
            let ty = func
                .regs
                .get(*earlier)
                .map_or(inst.ty(), |info| info.ty.ty());
            let operands: Operands = inst
                .operands
                .first()
                .cloned()
                .into_iter()
                .chain([Operand::Reg(*earlier)])
                .collect();
            *inst = Inst {
                loc: inst.loc,
                ..Inst::new(Op::Mov, Mods::default(), ty, operands)
            };
        }
    }
    copies.len()
}

struct Walk<'a> {
    func: &'a Func,
    defs: &'a Defs,
    known: Table,
    /// What each register was found equal to, so that what is computed from it
    /// is recognised in the same walk.
    same_as: Vec<Reg>,
    copies: Vec<(InstId, Reg)>,
}

impl Walk<'_> {
    fn visit(&mut self, id: InstId) {
        let Some((inst, dest, result)) = self.candidate(id) else {
            return;
        };
        let hash = self.hash(inst, result);
        let equal = |known: &Known| {
            known.result == result
                && (self.func.insts.get(known.id)).is_some_and(|other| self.same(inst, other))
        };
        match self.known.find(hash, equal) {
            Some(earlier) => {
                self.same_as[dest.index()] = earlier;
                self.copies.push((id, earlier));
            }
            None => self.known.add(Known {
                hash,
                id,
                dest,
                result,
                next: END,
            }),
        }
    }

    /// An instruction that may be shared, its result and the type of that.
    fn candidate(&self, id: InstId) -> Option<(&Inst, Reg, RegTy)> {
        let inst = self.func.insts.get(id)?;
        if inst.guard.is_some() || !inst.is_value() {
            return None;
        }
        let dest = inst.dest()?;
        self.defs.single(dest)?;
        // Copies of registers are copy propagation's business.
        if inst.op == Op::Mov && matches!(inst.operands.get(1), Some(Operand::Reg(_))) {
            return None;
        }
        let mut stable = true;
        inst.for_each_use(|reg| stable &= self.defs.is_stable(reg));
        let result = self.func.reg_ty(dest)?;
        stable.then_some((inst, dest, result))
    }

    fn original(&self, reg: Reg) -> Reg {
        self.same_as.get(reg.index()).copied().unwrap_or(reg)
    }

    /// Whether two instructions compute the same, but for their results' types.
    fn same(&self, a: &Inst, b: &Inst) -> bool {
        let (x, y) = (a.sources(), b.sources());
        if a.op != b.op || a.mods != b.mods || types(a) != types(b) || x.len() != y.len() {
            return false;
        }
        let same = |(x, y): (&Operand, &Operand)| self.same_operand(x, y);
        x.iter().zip(y).all(same)
            || a.op.commutes()
                && x.len() >= 2
                && same((&x[0], &y[1]))
                && same((&x[1], &y[0]))
                && x[2..].iter().zip(&y[2..]).all(same)
    }

    fn same_operand(&self, x: &Operand, y: &Operand) -> bool {
        match (x, y) {
            (Operand::Reg(x), Operand::Reg(y)) => self.original(*x) == self.original(*y),
            (Operand::Imm(x), Operand::Imm(y)) => x == y,
            _ => {
                let (mut x, mut y) = (x.clone(), y.clone());
                x.map_regs(|reg| self.original(reg));
                y.map_regs(|reg| self.original(reg));
                x == y
            }
        }
    }

    /// Equal for instructions that are the same.
    fn hash(&self, inst: &Inst, result: RegTy) -> u64 {
        let mut hasher = FxHasher::default();
        let tys = types(inst).map(|ty| ty as u8);
        (inst.op, result, inst.mods, u32::from_le_bytes(tys)).hash(&mut hasher);
        let sources = inst.sources();
        let mut rest = sources;
        if let (true, [a, b, others @ ..]) = (inst.op.commutes(), sources) {
            rest = others;
            let (a, b) = (self.hash_operand(a), self.hash_operand(b));
            hasher.write_u64(a.wrapping_add(b));
        }
        for source in rest {
            hasher.write_u64(self.hash_operand(source));
        }
        hasher.finish()
    }

    fn hash_operand(&self, operand: &Operand) -> u64 {
        let mut hasher = FxHasher::default();
        std::mem::discriminant(operand).hash(&mut hasher);
        match operand {
            // What is no register or number is rarely all that differs.
            Operand::Imm(v) => v.hash(&mut hasher),
            Operand::F32(v) => v.hash(&mut hasher),
            Operand::F64(v) => v.hash(&mut hasher),
            Operand::Special(v) => v.hash(&mut hasher),
            Operand::Sym(v) => v.hash(&mut hasher),
            Operand::Addr(v) => v.offset.hash(&mut hasher),
            _ => {}
        }
        operand.for_each_reg(|reg| self.original(reg).hash(&mut hasher));
        hasher.finish()
    }
}

/// The types as far as they matter: the sign does not to the low bits of a sum
/// or product.
fn types(inst: &Inst) -> [Ty; 4] {
    let mut tys = inst.tys;
    let signless = match inst.op {
        Op::Add | Op::Sub => inst.mods == Mods::default(),
        Op::Mul | Op::Mad => {
            inst.mods
                == Mods {
                    half: Half::Lo,
                    ..Mods::default()
                }
        }
        Op::Mov => true,
        _ => false,
    };
    if signless && tys[0].is_int() {
        tys[0] = tys[0].as_bits();
    }
    tys
}

/// The end of a list.
const END: u32 = u32::MAX;

/// A computation, and what holds its result.
struct Known {
    hash: u64,
    id: InstId,
    dest: Reg,
    result: RegTy,
    next: u32,
}

/// A hash table from which entries go in the reverse of the order in which they
/// came, as scopes need it: lists in one array, the newest entry first.
struct Table {
    heads: Vec<u32>,
    entries: Vec<Known>,
}

impl Table {
    /// For about so many entries.
    fn new(count: usize) -> Table {
        Table {
            heads: vec![END; count.next_power_of_two().max(16)],
            entries: Vec::new(),
        }
    }

    fn slot(&self, hash: u64) -> usize {
        hash as usize & (self.heads.len() - 1)
    }

    fn find(&self, hash: u64, equal: impl Fn(&Known) -> bool) -> Option<Reg> {
        let mut at = self.heads[self.slot(hash)];
        while let Some(known) = self.entries.get(at as usize) {
            if known.hash == hash && equal(known) {
                return Some(known.dest);
            }
            at = known.next;
        }
        None
    }

    fn add(&mut self, mut known: Known) {
        let slot = self.slot(known.hash);
        known.next = self.heads[slot];
        self.heads[slot] = self.entries.len() as u32;
        self.entries.push(known);
    }

    /// Back to so many entries.
    fn shrink(&mut self, count: usize) {
        while self.entries.len() > count {
            if let Some(known) = self.entries.pop() {
                let slot = self.slot(known.hash);
                self.heads[slot] = known.next;
            }
        }
    }
}
