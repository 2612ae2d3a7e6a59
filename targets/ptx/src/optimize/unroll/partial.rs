//! Partial unrolling.
//!
//! With the number of iterations known, `n = k u + r`: a loop of `u`
//! iterations that runs `k` times, then `r` copies.
//!
//! Otherwise the loop stays, for what is left over, and gets one of `u`
//! iterations before it:
//!
//! ```text
//! body:                           lim = n - (u-1) s
//!   ..                            if i < lim && lim < n:
//!   i += s                          do { u iterations } while (i < lim)
//!   if i < n: body                  if !(i < n): end
//! end:                            body: as it was
//! ```
//!
//! From `i < lim` follow `i + s < n`, ..., `i + (u-1) s < n` without
//! overflow, if `lim` did not overflow, which the second comparison says. So
//! exactly the iterations run that did. The other comparisons and negative
//! steps go by the mirror. A step that is not known must be positive and so
//! small that its multiples do not overflow, which is one more comparison.
//!
//! Not unrolled are loops that stride by the grid: where the grid covers the
//! work they run once; and those that end a few steps from where they begin,
//! `n = min(i0 + c, ...)`, as those over a tile that may be cut off.

use super::{Candidate, candidates, insts};
use crate::cfg::Cfg;
use crate::check::divergence::Divergence;
use crate::defs::Defs;
use crate::ids::{BlockId, Reg};
use crate::inst::{Guard, Inst, Loc};
use crate::modifiers::{Cmp, Combine, Half, Mods};
use crate::module::Func;
use crate::op::{Effect, Op};
use crate::operand::{Operand, Uniformity};
use crate::optimize::edit::{
    Copies, branch, copy_blocks, cut_branches, insert_before_branches, jump, lay_behind, redirect,
};
use crate::optimize::loops::Step;
use crate::types::{RegTy, Ty};
use std::cell::OnceCell;

/// Most instructions that the iterations between two tests may have.
const MAX: usize = 200;

/// The same of loops with barriers and the like, which wait more than they
/// count.
const MAX_TOGETHER: usize = 100;

/// Most iterations between two tests, where each is small: what nvcc takes
/// when it does not know their number.
const FACTOR: u64 = 4;

/// Most blocks of a loop: each branch in it stays a branch.
const MAX_BLOCKS: usize = 4;

/// Unrolls innermost counted loops by a factor; returns their number. A loop
/// that was unrolled, and the one left behind it, are counted loops again: to
/// be called once.
pub fn unroll(func: &mut Func) -> usize {
    let candidates = candidates(func);
    // What is known of registers stays when other loops are unrolled.
    let divergence = OnceCell::new();
    let plans: Vec<_> = (candidates.iter())
        .map(|c| plan(func, c, &divergence))
        .collect();
    let mut changes = 0;
    for (c, plan) in candidates.iter().zip(plans) {
        changes += usize::from(match plan {
            Some(Unrolling::Known { times, factor }) => known(func, c, times, factor),
            Some(Unrolling::Unknown { factor }) => unknown(func, c, factor),
            None => false,
        });
    }
    changes
}

/// What to do with a loop.
enum Unrolling {
    Known { times: u64, factor: u64 },
    Unknown { factor: u64 },
}

fn plan(func: &Func, c: &Candidate, divergence: &OnceCell<Divergence>) -> Option<Unrolling> {
    let calls = |i: &Inst| matches!(i.op, Op::Call | Op::Trap);
    if c.blocks.len() > MAX_BLOCKS || insts(func, &c.blocks).any(calls) {
        return None;
    }
    let together = insts(func, &c.blocks).any(|i| i.op.effect() == Effect::Sync);
    let most = if together { MAX_TOGETHER } else { MAX };
    let fits = |u: &u64| *u as usize * c.size <= most;
    match c.counted.rounds().and_then(|r| r.checked_add(1)) {
        Some(times) => {
            // A divisor leaves nothing over.
            let factors = || {
                (2..=2 * FACTOR)
                    .rev()
                    .filter(fits)
                    .filter(|u| *u * 2 <= times)
            };
            let divisor = factors().find(|u| times % u == 0 && *u >= FACTOR);
            let factor = divisor.or_else(|| factors().find(|u| *u <= FACTOR))?;
            Some(Unrolling::Known { times, factor })
        }
        None => {
            if together && !agrees(func, c, divergence) || strides_by_grid(func, c) {
                return None;
            }
            if most_rounds(func, c).is_some_and(|n| n <= FACTOR) {
                return None;
            }
            let factor = [FACTOR, FACTOR / 2].into_iter().find(|u| fits(u))?;
            Some(Unrolling::Unknown { factor })
        }
    }
}

