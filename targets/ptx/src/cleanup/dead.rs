//! Dead-code elimination: instructions without effect whose results nobody
//! reads, and blocks that nothing reaches.

use super::Shared;
use crate::ids::{InstId, Reg};
use crate::module::Func;

/// The end of a list.
const END: u32 = u32::MAX;

/// Removes instructions; returns how many went.
pub fn eliminate(func: &mut Func, shared: &mut Shared) -> usize {
    let mut live = vec![false; func.regs.len()];
    let mut work: Vec<Reg> = Vec::new();
    let mut mark = |reg: Reg, work: &mut Vec<Reg>| {
        if let Some(flag) = live.get_mut(reg.index())
            && !std::mem::replace(flag, true)
        {
            work.push(reg);
        }
    };
    if let Some(result) = func.result {
        mark(result, &mut work);
    }
    // Writers of each register, so that a live register keeps all of them: a
    // register may be written in many places. Linked lists in one array.
    let mut first = vec![END; func.regs.len()];
    let mut writers: Vec<(InstId, u32)> = Vec::new();
    let mut keep = vec![false; func.insts.len()];
    let mut removable = 0;
    for block in &func.layout {
        for id in func.blocks.get(*block).map_or(&[][..], |b| &b.insts) {
            let Some(inst) = func.insts.get(*id) else {
                continue;
            };
            if inst.is_removable() {
                removable += 1;
                inst.for_each_def(|reg| {
                    if let Some(first) = first.get_mut(reg.index()) {
                        writers.push((*id, *first));
                        *first = (writers.len() - 1) as u32;
                    }
                });
            } else {
                keep[id.index()] = true;
                inst.for_each_use(|reg| mark(reg, &mut work));
            }
        }
    }
    while let Some(reg) = work.pop() {
        let mut at = first[reg.index()];
        while let Some(&(id, next)) = writers.get(at as usize) {
            at = next;
            if !std::mem::replace(&mut keep[id.index()], true)
                && let Some(inst) = func.insts.get(id)
            {
                removable -= 1;
                inst.for_each_use(|reg| mark(reg, &mut work));
            }
        }
    }
    if removable == 0 {
        return 0;
    }
    let mut removed = 0;
    for block in &func.layout {
        if let Some(body) = func.blocks.get_mut(*block) {
            let before = body.insts.len();
            body.insts
                .retain(|id| keep.get(id.index()).copied().unwrap_or(true));
            removed += before - body.insts.len();
        }
    }
    if removed > 0 {
        shared.instructions_changed();
    }
    removed
}

/// Removes blocks that nothing reaches; returns how many went.
pub fn unreachable_blocks(func: &mut Func, shared: &mut Shared) -> usize {
    let cfg = shared.cfg(func);
    let before = func.layout.len();
    if cfg.rpo.len() == before {
        return 0;
    }
    let mut at = 0;
    func.layout.retain(|_| {
        at += 1;
        cfg.is_reachable(at - 1)
    });
    shared.blocks_changed();
    before - func.layout.len()
}
