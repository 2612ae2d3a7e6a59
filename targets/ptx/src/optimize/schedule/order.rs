//! In what order instructions must stay besides what their registers say.

use crate::ids::InstId;
use crate::inst::Inst;
use crate::modifiers::{ReadOnly, Sem, Space};
use crate::op::{Effect, Op};
use crate::operand::{Base, Operand};

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
        Effect::Pure => Order::Free,
        Effect::Warp => Order::Together,
        // The carry flag is no register that the graph would see.
        Effect::Carry => Order::Fence,
        Effect::Sync => match inst.op {
            Op::Shfl | Op::Vote | Op::Activemask => Order::Together,
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

/// What can be said from two accesses alone: they are in different state spaces,
/// or at constant distances from the same variable.
pub fn may_overlap(a: &Inst, b: &Inst) -> bool {
    let (x, y) = (a.mods.space, b.mods.space);
    if x != y && x != Space::Generic && y != Space::Generic {
        return false;
    }
    let (Some(x), Some(y)) = (a.address(), b.address()) else {
        return true;
    };
    match (x.base, y.base) {
        (Base::Sym(s), Base::Sym(t)) if s == t => {
            let (from, to) = (i64::from(x.offset), i64::from(y.offset));
            from < to + i64::from(b.access_bytes()) && to < from + i64::from(a.access_bytes())
        }
        (Base::Sym(_), Base::Sym(_)) => false,
        _ => true,
    }
}
