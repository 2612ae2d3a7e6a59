//! The states in which an array may be at one point of a program, each with a path.

use super::super::trail::Trail;
use super::state::{Buffers, State};
use std::collections::BTreeMap;

/// States with the buffers that are right on all paths to them, and one such path.
#[derive(Debug, Clone, Default)]
pub struct Table {
    pub states: BTreeMap<State, (Buffers, Trail)>,
    /// There were too many to be told apart: nothing is known.
    pub full: bool,
}

/// States of one point that are told apart.
const MAX: usize = 128;

impl Table {
    pub fn start(state: State, buffers: Buffers, trail: Trail) -> Table {
        Table {
            states: BTreeMap::from([(state, (buffers, trail))]),
            full: false,
        }
    }

    /// Adds a state. Whether there was anything new about it.
    pub fn insert(&mut self, state: State, buffers: Buffers, trail: Trail) -> bool {
        if self.full {
            return false;
        }
        if let Some(known) = self.states.get_mut(&state) {
            let before = known.0;
            known.0 &= buffers;
            return known.0 != before;
        }
        if self.states.len() >= MAX {
            self.states = BTreeMap::from([(State::Unknown, (buffers, trail))]);
            self.full = true;
            return true;
        }
        self.states.insert(state, (buffers, trail));
        true
    }

    pub fn join(&mut self, other: &Table) -> bool {
        if other.full && !self.full {
            *self = other.clone();
            return true;
        }
        let mut grew = false;
        for (state, (buffers, trail)) in &other.states {
            grew |= self.insert(state.clone(), *buffers, *trail);
        }
        grew
    }

    /// The states on the way where an array is present, or is not, as `taken` says.
    pub fn keep(&mut self, taken: impl Fn(&State) -> bool) {
        self.states.retain(|s, _| taken(s));
    }

    pub fn is_as(&self, other: &Table) -> bool {
        let same = |((a, (b, _)), (c, (d, _))): (
            (&State, &(Buffers, Trail)),
            (&State, &(Buffers, Trail)),
        )| { a == c && b == d };
        self.states.len() == other.states.len() && self.states.iter().zip(&other.states).all(same)
    }
}