/// Whether all threads of a block run the loop equally often: those that come
/// to it at all.
fn agrees(func: &Func, c: &Candidate, divergence: &OnceCell<Divergence>) -> bool {
    let divergence = divergence.get_or_init(|| {
        let defs = Defs::new(func);
        Divergence::new(func, &Cfg::new(func), &defs)
    });
    let uniform = |reg: Reg| divergence.of(reg) == Uniformity::Uniform;
    let same = |operand: &Operand| match operand {
        Operand::Reg(reg) => uniform(*reg),
        Operand::Imm(_) => true,
        _ => false,
    };
    let induction = &c.counted.induction;
    let step = match induction.step {
        Step::Constant(_) => true,
        Step::Reg(reg) => uniform(reg),
    };
    step && same(&induction.init) && same(&c.counted.bound)
}

/// Instructions looked at for where a step comes from.
const MAX_STEPS_BACK: usize = 16;

/// Whether the step is made of the size of the grid.
fn strides_by_grid(func: &Func, c: &Candidate) -> bool {
    let Step::Reg(step) = c.counted.induction.step else {
        return false;
    };
    let defs = Defs::new(func);
    let mut work = vec![step];
    for _ in 0..MAX_STEPS_BACK {
        let Some(reg) = work.pop() else { break };
        let Some(inst) = defs.inst(func, reg) else {
            continue;
        };
        let grid =
            |o: &Operand| matches!(o, Operand::Special(s) if s.name().starts_with("%nctaid"));
        if inst.sources().iter().any(grid) {
            return true;
        }
        inst.for_each_use(|r| work.push(r));
    }
    false
}

/// How often the loop goes round at most, where its bound is the least of several values, of
/// which one is a constant away from where it begins.
fn most_rounds(func: &Func, c: &Candidate) -> Option<u64> {
    let (Operand::Reg(init), Operand::Reg(bound)) = (&c.counted.induction.init, &c.counted.bound)
    else {
        return None;
    };
    let step = u64::try_from(c.counted.induction.step.constant()?).ok()?;
    let defs = Defs::new(func);
    let least = defs.inst(func, *bound).filter(|i| i.op == Op::Min)?;
    let distance = |o: &Operand| -> Option<u64> {
        let Operand::Reg(reg) = o else { return None };
        let sum = defs.inst(func, *reg).filter(|i| i.op == Op::Add)?;
        let of = |from: &Operand| match from {
            Operand::Imm(c) => u64::try_from(*c).ok(),
            _ => None,
        };
        match sum.sources() {
            [Operand::Reg(r), c] if r == init => of(c),
            [c, Operand::Reg(r)] if r == init => of(c),
            _ => None,
        }
    };
    let nearest = least.sources().iter().filter_map(distance).min()?;
    Some(nearest.div_ceil(step.max(1)))
}

/// `u` iterations in a row; the blocks of each, the first the loop's own or
/// new ones. Returns the latch of the last, whose branches are still those
/// of the loop.
fn row(func: &mut Func, c: &Candidate, first: Option<&Copies>, u: u64) -> BlockId {
    let of = |copies: Option<&Copies>, block: BlockId| {
        copies.and_then(|m| m.get(&block)).copied().unwrap_or(block)
    };
    let copies: Vec<Copies> = (1..u).map(|_| copy_blocks(func, &c.blocks)).collect();
    let mut latch = of(first, c.latch);
    let mut behind = c.blocks.last().map_or(latch, |b| of(first, *b));
    for copy in &copies {
        jump(func, latch, of(Some(copy), c.header));
        latch = of(Some(copy), c.latch);
        let new: Vec<BlockId> = c.blocks.iter().map(|b| of(Some(copy), *b)).collect();
        lay_behind(func, behind, new.iter().copied());
        behind = new.last().copied().unwrap_or(behind);
    }
    if let Some(last) = copies.last() {
        // The way round goes to the first iteration, not to this one.
        redirect(func, latch, of(Some(last), c.header), of(first, c.header));
    }
    latch
}

