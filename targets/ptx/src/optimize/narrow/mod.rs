//! 64-bit integer arithmetic in 32 bits where ranges prove that it fits.
//!
//! NVIDIA's machines have 32-bit integer units: a 64-bit addition is two
//! instructions, a multiplication about four, a comparison two. What indices
//! need is mostly one 32 x 32 + 64 bit multiply-add for the address.
//!
//! ```text
//! cvt.u64.u32 %d0, %tid;            mad.lo.s32 %i, %block, 256, %tid;
//! mad.wide.u32 %d1, %block, 256, %d0;
//! setp.ge.s64 %p, %d1, 1000;        setp.ge.s32 %p, %i, 1000;
//! @%p bra end;                      @%p bra end;
//! shl.b64 %d2, %d1, 3;              mul.wide.s32 %d2, %i, 8;
//! add.s64 %d3, %base, %d2;          add.s64 %d3, %base, %d2;
//! ```
//!
//! A 64-bit register becomes a 32-bit one if every instruction that writes it
//! has a 32-bit counterpart and all values fit, by the sign or by zeros.
//! Where its uses need 64 bits it is extended, once behind its definition,
//! or, for a register written in several places, before the use. The rule of
//! profit counts machine instructions, weighed by the depth of loops: the
//! ones saved must be more than the extensions added. Taking the low half of
//! a 64-bit register costs nothing: it is one of a pair.

mod forms;
mod rewrite;
#[cfg(test)]
mod tests;

use super::loops::Loops;
use super::ranges::{Range, Ranges};
use crate::cfg::{Cfg, points};
use crate::defs::Defs;
use crate::form::{self, Kind};
use crate::ids::{InstId, Reg};
use crate::inst::Inst;
use crate::module::Func;
use crate::op::Op;
use crate::operand::Operand;
use crate::types::{RegTy, Ty};
use forms::{Fit, New};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// Weight of a loop around an instruction.
const LOOP: i64 = 8;
/// Loops beyond weigh no more.
const MAX_DEPTH: u32 = 6;

type Fits = SmallVec<[Fit; 4]>;

/// A register that could be one of 32 bits.
struct Candidate {
    reg: Reg,
    fit: Fit,
    /// Instructions that write it, with their weights.
    writes: SmallVec<[(InstId, i64); 2]>,
    /// Instructions that read it, by operand, with their weights.
    reads: SmallVec<[(InstId, usize, i64); 4]>,
    stable: bool,
    narrow: bool,
}

/// What to do with a function.
struct Narrowing {
    /// Position among the candidates of each register.
    of: FxHashMap<Reg, usize>,
    candidates: Vec<Candidate>,
    /// 64-bit registers that extend a 32-bit one.
    aliases: FxHashMap<Reg, Reg>,
    /// What stands for an instruction if its result is narrow.
    results: FxHashMap<InstId, New>,
    /// What stands for an instruction whose result stays.
    sources: FxHashMap<InstId, New>,
}

impl Narrowing {
    fn is_narrow(&self, reg: Reg) -> bool {
        let at = self.of.get(&reg);
        at.is_some_and(|at| self.candidates[*at].narrow)
    }

    /// What an instruction becomes as things stand.
    fn of(&self, id: InstId, inst: &Inst) -> Option<&New> {
        match inst.dest() {
            Some(dest) if self.is_narrow(dest) => self.results.get(&id),
            _ => self.sources.get(&id),
        }
    }

    /// How many low halves that a replacement reads are not at hand.
    fn missing(&self, func: &Func, inst: &Inst, new: &New) -> usize {
        let absent = |at: &usize| match inst.operands.get(*at) {
            Some(Operand::Reg(r)) => {
                func.reg_ty(*r) == Some(RegTy::B64)
                    && !self.is_narrow(*r)
                    && !self.aliases.contains_key(r)
            }
            _ => false,
        };
        (1..inst.operands.len())
            .filter(|at| new.low >> at & 1 == 1)
            .filter(absent)
            .count()
    }

    /// The reads of a candidate that stay as they are, with their weights.
    fn wide_reads<'p>(
        &'p self,
        func: &'p Func,
        c: &'p Candidate,
    ) -> impl Iterator<Item = i64> + 'p {
        let stays = |(id, at, _): &&(InstId, usize, i64)| {
            let new = func.insts.get(*id).and_then(|inst| self.of(*id, inst));
            new.is_none_or(|new| new.low >> at & 1 == 0)
        };
        c.reads.iter().filter(stays).map(|r| r.2)
    }
}

