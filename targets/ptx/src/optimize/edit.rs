//! Changes of blocks that several passes make.

use crate::ids::{BlockId, InstId};
use crate::inst::{Guard, Inst, Loc};
use crate::modifiers::Mods;
use crate::module::{Block, Func};
use crate::op::Op;
use crate::operand::Operand;
use crate::types::Ty;
use rustc_hash::FxHashMap;

/// For each block that was copied, its copy.
pub(super) type Copies = FxHashMap<BlockId, BlockId>;

/// Copies blocks. Branches among them go to the copies, other branches where
/// they went; registers keep their names. The copies are in no layout yet.
pub(super) fn copy_blocks(func: &mut Func, blocks: &[BlockId]) -> Copies {
    let mut copies = Copies::default();
    for &block in blocks {
        let name = func.blocks.get(block).and_then(|b| b.name.clone());
        let copy = func.blocks.alloc(Block {
            name,
            insts: Vec::new(),
        });
        copies.insert(block, copy);
    }
    for &block in blocks {
        let (Some(&copy), Some(body)) = (copies.get(&block), func.blocks.get(block)) else {
            continue;
        };
        for id in body.insts.clone() {
            let Some(mut inst) = func.insts.get(id).cloned() else {
                continue;
            };
            retarget(&mut inst, |target| {
                copies.get(&target).copied().unwrap_or(target)
            });
            func.push(copy, inst);
        }
    }
    copies
}

/// Sends a branch elsewhere; leaves other instructions alone.
pub(super) fn retarget(inst: &mut Inst, to: impl FnOnce(BlockId) -> BlockId) {
    if let Some(target) = inst.branch_target()
        && let Some(operand) = inst.operands.first_mut()
    {
        *operand = Operand::Label(to(target));
    }
}

/// Sends the branches of a block that go to `from` to `to`.
pub(super) fn redirect(func: &mut Func, block: BlockId, from: BlockId, to: BlockId) {
    let ids = func.blocks.get(block).map(|b| b.insts.clone());
    for id in ids.unwrap_or_default() {
        if let Some(inst) = func.insts.get_mut(id) {
            retarget(inst, |target| if target == from { to } else { target });
        }
    }
}

/// Takes the branches off the end of a block; returns the position that the
/// first had.
pub(super) fn cut_branches(func: &mut Func, block: BlockId) -> Loc {
    let mut loc = Loc::default();
    while let Some(last) = last_inst(func, block) {
        if last.op != Op::Bra {
            break;
        }
        loc = last.loc;
        if let Some(body) = func.blocks.get_mut(block) {
            body.insts.pop();
        }
    }
    loc
}

fn last_inst(func: &Func, block: BlockId) -> Option<&Inst> {
    func.insts.get(*func.blocks.get(block)?.insts.last()?)
}

/// Appends a branch.
pub(super) fn branch(func: &mut Func, block: BlockId, guard: Option<Guard>, to: BlockId, loc: Loc) {
    let mut inst = Inst::new(Op::Bra, Mods::default(), Ty::None, [Operand::Label(to)]);
    inst.guard = guard;
    inst.loc = loc;
    func.push(block, inst);
}

/// Replaces the branches at the end of a block by a jump.
pub(super) fn jump(func: &mut Func, block: BlockId, to: BlockId) {
    let loc = cut_branches(func, block);
    branch(func, block, None, to, loc);
}

/// Puts blocks into the layout behind another, or at the end.
pub(super) fn lay_behind(func: &mut Func, block: BlockId, new: impl IntoIterator<Item = BlockId>) {
    let at = func.layout.iter().position(|b| *b == block);
    let at = at.map_or(func.layout.len(), |at| at + 1);
    func.layout.splice(at..at, new);
}

/// Puts instructions before the branches at the end of a block.
pub(super) fn insert_before_branches(func: &mut Func, block: BlockId, ids: &[InstId]) {
    let Some(body) = func.blocks.get(block) else {
        return;
    };
    let leaves = |id: &&InstId| {
        let inst = func.insts.get(**id);
        inst.is_some_and(|i| i.op == Op::Bra || i.ends_block())
    };
    let at = body.insts.len() - body.insts.iter().rev().take_while(leaves).count();
    if let Some(body) = func.blocks.get_mut(block) {
        body.insts.splice(at..at, ids.iter().copied());
    }
}
