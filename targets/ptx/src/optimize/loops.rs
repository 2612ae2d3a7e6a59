//! Natural loops, and the registers that count them.

use crate::cfg::Cfg;
use crate::defs::Defs;
use crate::ids::{BlockId, InstId, Reg};
use crate::inst::Inst;
use crate::modifiers::{Cmp, Mods};
use crate::module::{Block, Func};
use crate::op::Op;
use crate::operand::Operand;
use crate::types::Ty;
use rustc_hash::FxHashMap;

/// A natural loop: a block that dominates the ends of edges back to it, and
/// all from where such an end is reached without passing it. Back edges to
/// one header make one loop. Blocks are named by their position in the
/// layout.
#[derive(Clone, Debug)]
pub struct Loop {
    pub header: u32,
    /// The blocks that branch back, in order.
    pub latches: Vec<u32>,
    /// All blocks, in order, the header too.
    pub blocks: Vec<u32>,
    /// The one predecessor of the header outside the loop, if there is one
    /// and it goes nowhere else.
    pub preheader: Option<u32>,
    /// Edges out of the loop: from, to.
    pub exits: Vec<(u32, u32)>,
    /// The next loop around this one.
    pub parent: Option<usize>,
    /// 1 for an outermost loop.
    pub depth: u32,
}

impl Loop {
    pub fn contains(&self, block: u32) -> bool {
        self.blocks.binary_search(&block).is_ok()
    }

    /// The one block that branches back.
    pub fn latch(&self) -> Option<u32> {
        match self.latches[..] {
            [one] => Some(one),
            _ => None,
        }
    }
}

/// The loops of a function, an outer one before those in it.
#[derive(Clone, Debug, Default)]
pub struct Loops {
    pub list: Vec<Loop>,
    /// The innermost loop of each block.
    of: Vec<Option<usize>>,
}

impl Loops {
    pub fn new(cfg: &Cfg) -> Loops {
        let mut latches: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
        for &b in &cfg.rpo {
            for &s in &cfg.succs[b as usize] {
                if cfg.dominates(s, b) {
                    latches.entry(s).or_default().push(b);
                }
            }
        }
        let mut loops = Loops {
            list: Vec::with_capacity(latches.len()),
            of: vec![None; cfg.len()],
        };
        // In this order the header of an outer loop comes first.
        for &header in &cfg.rpo {
            let Some(mut latches) = latches.remove(&header) else {
                continue;
            };
            latches.sort_unstable();
            let blocks = body(cfg, header, &latches);
            let parent = loops.of[header as usize];
            let depth = parent.map_or(0, |p| loops.list[p].depth) + 1;
            let at = loops.list.len();
            for &b in &blocks {
                loops.of[b as usize] = Some(at);
            }
            let inside = |b: &u32| blocks.binary_search(b).is_ok();
            let exits = blocks.iter().flat_map(|b| {
                let out = cfg.succs[*b as usize].iter().filter(|s| !inside(s));
                out.map(|s| (*b, *s))
            });
            let exits = exits.collect();
            let mut before = cfg.preds[header as usize].iter().filter(|p| !inside(p));
            let preheader = match (before.next(), before.next()) {
                (Some(one), None) if cfg.succs[*one as usize].len() == 1 => Some(*one),
                _ => None,
            };
            loops.list.push(Loop {
                header,
                latches,
                blocks,
                preheader,
                exits,
                parent,
                depth,
            });
        }
        loops
    }

    /// The innermost loop around a block.
    pub fn innermost(&self, block: u32) -> Option<&Loop> {
        self.list
            .get(self.of.get(block as usize).copied().flatten()?)
    }

    /// How many loops are around a block.
    pub fn depth(&self, block: u32) -> u32 {
        self.innermost(block).map_or(0, |l| l.depth)
    }

    /// Whether no other loop is in this one.
    pub fn is_innermost(&self, at: usize) -> bool {
        self.list.iter().all(|l| l.parent != Some(at))
    }
}

