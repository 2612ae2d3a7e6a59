//! If-conversion: a few instructions under a branch run under a predicate
//! instead, so that the blocks around become one.
//!
//! ```text
//!   @!%p bra join;                   add.f32 %t, %s, %x;
//!   add.f32 %t, %s, %x;              selp.f32 %s, %t, %s, %p;
//!   mov.f32 %s, %t;                  @%p st.global.f32 [%a], %t;
//!   st.global.f32 [%a], %t;
//! join:
//! ```
//!
//! A side is a block that only the branch leads to and that goes on to the
//! join; both sides (a diamond) or one (a triangle) may be there. What has no
//! effect and writes a register that only the side knows runs always; copies
//! into registers that are read behind the join become `selp`; everything else,
//! and what needs the result of such, gets the guard.
//!
//! Left as they are: sides with barriers, calls, instructions that threads
//! execute together, atomics (one branch around them is cheaper), sides that
//! change the predicate, and long ones. Outside loops a branch is passed once
//! and may guard all of a kernel's work. So sides with memory accesses are
//! converted there only if they make one access, and something comes behind the
//! join: that is an element of many which a thread may have or not. Their
//! addresses, computed in any case, then have parts in common.
//!
//! What stands in the place of a load that does not run is there before it:
//!
//! ```text
//!   @!%p bra other;                  mov.f32 %f, 0f00000000;
//!   ld.global.f32 %f, [%a];          @%p ld.global.f32 %f, [%a];
//!   bra join;
//! other:
//!   mov.f32 %f, 0f00000000;
//! join:
//! ```
//!
//! Behind it, it would have to wait for the load.
//!
//! Registers that `selp` reads and writes are written in two places: `isolate`
//! comes next.

use super::edit::jump;
use super::liveness::Liveness;
use super::loops::Loops;
use crate::cfg::{Cfg, points};
use crate::ids::{BlockId, InstId, Reg};
use crate::inst::{Guard, Inst, Loc};
use crate::modifiers::Mods;
use crate::module::Func;
use crate::op::{Effect, Op};
use crate::operand::Operand;
use crate::types::{RegTy, Ty};
use rustc_hash::{FxHashMap, FxHashSet};

/// Most that both sides may cost in a loop.
const MAX_COST: u32 = 12;
/// The same outside loops.
const MAX_COST_ONCE: u32 = 4;
/// The same outside loops, of sides that make one access.
const MAX_COST_OF_ACCESS: u32 = 32;
/// Cost of an access to memory.
const ACCESS: u32 = 2;

/// Converts; returns the number of branches that went.
pub fn if_convert(func: &mut Func) -> usize {
    let mut changes = 0;
    // An inner branch that went may make a side of the outer one: each round
    // takes at least one branch away.
    loop {
        let found = round(func);
        changes += found;
        if found == 0 {
            return changes;
        }
    }
}

/// Blocks of a branch. `guard` holds where `then` runs.
struct Shape {
    head: BlockId,
    then: Option<BlockId>,
    otherwise: Option<BlockId>,
    join: BlockId,
    guard: Guard,
}

fn round(func: &mut Func) -> usize {
    let cfg = Cfg::new(func);
    let loops = Loops::new(&cfg);
    let places = Places::new(func, &cfg);
    let mut shapes = Vec::new();
    let mut taken: FxHashSet<BlockId> = FxHashSet::default();
    for &b in &cfg.rpo {
        let Some(shape) = shape(func, &cfg, b) else {
            continue;
        };
        let blocks = [Some(shape.head), shape.then, shape.otherwise];
        let blocks = blocks.into_iter().flatten();
        let free = blocks.clone().all(|block| !taken.contains(&block));
        if free && worthwhile(func, &cfg, &shape, loops.depth(b) > 0) {
            taken.extend(blocks);
            shapes.push(shape);
        }
    }
    for shape in &shapes {
        convert(func, &places, shape);
    }
    shapes.len()
}

