//! Branch cleanup and block layout.
//!
//! - A branch to a block that only branches on goes where that one goes.
//! - Two ways of a conditional branch that go to one block are one way.
//! - A block with one predecessor that always goes to it joins it.
//! - Blocks are laid out so that ends fall through where they can; a
//!   conditional branch to the next block is turned round.

use super::Shared;
use crate::cfg::Cfg;
use crate::ids::{BlockId, InstId};
use crate::inst::Inst;
use crate::module::Func;
use crate::op::Op;
use crate::operand::Operand;
use rustc_hash::{FxHashMap, FxHashSet};

/// Cleans up; returns the number of changes.
pub fn clean(func: &mut Func, shared: &mut Shared) -> usize {
    // Nothing branches, and there is nothing to lay out.
    if func.layout.len() < 2 {
        return 0;
    }
    let ways = thread_jumps(func) + one_way(func);
    if ways > 0 {
        shared.blocks_changed();
    }
    let changes = ways + join(func, shared.cfg(func)) + lay_out(func) + turn_round(func);
    if changes > 0 {
        shared.blocks_changed();
    }
    changes
}

fn inst_of<'f>(func: &'f Func, id: &InstId) -> Option<&'f Inst> {
    func.insts.get(*id)
}

/// Where a block goes that holds nothing but a jump.
fn forwarded(func: &Func, block: BlockId) -> Option<BlockId> {
    let [only] = func.blocks.get(block)?.insts[..] else {
        return None;
    };
    let inst = func.insts.get(only)?;
    let target = inst.branch_target()?;
    (inst.ends_block() && target != block).then_some(target)
}

fn thread_jumps(func: &mut Func) -> usize {
    let mut forward: FxHashMap<BlockId, BlockId> = (func.layout.iter())
        .filter_map(|block| Some((*block, forwarded(func, *block)?)))
        .collect();
    if forward.is_empty() {
        return 0;
    }
    let exists: FxHashSet<BlockId> = func.layout.iter().copied().collect();
    forward.retain(|_, target| exists.contains(target));
    let ids = all_insts(func);
    let mut changes = 0;
    for id in ids {
        let Some(inst) = func.insts.get_mut(id) else {
            continue;
        };
        let Some(from) = inst.branch_target() else {
            continue;
        };
        let mut to = from;
        // Bounded, since empty blocks may jump in a circle.
        for _ in 0..forward.len() {
            match forward.get(&to) {
                Some(next) if *next != from => to = *next,
                _ => break,
            }
        }
        if to != from {
            inst.operands[0] = Operand::Label(to);
            changes += 1;
        }
    }
    changes
}

fn all_insts(func: &Func) -> Vec<InstId> {
    func.layout
        .iter()
        .filter_map(|b| func.blocks.get(*b))
        .flat_map(|b| b.insts.iter().copied())
        .collect()
}

/// Drops a conditional branch whose block jumps to the same place after it.
fn one_way(func: &mut Func) -> usize {
    let mut changes = 0;
    for block in func.layout.clone() {
        let Some(body) = func.blocks.get(block) else {
            continue;
        };
        let [.., before, last] = body.insts[..] else {
            continue;
        };
        let (Some(first), Some(second)) = (inst_of(func, &before), inst_of(func, &last)) else {
            continue;
        };
        let target = first.branch_target();
        if target.is_some() && second.ends_block() && target == second.branch_target() {
            let at = body.insts.len() - 2;
            if let Some(body) = func.blocks.get_mut(block) {
                body.insts.remove(at);
                changes += 1;
            }
        }
    }
    changes
}

fn join(func: &mut Func, cfg: &Cfg) -> usize {
    // Where the code of a block that was joined to another now stands.
    let mut moved: FxHashMap<BlockId, BlockId> = FxHashMap::default();
    for at in 1..cfg.len() as u32 {
        let [pred] = cfg.preds[at as usize][..] else {
            continue;
        };
        if pred == at || cfg.succs[pred as usize].len() != 1 || !cfg.is_reachable(at) {
            continue;
        }
        let block = cfg.blocks[at as usize];
        let mut into = cfg.blocks[pred as usize];
        while let Some(next) = moved.get(&into) {
            into = *next;
        }
        let jumps = func
            .blocks
            .get(into)
            .and_then(|b| b.insts.last())
            .and_then(|id| inst_of(func, id))
            .is_some_and(|i| i.ends_block() && i.branch_target() == Some(block));
        // Branches stand at the end of a block only.
        let branches = func.blocks.get(into).map_or(0, |b| {
            let ends = b.insts.iter().rev().filter_map(|id| inst_of(func, id));
            ends.take_while(|i| i.op == Op::Bra)
                .filter(|i| i.branch_target() == Some(block))
                .count()
        });
        if !jumps || branches != 1 || into == block {
            continue;
        }
        let Some(body) = func.blocks.get_mut(block) else {
            continue;
        };
        let insts = std::mem::take(&mut body.insts);
        if let Some(body) = func.blocks.get_mut(into) {
            body.insts.pop();
            body.insts.extend(insts);
        }
        moved.insert(block, into);
    }
    if !moved.is_empty() {
        func.layout.retain(|b| !moved.contains_key(b));
    }
    moved.len()
}

/// No position: the block is placed, or in no layout.
const PLACED: u32 = u32::MAX;

/// Chains blocks greedily from the entry. Of several ways a chain goes on to
/// the one that came first so far, so that code stays in source order and a
/// second run changes nothing.
fn lay_out(func: &mut Func) -> usize {
    // Positions of the blocks that are yet to be placed.
    let mut at = vec![PLACED; func.blocks.len()];
    for (i, block) in func.layout.iter().enumerate() {
        if let Some(at) = at.get_mut(block.index()) {
            *at = i as u32;
        }
    }
    let mut order = Vec::with_capacity(func.layout.len());
    for i in 0..func.layout.len() {
        let mut next = Some(func.layout[i]);
        while let Some(block) = next {
            let Some(at_block) = at.get_mut(block.index()).filter(|at| **at != PLACED) else {
                break;
            };
            *at_block = PLACED;
            order.push(block);
            let ids = func.blocks.get(block).map_or(&[][..], |b| &b.insts);
            next = (ids.iter())
                .filter_map(|id| inst_of(func, id)?.branch_target())
                .filter_map(|t| Some((*at.get(t.index()).filter(|at| **at != PLACED)?, t)))
                .min()
                .map(|(_, target)| target);
        }
    }
    if order == func.layout {
        return 0;
    }
    func.layout = order;
    1
}

/// `@p bra next; bra other;` becomes `@!p bra other;`, falling through.
fn turn_round(func: &mut Func) -> usize {
    let mut changes = 0;
    for at in 0..func.layout.len().saturating_sub(1) {
        let (block, next) = (func.layout[at], func.layout[at + 1]);
        let Some(body) = func.blocks.get(block) else {
            continue;
        };
        let [.., first, last] = body.insts[..] else {
            continue;
        };
        let (Some(a), Some(b)) = (inst_of(func, &first), inst_of(func, &last)) else {
            continue;
        };
        let (Some(then), Some(otherwise)) = (a.branch_target(), b.branch_target()) else {
            continue;
        };
        let Some(guard) = a.guard else { continue };
        // With another conditional branch before, the order of the two ways
        // still holds: each is tried only if the earlier were not taken.
        if a.op == Op::Bra && b.ends_block() && then == next && otherwise != next {
            func.insts[first].guard = Some(guard.inverted());
            func.insts[first].operands[0] = Operand::Label(otherwise);
            func.insts[last].operands[0] = Operand::Label(then);
            changes += 1;
        }
    }
    changes
}