/// Narrows; returns the number of instructions changed.
pub fn narrow(func: &mut Func) -> usize {
    let any = func.regs.iter().any(|(_, info)| info.ty == RegTy::B64);
    if !any || func.layout.is_empty() {
        return 0;
    }
    let plan = {
        let (cfg, defs) = (Cfg::new(func), Defs::new(func));
        let loops = Loops::new(&cfg);
        let ranges = Ranges::new(func, &cfg, &defs);
        let mut plan = plan(func, &cfg, &defs, &loops, &ranges);
        settle(func, &mut plan);
        plan
    };
    rewrite::rewrite(func, &plan)
}

/// Whether an operand position holds a 64-bit integer.
fn wide_positions(func: &Func, inst: &Inst) -> SmallVec<[usize; 4]> {
    let mut found = SmallVec::new();
    let Some(form) = form::find(inst) else {
        return found;
    };
    for (at, (operand, kind)) in inst.operands.iter().zip(form.operands).enumerate() {
        let ty = match kind {
            Kind::Def(t) | Kind::Use(t) | Kind::UseReg(t) | Kind::UseAny(t) => *t,
            // A conversion may read the low part of a wider register, and
            // write a wider register than its type.
            Kind::DefWide(t) | Kind::UseWide(t) | Kind::DefVec(t) | Kind::UseVec(t) => *t,
            _ => continue,
        };
        let ty = form::resolve(ty, &inst.tys);
        let is_wide = match operand {
            Operand::Reg(r) => func.reg_ty(*r) == Some(RegTy::B64),
            Operand::Imm(_) => ty.bits() == 64,
            _ => false,
        };
        if is_wide && !ty.is_float() {
            found.push(at);
        }
    }
    found
}

fn plan(func: &Func, cfg: &Cfg, defs: &Defs, loops: &Loops, ranges: &Ranges<'_>) -> Narrowing {
    let mut plan = Narrowing {
        of: FxHashMap::default(),
        candidates: Vec::new(),
        aliases: FxHashMap::default(),
        results: FxHashMap::default(),
        sources: FxHashMap::default(),
    };
    let mut weights: FxHashMap<InstId, i64> = FxHashMap::default();
    let mut excluded: FxHashSet<Reg> = func.args.iter().copied().chain(func.result).collect();
    for (b, block) in (0u32..).zip(&cfg.blocks) {
        let Some(body) = func.blocks.get(*block) else {
            continue;
        };
        let weight = LOOP.pow(loops.depth(b).min(MAX_DEPTH));
        let mut cursor = ranges.cursor(b);
        for id in &body.insts {
            let Some(inst) = func.insts.get(*id) else {
                continue;
            };
            let wide = wide_positions(func, inst);
            let fits = if wide.is_empty() || !cursor.is_reached() {
                Fits::new()
            } else {
                fits(func, inst, &wide, ranges, &cursor)
            };
            cursor.step();
            let dest = inst.dest().filter(|_| wide.first() == Some(&0));
            // Results of vectors and calls stay.
            inst.for_each_def(|reg| {
                if dest != Some(reg) && func.reg_ty(reg) == Some(RegTy::B64) {
                    excluded.insert(reg);
                }
            });
            if let Some(dest) = dest {
                // In SSA the range is that behind the instruction.
                let mut fits = fits.clone();
                if let Some(first) = fits.first_mut() {
                    *first = Fit::of(ranges.of(dest));
                }
                match forms::of_result(inst, &fits) {
                    Some(new) => {
                        plan.results.insert(*id, new);
                        weights.insert(*id, weight);
                    }
                    None => {
                        excluded.insert(dest);
                    }
                }
                if let Some(source) = extended(func, defs, inst) {
                    plan.aliases.insert(dest, source);
                }
            }
            if !fits.is_empty()
                && let Some(new) = forms::of_sources(inst, &fits)
            {
                plan.sources.insert(*id, new);
            }
        }
    }
    collect(
        func, cfg, defs, loops, ranges, &mut plan, &weights, &excluded,
    );
    plan
}

/// The fits of the operands at their places.
fn fits(
    func: &Func,
    inst: &Inst,
    wide: &[usize],
    ranges: &Ranges<'_>,
    cursor: &super::ranges::Cursor<'_, '_>,
) -> Fits {
    let of = |at: usize, operand: &Operand| match operand {
        Operand::Reg(r) if at == 0 && inst.op.has_dest() => ranges.of(*r),
        Operand::Reg(r) if func.reg_ty(*r) == Some(RegTy::B64) => cursor.of(*r),
        Operand::Imm(v) => Range::constant(64, *v),
        _ => Range::full(64),
    };
    (inst.operands.iter().enumerate())
        .map(|(at, operand)| match wide.contains(&at) {
            true => Fit::of(of(at, operand)),
            false => Fit::default(),
        })
        .collect()
}