fn body(cfg: &Cfg, header: u32, latches: &[u32]) -> Vec<u32> {
    let mut inside = vec![false; cfg.len()];
    inside[header as usize] = true;
    let mut work = latches.to_vec();
    while let Some(b) = work.pop() {
        if !std::mem::replace(&mut inside[b as usize], true) {
            let preds = cfg.preds[b as usize].iter();
            work.extend(preds.filter(|p| cfg.is_reachable(**p)));
        }
    }
    (0..cfg.len() as u32)
        .filter(|b| inside[*b as usize])
        .collect()
}

/// Gives every loop a preheader: a block that only goes to the header, through
/// which alone the loop is entered. Returns the number of new blocks.
pub fn make_preheaders(func: &mut Func) -> usize {
    let cfg = Cfg::new(func);
    let loops = Loops::new(&cfg);
    let mut new = 0;
    for l in loops.list.iter().filter(|l| l.preheader.is_none()) {
        let header = cfg.blocks[l.header as usize];
        let before = cfg.preds[l.header as usize].iter();
        let outside: Vec<BlockId> = before
            .filter(|p| !l.contains(**p))
            .map(|p| cfg.blocks[*p as usize])
            .collect();
        // The entry of a function has a way in that is no edge.
        if outside.is_empty() || l.header == 0 {
            continue;
        }
        let block = func.blocks.alloc(Block::default());
        let at = func.layout.iter().position(|b| *b == header);
        func.layout.insert(at.unwrap_or(0), block);
        let loc = first_loc(func, header);
        let mut jump = Inst::new(Op::Bra, Mods::default(), Ty::None, [Operand::Label(header)]);
        jump.loc = loc;
        func.push(block, jump);
        for from in outside {
            let insts = func.blocks[from].insts.clone();
            for id in insts {
                if let Some(inst) = func.insts.get_mut(id)
                    && inst.branch_target() == Some(header)
                    && let Some(target) = inst.operands.first_mut()
                {
                    *target = Operand::Label(block);
                }
            }
        }
        new += 1;
    }
    new
}

fn first_loc(func: &Func, block: BlockId) -> crate::inst::Loc {
    let first = func.blocks.get(block).and_then(|b| b.insts.first());
    first
        .and_then(|id| func.insts.get(*id))
        .map_or_else(Default::default, |i| i.loc)
}

/// What an iteration adds to an induction register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    Constant(i64),
    /// A register that does not change in the loop.
    Reg(Reg),
}

impl Step {
    /// The step, if it is known.
    pub const fn constant(self) -> Option<i64> {
        match self {
            Step::Constant(step) => Some(step),
            Step::Reg(_) => None,
        }
    }
}

/// A register that an iteration adds the same to, in the form of
/// [`isolate`](super::isolate).
#[derive(Clone, Debug)]
pub struct Induction {
    /// The storage of the phi.
    pub storage: Reg,
    /// `mov current, storage` at the header: the value in the iteration.
    pub current: Reg,
    /// Its value in the first iteration, as the preheader writes it.
    pub init: Operand,
    /// The value for the next iteration: `add next, current, step`.
    pub next: Reg,
    pub step: Step,
    pub ty: Ty,
    /// The instruction in the preheader (or before it) that writes the first
    /// value, and the one in the latch that writes the next.
    pub init_at: InstId,
    pub next_at: InstId,
}

/// The induction registers of a loop with a preheader and one latch.
pub fn inductions(func: &Func, cfg: &Cfg, defs: &Defs, l: &Loop) -> Vec<Induction> {
    let Some(latch) = l.latch() else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for inst in insts_of(func, cfg, l.header) {
        if inst.op != Op::Mov || inst.guard.is_some() {
            break;
        }
        let (Some(current), Some(Operand::Reg(storage))) = (inst.dest(), inst.operands.get(1))
        else {
            continue;
        };
        let Some([one, two]) = defs.pair(*storage) else {
            continue;
        };
        let copies = |at: InstId| func.insts.get(at).is_some_and(|i| i.op == Op::Mov);
        if !copies(one.1) || !copies(two.1) {
            continue;
        }
        let (init, back) = if l.contains(two.0.block) {
            (one, two)
        } else {
            (two, one)
        };
        // The first value is written on every way in, the next on every way
        // round, since the phi's storage has no other writes.
        if l.contains(init.0.block) || back.0.block != latch || defs.single(current).is_none() {
            continue;
        }
        if !cfg.dominates(init.0.block, l.header) {
            continue;
        }
        let (Some(init_inst), Some(back_inst)) = (func.insts.get(init.1), func.insts.get(back.1))
        else {
            continue;
        };
        let (Some(first), Some(Operand::Reg(next))) =
            (init_inst.operands.get(1), back_inst.operands.get(1))
        else {
            continue;
        };
        if init_inst.guard.is_some() || back_inst.guard.is_some() {
            continue;
        }
        if let Some((step, ty)) = step_of(func, defs, l, *next, current) {
            found.push(Induction {
                storage: *storage,
                current,
                init: first.clone(),
                next: *next,
                step,
                ty,
                init_at: init.1,
                next_at: back.1,
            });
        }
    }
    found
}

