//! What a scan is.

use super::policy::items;
use super::restart::Restart;
use crate::loops::recurrence::Recurrence;
use terrace_dialects::affine::ForOp;
use terrace_dialects::arith::{AtomicRmwKind, CmpFPredicate};
use terrace_dialects::gpu;
use terrace_ir::{Context, Op, Type, Value};

/// A loop whose running value is combined with something in each iteration and used there.
#[derive(Debug)]
pub struct Scan {
    /// The loops around it that count rows, the outermost first; none for one long scan.
    pub rows: Vec<ForOp>,
    /// The loop with the running value.
    pub l: ForOp,
    pub how: Combining,
    pub ty: Type,
    /// The op that makes the next running value.
    pub combiner: Op,
    /// What stands for the running value before the combination, and for it after.
    pub before: Vec<Value>,
    pub after: Vec<Value>,
    /// The ops of the body that compute what is combined with it, in their order.
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
    /// Whether what combines may be done in any order: all but sums and products of floats.
    pub reassociates: bool,
    /// Whether the running value is used behind the last iteration alone.
    pub only_last: bool,
    /// Whether rows lie side by side in memory, those of the innermost loop around the scan.
    pub side_by_side: bool,
}

/// What an iteration does to the running value.
#[derive(Debug)]
pub enum Combining {
    /// An op that is associative and commutative combines it with this value.
    Op(AtomicRmwKind, Value),
    /// It becomes `a * x + b`. Of two such steps one behind the other is made one again, which is
    /// associative but not commutative: P. Kogge, H. Stone, "A parallel algorithm for the efficient
    /// solution of a general class of recurrence equations", 1973.
    Linear(Recurrence),
    /// An op combines it with a value, and in some iterations it starts again.
    Restart(Restart),
    /// This value replaces it where it compares so with it.
    Choice(CmpFPredicate, Value),
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

    /// The types of a step's values: `b`, and `a` where it may be something else than 1; or what
    /// it combines, and 1 where it starts again.
    pub fn types(&self, ctx: &Context) -> Vec<Type> {
        match &self.how {
            Combining::Linear(r) if r.scales(ctx) => vec![self.ty; 2],
            Combining::Restart(_) => vec![self.ty, ctx.i32()],
            _ => vec![self.ty],
        }
    }

    /// Values of a step.
    pub fn components(&self, ctx: &Context) -> usize {
        self.types(ctx).len()
    }

    /// Types of the values of a step that are no flags.
    pub fn held_types(&self, ctx: &Context) -> Vec<Type> {
        let mut types = self.types(ctx);
        if self.restarts() {
            types.pop();
        }
        types
    }

    /// Types of workgroup memory for steps, an array of this shape for each value.
    pub fn buffers(&self, ctx: &Context, shape: &[i64]) -> Vec<Type> {
        let types = self.types(ctx).into_iter();
        types
            .map(|t| gpu::workgroup_memref(ctx, shape, t))
            .collect()
    }

    /// Whether the last value of a step says that it starts again.
    pub fn restarts(&self) -> bool {
        matches!(self.how, Combining::Restart(_))
    }

    /// Whether steps may change places.
    pub fn commutes(&self) -> bool {
        matches!(self.how, Combining::Op(..))
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