fn known(func: &mut Func, c: &Candidate, times: u64, u: u64) -> bool {
    let rest = times % u;
    let induction = &c.counted.induction;
    // The value that ends the loop of `u`: the first of the rest.
    let Some(step) = induction.step.constant() else {
        return false;
    };
    let done = i128::from(times - rest) * i128::from(step);
    let Operand::Imm(init) = induction.init else {
        return false;
    };
    let Ok(end) = i64::try_from(i128::from(init) + done) else {
        return false;
    };
    let left: Vec<Copies> = (0..rest).map(|_| copy_blocks(func, &c.blocks)).collect();
    let latch = row(func, c, None, u);
    if rest == 0 {
        return true;
    }
    let loc = cut_branches(func, latch);
    // The values are distinct, so that a test for the last is enough.
    let end = Operand::Imm(crate::cleanup::fold::wrap(induction.ty, end));
    let more = compare(
        func,
        latch,
        (Cmp::Ne, induction.ty),
        induction.next,
        end,
        None,
        loc,
    );
    let mut at = latch;
    let mut behind = latch;
    for (n, copy) in left.iter().enumerate() {
        let of = |block: BlockId| copy.get(&block).copied().unwrap_or(block);
        if n == 0 {
            branch(func, latch, Some(when(more)), c.header, loc);
            branch(func, latch, None, of(c.header), loc);
        } else {
            jump(func, at, of(c.header));
        }
        at = of(c.latch);
        let new: Vec<BlockId> = c.blocks.iter().map(|b| of(*b)).collect();
        lay_behind(func, behind, new.iter().copied());
        behind = new.last().copied().unwrap_or(behind);
    }
    jump(func, at, c.exit);
    true
}

fn unknown(func: &mut Func, c: &Candidate, u: u64) -> bool {
    let counted = &c.counted;
    let induction = &counted.induction;
    let up = match counted.cmp {
        Cmp::Lt | Cmp::Le | Cmp::Lo | Cmp::Ls => true,
        Cmp::Gt | Cmp::Ge | Cmp::Hi | Cmp::Hs => false,
        _ => return false,
    };
    let ty = counted.ty;
    let Ok(behind) = i64::try_from(u - 1) else {
        return false;
    };
    if !counted.of_next {
        return false;
    }
    let limit = match induction.step {
        Step::Constant(step) if step != 0 && up == (step > 0) => {
            let span = behind.checked_mul(step);
            span.and_then(|span| Limit::new(func, &counted.bound, span, ty))
        }
        Step::Reg(step) if up => Limit::by_register(func, &counted.bound, (step, behind), ty),
        _ => None,
    };
    let Some(limit) = limit else {
        return false;
    };
    let first = copy_blocks(func, &c.blocks);
    let of = |block: BlockId| first.get(&block).copied().unwrap_or(block);
    lay_behind(func, c.preheader, c.blocks.iter().map(|b| of(*b)));
    // Before: whether `u` iterations are left.
    let loc = cut_branches(func, c.preheader);
    let mut test = None;
    let is_computed = !limit.insts.is_empty();
    for mut inst in limit.insts {
        inst.loc = loc;
        func.push(c.preheader, inst);
    }
    if let (Some(r), true) = (limit.operand.as_reg(), is_computed) {
        let small = limit.small.map(|(step, below)| {
            let (ty, below) = (unsigned(ty), Operand::Imm(below));
            compare(func, c.preheader, (Cmp::Lt, ty), step, below, None, loc)
        });
        let strictly = if up { Cmp::Lt } else { Cmp::Gt };
        let bound = counted.bound.clone();
        let how = (strictly, ty);
        test = Some(compare(func, c.preheader, how, r, bound, small, loc));
    }
    let how = (counted.cmp, ty);
    let limit = limit.operand;
    let storage = induction.storage;
    let enter = compare(func, c.preheader, how, storage, limit.clone(), test, loc);
    branch(func, c.preheader, Some(when(enter)), of(c.header), loc);
    branch(func, c.preheader, None, c.header, loc);
    // The loop of `u`, and whether anything is left behind it.
    let latch = row(func, c, Some(&first), u);
    let loc = cut_branches(func, latch);
    drop_test(func, c, latch);
    let more = compare(func, latch, how, induction.next, limit, None, loc);
    let behind = func.blocks.alloc(Default::default());
    branch(func, latch, Some(when(more)), of(c.header), loc);
    branch(func, latch, None, behind, loc);
    lay_behind(func, latch, [behind]);
    let bound = counted.bound.clone();
    let rest = compare(func, behind, how, induction.next, bound, None, loc);
    branch(func, behind, Some(when(rest)), c.header, loc);
    branch(func, behind, None, c.exit, loc);
    true
}

/// Takes the loop's own test out of a copy of the latch that has another now.
fn drop_test(func: &mut Func, c: &Candidate, latch: BlockId) {
    let Some(body) = func.blocks.get(latch) else {
        return;
    };
    let mut insts = body.insts.clone();
    insts.retain(|id| {
        let inst = func.insts.get(*id);
        c.test.is_none() || inst.and_then(Inst::dest) != c.test
    });
    if let Some(body) = func.blocks.get_mut(latch) {
        body.insts = insts;
    }
}

