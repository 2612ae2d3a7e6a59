//! Dead-code elimination: instructions without effect whose results nobody
//! reads, and blocks that nothing reaches.

use crate::cfg::Cfg;
use crate::ids::Reg;
use crate::module::Func;

/// Removes them; returns how many instructions and blocks went.
pub fn eliminate(func: &mut Func) -> usize {
    let blocks = unreachable_blocks(func);
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
    // register may be written in many places.
    let mut writers: Vec<Vec<u32>> = vec![Vec::new(); func.regs.len()];
    let ids: Vec<_> = func
        .layout
        .iter()
        .filter_map(|b| func.blocks.get(*b))
        .flat_map(|b| b.insts.iter().copied())
        .collect();
    let mut keep = vec![false; func.insts.len()];
    for id in &ids {
        let Some(inst) = func.insts.get(*id) else {
            continue;
        };
        if inst.is_removable() {
            inst.for_each_def(|reg| {
                if let Some(list) = writers.get_mut(reg.index()) {
                    list.push(id.index() as u32);
                }
            });
        } else {
            keep[id.index()] = true;
            inst.for_each_use(|reg| mark(reg, &mut work));
        }
    }
    while let Some(reg) = work.pop() {
        for &writer in &writers[reg.index()] {
            let id = crate::ids::InstId::from_index(writer);
            if !std::mem::replace(&mut keep[writer as usize], true)
                && let Some(inst) = func.insts.get(id)
            {
                inst.for_each_use(|reg| mark(reg, &mut work));
            }
        }
    }
    let mut removed = 0;
    for block in func.layout.clone() {
        if let Some(body) = func.blocks.get_mut(block) {
            let before = body.insts.len();
            body.insts
                .retain(|id| keep.get(id.index()).copied().unwrap_or(true));
            removed += before - body.insts.len();
        }
    }
    removed + blocks
}

fn unreachable_blocks(func: &mut Func) -> usize {
    let cfg = Cfg::new(func);
    let before = func.layout.len();
    let mut at = 0;
    func.layout.retain(|_| {
        at += 1;
        cfg.is_reachable(at - 1)
    });
    before - func.layout.len()
}
