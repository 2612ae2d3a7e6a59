//! Blocks as the machine form wants them: nothing but one jump stands behind
//! a conditional branch. Lowering makes them so; text of others need not be.

use crate::ids::InstId;
use crate::inst::Inst;
use crate::modifiers::Mods;
use crate::module::{Block, Func};
use crate::op::Op;
use crate::operand::Operand;
use crate::types::Ty;

/// Splits blocks behind conditional branches that more than a jump follows;
/// returns the number of new blocks.
pub fn split(func: &mut Func) -> usize {
    let mut new = 0;
    let mut layout = Vec::with_capacity(func.layout.len());
    for block in func.layout.clone() {
        layout.push(block);
        let mut at = block;
        while let Some(cut) = cut(func, &func.blocks[at].insts) {
            let rest = func.blocks[at].insts.split_off(cut);
            let loc = (rest.first().and_then(|id| func.insts.get(*id)))
                .map_or_else(Default::default, |inst| inst.loc);
            let next = func.blocks.alloc(Block {
                name: None,
                insts: rest,
            });
            let label = [Operand::Label(next)];
            let mut jump = Inst::new(Op::Bra, Mods::default(), Ty::None, label);
            jump.loc = loc;
            func.push(at, jump);
            layout.push(next);
            at = next;
            new += 1;
        }
    }
    func.layout = layout;
    new
}

/// Where to cut: behind the first branch that more than a jump follows.
fn cut(func: &Func, insts: &[InstId]) -> Option<usize> {
    let inst = |at: usize| insts.get(at).and_then(|id| func.insts.get(*id));
    (1..insts.len()).find(|at| {
        let branch = inst(at - 1).is_some_and(|i| i.branch_target().is_some());
        let last = *at + 1 == insts.len();
        let jump = inst(*at).is_some_and(|i| i.branch_target().is_some() && i.guard.is_none());
        branch && !(last && jump)
    })
}
