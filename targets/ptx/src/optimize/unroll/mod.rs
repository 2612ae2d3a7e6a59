//! Loop unrolling: several iterations of a counted loop in a row.
//!
//! - [`full`]: a loop that runs a known number of times becomes that many
//!   copies of its body, if that is not too much code. Loops around it may
//!   follow.
//! - [`partial`]: any other counted innermost loop runs several iterations
//!   between tests, and what is left over in a loop (or copies) behind.
//!
//! Only loops that test at their bottom, in one place, are unrolled; `rotate`
//! makes them. A loop with several ways out (a search, a `while` with
//! a `break`) is left alone: its number of iterations is not known before it
//! runs, so that every copy would keep all its tests, and only the code would
//! grow.
//!
//! Iterations run in their order and each does what it did, so that sums of
//! floats keep theirs. Copies write the same registers as the original:
//! `isolate` comes next and gives each its own; the values that go from one
//! iteration to the next become plain registers then, and `i + 1 + 1` becomes
//! `i + 2`.
//!
//! A known number of iterations keeps what threads do together in step, since
//! it is one for all. With a number that may differ between threads, a shuffle
//! of one thread's last iterations would meet that of another in another copy:
//! loops with barriers, shuffles or votes are unrolled only where the number
//! is the same for all threads of the block, and loops with calls never.

pub mod full;
pub mod partial;

use super::loops::{Counted, Loop, Loops, counted, make_preheaders};
use crate::cfg::Cfg;
use crate::defs::Defs;
use crate::ids::{BlockId, Reg};
use crate::inst::Inst;
use crate::modifiers::Space;
use crate::module::Func;
use crate::op::Op;

/// A loop that can be unrolled, by blocks that stay what they are when other
/// loops change.
struct Candidate {
    blocks: Vec<BlockId>,
    preheader: BlockId,
    header: BlockId,
    latch: BlockId,
    exit: BlockId,
    counted: Counted,
    /// The test at the bottom, if its result is used for nothing else.
    test: Option<Reg>,
    /// Instructions of an iteration, but for copies, accesses to elements of
    /// local arrays that may become copies, and the way round.
    size: usize,
    /// All of them.
    all: usize,
}

/// The counted innermost loops that test at the bottom, after giving all
/// loops preheaders.
fn candidates(func: &mut Func) -> Vec<Candidate> {
    if Loops::new(&Cfg::new(func)).list.is_empty() {
        return Vec::new();
    }
    make_preheaders(func);
    let cfg = Cfg::new(func);
    let loops = Loops::new(&cfg);
    let defs = Defs::new(func);
    let mut uses = vec![0u32; func.regs.len()];
    for inst in func.insts_in_layout() {
        inst.for_each_use(|reg| {
            if let Some(n) = uses.get_mut(reg.index()) {
                *n += 1;
            }
        });
    }
    let innermost = (0..loops.list.len()).filter(|at| loops.is_innermost(*at));
    let of = innermost.filter_map(|at| candidate(func, &cfg, &defs, &uses, &loops.list[at]));
    of.collect()
}

fn candidate(func: &Func, cfg: &Cfg, defs: &Defs, uses: &[u32], l: &Loop) -> Option<Candidate> {
    let (latch, preheader) = (l.latch()?, l.preheader?);
    let counted = counted(func, cfg, defs, l)?;
    if counted.exiting != latch {
        return None;
    }
    let block = |at: u32| cfg.blocks[at as usize];
    let blocks: Vec<BlockId> = l.blocks.iter().map(|b| block(*b)).collect();
    let test = only_use(func, uses, block(latch));
    let size = insts(func, &blocks).filter(|i| counts(i)).count();
    Some(Candidate {
        preheader: block(preheader),
        header: block(l.header),
        latch: block(latch),
        exit: block(counted.exit),
        size: size.saturating_sub(OVERHEAD),
        all: insts(func, &blocks).count(),
        blocks,
        counted,
        test,
    })
}

/// The predicate of a block's branch, if nothing else reads it.
fn only_use(func: &Func, uses: &[u32], block: BlockId) -> Option<Reg> {
    let latch = [block];
    let branch = insts(func, &latch).find(|i| i.branch_target().is_some())?;
    let pred = branch.guard?.reg;
    (uses.get(pred.index()) == Some(&1)).then_some(pred)
}

/// What goes when iterations follow each other: increment, test.
const OVERHEAD: usize = 2;

fn counts(inst: &Inst) -> bool {
    let element = inst.mods.space == Space::Local && inst.address_reg().is_none();
    !matches!(inst.op, Op::Mov | Op::Bra) && !element
}

fn insts<'f>(func: &'f Func, blocks: &'f [BlockId]) -> impl Iterator<Item = &'f Inst> {
    let bodies = blocks.iter().filter_map(|b| func.blocks.get(*b));
    bodies
        .flat_map(|b| &b.insts)
        .filter_map(|id| func.insts.get(*id))
}

#[cfg(test)]
mod tests;
