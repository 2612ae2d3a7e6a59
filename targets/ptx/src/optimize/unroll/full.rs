//! Full unrolling.

use super::{Candidate, candidates};
use crate::cleanup;
use crate::ids::BlockId;
use crate::module::Func;
use crate::optimize::edit::{copy_blocks, jump, lay_behind};
use crate::optimize::isolate::isolate;

/// Most instructions that a loop may become.
const MOST: usize = 512;

/// Most iterations: bodies may shrink to nothing, and time is finite.
const MOST_ITERATIONS: u64 = 64;

/// How deep nests are unrolled from the inside.
const MOST_ROUNDS: usize = 4;

/// Unrolls loops that run a known number of times, from the inside out, and
/// cleans up after each round, so that the next sees how large bodies really
/// are. Returns the number of loops unrolled.
pub fn unroll(func: &mut Func) -> usize {
    let mut total = 0;
    for _ in 0..MOST_ROUNDS {
        let mut changes = 0;
        for c in candidates(func) {
            if let Some(times) = times(&c) {
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
fn times(c: &Candidate) -> Option<u64> {
    // The test at the bottom fails once.
    let times = c.counted.rounds()?.checked_add(1)?;
    let size = usize::try_from(times).ok()?.checked_mul(c.size)?;
    (times <= MOST_ITERATIONS && size <= MOST).then_some(times)
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