fn when(reg: Reg) -> Guard {
    Guard {
        reg,
        negated: false,
    }
}

/// `setp` before the branches of a block, combined by `and` with a predicate.
fn compare(
    func: &mut Func,
    block: BlockId,
    (cmp, ty): (Cmp, Ty),
    a: Reg,
    b: Operand,
    and: Option<Reg>,
    loc: Loc,
) -> Reg {
    let dest = func.new_reg(RegTy::Pred);
    let combine = match and {
        Some(_) => Combine::And,
        None => Combine::Default,
    };
    let mods = Mods {
        cmp,
        combine,
        ..Mods::default()
    };
    let operands = [Operand::Reg(dest), Operand::Reg(a), b];
    let operands = operands.into_iter().chain(and.map(Operand::Reg));
    let mut inst = Inst::new(Op::Setp, mods, ty, operands);
    inst.loc = loc;
    let id = func.insts.alloc(inst);
    insert_before_branches(func, block, &[id]);
    dest
}

/// The bound less the steps to the last of `u` iterations.
struct Limit {
    operand: Operand,
    /// What computes it, if it is not known; it may overflow then.
    insts: Vec<Inst>,
    /// A register that must be less than this number, both unsigned.
    small: Option<(Reg, i64)>,
}

impl Limit {
    fn new(func: &mut Func, bound: &Operand, span: i64, ty: Ty) -> Option<Limit> {
        match bound {
            Operand::Imm(bound) => {
                let value = in_range(ty, i128::from(crate::cleanup::fold::wrap(ty, *bound)))?;
                let limit = in_range(ty, value - i128::from(span))?;
                let operand = Operand::Imm(limit as i64);
                Some(Limit {
                    operand,
                    insts: Vec::new(),
                    small: None,
                })
            }
            Operand::Reg(_) => {
                let minus = crate::cleanup::fold::wrap(ty, span.checked_neg()?);
                let dest = func.new_reg(ty.reg());
                let operands = [Operand::Reg(dest), bound.clone(), Operand::Imm(minus)];
                Some(Limit {
                    operand: Operand::Reg(dest),
                    insts: vec![Inst::new(Op::Add, Mods::default(), ty, operands)],
                    small: None,
                })
            }
            _ => None,
        }
    }

    /// The same for `times` steps by a register.
    fn by_register(
        func: &mut Func,
        bound: &Operand,
        (step, times): (Reg, i64),
        ty: Ty,
    ) -> Option<Limit> {
        if !matches!(bound, Operand::Imm(_) | Operand::Reg(_)) || times > MAX_TIMES {
            return None;
        }
        let (span, limit) = (func.new_reg(ty.reg()), func.new_reg(ty.reg()));
        let minus = Operand::Imm(crate::cleanup::fold::wrap(ty, times.checked_neg()?));
        let low = Mods {
            half: Half::Lo,
            ..Mods::default()
        };
        let product = [Operand::Reg(span), Operand::Reg(step), minus];
        let sum = [Operand::Reg(limit), Operand::Reg(span), bound.clone()];
        Some(Limit {
            operand: Operand::Reg(limit),
            insts: vec![
                Inst::new(Op::Mul, low, ty, product),
                Inst::new(Op::Add, Mods::default(), ty, sum),
            ],
            // Positive, and `times` of it do not overflow.
            small: Some((step, 1 << (ty.bits() - SPARE_BITS))),
        })
    }
}

/// Bits that a step must leave for [`MAX_TIMES`] of it, and for the sign.
const SPARE_BITS: u32 = 4;
const MAX_TIMES: i64 = 7;

/// The unsigned type as wide as an integer type.
fn unsigned(ty: Ty) -> Ty {
    if ty.bits() == 64 { Ty::U64 } else { Ty::U32 }
}

/// The value, if a type has it and an immediate can be it: unsigned values
/// above the signed ones are negative as immediates.
fn in_range(ty: Ty, value: i128) -> Option<i128> {
    let (low, high) = match (ty.bits(), ty.is_signed()) {
        (32, true) => (i128::from(i32::MIN), i128::from(i32::MAX)),
        (32, false) => (0, i128::from(u32::MAX)),
        (64, true) => (i128::from(i64::MIN), i128::from(i64::MAX)),
        (64, false) => (0, i128::from(i64::MAX)),
        _ => return None,
    };
    (low..=high).contains(&value).then_some(value)
}
