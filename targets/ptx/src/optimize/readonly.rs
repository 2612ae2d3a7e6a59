//! Loads through the read-only path.
//!
//! What is read through a `noalias` parameter that nothing in the kernel
//! writes through is the same during the whole launch: `ld.global` becomes
//! `ld.global.nc`, which may use the texture cache, and which loop-invariant
//! motion and `cse` treat as a value.

use super::alias::Aliases;
use super::facts::{accesses_memory, is_plain};
use crate::cfg::points;
use crate::form;
use crate::ids::InstId;
use crate::modifiers::{ReadOnly, Space};
use crate::module::{Func, FuncKind};
use crate::op::Op;

/// Marks such loads; returns their number.
pub fn mark(func: &mut Func) -> usize {
    if func.kind != FuncKind::Kernel || !accesses_memory(func) {
        return 0;
    }
    if !func.params.iter().any(|p| p.noalias && p.pointee.is_some()) {
        return 0;
    }
    // A function that is called may write through what it is given.
    if func.insts_in_layout().any(|i| i.op == Op::Call) {
        return 0;
    }
    let aliases = Aliases::new(func);
    let found: Vec<InstId> = points(func)
        .map(|p| p.1)
        .filter(|id| {
            let inst = func.insts.get(*id);
            inst.is_some_and(|inst| {
                let global = inst.op == Op::Ld && inst.mods.space == Space::Global;
                global && is_plain(inst) && inst.mods.nc == ReadOnly::Off
            }) && aliases.is_never_written(*id)
        })
        .collect();
    let mut changes = 0;
    for id in found {
        let Some(inst) = func.insts.get_mut(id) else {
            continue;
        };
        let before = inst.clone();
        inst.mods.nc = ReadOnly::On;
        inst.mods.sem = Default::default();
        // Not every cache operator goes with it.
        match form::find(inst) {
            Some(_) => changes += 1,
            None => *inst = before,
        }
    }
    changes
}

#[cfg(test)]
mod tests;