/// The 32-bit register that an instruction extends, both written once.
fn extended(func: &Func, defs: &Defs, inst: &Inst) -> Option<Reg> {
    let source = inst.operands.get(1)?.as_reg()?;
    let plain = inst.op == Op::Cvt
        && inst.guard.is_none()
        && inst.mods == Default::default()
        && inst.tys[0].bits() == 64
        && matches!(inst.tys[0], Ty::U64 | Ty::S64)
        && matches!(inst.tys[1], Ty::U32 | Ty::S32);
    let fixed = defs.single(inst.dest()?).is_some() && defs.is_stable(source);
    (plain && fixed && func.reg_ty(source) == Some(RegTy::B32)).then_some(source)
}

#[allow(clippy::too_many_arguments)]
fn collect(
    func: &Func,
    cfg: &Cfg,
    defs: &Defs,
    loops: &Loops,
    ranges: &Ranges<'_>,
    plan: &mut Narrowing,
    weights: &FxHashMap<InstId, i64>,
    excluded: &FxHashSet<Reg>,
) {
    for (point, id) in points(func) {
        let Some(inst) = func.insts.get(id).filter(|_| cfg.is_reachable(point.block)) else {
            continue;
        };
        let Some(dest) = inst.dest().filter(|_| plan.results.contains_key(&id)) else {
            continue;
        };
        if excluded.contains(&dest) || plan.aliases.contains_key(&dest) {
            continue;
        }
        let at = *plan.of.entry(dest).or_insert_with(|| {
            plan.candidates.push(Candidate {
                reg: dest,
                fit: Fit::of(ranges.of(dest)),
                writes: SmallVec::new(),
                reads: SmallVec::new(),
                stable: defs.is_stable(dest),
                narrow: true,
            });
            plan.candidates.len() - 1
        });
        let weight = weights.get(&id).copied().unwrap_or(1);
        plan.candidates[at].writes.push((id, weight));
    }
    for (point, id) in points(func) {
        let Some(inst) = func.insts.get(id) else {
            continue;
        };
        let weight = LOOP.pow(loops.depth(point.block).min(MAX_DEPTH));
        let skip = usize::from(inst.op.has_dest());
        for (at, operand) in inst.operands.iter().enumerate().skip(skip) {
            operand.for_each_reg(|reg| {
                if let Some(c) = plan.of.get(&reg) {
                    plan.candidates[*c].reads.push((id, at, weight));
                }
            });
        }
        // A store's address, and all others without result.
        if skip == 1
            && let Some(Operand::Addr(_)) = inst.operands.first()
        {
            inst.operands[0].for_each_reg(|reg| {
                if let Some(c) = plan.of.get(&reg) {
                    plan.candidates[*c].reads.push((id, 0, weight));
                }
            });
        }
    }
}

/// Gives up registers and replacements until each that is left pays.
fn settle(func: &Func, plan: &mut Narrowing) {
    loop {
        let lost: Vec<usize> = (0..plan.candidates.len())
            .filter(|at| plan.candidates[*at].narrow && !pays(func, plan, &plan.candidates[*at]))
            .collect();
        for at in &lost {
            plan.candidates[*at].narrow = false;
        }
        let dear = |(id, new): (&InstId, &New)| {
            let inst = func.insts.get(*id)?;
            (!is_cheap(func, plan, inst, new)).then_some(*id)
        };
        let dropped: Vec<InstId> = plan.sources.iter().filter_map(dear).collect();
        for id in &dropped {
            plan.sources.remove(id);
        }
        if lost.is_empty() && dropped.is_empty() {
            break;
        }
    }
}

/// Whether a replacement is worth the halves that it has to take first: free
/// for the machine, but instructions of the text.
fn is_cheap(func: &Func, plan: &Narrowing, inst: &Inst, new: &New) -> bool {
    let missing = plan.missing(func, inst, new);
    match new.op {
        Op::Mul | Op::Mad if inst.op != Op::Shl => true,
        // What only takes the low half does that already.
        Op::Mov => missing == 0,
        Op::Cvt if !new.tys[0].is_float() => missing == 0,
        _ => missing <= 1,
    }
}

fn pays(func: &Func, plan: &Narrowing, c: &Candidate) -> bool {
    let mut gain = 0i64;
    let mut missing = 0;
    for (id, weight) in &c.writes {
        let (Some(inst), Some(new)) = (func.insts.get(*id), plan.results.get(id)) else {
            return false;
        };
        // What it would be with its result as wide as it is.
        let otherwise = match plan.sources.get(id) {
            Some(source) => forms::new_cost(source),
            None => forms::cost(inst),
        };
        gain += weight * (otherwise - forms::new_cost(new));
        missing += plan.missing(func, inst, new);
    }
    let mut wide = plan.wide_reads(func, c).peekable();
    if wide.peek().is_none() {
        return gain > 0 || missing == 0;
    }
    let extensions: i64 = match c.stable {
        true => c.writes.iter().map(|w| w.1).sum(),
        false => wide.sum(),
    };
    gain > extensions
}
