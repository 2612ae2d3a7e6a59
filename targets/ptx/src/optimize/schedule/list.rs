//! Two list schedulers over a [`Graph`], and what an order costs.
//!
//! Both look at no more than [`WINDOW`] ready instructions at a time, so that the
//! work is in proportion to the length of the run and its logarithm. Ties go by the
//! order that there was, which makes the result the same each time.

use super::graph::{Graph, Node};
use crate::optimize::pressure::Units;
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// Ready instructions considered for each place.
const WINDOW: usize = 32;

/// What an order costs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Cost {
    /// Most registers needed at any point of the run.
    pub most: Units,
    /// Cycles until the last result, for one warp that issues an instruction a cycle
    /// and waits for what it needs.
    pub cycles: u64,
}

/// The values alive while a run is walked forward.
struct Forward<'g> {
    graph: &'g Graph,
    /// Readers of each value still to come.
    left: Vec<u32>,
    now: Units,
    most: Units,
}

impl<'g> Forward<'g> {
    /// `before`: what is alive in front of the run.
    fn new(graph: &'g Graph, before: Units) -> Forward<'g> {
        Forward {
            graph,
            left: graph.values.iter().map(|v| v.uses).collect(),
            now: before,
            most: before,
        }
    }

    /// Words more (less, if negative) alive behind an instruction than before it.
    fn change(&self, node: &Node) -> i64 {
        let mut change = 0;
        for v in &node.defs {
            let value = &self.graph.values[*v as usize];
            if value.uses > 0 || value.live_out {
                change += i64::from(value.units.words);
            }
        }
        for v in &node.uses {
            let value = &self.graph.values[*v as usize];
            if self.left[*v as usize] == 1 && !value.live_out {
                change -= i64::from(value.units.words);
            }
        }
        change
    }

    fn step(&mut self, node: &Node) {
        for v in &node.uses {
            let value = &self.graph.values[*v as usize];
            let left = &mut self.left[*v as usize];
            *left = left.saturating_sub(1);
            if *left == 0 && !value.live_out {
                self.now -= value.units;
            }
        }
        let mut unused = Units::default();
        for v in &node.defs {
            let value = &self.graph.values[*v as usize];
            self.now += value.units;
            if value.uses == 0 && !value.live_out {
                unused += value.units;
            }
        }
        self.most = self.most.max(self.now);
        self.now -= unused;
    }
}

/// When results are there.
struct Clock {
    now: u64,
    /// First cycle in which each instruction has what it needs.
    ready: Vec<u64>,
    end: u64,
}

impl Clock {
    fn new(graph: &Graph) -> Clock {
        Clock {
            now: 0,
            ready: vec![0; graph.nodes.len()],
            end: 0,
        }
    }

    fn issue(&mut self, node: &Node, at: u32) {
        self.now = self.now.max(self.ready[at as usize]);
        self.end = self.end.max(self.now + u64::from(node.latency));
        for (to, cycles) in &node.succs {
            let ready = &mut self.ready[*to as usize];
            *ready = (*ready).max(self.now + u64::from(*cycles));
        }
        self.now += 1;
    }
}

/// What an order of a run costs, given what is alive in front of it.
pub fn cost(graph: &Graph, order: &[u32], before: Units) -> Cost {
    let mut live = Forward::new(graph, before);
    let mut clock = Clock::new(graph);
    for at in order {
        let node = &graph.nodes[*at as usize];
        live.step(node);
        clock.issue(node, *at);
    }
    Cost {
        most: live.most,
        cycles: clock.end,
    }
}

/// The instructions that may come next, in the orders in which they are looked at.
#[derive(Default)]
struct Ready {
    /// By height, the largest first, and by place.
    tall: BTreeSet<(Reverse<u32>, u32)>,
    /// By the time they became ready, the newest first, and by place: what continues the
    /// work that is under way.
    new: BTreeSet<(Reverse<u32>, u32)>,
    /// When each became ready.
    since: Vec<u32>,
    clock: u32,
}

impl Ready {
    fn of(graph: &Graph) -> Ready {
        Ready {
            since: vec![0; graph.nodes.len()],
            ..Ready::default()
        }
    }

    fn add(&mut self, graph: &Graph, at: u32) {
        self.clock += 1;
        self.since[at as usize] = self.clock;
        self.new.insert((Reverse(self.clock), at));
        let height = graph.nodes[at as usize].height;
        self.tall.insert((Reverse(height), at));
    }

