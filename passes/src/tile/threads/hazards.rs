//! Where the threads of a block have to wait for each other.

use crate::analysis::memory::{base, may_be_same};
use terrace_ir::{Context, Value};

/// An access to memory by the threads of a block.
#[derive(Debug, Clone)]
pub(super) struct Touch {
    pub memref: Value,
    pub writes: bool,
    /// What two accesses share of which each thread touches the same elements; none for what
    /// says nothing of that.
    pub who: Option<String>,
}

impl Touch {
    /// Whether a thread that makes this access has to wait for those that made `other`.
    fn waits_for(&self, ctx: &Context, other: &Touch) -> bool {
        let same_threads = self.who.is_some() && self.who == other.who;
        (self.writes || other.writes)
            && !same_threads
            && may_be_same(ctx, base(ctx, self.memref), base(ctx, other.memref))
    }
}

/// What threads have touched since they last met.
#[derive(Debug, Clone, Default)]
pub(super) struct Hazards {
    all: Vec<Touch>,
}

impl Hazards {
    /// Whether one of `next` has to wait for what was done.
    pub fn meets(&self, ctx: &Context, next: &[Touch]) -> bool {
        next.iter()
            .any(|n| self.all.iter().any(|o| n.waits_for(ctx, o)))
    }

    /// They met.
    pub fn clear(&mut self) {
        self.all.clear();
    }

    /// What either of two ways has touched.
    pub fn join(&mut self, other: &Hazards) {
        self.all.extend_from_slice(&other.all);
    }

    pub fn add(&mut self, touches: &[Touch]) {
        self.all.extend_from_slice(touches);
    }
}
