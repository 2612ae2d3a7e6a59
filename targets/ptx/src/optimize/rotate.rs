//! Loop rotation: a loop that tests at its top tests at its bottom, behind a
//! test whether to enter it at all.
//!
//! ```text
//!                                    setp %p, ..;
//! head:                              @!%p bra end;
//!   setp %p, ..;                   body:
//!   @!%p bra end;                    ..
//!   ..                               setp %p, ..;
//!   bra head;                        @%p bra body;
//! end:                             end:
//! ```
//!
//! An iteration costs one branch less, and what stands before the body is
//! only reached if the body runs: loads may move there.
//!
//! The header's code is copied to the place before the loop; the header itself
//! becomes the block at the end. It must be short, have one way in from
//! outside, one way on, to a block that only it leads to, and one way out of
//! the loop. A loop whose latch tests already is left alone.
//!
//! Writes the header's registers in two places: `isolate` comes next.

use super::edit::{copy_blocks, cut_branches};
use super::loops::{Loop, Loops, make_preheaders};
use crate::cfg::Cfg;
use crate::ids::BlockId;
use crate::inst::Inst;
use crate::module::Func;
use crate::op::Op;

/// Headers with more instructions are not copied; copies do not count.
const MAX_COPIED: usize = 24;

/// Rotates; returns the number of loops changed.
pub fn rotate(func: &mut Func) -> usize {
    let cfg = Cfg::new(func);
    if !Loops::new(&cfg)
        .list
        .iter()
        .any(|l| plan(func, &cfg, l).is_some())
    {
        return 0;
    }
    make_preheaders(func);
    let cfg = Cfg::new(func);
    let mut changes = 0;
    // The plans of different loops touch different headers and preheaders; a
    // preheader may be the block that another header goes on to, which stays
    // so.
    for l in &Loops::new(&cfg).list {
        let (Some(header), Some(before)) = (plan(func, &cfg, l), l.preheader) else {
            continue;
        };
        let copies = copy_blocks(func, &[header]);
        let Some(copy) = copies.get(&header).and_then(|c| func.blocks.get(*c)) else {
            continue;
        };
        let insts = copy.insts.clone();
        let before = cfg.blocks[before as usize];
        cut_branches(func, before);
        if let Some(body) = func.blocks.get_mut(before) {
            body.insts.extend(insts);
        }
        changes += 1;
    }
    changes
}

/// The header of a loop that should be rotated.
fn plan(func: &Func, cfg: &Cfg, l: &Loop) -> Option<BlockId> {
    let header = cfg.blocks[l.header as usize];
    let body = func.blocks.get(header)?;
    // The values that a loop carries are copied at its top, which costs nothing.
    let insts = || body.insts.iter().filter_map(|id| func.insts.get(*id));
    let size = insts().filter(|i| i.op != Op::Mov).count();
    if l.header == 0 || size > MAX_COPIED || cfg.exits[l.header as usize] {
        return None;
    }
    let mut ways = cfg.succs[l.header as usize].iter();
    let (one, two) = (*ways.next()?, *ways.next()?);
    let on = match (l.contains(one), l.contains(two)) {
        (true, false) => one,
        (false, true) => two,
        _ => return None,
    };
    if ways.next().is_some() || on == l.header || cfg.preds[on as usize].len() != 1 {
        return None;
    }
    // A block that only jumps goes when branches are cleaned up, and what it
    // jumps to may be the header of another loop.
    let first = func.blocks.get(cfg.blocks[on as usize])?;
    if first.insts.len() < 2 {
        return None;
    }
    // A latch that decides is a test at the bottom.
    let decides = |latch: &u32| cfg.succs[*latch as usize].len() != 1;
    if l.latches.iter().any(decides) {
        return None;
    }
    let movable = |inst: &Inst| !inst.op.is_block_barrier() && inst.op != Op::Call;
    insts().all(movable).then_some(header)
}

#[cfg(test)]
mod tests;