    fn remove(&mut self, graph: &Graph, at: u32) {
        self.new.remove(&(Reverse(self.since[at as usize]), at));
        let height = graph.nodes[at as usize].height;
        self.tall.remove(&(Reverse(height), at));
    }

    /// The tallest.
    fn tallest(&self) -> impl Iterator<Item = u32> + '_ {
        self.tall.iter().take(WINDOW).map(|(_, at)| *at)
    }

    /// The newest.
    fn newest(&self) -> impl Iterator<Item = u32> + '_ {
        self.new.iter().take(WINDOW).map(|(_, at)| *at)
    }
}

/// From the first instruction on: the longest chains first, so that loads start early,
/// as long as no more than `limit` words are alive; from there on what frees most.
pub fn by_latency(graph: &Graph, before: Units, limit: u32) -> Vec<u32> {
    let mut waits: Vec<usize> = graph.nodes.iter().map(|n| n.preds.len()).collect();
    let mut ready = Ready::of(graph);
    let mut live = Forward::new(graph, before);
    let mut clock = Clock::new(graph);
    let mut order = Vec::with_capacity(graph.nodes.len());
    // The first is the newest, so that what was first stays first.
    for at in (0..graph.nodes.len() as u32).rev() {
        if graph.nodes[at as usize].preds.is_empty() {
            ready.add(graph, at);
        }
    }
    let node = |at: u32| &graph.nodes[at as usize];
    loop {
        let stall = |at: u32| clock.ready[at as usize].saturating_sub(clock.now);
        let fits = |at: u32| {
            let change = live.change(node(at));
            change <= 0 || i64::from(live.now.words) + change <= i64::from(limit)
        };
        let tall = ready.tallest().filter(|at| fits(*at));
        let next = tall
            .min_by_key(|at| (stall(*at), Reverse(node(*at).height), *at))
            .or_else(|| {
                let all = ready.newest().chain(ready.tallest());
                let age = |at: u32| Reverse(ready.since[at as usize]);
                all.min_by_key(|at| (live.change(node(*at)), age(*at)))
            });
        let Some(at) = next else { break };
        ready.remove(graph, at);
        live.step(node(at));
        clock.issue(node(at), at);
        order.push(at);
        for (to, _) in &node(at).succs {
            let waits = &mut waits[*to as usize];
            *waits = waits.saturating_sub(1);
            if *waits == 0 {
                ready.add(graph, *to);
            }
        }
    }
    order
}

/// From the last instruction back: whatever leaves the fewest words alive, so that
/// values are made right before they are used; of equals what was wanted last, so that
/// one operand is done with before the next begins.
pub fn by_pressure(graph: &Graph) -> Vec<u32> {
    let mut waits: Vec<usize> = graph.nodes.iter().map(|n| n.succs.len()).collect();
    let mut ready = Ready::of(graph);
    for at in 0..graph.nodes.len() as u32 {
        if graph.nodes[at as usize].succs.is_empty() {
            ready.add(graph, at);
        }
    }
    let mut live: Vec<bool> = graph.values.iter().map(|v| v.live_out).collect();
    let mut order = Vec::with_capacity(graph.nodes.len());
    loop {
        let change = |at: u32| {
            let node = &graph.nodes[at as usize];
            let words = |v: &u32| i64::from(graph.values[*v as usize].units.words);
            let more = node.uses.iter().filter(|v| !live[**v as usize]);
            let less = node.defs.iter().filter(|v| live[**v as usize]);
            more.map(words).sum::<i64>() - less.map(words).sum::<i64>()
        };
        let age = |at: u32| Reverse(ready.since[at as usize]);
        let Some(at) = ready.newest().min_by_key(|at| (change(*at), age(*at))) else {
            break;
        };
        ready.remove(graph, at);
        let node = &graph.nodes[at as usize];
        for v in &node.defs {
            live[*v as usize] = false;
        }
        for v in &node.uses {
            live[*v as usize] = true;
        }
        order.push(at);
        // Behind the others the last becomes ready, and is the newest.
        let mut preds = node.preds.clone();
        preds.sort_unstable();
        for from in preds {
            let waits = &mut waits[from as usize];
            *waits = waits.saturating_sub(1);
            if *waits == 0 {
                ready.add(graph, from);
            }
        }
    }
    order.reverse();
    order
}
