//! The loops of a region, whichever op they are.

use terrace_dialects::{affine, gpu, scf};
use terrace_ir::effects::is_pure;
use terrace_ir::{Block, Context, Op, OpKind, Value};

/// A loop that runs its iterations one after another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loop {
    /// An `affine.for`.
    Affine(affine::ForOp),
    /// An `scf.for`.
    Scf(scf::ForOp),
    /// Without a counter.
    While(scf::WhileOp),
}

/// Whether an op runs again and again: a loop that is no parallel one is around it.
pub fn is_in_loop(ctx: &Context, op: Op) -> bool {
    let mut around = op.parent(ctx);
    while let Some(o) = around {
        if Loop::of(ctx, o).is_some() {
            return true;
        }
        around = o.parent(ctx);
    }
    false
}

impl Loop {
    /// The loop that an op is; `None` for other ops.
    pub fn of(ctx: &Context, op: Op) -> Option<Loop> {
        if let Some(l) = op.cast::<affine::ForOp>(ctx) {
            return Some(Loop::Affine(l));
        }
        if let Some(l) = op.cast::<scf::ForOp>(ctx) {
            return Some(Loop::Scf(l));
        }
        op.cast::<scf::WhileOp>(ctx).map(Loop::While)
    }

    /// The innermost loop around an op.
    pub(crate) fn around(ctx: &Context, op: Op) -> Option<Loop> {
        let mut at = op.parent(ctx);
        while let Some(o) = at {
            if let Some(l) = Loop::of(ctx, o) {
                return Some(l);
            }
            at = o.parent(ctx);
        }
        None
    }

    /// All loops inside `root`, in the order of the text, with the number of loops
    /// around each, but for those of kernels, which threads run, and those around launches,
    /// which the host runs.
    pub fn all(ctx: &Context, root: Op) -> Vec<(Loop, usize)> {
        let mut found: Vec<(Loop, usize)> = Vec::new();
        let mut around: Vec<Op> = Vec::new();
        for op in root.pre_order(ctx) {
            let Some(l) = Loop::of(ctx, op).filter(|_| op != root) else {
                continue;
            };
            if op.parent_of::<gpu::LaunchOp>(ctx).is_some() || launches(ctx, op) {
                continue;
            }
            while let Some(last) = around.last()
                && !last.is_ancestor_of(ctx, op)
            {
                around.pop();
            }
            found.push((l, around.len()));
            around.push(op);
        }
        found
    }

    /// The op of the loop.
    pub fn op(self) -> Op {
        match self {
            Loop::Affine(l) => l.op(),
            Loop::Scf(l) => l.op(),
            Loop::While(l) => l.op(),
        }
    }

    /// The counter.
    pub(crate) fn iv(self, ctx: &Context) -> Option<Value> {
        match self {
            Loop::Affine(l) => Some(l.iv(ctx)),
            Loop::Scf(l) => Some(l.induction_var(ctx)),
            Loop::While(_) => None,
        }
    }

    /// What an iteration runs; of `scf.while` the part after the condition.
    pub(crate) fn body(self, ctx: &Context) -> Block {
        match self {
            Loop::Affine(l) => l.body(ctx),
            Loop::Scf(l) => l.body(ctx),
            Loop::While(l) => l.after(ctx),
        }
    }

    /// The values that go into the first iteration.
    pub(crate) fn inits(self, ctx: &Context) -> Vec<Value> {
        match self {
            Loop::Affine(l) => l.inits(ctx),
            Loop::Scf(l) => l.init_args(ctx),
            Loop::While(l) => l.inits(ctx),
        }
    }

    /// The carried values as the body sees them; none of `scf.while`, which may carry
    /// others than it yields.
    pub(crate) fn iter_args(self, ctx: &Context) -> Vec<Value> {
        match self {
            Loop::Affine(l) => l.iter_args(ctx),
            Loop::Scf(l) => l.iter_args(ctx),
            Loop::While(_) => Vec::new(),
        }
    }

    pub(crate) fn yielded(self, ctx: &Context) -> Vec<Value> {
        match self {
            Loop::Affine(l) => l.yielded(ctx),
            Loop::Scf(l) => l.yielded(ctx),
            Loop::While(_) => Vec::new(),
        }
    }

    /// Where init `i` stands among the operands of the op.
    pub(crate) fn init_operand(self, ctx: &Context, i: usize) -> usize {
        let op = self.op();
        op.num_operands(ctx) - self.inits(ctx).len() + i
    }

    /// What the source calls the counter.
    pub fn variable(self, ctx: &Context) -> String {
        let op = self.op();
        let given = op.str_attr(ctx, "schedule.iv").map(str::to_string);
        let named = || self.iv(ctx).and_then(|v| v.loc(ctx).name(ctx));
        let named = || named().or_else(|| op.loc(ctx).name(ctx));
        given.unwrap_or_else(|| named().unwrap_or_default().to_string())
    }

    /// The loop in the body of this one, where nothing but arithmetic stands beside it.
    ///
    /// # Errors
    ///
    /// The op that stands between the two, or this loop's op where no loop is inside.
    pub(crate) fn tightly_inside(self, ctx: &Context) -> Result<Loop, Op> {
        let mut inner = None;
        let mut between = None;
        for op in self.body(ctx).ops(ctx) {
            if op.is_terminator(ctx) {
                break;
            }
            match Loop::of(ctx, op) {
                Some(l) if inner.is_none() => inner = Some(l),
                None if is_pure(ctx, op) => {}
                _ => between = between.or(Some(op)),
            }
        }
        match (inner, between) {
            (Some(l), None) => Ok(l),
            (Some(_), Some(op)) => Err(op),
            (None, _) => Err(self.op()),
        }
    }
}

pub(crate) fn launches(ctx: &Context, op: Op) -> bool {
    let mut found = false;
    op.walk(ctx, &mut |o| {
        found |= o.isa::<gpu::LaunchOp>(ctx) || o.isa::<gpu::LaunchFuncOp>(ctx);
    });
    found
}