fn shape(func: &Func, cfg: &Cfg, b: u32) -> Option<Shape> {
    let head = cfg.blocks[b as usize];
    let [one, two] = cfg.succs[b as usize][..] else {
        return None;
    };
    let body = func.blocks.get(head)?;
    let [.., first, last] = body.insts[..] else {
        return None;
    };
    let branches = body.insts.iter().filter_map(|id| func.insts.get(*id));
    if branches.filter(|inst| inst.op == Op::Bra).count() != 2 {
        return None;
    }
    let (first, last) = (func.insts.get(first)?, func.insts.get(last)?);
    let (guard, taken) = (first.guard?, cfg.position(first.branch_target()?)?);
    if cfg.position(last.branch_target()?)? == taken || last.guard.is_some() {
        return None;
    }
    let fallen = if taken == one { two } else { one };
    // A side has one way in and one way out.
    let goes_to = |side: u32| {
        let alone = cfg.preds[side as usize].len() == 1 && !cfg.exits[side as usize];
        match cfg.succs[side as usize][..] {
            [to] if alone && to != b && to != side => Some(to),
            _ => None,
        }
    };
    let id = |at: u32| cfg.blocks[at as usize];
    let (then, otherwise, join) = match (goes_to(taken), goes_to(fallen)) {
        (Some(a), Some(b)) if a == b => (Some(id(taken)), Some(id(fallen)), a),
        (Some(a), _) if a == fallen => (Some(id(taken)), None, a),
        (_, Some(a)) if a == taken => (None, Some(id(fallen)), a),
        _ => return None,
    };
    Some(Shape {
        head,
        then,
        otherwise,
        join: id(join),
        guard,
    })
}

fn worthwhile(func: &Func, cfg: &Cfg, shape: &Shape, in_loop: bool) -> bool {
    let (mut sum, mut accesses) = (0, 0);
    for side in [shape.then, shape.otherwise].into_iter().flatten() {
        for inst in insts(func, side) {
            let Some(c) = cost(inst, shape.guard.reg) else {
                return false;
            };
            sum += c;
            accesses += u32::from(inst.op.effect() != Effect::Pure);
        }
    }
    let goes_on = |b: BlockId| cfg.position(b).is_some_and(|at| !cfg.exits[at as usize]);
    let most = match accesses {
        _ if in_loop => MAX_COST,
        0 => MAX_COST_ONCE,
        1 if goes_on(shape.join) => MAX_COST_OF_ACCESS,
        _ => return false,
    };
    sum <= most
}

/// The instructions of a block without the jump at its end.
fn insts(func: &Func, block: BlockId) -> impl Iterator<Item = &Inst> {
    let ids = func.blocks.get(block).map_or(&[][..], |b| &b.insts);
    let all = ids.iter().filter_map(|id| func.insts.get(*id));
    all.filter(|inst| inst.branch_target().is_none())
}

/// What an instruction costs under a predicate; none if it must keep its
/// branch.
fn cost(inst: &Inst, pred: Reg) -> Option<u32> {
    let mut writes_pred = false;
    inst.for_each_def(|reg| writes_pred |= reg == pred);
    if inst.guard.is_some() || writes_pred {
        return None;
    }
    match inst.op {
        Op::Ld | Op::St => Some(ACCESS * inst.mods.vec.len() as u32),
        // Functions of many instructions.
        Op::Div | Op::Rem | Op::Sqrt | Op::Rcp | Op::Rsqrt => None,
        op if op.effect() == Effect::Pure && inst.dest().is_some() => Some(1),
        _ => None,
    }
}

/// The blocks that each register is read and written in, if it is only one.
struct Places {
    only: FxHashMap<Reg, Option<BlockId>>,
    live: Liveness,
    /// Positions of blocks.
    at: FxHashMap<BlockId, u32>,
}