/// What `next` is `current` plus.
fn step_of(func: &Func, defs: &Defs, l: &Loop, next: Reg, current: Reg) -> Option<(Step, Ty)> {
    let inst = defs.inst(func, next)?;
    let ty = inst.ty();
    if ty.is_float() || !matches!(ty.bits(), 32 | 64) || inst.mods != Mods::default() {
        return None;
    }
    match (inst.op, &inst.operands[..]) {
        (Op::Add, [_, Operand::Reg(r), Operand::Imm(k)])
        | (Op::Add, [_, Operand::Imm(k), Operand::Reg(r)])
            if *r == current =>
        {
            Some((Step::Constant(*k), ty))
        }
        (Op::Add, [_, Operand::Reg(a), Operand::Reg(b)]) if (*a == current) != (*b == current) => {
            let step = if *a == current { *b } else { *a };
            is_fixed(defs, l, step).then_some((Step::Reg(step), ty))
        }
        (Op::Sub, [_, Operand::Reg(r), Operand::Imm(k)]) if *r == current => {
            Some((Step::Constant(k.checked_neg()?), ty))
        }
        _ => None,
    }
}

/// Whether a register holds one value all through a loop.
fn is_fixed(defs: &Defs, l: &Loop, reg: Reg) -> bool {
    match defs.single(reg) {
        Some((at, _)) => !l.contains(at.block),
        None => defs.is_stable(reg),
    }
}

fn insts_of<'f>(func: &'f Func, cfg: &Cfg, block: u32) -> impl Iterator<Item = &'f Inst> {
    let body = func.blocks.get(cfg.blocks[block as usize]);
    let ids = body.map_or(&[][..], |b| &b.insts);
    ids.iter().filter_map(|id| func.insts.get(*id))
}

/// A loop that one comparison ends.
#[derive(Clone, Debug)]
pub struct Counted {
    pub induction: Induction,
    /// The loop goes on while `value cmp bound`, a comparison of `ty`.
    pub cmp: Cmp,
    pub ty: Ty,
    /// A constant, or a register that does not change in the loop.
    pub bound: Operand,
    /// Whether `value` is the one for the next iteration instead of this
    /// one's.
    pub of_next: bool,
    /// The block that leaves the loop, and where it goes then.
    pub exiting: u32,
    pub exit: u32,
}

impl Counted {
    /// How often the comparison holds, where all is constant: what stands
    /// behind a test at the header runs so often, what stands before a test
    /// at the latch once more.
    pub fn rounds(&self) -> Option<u64> {
        let (Operand::Imm(init), Operand::Imm(bound)) = (&self.induction.init, &self.bound) else {
            return None;
        };
        let step = self.induction.step.constant()?;
        let signed = self.ty.is_signed() || matches!(self.cmp, Cmp::Eq | Cmp::Ne);
        let value = |v: i64| -> i128 {
            match (signed, self.ty.bits()) {
                (true, 32) => i128::from(v as i32),
                (true, _) => i128::from(v),
                (false, 32) => i128::from(v as u32),
                (false, _) => i128::from(v as u64),
            }
        };
        let (init, bound, step) = (value(*init), value(*bound), i128::from(step));
        let first = if self.of_next { init + step } else { init };
        // Values first, first + step, ...: the number of those that go on.
        let holds = match self.cmp {
            Cmp::Lt | Cmp::Lo if step > 0 => ceil_div(bound - first, step),
            Cmp::Le | Cmp::Ls if step > 0 => ceil_div(bound + 1 - first, step),
            Cmp::Gt | Cmp::Hi if step < 0 => ceil_div(first - bound, -step),
            Cmp::Ge | Cmp::Hs if step < 0 => ceil_div(first + 1 - bound, -step),
            Cmp::Ne if step != 0 && (bound - first) % step == 0 && (bound - first) / step >= 0 => {
                (bound - first) / step
            }
            _ => return None,
        };
        let holds = holds.max(0);
        // The last value computed must not have wrapped.
        let last = first + holds * step;
        let (low, high) = match (signed, self.ty.bits()) {
            (true, 32) => (i128::from(i32::MIN), i128::from(i32::MAX)),
            (true, _) => (i128::from(i64::MIN), i128::from(i64::MAX)),
            (false, 32) => (0, i128::from(u32::MAX)),
            (false, _) => (0, i128::from(u64::MAX)),
        };
        if !(low..=high).contains(&last) || !(low..=high).contains(&first) {
            return None;
        }
        u64::try_from(holds).ok()
    }
}

