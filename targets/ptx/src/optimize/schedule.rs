//! List scheduling within blocks.
//!
//! NVIDIA's assembler schedules by itself, but it does not know which accesses are
//! apart, and in long blocks it stays near the order it is given. So two orders are
//! made of each run of instructions between walls (what may leave the block, calls):
//! one that starts what takes long early as long as registers last, and one that makes
//! each value as late as it can. The first is taken where it shortens the run and needs
//! hardly more registers; else the second, where the run needs many registers and it
//! saves some. By the estimates of [`super::pressure`] and of `latency`.
//!
//! | file | what |
//! | --- | --- |
//! | `order` | what may pass what, besides registers |
//! | `latency` | how long results take |
//! | `graph` | the dependences of a run |
//! | `list` | the two schedulers, and the cost of an order |

mod graph;
mod latency;
mod list;
mod order;
#[cfg(test)]
mod tests;

use super::liveness::Liveness;
use super::pressure::{Live, Units, Weights};
use crate::cfg::Cfg;
use crate::defs::Defs;
use crate::ids::InstId;
use crate::machine;
use crate::module::{Func, Module};
use graph::Graph;
use list::{Cost, by_latency, by_pressure, cost};
use order::{Order, order};

/// Words that code may need before registers are worth saving, where nothing says
/// how many blocks shall be on a multiprocessor: half the threads fit then.
const PLENTY: u32 = 48;
/// What the assembler needs besides what is counted here: addresses, the return of
/// wide operations, the first registers of the calling convention.
const RESERVED: u32 = 12;
/// Runs shorter than this have nothing to choose.
const LEAST: usize = 4;

/// Orders the instructions of every block; returns how many stand elsewhere.
pub fn schedule(module: &Module, func: &mut Func) -> usize {
    let cfg = Cfg::new(func);
    let defs = Defs::new(func);
    let weights = Weights::new(func, &defs);
    let liveness = Liveness::new(func, &cfg);
    let limit = limit(module, func);
    let mut live = Live::new(&weights);
    let mut moved = 0;
    let mut ordered: Vec<(u32, Vec<InstId>)> = Vec::new();
    for (b, block) in cfg.blocks.iter().enumerate() {
        let Some(body) = func.blocks.get(*block) else {
            continue;
        };
        live.at_end(&liveness, b as u32);
        let mut insts = body.insts.clone();
        let mut end = insts.len();
        while end > 0 {
            let start = run_start(func, &insts, end);
            if start == end {
                end -= 1;
                if let Some(inst) = insts.get(end).and_then(|id| func.insts.get(*id)) {
                    live.step_back(inst);
                }
                continue;
            }
            let ids = insts[start..end].to_vec();
            if let Some(order) = choose(func, &ids, &weights, &mut live, limit) {
                for (i, at) in order.iter().enumerate() {
                    moved += usize::from(*at as usize != i);
                    insts[start + i] = ids[*at as usize];
                }
            }
            end = start;
        }
        ordered.push((b as u32, insts));
    }
    for (b, insts) in ordered {
        if let Some(body) = func.blocks.get_mut(cfg.blocks[b as usize]) {
            body.insts = insts;
        }
    }
    moved
}

/// Where the run that ends before `end` begins; `end` if a wall stands there.
fn run_start(func: &Func, insts: &[InstId], end: usize) -> usize {
    let is_wall = |id: &InstId| match func.insts.get(*id) {
        Some(inst) => order(inst) == Order::Wall,
        None => true,
    };
    match insts[..end].iter().rposition(is_wall) {
        Some(wall) => wall + 1,
        None => 0,
    }
}

/// Words that a thread should not need more of.
fn limit(module: &Module, func: &Func) -> u32 {
    let bounds = &func.bounds;
    let threads = (bounds.required_threads.or(bounds.max_threads))
        .map(|[x, y, z]| x.saturating_mul(y).saturating_mul(z));
    let mut limit = PLENTY;
    if let (Some(machine), Some(threads), Some(blocks)) = (
        machine::by_arch(module.arch),
        threads,
        bounds.min_blocks_per_sm,
    ) {
        let all = threads.saturating_mul(blocks).max(1);
        let each = (machine.registers_per_sm / all).min(machine.max_registers_per_thread);
        limit = each.saturating_sub(RESERVED);
    }
    match bounds.max_registers {
        Some(most) => limit.min(most.saturating_sub(RESERVED)),
        None => limit,
    }
}

/// A better order of a run than the one there is, if one is found. `live` goes from
/// behind the run to before it.
fn choose(
    func: &Func,
    ids: &[InstId],
    weights: &Weights,
    live: &mut Live<'_>,
    limit: u32,
) -> Option<Vec<u32>> {
    let overlap = |a: InstId, b: InstId| match (func.insts.get(a), func.insts.get(b)) {
        (Some(a), Some(b)) => order::may_overlap(a, b),
        _ => true,
    };
    let wanted = ids.len() >= LEAST;
    let graph = wanted.then(|| Graph::new(func, ids, weights, |reg| live.has(reg), &overlap));
    for id in ids.iter().rev() {
        if let Some(inst) = func.insts.get(*id) {
            live.step_back(inst);
        }
    }
    let graph = graph?;
    let before = live.now;
    let now: Vec<u32> = (0..ids.len() as u32).collect();
    let old = cost(&graph, &now, before);
    let fast = by_latency(&graph, before, most_words(old, limit));
    let made = cost(&graph, &fast, before);
    if is_faster(old, made, limit) {
        return (fast != now).then_some(fast);
    }
    let small = by_pressure(&graph);
    let made = cost(&graph, &small, before);
    (is_smaller(old, made, limit) && small != now).then_some(small)
}

/// Words that a faster order may take: as many as there are to be had, else hardly
/// more than before.
fn most_words(old: Cost, limit: u32) -> u32 {
    old.most.words.max(limit.min(old.most.words + GROWTH))
}

/// Words more that a faster order may take below the limit.
const GROWTH: u32 = 8;

fn is_faster(old: Cost, new: Cost, limit: u32) -> bool {
    new.cycles + new.cycles / 32 < old.cycles && new.most.words <= most_words(old, limit)
}

fn is_smaller(old: Cost, new: Cost, limit: u32) -> bool {
    let Units { words, predicates } = new.most;
    old.most.words > limit && words < old.most.words && predicates <= old.most.predicates.max(6)
}
