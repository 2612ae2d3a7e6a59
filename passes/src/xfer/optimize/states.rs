//! Which sides of an array are valid, over all paths to a place.

use super::super::arrays::{Handed, Leaves, Side};
use super::super::flow::Flow;

/// Which of the two copies of an array are valid; a set of these is what the paths to a
/// place come with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct States(u8);

impl States {
    pub(super) const HOST: States = States(1);
    pub(super) const DEVICE: States = States(2);
    pub(super) const BOTH: States = States(4);

    pub(super) const ALL: [States; 3] = [States::HOST, States::DEVICE, States::BOTH];

    pub(super) fn only(side: Side) -> States {
        match side {
            Side::Host => States::HOST,
            Side::Device => States::DEVICE,
        }
    }

    /// The states in which all of these sides are valid.
    pub(super) fn that_have(sides: [bool; 2]) -> States {
        let mut all = States::BOTH;
        if !sides[1] {
            all = all.or(States::HOST);
        }
        if !sides[0] {
            all = all.or(States::DEVICE);
        }
        all
    }

    pub(super) fn or(self, o: States) -> States {
        States(self.0 | o.0)
    }

    pub(super) fn has(self, o: States) -> bool {
        self.0 & o.0 != 0
    }

    /// Whether a side is valid in all of the states.
    pub(super) fn all_valid(self, side: Side) -> bool {
        !self.has(States::only(side.other()))
    }

    /// After a copy to `side` wherever it is stale there.
    pub(super) fn ensured(self, side: Side) -> States {
        match self.has(States::only(side.other())) {
            true => States(self.0 & !States::only(side.other()).0).or(States::BOTH),
            false => self,
        }
    }

    /// After a call of a function that is handed the pair.
    fn called(self, h: &Handed) -> States {
        let mut out = States::default();
        let in_these = States::ALL.into_iter().filter(|s| self.has(*s));
        for s in in_these {
            for to in States::ALL {
                let may = |side: Side| match h.leaves(side) {
                    Leaves::Valid => to.all_valid(side),
                    Leaves::Stale => !to.all_valid(side),
                    Leaves::Kept => to.all_valid(side) == s.all_valid(side),
                    Leaves::Unknown => true,
                };
                if may(Side::Host) && may(Side::Device) {
                    out = out.or(to);
                }
            }
        }
        out
    }
}

/// The states with which paths come to each node; none where there is no mirror.
/// Where the function is handed the mirror it comes in the states `start`.
pub(super) fn states(flow: &Flow, k: usize, wanted: &[Vec<Side>], start: States) -> Vec<States> {
    let n = flow.nodes.len();
    let mut before = vec![States::default(); n];
    if let Some(first) = before.first_mut() {
        *first = start;
    }
    let mut work: Vec<usize> = (0..n).rev().collect();
    while let Some(i) = work.pop() {
        let mut s = before[i];
        for side in &wanted[i] {
            s = s.ensured(*side);
        }
        let touch = flow.nodes[i].touches.iter().find(|t| t.0 == k);
        // Without a mirror there is nothing that could be stale.
        let exists = s != States::default();
        if let Some((_, t)) = touch.filter(|t| exists || t.1.create) {
            if t.create {
                s = States::HOST;
            }
            if t.discard || t.end {
                s = States::BOTH;
            }
            s = match (t.host_write, t.device_write) {
                (true, true) => States::HOST.or(States::DEVICE),
                (true, false) => States::HOST,
                (false, true) => States::DEVICE,
                (false, false) => s,
            };
            if let Some(h) = &t.call {
                s = s.called(h);
            }
            if t.free {
                s = States::default();
            }
        }
        for next in &flow.nodes[i].succ {
            let joined = before[*next].or(s);
            if joined != before[*next] {
                before[*next] = joined;
                work.push(*next);
            }
        }
    }
    before
}

/// How the sides are left by a function that is called with the sides `needs` valid.
pub(super) fn leaves(flow: &Flow, k: usize, wanted: &[Vec<Side>], needs: [bool; 2]) -> [Leaves; 2] {
    let mut ends = Vec::new();
    for start in States::ALL {
        if !States::that_have(needs).has(start) {
            continue;
        }
        let before = states(flow, k, wanted, start);
        let mut at_end = States::default();
        for (i, s) in before.iter().enumerate() {
            if flow.nodes[i].touches.iter().any(|t| t.0 == k && t.1.leave) {
                at_end = at_end.or(*s);
            }
        }
        ends.push((start, at_end));
    }
    [Side::Host, Side::Device].map(|side| {
        let valid = |s: States| s.all_valid(side);
        let stale = |s: States| s == States::only(side.other());
        if ends.iter().all(|e| valid(e.1)) {
            Leaves::Valid
        } else if ends.iter().all(|e| stale(e.1)) {
            Leaves::Stale
        } else if ends
            .iter()
            .all(|(from, to)| valid(*from) && valid(*to) || stale(*from) && stale(*to))
        {
            Leaves::Kept
        } else {
            Leaves::Unknown
        }
    })
}
