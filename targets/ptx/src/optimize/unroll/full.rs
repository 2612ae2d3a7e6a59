//! Full unrolling.

use super::{Candidate, candidates, insts};
use crate::cleanup;
use crate::ids::BlockId;
use crate::inst::Inst;
use crate::modifiers::Space;
use crate::module::Func;
use crate::optimize::edit::{copy_blocks, jump, lay_behind};
use crate::optimize::isolate::isolate;

/// Most instructions that a loop may become: the inner loop of a product of
/// matrices in blocks of registers is this long.
const MAX: usize = 1024;

/// The same of a loop that indexes local arrays, which may become registers
/// then.
const MAX_LOCAL: usize = 2048;

/// Most instructions of all kinds.
const MAX_COPIED: usize = 1 << 14;

/// Most iterations: bodies may shrink to nothing, and time is finite.
const MAX_ITERATIONS: u64 = 64;

/// How deep nests are unrolled from the inside.
const MAX_ROUNDS: usize = 4;

/// Unrolls loops that run a known number of times, from the inside out, and
/// cleans up after each round, so that the next sees how large bodies really
/// are. Returns the number of loops unrolled.
pub fn unroll(func: &mut Func) -> usize {
    let mut total = 0;
    for _ in 0..MAX_ROUNDS {
        let mut changes = 0;
        for c in candidates(func) {
            let most = match insts(func, &c.blocks).any(indexes_local) {
                true => MAX_LOCAL,
                false => MAX,
            };
            if let Some(times) = times(&c, most) {
                apart(func, &c, times);
                changes += 1;
            }
        }
        if changes == 0 {
            break;
        }
        total += changes;
        isolate(func);
        cleanup::run(func);
    }
    total
}

/// How often a loop runs, if it may be unrolled.
fn times(c: &Candidate, most: usize) -> Option<u64> {
    // The test at the bottom fails once.
    let times = c.counted.rounds()?.checked_add(1)?;
    let copies = usize::try_from(times).ok()?;
    let fits = copies.checked_mul(c.size)? <= most && copies.checked_mul(c.all)? <= MAX_COPIED;
    (times <= MAX_ITERATIONS && fits).then_some(times)
}

/// Whether an instruction accesses local memory at an address that is computed.
fn indexes_local(inst: &Inst) -> bool {
    inst.mods.space == Space::Local && inst.address_reg().is_some()
}

/// Copies of the loop one behind the other.
fn apart(func: &mut Func, c: &Candidate, times: u64) {
    let mut behind = c.blocks.last().copied().unwrap_or(c.latch);
    let copies: Vec<_> = (1..times).map(|_| copy_blocks(func, &c.blocks)).collect();
    let mut latch = c.latch;
    for copy in &copies {
        let of = |block: BlockId| copy.get(&block).copied().unwrap_or(block);
        jump(func, latch, of(c.header));
        latch = of(c.latch);
        let new: Vec<BlockId> = c.blocks.iter().map(|b| of(*b)).collect();
        lay_behind(func, behind, new.iter().copied());
        behind = new.last().copied().unwrap_or(behind);
    }
    jump(func, latch, c.exit);
}
