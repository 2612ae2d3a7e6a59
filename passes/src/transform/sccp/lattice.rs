//! What is known of each value.

use rustc_hash::FxHashMap;
use terrace_ir::{Attr, Value};

/// What a value can be: nothing yet, one constant, or anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Known {
    /// No way that is reachable gives it a value.
    Nothing,
    Constant(Attr),
    Anything,
}

impl Known {
    /// What is known of a value that comes from two places.
    fn join(self, other: Known) -> Known {
        match (self, other) {
            (Known::Nothing, k) | (k, Known::Nothing) => k,
            (a, b) if a == b => a,
            _ => Known::Anything,
        }
    }

    pub fn constant(self) -> Option<Attr> {
        match self {
            Known::Constant(a) => Some(a),
            _ => None,
        }
    }
}

/// What is known of all values. Knowledge only moves from nothing over a constant
/// to anything.
#[derive(Default)]
pub(super) struct Lattice {
    known: FxHashMap<Value, Known>,
}

impl Lattice {
    pub fn get(&self, v: Value) -> Known {
        self.known.get(&v).copied().unwrap_or(Known::Nothing)
    }

    /// `v` may also be `k`. Whether that changed what is known.
    pub fn join(&mut self, v: Value, k: Known) -> bool {
        let old = self.get(v);
        let new = old.join(k);
        if new != old {
            self.known.insert(v, new);
        }
        new != old
    }
}
