//! In what order instructions must stay besides what their registers say.

use crate::ids::InstId;
use crate::inst::Inst;
use crate::modifiers::{ReadOnly, Sem, Space};
use crate::op::{Effect, Op};
use crate::operand::Operand;

/// What an instruction has to do with others of its block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// Nothing but through registers.
    Free,
    /// A load that any other load may pass.
    Load,
    /// A store, or an atomic operation: accesses to other bytes may pass.
    Store,
    /// Threads of the warp meet here: keeps its place among its like.
    Together,
    /// Both.
    LoadTogether,
    /// Works on the carry flag: keeps its place among its like.
    Carry,
    /// All accesses and meetings keep their side of it.
    Fence,
    /// Nothing at all passes it: it may leave the block, or runs other code.
    Wall,
}

/// The kind of an instruction. What is not known to be harmless is not passed.
pub fn order(inst: &Inst) -> Order {
    let reads_a_clock = (inst.operands.iter())
        .any(|o| matches!(o, Operand::Special(special) if special.is_volatile()));
    if reads_a_clock {
        return Order::Fence;
    }
    match inst.op.effect() {
        Effect::Control => Order::Wall,
        // Where all of the warp come by they come by in the whole block.
        Effect::Pure | Effect::Warp => Order::Free,
        Effect::Carry => Order::Carry,
        Effect::Sync => match inst.op {
            Op::Shfl | Op::Vote | Op::Activemask | Op::Match | Op::Redux => Order::Together,
            Op::Ldmatrix => Order::LoadTogether,
            _ => Order::Fence,
        },
        Effect::Read | Effect::Write => match inst.op {
            Op::Call => Order::Wall,
            Op::Ld | Op::St | Op::Atom | Op::Red | Op::Prefetch => access(inst),
            _ => Order::Fence,
        },
    }
}

fn access(inst: &Inst) -> Order {
    if !matches!(inst.mods.sem, Sem::Default | Sem::Weak | Sem::Relaxed) {
        return Order::Fence;
    }
    match inst.op {
        // Two relaxed loads of one place may not change places.
        Op::Ld if inst.mods.sem == Sem::Relaxed => Order::Store,
        Op::Ld => match (inst.mods.space, inst.mods.nc) {
            (Space::Param | Space::Const, _) | (_, ReadOnly::On) => Order::Free,
            _ => Order::Load,
        },
        // A hint; where it stands was chosen.
        Op::Prefetch => Order::Fence,
        _ => Order::Store,
    }
}

/// Says of two accesses of a block whether they may touch the same byte.
pub type MayOverlap<'a> = &'a dyn Fn(InstId, InstId) -> bool;
