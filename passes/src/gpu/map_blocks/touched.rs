//! What the threads of a block have touched since they last met.

use crate::analysis::memory::{base, may_be_same};
use terrace_ir::effects::effects;
use terrace_ir::opdef::EffectKind;
use terrace_ir::{Context, Op, Value};

/// Memory by the objects that it is in.
#[derive(Debug, Clone, Default)]
pub(super) struct Touched {
    reads: Vec<Value>,
    writes: Vec<Value>,
}

impl Touched {
    /// What `ops` touch. `find` has seen that it is known, and ignores what each thread has for
    /// itself.
    pub fn of(ctx: &Context, ops: &[Op]) -> Touched {
        let mut all = Touched::default();
        let inside = |v: Value| {
            let def = v.def_op();
            def.is_some_and(|d| ops.iter().any(|o| o.is_ancestor_of(ctx, d)))
        };
        let found = ops.iter().filter_map(|o| effects(ctx, *o)).flatten();
        for e in found {
            let Some(v) = e.on.map(|v| base(ctx, v)).filter(|v| !inside(*v)) else {
                continue;
            };
            match e.kind {
                EffectKind::Read => all.reads.push(v),
                _ => all.writes.push(v),
            }
        }
        all
    }

    pub fn write(&mut self, memory: Value) {
        self.writes.push(memory);
    }

    pub fn and(&mut self, other: &Touched) {
        self.reads.extend(&other.reads);
        self.writes.extend(&other.writes);
    }

    /// Whether a thread that touches `next` has to wait for what others have touched.
    pub fn is_in_the_way_of(&self, ctx: &Context, next: &Touched) -> bool {
        let meet = |x: &[Value], y: &[Value]| {
            x.iter()
                .any(|a| y.iter().any(|b| a == b || may_be_same(ctx, *a, *b)))
        };
        meet(&self.writes, &next.reads)
            || meet(&self.writes, &next.writes)
            || meet(&self.reads, &next.writes)
    }
}