impl Places {
    fn new(func: &Func, cfg: &Cfg) -> Places {
        let mut only: FxHashMap<Reg, Option<BlockId>> = FxHashMap::default();
        for reg in func.args.iter().chain(&func.result) {
            only.insert(*reg, None);
        }
        for (point, id) in points(func) {
            let Some(inst) = func.insts.get(id) else {
                continue;
            };
            let block = func.layout.get(point.block as usize).copied();
            let mut see = |reg: Reg| {
                let known = only.entry(reg).or_insert(block);
                if *known != block {
                    *known = None;
                }
            };
            inst.for_each_use(&mut see);
            inst.for_each_def(&mut see);
        }
        let at = cfg.blocks.iter().enumerate().map(|(at, b)| (*b, at as u32));
        Places {
            only,
            live: Liveness::new(func, cfg),
            at: at.collect(),
        }
    }

    /// Whether a register's value may be read at the start of a block or later.
    /// If so, every way to there writes it.
    fn is_read_from(&self, block: BlockId, reg: Reg) -> bool {
        let at = self.at.get(&block);
        at.is_none_or(|at| self.live.is_live_in(*at, reg))
    }

    /// Whether a register is this block's alone.
    fn is_private(&self, reg: Reg, block: BlockId) -> bool {
        self.only.get(&reg) == Some(&Some(block))
    }
}

fn convert(func: &mut Func, places: &Places, shape: &Shape) {
    let side = |func: &mut Func, block: Option<BlockId>, guard: Guard| {
        let mut side = Side {
            block,
            guard,
            new: Vec::new(),
            now: FxHashMap::default(),
            partial: FxHashSet::default(),
        };
        side.convert(func, places);
        side
    };
    let mut one = side(func, shape.then, shape.guard);
    let mut two = side(func, shape.otherwise, shape.guard.inverted());
    let mut new = stand_ins(func, places, shape, &mut one, &mut two);
    new.append(&mut one.new);
    new.append(&mut two.new);
    for (this, other, first) in [(&one, &two, true), (&two, &one, false)] {
        // In the order of registers, so that equal input gives equal output.
        let mut values: Vec<_> = this.now.iter().collect();
        values.sort_unstable_by_key(|(reg, _)| **reg);
        for (reg, value) in values {
            // Predicates are not selected between, each side hands on its own.
            let is_pred = func.reg_ty(*reg) == Some(RegTy::Pred);
            let both = other.now.get(reg).filter(|_| !is_pred);
            if places.is_read_from(shape.join, *reg) && (first || both.is_none()) {
                let partly = other.partial.contains(reg);
                new.push(hand_on(func, this.guard, *reg, value, both, partly));
            }
        }
    }
    jump(func, shape.head, shape.join);
    if let Some(body) = func.blocks.get_mut(shape.head) {
        let last = body.insts.pop();
        body.insts.extend(new);
        body.insts.extend(last);
    }
    let gone = [shape.then, shape.otherwise];
    func.layout.retain(|b| !gone.contains(&Some(*b)));
}

/// One side of a branch.
struct Side {
    block: Option<BlockId>,
    guard: Guard,
    /// The instructions that it became.
    new: Vec<InstId>,
    /// For each register known outside that the side gave a value which is
    /// computed in any case, the one with that value.
    now: FxHashMap<Reg, Value>,
    /// Registers that have the side's value only where the guard holds.
    partial: FxHashSet<Reg>,
}

#[derive(Clone, Copy)]
struct Value {
    reg: Reg,
    loc: Loc,
}

impl Side {
    /// Lets the side's instructions run in any case, or under its guard.
    fn convert(&mut self, func: &mut Func, places: &Places) {
        let Some(block) = self.block else { return };
        let ids = func.blocks.get(block).map(|b| b.insts.clone());
        let mut ids = ids.unwrap_or_default();
        // The way to the join.
        ids.pop();
        for id in ids {
            let Some(inst) = func.insts.get_mut(id) else {
                continue;
            };
            for source in inst.sources_mut() {
                source.map_regs(|reg| self.now.get(&reg).map_or(reg, |v| v.reg));
            }
            let mut whole = inst.op.effect() == Effect::Pure;
            inst.for_each_use(|reg| whole &= !self.partial.contains(&reg));
            let dest = inst.dest();
            match dest {
                Some(dest) if whole && places.is_private(dest, block) => {
                    self.partial.remove(&dest);
                }
                Some(dest) if whole => self.rename(func, id, dest),
                _ => {
                    inst.guard = Some(self.guard);
                    inst.for_each_def(|reg| {
                        self.now.remove(&reg);
                        self.partial.insert(reg);
                    });
                }
            }
            self.new.push(id);
        }
    }

