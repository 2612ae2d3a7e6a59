//! What must come before what in a run of instructions without a wall.

use super::latency::latency;
use super::order::{MayOverlap, Order, order};
use crate::ids::{InstId, Reg};
use crate::module::Func;
use crate::optimize::pressure::{Units, Weights};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Accesses that a store is compared with; behind more it comes after all of them, so
/// that the work stays in proportion to the length of the run.
const MAX_ACCESSES: usize = 96;

/// A value in the run: what one definition writes, or what a register holds before.
/// A register that is written several times has several.
#[derive(Clone, Debug)]
pub struct Value {
    pub units: Units,
    /// Number of instructions of the run that read it.
    pub uses: u32,
    /// Read behind the run too.
    pub live_out: bool,
}

/// One instruction.
#[derive(Clone, Debug, Default)]
pub struct Node {
    pub latency: u32,
    /// Cycles from its issue to the end of the run on the longest chain.
    pub height: u32,
    /// Those that must come later, with the cycles that must pass.
    pub succs: SmallVec<[(u32, u32); 4]>,
    pub preds: SmallVec<[u32; 4]>,
    /// The values it writes.
    pub defs: SmallVec<[u32; 2]>,
    /// The values it reads, each once.
    pub uses: SmallVec<[u32; 4]>,
}

/// The instructions of a run, by position, and their values.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    pub nodes: Vec<Node>,
    pub values: Vec<Value>,
}

/// What the run has seen of one register.
#[derive(Default)]
struct State {
    value: u32,
    writer: Option<u32>,
    readers: SmallVec<[u32; 4]>,
}

impl Graph {
    /// Of the instructions `ids`; `is_live` says which registers are read behind.
    pub fn new(
        func: &Func,
        ids: &[InstId],
        weights: &Weights,
        is_live: impl Fn(Reg) -> bool,
        overlap: MayOverlap<'_>,
    ) -> Graph {
        let mut graph = Graph {
            nodes: vec![Node::default(); ids.len()],
            values: Vec::new(),
        };
        let mut regs: FxHashMap<Reg, State> = FxHashMap::default();
        for (at, id) in ids.iter().enumerate() {
            let Some(inst) = func.insts.get(*id) else {
                continue;
            };
            let at = at as u32;
            graph.nodes[at as usize].latency = latency(inst);
            let mut reads: SmallVec<[Reg; 6]> = SmallVec::new();
            inst.for_each_use(|reg| reads.push(reg));
            if inst.guard.is_some() {
                // Where it takes no effect the old value stays.
                inst.for_each_def(|reg| reads.push(reg));
            }
            for reg in reads {
                graph.read(&mut regs, weights, at, reg);
            }
            let mut writes: SmallVec<[Reg; 4]> = SmallVec::new();
            inst.for_each_def(|reg| writes.push(reg));
            for reg in writes {
                graph.write(&mut regs, weights, at, reg);
            }
        }
        for (reg, state) in &regs {
            if let Some(value) = graph.values.get_mut(state.value as usize) {
                value.live_out = is_live(*reg);
            }
        }
        graph.order_accesses(func, ids, overlap);
        graph.measure();
        graph
    }

    fn value(&mut self, units: Units) -> u32 {
        self.values.push(Value {
            units,
            uses: 0,
            live_out: false,
        });
        self.values.len() as u32 - 1
    }

    fn read(&mut self, regs: &mut FxHashMap<Reg, State>, weights: &Weights, at: u32, reg: Reg) {
        let state = regs.entry(reg).or_insert_with(|| State {
            value: self.value(weights.of(reg)),
            ..State::default()
        });
        let (value, writer) = (state.value, state.writer);
        if state.readers.last() != Some(&at) {
            state.readers.push(at);
        }
        let node = &mut self.nodes[at as usize];
        if !node.uses.contains(&value) {
            node.uses.push(value);
            self.values[value as usize].uses += 1;
        }
        if let Some(writer) = writer {
            let cycles = self.nodes[writer as usize].latency;
            self.edge(writer, at, cycles);
        }
    }

    fn write(&mut self, regs: &mut FxHashMap<Reg, State>, weights: &Weights, at: u32, reg: Reg) {
        let value = self.value(weights.of(reg));
        self.nodes[at as usize].defs.push(value);
        let old = regs.insert(
            reg,
            State {
                value,
                writer: Some(at),
                readers: SmallVec::new(),
            },
        );
        let Some(old) = old else { return };
        for reader in old.readers {
            self.edge(reader, at, 0);
        }
        if let Some(writer) = old.writer {
            self.edge(writer, at, 1);
        }
    }

    /// `to` comes after `from`, once `cycles` have passed.
    fn edge(&mut self, from: u32, to: u32, cycles: u32) {
        if from == to {
            return;
        }
        // An edge that is there twice does no harm, so only the newest is looked at.
        let succs = &mut self.nodes[from as usize].succs;
        match succs.last_mut() {
            Some((node, known)) if *node == to => *known = (*known).max(cycles),
            _ => {
                succs.push((to, cycles));
                self.nodes[to as usize].preds.push(from);
            }
        }
    }

    fn order_accesses(&mut self, func: &Func, ids: &[InstId], overlap: MayOverlap<'_>) {
        // Since the last fence, which comes after all that was before it.
        let mut fence: Option<u32> = None;
        let mut loads: Vec<u32> = Vec::new();
        let mut stores: Vec<u32> = Vec::new();
        let mut meeting: Option<u32> = None;
        let mut carry: Option<u32> = None;
        for (at, id) in ids.iter().enumerate() {
            let Some(inst) = func.insts.get(*id) else {
                continue;
            };
            let at = at as u32;
            let kind = order(inst);
            if kind == Order::Free {
                continue;
            }
            if kind == Order::Carry {
                if let Some(before) = carry.replace(at) {
                    self.edge(before, at, self.nodes[before as usize].latency);
                }
                continue;
            }
            if let Some(fence) = fence {
                self.edge(fence, at, 1);
            }
            let meets = |other: &&u32| overlap(ids[**other as usize], *id);
            let full = loads.len() + stores.len() >= MAX_ACCESSES;
            if matches!(kind, Order::Together | Order::LoadTogether)
                && let Some(meeting) = meeting.replace(at)
            {
                self.edge(meeting, at, 1);
            }
            match kind {
                Order::Together => {}
                // Of stores there are never more than that.
                Order::Load | Order::LoadTogether => {
                    let before: Vec<u32> = stores.iter().filter(meets).copied().collect();
                    for other in before {
                        self.edge(other, at, 1);
                    }
                    loads.push(at);
                }
                Order::Store if !full => {
                    let all = loads.iter().chain(&stores).filter(meets);
                    for other in all.copied().collect::<Vec<_>>() {
                        self.edge(other, at, 1);
                    }
                    stores.push(at);
                }
                // A store too many is one for all.
                _ => {
                    for other in loads.drain(..).chain(stores.drain(..)).collect::<Vec<_>>() {
                        self.edge(other, at, 1);
                    }
                    if matches!(kind, Order::Fence | Order::Wall)
                        && let Some(meeting) = meeting.take()
                    {
                        self.edge(meeting, at, 1);
                    }
                    fence = Some(at);
                }
            }
        }
    }

    fn measure(&mut self) {
        for at in (0..self.nodes.len()).rev() {
            let node = &self.nodes[at];
            let behind =
                |(to, cycles): &(u32, u32)| self.nodes[*to as usize].height.saturating_add(*cycles);
            let height = node.succs.iter().map(behind).max().unwrap_or(0);
            self.nodes[at].height = height.max(1);
        }
    }
}