fn ceil_div(a: i128, b: i128) -> i128 {
    a.div_euclid(b) + i128::from(a.rem_euclid(b) != 0)
}

/// The comparison that ends a loop, if exactly one edge leaves it and an
/// induction register against something fixed decides.
pub fn counted(func: &Func, cfg: &Cfg, defs: &Defs, l: &Loop) -> Option<Counted> {
    let [(exiting, exit)] = l.exits[..] else {
        return None;
    };
    // A way to `ret` inside the loop is no edge, but an exit.
    if l.blocks.iter().any(|b| cfg.exits[*b as usize]) {
        return None;
    }
    if exiting != l.header && Some(exiting) != l.latch() {
        return None;
    }
    if cfg.succs[exiting as usize].len() != 2 {
        return None;
    }
    let exit_block = cfg.blocks[exit as usize];
    let branch = insts_of(func, cfg, exiting).find(|i| i.branch_target().is_some())?;
    let guard = branch.guard?;
    let taken_leaves = branch.branch_target() == Some(exit_block);
    let test = defs.inst(func, guard.reg)?;
    let ([Operand::Reg(p), a, b], Op::Setp) = (&test.operands[..], test.op) else {
        return None;
    };
    let plain = Mods {
        cmp: test.mods.cmp,
        ..Mods::default()
    };
    if *p != guard.reg || test.mods != plain || test.ty().is_float() || test.guard.is_some() {
        return None;
    }
    let fixed = |operand: &Operand| match operand {
        Operand::Imm(_) => true,
        Operand::Reg(r) => is_fixed(defs, l, *r),
        _ => false,
    };
    for induction in inductions(func, cfg, defs, l) {
        for (value, bound, swapped) in [(a, b, false), (b, a, true)] {
            let Operand::Reg(value) = value else { continue };
            let of_next = *value == induction.next;
            if !of_next && *value != induction.current || !fixed(bound) {
                continue;
            }
            if test.ty().bits() != induction.ty.bits() {
                continue;
            }
            let mut cmp = test.mods.cmp;
            if swapped {
                cmp = mirrored(cmp)?;
            }
            // The branch leaves when taken, unless it is the one that goes on.
            let goes_on = taken_leaves == guard.negated;
            if !goes_on {
                cmp = cmp.negated(false);
            }
            return Some(Counted {
                induction,
                cmp,
                ty: test.ty(),
                bound: bound.clone(),
                of_next,
                exiting,
                exit,
            });
        }
    }
    None
}

/// The comparison with its sides exchanged.
fn mirrored(cmp: Cmp) -> Option<Cmp> {
    Some(match cmp {
        Cmp::Eq | Cmp::Ne => cmp,
        Cmp::Lt => Cmp::Gt,
        Cmp::Le => Cmp::Ge,
        Cmp::Gt => Cmp::Lt,
        Cmp::Ge => Cmp::Le,
        Cmp::Lo => Cmp::Hi,
        Cmp::Ls => Cmp::Hs,
        Cmp::Hi => Cmp::Lo,
        Cmp::Hs => Cmp::Ls,
        _ => return None,
    })
}

#[cfg(test)]
mod tests;
