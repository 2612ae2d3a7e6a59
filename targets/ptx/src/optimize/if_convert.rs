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
//! into registers known outside become `selp`; everything else, and what
//! needs the result of such, gets the guard.
//!
//! Left as they are: sides with barriers, calls, instructions that threads
//! execute together, atomics (one branch around them is cheaper), sides that
//! change the predicate, and long ones. Outside loops a branch is passed once
//! and mostly guards all of a kernel's work, so only sides without memory
//! accesses are converted there.
//!
//! Registers that `selp` reads and writes are written in two places: `isolate`
//! comes next.

use super::edit::jump;
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
const MOST_COST: u32 = 12;
/// The same outside loops.
const MOST_COST_ONCE: u32 = 4;
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
    let places = Places::new(func);
    let mut shapes = Vec::new();
    let mut taken: FxHashSet<BlockId> = FxHashSet::default();
    for &b in &cfg.rpo {
        let Some(shape) = shape(func, &cfg, b) else {
            continue;
        };
        let blocks = [Some(shape.head), shape.then, shape.otherwise];
        let blocks = blocks.into_iter().flatten();
        let free = blocks.clone().all(|block| !taken.contains(&block));
        if free && worthwhile(func, &shape, loops.depth(b) > 0) {
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

fn worthwhile(func: &Func, shape: &Shape, in_loop: bool) -> bool {
    let most = if in_loop { MOST_COST } else { MOST_COST_ONCE };
    let mut sum = 0;
    for side in [shape.then, shape.otherwise].into_iter().flatten() {
        for inst in insts(func, side) {
            match cost(inst, shape.guard.reg) {
                Some(c) if in_loop || inst.op.effect() == Effect::Pure => sum += c,
                _ => return false,
            }
        }
    }
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
}

impl Places {
    fn new(func: &Func) -> Places {
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
        Places { only }
    }

    /// Whether a register is this block's alone.
    fn is_private(&self, reg: Reg, block: BlockId) -> bool {
        self.only.get(&reg) == Some(&Some(block))
    }
}

fn convert(func: &mut Func, places: &Places, shape: &Shape) {
    let mut new: Vec<InstId> = Vec::new();
    // Values that the first side hands on, until the second is known.
    let mut handed: Vec<Handed> = Vec::new();
    let sides = [
        (shape.then, shape.guard),
        (shape.otherwise, shape.guard.inverted()),
    ];
    for (side, guard) in sides {
        if let Some(side) = side {
            convert_side(func, places, side, guard, &mut new, &mut handed);
        }
    }
    for i in 0..handed.len() {
        let Some(h) = handed.get(i).cloned() else {
            break;
        };
        // The same register from the other side, if that hands it on too.
        let partner = handed[i + 1..].iter().position(|o| o.dest == h.dest);
        let other = partner.map(|p| handed.remove(i + 1 + p));
        new.push(select(func, &h, other.as_ref()));
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

/// `mov dest, value` at the end of a side.
#[derive(Clone)]
struct Handed {
    dest: Reg,
    ty: Ty,
    value: Operand,
    guard: Guard,
    loc: Loc,
}

fn convert_side(
    func: &mut Func,
    places: &Places,
    side: BlockId,
    guard: Guard,
    new: &mut Vec<InstId>,
    handed: &mut Vec<Handed>,
) {
    let ids = func.blocks.get(side).map(|b| b.insts.clone());
    let mut ids = ids.unwrap_or_default();
    ids.pop();
    // The copies at the end are handed on together, if they do not read each
    // other.
    let ends = trailing_copies(func, &ids);
    let (work, copies) = ids.split_at(ids.len() - ends);
    // Registers that hold a value only where the guard does.
    let mut partial: FxHashSet<Reg> = FxHashSet::default();
    for &id in work {
        let Some(inst) = func.insts.get_mut(id) else {
            continue;
        };
        let mut private = true;
        inst.for_each_def(|reg| private &= places.is_private(reg, side));
        let mut whole = true;
        inst.for_each_use(|reg| whole &= !partial.contains(&reg));
        if !(private && whole && inst.op.effect() == Effect::Pure) {
            inst.guard = Some(guard);
            inst.for_each_def(|reg| {
                partial.insert(reg);
            });
        }
        new.push(id);
    }
    for &id in copies {
        let Some(inst) = func.insts.get_mut(id) else {
            continue;
        };
        let (Some(dest), Some(value)) = (inst.dest(), inst.operands.get(1).cloned()) else {
            continue;
        };
        let loc = inst.loc;
        let reads_partial = value.as_reg().is_some_and(|r| partial.contains(&r));
        match selectable(func, dest, &value) {
            Some(ty) if !reads_partial => handed.push(Handed {
                dest,
                ty,
                value,
                guard,
                loc,
            }),
            _ => {
                if let Some(inst) = func.insts.get_mut(id) {
                    inst.guard = Some(guard);
                }
                new.push(id);
            }
        }
    }
}

/// How many copies at the end of a list write registers that none of them
/// reads, each once.
fn trailing_copies(func: &Func, ids: &[InstId]) -> usize {
    let mut written: FxHashSet<Reg> = FxHashSet::default();
    let mut read: FxHashSet<Reg> = FxHashSet::default();
    let mut count = 0;
    for id in ids.iter().rev() {
        let Some(inst) = func.insts.get(*id).filter(|i| i.op == Op::Mov) else {
            break;
        };
        let Some(dest) = inst.dest() else { break };
        let mut meets = written.contains(&dest) || read.contains(&dest);
        inst.for_each_use(|reg| meets |= written.contains(&reg) || reg == dest);
        if meets {
            break;
        }
        written.insert(dest);
        inst.for_each_use(|reg| {
            read.insert(reg);
        });
        count += 1;
    }
    count
}

/// The type of a `selp` into a register, if there is one for it.
fn selectable(func: &Func, dest: Reg, value: &Operand) -> Option<Ty> {
    let reg = func.reg_ty(dest)?;
    let fits = match value {
        Operand::Reg(r) => func.reg_ty(*r) == Some(reg),
        Operand::Imm(_) => matches!(reg, RegTy::B16 | RegTy::B32 | RegTy::B64),
        Operand::F32(_) => reg == RegTy::F32,
        Operand::F64(_) => reg == RegTy::F64,
        _ => false,
    };
    (fits && reg != RegTy::Pred).then(|| reg.ty())
}

/// `selp` of what one side hands on and what the other does, or what was
/// there.
fn select(func: &mut Func, one: &Handed, other: Option<&Handed>) -> InstId {
    let otherwise = other.map_or(Operand::Reg(one.dest), |o| o.value.clone());
    let (a, b) = if one.guard.negated {
        (otherwise, one.value.clone())
    } else {
        (one.value.clone(), otherwise)
    };
    let operands = [Operand::Reg(one.dest), a, b, Operand::Reg(one.guard.reg)];
    let mut inst = Inst::new(Op::Selp, Mods::default(), one.ty, operands);
    inst.loc = one.loc;
    func.insts.alloc(inst)
}

#[cfg(test)]
mod tests;