    /// Whether all that the side does runs in any case.
    fn is_whole(&self, func: &Func) -> bool {
        let mut all = self.new.iter().filter_map(|id| func.insts.get(*id));
        all.all(|inst| inst.guard.is_none())
    }

    /// Whether an instruction of the side reads a register.
    fn reads(&self, func: &Func, reg: Reg) -> bool {
        let mut found = false;
        for inst in self.new.iter().filter_map(|id| func.insts.get(*id)) {
            inst.for_each_use(|used| found |= used == reg);
        }
        found
    }

    /// Lets an instruction write a register of its own instead.
    fn rename(&mut self, func: &mut Func, id: InstId, dest: Reg) {
        let Some(info) = func.regs.get(dest).cloned() else {
            return;
        };
        let reg = func.regs.alloc(info);
        let Some(inst) = func.insts.get_mut(id) else {
            return;
        };
        if let Some(operand) = inst.operands.first_mut() {
            operand.map_regs(|_| reg);
        }
        let loc = inst.loc;
        self.now.insert(dest, Value { reg, loc });
        self.partial.remove(&dest);
    }
}

/// What one side gives to registers that the other writes under its guard, in front of that: the
/// instructions, which are no longer the side's.
fn stand_ins(
    func: &mut Func,
    places: &Places,
    shape: &Shape,
    one: &mut Side,
    two: &mut Side,
) -> Vec<InstId> {
    let mut out = Vec::new();
    for first in [true, false] {
        let (this, other) = match first {
            true => (&mut *one, &mut *two),
            false => (&mut *two, &mut *one),
        };
        let mut values: Vec<(Reg, Value)> = this.now.iter().map(|(r, v)| (*r, *v)).collect();
        values.retain(|(reg, _)| {
            func.reg_ty(*reg) != Some(RegTy::Pred)
                && other.partial.contains(reg)
                && places.is_read_from(shape.join, *reg)
                && !other.reads(func, *reg)
        });
        if values.is_empty() || !this.is_whole(func) {
            continue;
        }
        out.append(&mut this.new);
        values.sort_unstable_by_key(|(reg, _)| *reg);
        for (reg, value) in values {
            this.now.remove(&reg);
            let ty = func.reg_ty(reg).map_or(Ty::B32, RegTy::ty);
            let operands = [Operand::Reg(reg), Operand::Reg(value.reg)];
            let mut copy = Inst::new(Op::Mov, Mods::default(), ty, operands);
            copy.loc = value.loc;
            out.push(func.insts.alloc(copy));
        }
    }
    out
}

/// Gives a register what a side computed for it: selected against what the
/// other side did (`both`) or what it has already. `partly` says that it has
/// nothing whole: it was written by the other side under the guard.
fn hand_on(
    func: &mut Func,
    guard: Guard,
    dest: Reg,
    value: &Value,
    both: Option<&Value>,
    partly: bool,
) -> InstId {
    let ty = func.reg_ty(dest).map_or(Ty::B32, RegTy::ty);
    let otherwise = Operand::Reg(both.map_or(dest, |v| v.reg));
    let value_of = Operand::Reg(value.reg);
    let mut inst = if partly || ty == Ty::Pred {
        let mut copy = Inst::new(Op::Mov, Mods::default(), ty, [Operand::Reg(dest), value_of]);
        copy.guard = Some(guard);
        copy
    } else {
        let (a, b) = if guard.negated {
            (otherwise, value_of)
        } else {
            (value_of, otherwise)
        };
        let operands = [Operand::Reg(dest), a, b, Operand::Reg(guard.reg)];
        Inst::new(Op::Selp, Mods::default(), ty, operands)
    };
    inst.loc = value.loc;
    func.insts.alloc(inst)
}

#[cfg(test)]
mod tests;
