//! What a scan is.

use super::policy::items;
use terrace_dialects::affine::ForOp;
use terrace_dialects::arith::AtomicRmwKind;
use terrace_ir::{Context, Op, Type, Value};

/// A loop whose running value is combined with something in each iteration and used there.
#[derive(Debug)]
pub struct Scan {
    /// The loops around it that count rows, the outermost first; none for one long scan.
    pub rows: Vec<ForOp>,
    /// The loop with the running value.
    pub l: ForOp,
    pub kind: AtomicRmwKind,
    pub ty: Type,
    /// The op that makes the next running value.
    pub combiner: Op,
    /// What stands for the running value before the combination, and for it after.
    pub before: Vec<Value>,
    pub after: Vec<Value>,
    /// What is combined with it.
    pub contribution: Value,
    /// The ops of the body that compute this, in their order.
    pub slice: Vec<Op>,
    /// The other ops of the body that a kernel runs, in their order.
    pub rest: Vec<Op>,
    /// Ops in the bodies of `rows` in front of the loop, and behind it.
    pub prologue: Vec<Op>,
    pub epilogue: Vec<Op>,
    pub init: Init,
    /// The store that carries it, where memory does.
    pub store: Option<Op>,
    /// The same, if it is to one element in all iterations: it is done once, behind the last.
    pub kept: Option<Op>,
    /// Whether the op that combines may be done in any order: all but those of floats.
    pub reassociates: bool,
}

/// What the running value begins with.
#[derive(Debug, Clone, Copy)]
pub enum Init {
    Value(Value),
    /// What this load of the body reads in the first iteration.
    Load(Op),
}

impl Scan {
    /// The outermost loop.
    pub fn root(&self) -> ForOp {
        self.rows.first().copied().unwrap_or(self.l)
    }

    /// Elements of a thread in a tile.
    pub fn items(&self, ctx: &Context) -> i64 {
        items(self.ty.bit_width(ctx).unwrap_or(64))
    }

    /// Whether the rest of the body uses one of these.
    pub fn uses(&self, values: &[Value], ctx: &Context) -> bool {
        let mut used = false;
        for op in &self.rest {
            op.walk(ctx, &mut |o| {
                used |= o.operands(ctx).iter().any(|v| values.contains(v))
            });
        }
        used
    }

    /// Whether the rest of the body uses what the contribution is computed from, or it.
    pub fn rest_uses_slice(&self, ctx: &Context) -> bool {
        let values: Vec<Value> = self.slice.iter().flat_map(|o| o.results(ctx)).collect();
        self.uses(&values, ctx)
    }
}
