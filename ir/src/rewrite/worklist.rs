//! The ops that the greedy driver still has to look at.

use crate::op::Op;
use rustc_hash::FxHashMap;

/// A stack of distinct ops. An op that is pushed again keeps its place.
#[derive(Debug, Default)]
pub(super) struct Worklist {
    list: Vec<Option<Op>>,
    place: FxHashMap<Op, usize>,
}

impl Worklist {
    pub fn clear(&mut self) {
        self.list.clear();
        self.place.clear();
    }

    pub fn push(&mut self, op: Op) {
        if let std::collections::hash_map::Entry::Vacant(e) = self.place.entry(op) {
            e.insert(self.list.len());
            self.list.push(Some(op));
        }
    }

    pub fn pop(&mut self) -> Option<Op> {
        loop {
            if let Some(op) = self.list.pop()? {
                self.place.remove(&op);
                return Some(op);
            }
        }
    }

    /// Turn the order around, so that what was pushed first is popped first.
    pub fn reverse(&mut self) {
        self.list.reverse();
        let last = self.list.len().wrapping_sub(1);
        for p in self.place.values_mut() {
            *p = last - *p;
        }
    }
}
