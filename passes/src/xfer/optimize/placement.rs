//! Where an array is copied, and where the flags are told of a write.

use super::super::arrays::{Handed, Leaves, Side, Touch};
use super::super::flow::Flow;
use super::super::motion::{Problem, places, wanted};
use super::states::{States, leaves, states};

/// What happens at the entry of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::xfer) enum Step {
    Copy(Side),
    Ensure(Side),
}

/// The copies of an array and the marks.
#[derive(Debug, Default)]
pub(in crate::xfer) struct Placed {
    /// By node.
    pub(in crate::xfer) steps: Vec<Vec<Step>>,
    /// Nodes whose op is followed by a mark.
    pub(super) marks: Vec<(usize, Side)>,
    /// What a function that is handed the mirror says of it: what it needs, how it leaves
    /// the sides, whether it asks the flags.
    pub(super) says: Option<([bool; 2], [Leaves; 2], bool)>,
}

/// How a function comes to a mirror that it is handed.
#[derive(Debug, Clone, Copy)]
pub(in crate::xfer) enum Entry {
    /// With these sides valid at least.
    Needs([bool; 2]),
    /// With whatever it is found best to need.
    Open,
}

impl Entry {
    pub(in crate::xfer) fn of(h: Handed) -> Entry {
        Entry::Needs(h.needs)
    }
}

/// Where array number `k` is copied and where the flags are told, with as few copies on each
/// path as the uses need; `entry` of a mirror that the function is handed.
pub(in crate::xfer) fn place(flow: &Flow, k: usize, entry: Option<Entry>) -> Placed {
    let n = flow.nodes.len();
    let touch = |node: usize| touched(flow, k, node);
    let needed = needed_later(flow, k);
    let mut wanted_at = vec![Vec::new(); n];
    let mut needs = [false; 2];
    for side in [Side::Host, Side::Device] {
        let mut problem = Problem {
            uses: (0..n)
                .map(|i| {
                    // Where the mirror ends, what only it has goes to the array.
                    let last = side == Side::Host && touch(i).free && needed[i];
                    last || touch(i).uses(side)
                })
                .collect(),
            kills: (0..n)
                .map(|i| touch(i).writes(side.other()) || side == Side::Device && touch(i).create)
                .collect(),
            renews: (0..n)
                .map(|i| {
                    touch(i).discard
                        || touch(i).end
                        || touch(i).renews(side)
                        || side == Side::Host && touch(i).create
                })
                .collect(),
            at_entry: side == Side::Host,
        };
        match entry {
            None => {}
            Some(Entry::Needs(sides)) => problem.at_entry = sides[side as usize],
            // What all paths want, the caller may have already, or can make earlier.
            Some(Entry::Open) => problem.at_entry = wanted(flow, &problem).first() == Some(&true),
        }
        needs[side as usize] = problem.at_entry;
        for (i, here) in places(flow, &problem).into_iter().enumerate() {
            if here {
                wanted_at[i].push(side);
            }
        }
    }
    let start = entry.map_or(States::default(), |_| States::that_have(needs));
    let wanted = wanted_at;
    let before = states(flow, k, &wanted, start);
    let mut placed = Placed {
        steps: vec![Vec::new(); n],
        marks: Vec::new(),
        says: None,
    };
    for i in 0..n {
        let mut s = before[i];
        for side in &wanted[i] {
            let stale = States::only(side.other());
            if s == stale {
                placed.steps[i].push(Step::Copy(*side));
            } else if s.has(stale) {
                placed.steps[i].push(Step::Ensure(*side));
            }
            s = s.ensured(*side);
        }
    }
    // Writes after which an ensure may go by the flags.
    let mut ensures: Vec<usize> = (0..n)
        .filter(|i| {
            let steps = &placed.steps[*i];
            touch(*i).call.is_some_and(|c| c.flags)
                || steps.iter().any(|s| matches!(s, Step::Ensure(_)))
        })
        .collect();
    if entry.is_some() {
        let leaves = leaves(flow, k, &wanted, needs);
        let flags = !ensures.is_empty() || leaves.contains(&Leaves::Unknown);
        placed.says = Some((needs, leaves, flags));
        if flags {
            ensures.extend((0..n).filter(|i| touch(*i).leave));
        }
    }
    if ensures.is_empty() {
        return placed;
    }
    for i in 0..n {
        let reachable = flow.reachable(i);
        if !ensures.iter().any(|e| reachable[*e]) {
            continue;
        }
        let mut s = before[i];
        if s == States::default() {
            continue;
        }
        for side in &wanted[i] {
            s = s.ensured(*side);
        }
        for side in [Side::Host, Side::Device] {
            // A function that is called sets the flags if it is handed them; else its copies
            // may have left them anyhow.
            let (marked, known) = match touch(i).call {
                Some(c) => (c.flags, false),
                None => (false, s == States::only(side)),
            };
            if touch(i).writes(side) && !marked && !known {
                placed.marks.push((i, side));
            }
        }
    }
    placed
}

/// What a node does to array number `k`.
fn touched(flow: &Flow, k: usize, node: usize) -> Touch {
    let t = flow.nodes[node].touches.iter().find(|t| t.0 == k);
    t.map(|t| t.1).unwrap_or_default()
}

/// For each node, whether the host may read what is in the array after it, before all
/// of it is discarded.
fn needed_later(flow: &Flow, k: usize) -> Vec<bool> {
    let n = flow.nodes.len();
    let mut live_in = vec![false; n];
    let mut live_out = vec![false; n];
    loop {
        let mut changed = false;
        for i in (0..n).rev() {
            let out = flow.nodes[i].succ.iter().any(|s| live_in[*s]);
            let t = touched(flow, k, i);
            let new = !t.create && (t.uses(Side::Host) || t.leave || !t.discard && !t.end && out);
            changed |= std::mem::replace(&mut live_in[i], new) != new;
            live_out[i] = out;
        }
        if !changed {
            return live_out;
        }
    }
}
