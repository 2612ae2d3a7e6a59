//! List scheduling within blocks.
//!
//! NVIDIA's assembler schedules by itself, and better than is possible here: it knows the
//! machine. What it does not know is which accesses are apart. And where registers do not
//! last it spills more or less depending on the order that it is given. So nothing is
//! done but where one of the two holds, for each run of instructions between walls (what
//! may leave the block, calls):
//!
//! - a load stands behind a store that it may pass, through another register: then what
//!   takes long starts early, as long as registers last, if that shortens the run;
//! - more registers are needed than a thread may have: then values are made late.
//!
//! All by the estimates of [`super::pressure`] and of `latency`. In the sum of 256 doubles
//! level by level, under `.maxnreg 64` for sm_90, ptxas 12.9 stores 1,288 bytes of spills
//! without this and none with it. Where registers last, the number it takes goes up as
//! often as down with the order.
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

use super::alias::Aliases;
use super::liveness::Liveness;
use super::pressure::{Live, Weights};
use crate::cfg::Cfg;
use crate::defs::Defs;
use crate::ids::InstId;
use crate::machine;
use crate::module::{Func, Module};
use crate::operand::Base;
use graph::Graph;
use list::{Cost, by_latency, by_pressure, cost};
use order::{Order, order};

/// What the assembler needs besides what is counted here: addresses, the return of
/// wide operations, the first registers of the calling convention.
const RESERVED: u32 = 12;
/// Registers of a thread where the machine is not known.
const MAX: u32 = 255;
/// Runs shorter than this have nothing to choose.
const MIN: usize = 4;

/// Orders the instructions of every block; returns how many stand elsewhere.
pub fn schedule(module: &Module, func: &mut Func) -> usize {
    let cfg = Cfg::new(func);
    let defs = Defs::new(func);
    let weights = Weights::new(func, &defs);
    let liveness = Liveness::new(func, &cfg);
    let aliases = Aliases::new(func);
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
            if let Some(order) = choose(func, &ids, &weights, &aliases, &mut live, limit) {
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

/// Words that a thread can have.
fn limit(module: &Module, func: &Func) -> u32 {
    let bounds = &func.bounds;
    let threads = (bounds.required_threads.or(bounds.max_threads))
        .map(|[x, y, z]| x.saturating_mul(y).saturating_mul(z));
    let mut limit = MAX;
    if let Some(machine) = machine::by_arch(module.arch) {
        // At least one block must fit.
        let blocks = bounds.min_blocks_per_sm.unwrap_or(1);
        let all = threads.unwrap_or(1).saturating_mul(blocks).max(1);
        limit = (machine.registers_per_sm / all).min(machine.max_registers_per_thread);
    }
    if let Some(most) = bounds.max_registers {
        limit = limit.min(most);
    }
    limit.saturating_sub(RESERVED)
}

/// Whether a load stands behind a store through another register that it may pass: the
/// assembler takes them for the same memory.
fn may_pass_a_store(func: &Func, ids: &[InstId], aliases: &Aliases) -> bool {
    let mut stores: Vec<(InstId, Option<Base>)> = Vec::new();
    for id in ids {
        let Some(inst) = func.insts.get(*id) else {
            continue;
        };
        let base = inst.address().map(|a| a.base);
        let passes = |(store, through): &(InstId, Option<Base>)| {
            *through != base && !aliases.may_overlap(*store, *id)
        };
        match order(inst) {
            Order::Load if stores.iter().any(passes) => return true,
            Order::Store if stores.len() < MAX_STORES => stores.push((*id, base)),
            Order::Fence | Order::Wall => stores.clear(),
            _ => {}
        }
    }
    false
}

/// Stores that loads are compared with.
const MAX_STORES: usize = 32;

/// A better order of a run than the one there is, if one is found. `live` goes from
/// behind the run to before it.
fn choose(
    func: &Func,
    ids: &[InstId],
    weights: &Weights,
    aliases: &Aliases,
    live: &mut Live<'_>,
    limit: u32,
) -> Option<Vec<u32>> {
    let overlap = |a: InstId, b: InstId| aliases.may_overlap(a, b);
    let behind = live.clone();
    let mut most = live.now;
    for id in ids.iter().rev() {
        if let Some(inst) = func.insts.get(*id) {
            most = most.max(live.step_back(inst));
        }
    }
    let over = most.words > limit;
    if ids.len() < MIN || !over && !may_pass_a_store(func, ids, aliases) {
        return None;
    }
    let graph = Graph::new(func, ids, weights, |reg| behind.has(reg), &overlap);
    let before = live.now;
    let now: Vec<u32> = (0..ids.len() as u32).collect();
    let old = cost(&graph, &now, before);
    let aim = limit.min(old.most.words + GROWTH).max(before.words);
    let fast = by_latency(&graph, before, aim);
    let mut best = (old, now.clone());
    let made = cost(&graph, &fast, before);
    if is_better(made, old, limit) {
        best = (made, fast);
    }
    // Where registers last nothing is gained by making values late.
    if best.0.most.words > limit {
        let small = by_pressure(&graph);
        let made = cost(&graph, &small, before);
        if is_better(made, best.0, limit) {
            best = (made, small);
        }
    }
    (best.1 != now).then_some(best.1)
}

/// Words more that a faster order may take below the limit.
const GROWTH: u32 = 8;
/// Predicates that there are.
const PREDICATES: u32 = 7;

/// Whether an order is worth taking in place of another: fewer words where they are over
/// the limit, else fewer cycles, by more than what the estimate is worth.
fn is_better(new: Cost, old: Cost, limit: u32) -> bool {
    let over = |c: Cost| c.most.words.saturating_sub(limit);
    let predicates = |c: Cost| c.most.predicates.max(PREDICATES - 1);
    if predicates(new) > predicates(old) || over(new) > over(old) {
        return false;
    }
    over(new) < over(old) || new.cycles + new.cycles / 32 < old.cycles
}
