//! Statements of a block that become the kernel of one thread.

use rustc_hash::FxHashSet;
use terrace_ir::{Context, Op, Value};

/// One op of a group.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Member {
    pub op: Op,
    /// Arithmetic on what moves: the kernel has a copy, and the host keeps the op where
    /// it needs it.
    pub copied: bool,
}

/// Statements that stand together so far, and run one after another.
#[derive(Debug, Default)]
pub(crate) struct Group {
    pub members: Vec<Member>,
    /// The results of the members.
    pub defined: FxHashSet<Value>,
}

impl Group {
    /// Adds an op of the block behind the others.
    pub(crate) fn push(&mut self, ctx: &Context, op: Op, copied: bool) {
        self.members.push(Member { op, copied });
        self.defined.extend(op.results(ctx));
    }
}
