//! The steps: each is a file that asks a mechanic for what the op says, and a line in
//! the table here.

mod normalize;
mod parallel;
mod strip_mine;
mod tile;
mod unroll;

use crate::schedule::legality::Promise;
use crate::schedule::mechanics::Refusal;
use crate::schedule::words::ivs;
use terrace_dialects::affine::ForOp;
use terrace_ir::{Context, Loc, Op, OpKind};

/// What is asked of a step.
pub(super) struct Request {
    /// The op of the schedule.
    pub(super) step: Op,
    /// The loops that its operands stand for.
    pub(super) loops: Vec<Op>,
}

/// One kind of step.
pub(super) struct StepInfo {
    /// The name of its op.
    name: &'static str,
    /// What it may do beyond changing the order of iterations.
    pub(super) promise: fn(&Context, Op) -> Promise,
    /// Does it. Gives the loops that the results of the op stand for. Where it
    /// refuses, the function may be half changed: the caller puts it back.
    pub(super) apply: fn(&mut Context, &Request) -> Result<Vec<Op>, Refusal>,
}

/// A step that only changes the order of iterations.
fn order(_: &Context, _: Op) -> Promise {
    Promise::default()
}

static STEPS: &[StepInfo] = &[
    normalize::STEP,
    parallel::STEP,
    strip_mine::STEP,
    tile::STEP,
    unroll::STEP,
];

/// What there is to know about a step.
pub(super) fn step_of(ctx: &Context, step: Op) -> Option<&'static StepInfo> {
    let name = step.name(ctx);
    STEPS.iter().find(|s| s.name == name)
}

impl Request {
    /// Loop `i` of the operands, which must be sequential.
    fn for_loop(&self, ctx: &Context, i: usize) -> Result<ForOp, Refusal> {
        let Some(op) = self.loops.get(i).copied() else {
            return Err(Refusal::new(self.step.loc(ctx), "it has no such operand"));
        };
        op.cast::<ForOp>(ctx).ok_or_else(|| {
            let m =
                "it is parallel already, and this step is for sequential loops; do this step first";
            Refusal::new(op.loc(ctx), m)
        })
    }

    /// A refusal at the step itself.
    fn refuse<T>(&self, ctx: &Context, message: impl Into<String>) -> Result<T, Refusal> {
        Err(Refusal::new(self.step.loc(ctx), message))
    }
}

/// Loops as the ops they are.
fn ops(loops: &[ForOp]) -> Vec<Op> {
    loops.iter().map(|l| l.op()).collect()
}

/// Where a loop and its variable come from, which a loop made of it takes over.
struct Origin {
    place: Loc,
    variable: Option<Loc>,
    name: Option<String>,
    label: Option<String>,
}

impl Origin {
    fn of(ctx: &Context, l: ForOp) -> Origin {
        let own = |n: &str| l.op().str_attr(ctx, n).map(str::to_string);
        let variable = ivs(ctx, l.op()).first().map(|v| v.loc(ctx));
        Origin {
            place: l.op().loc(ctx),
            variable,
            name: own("schedule.iv"),
            label: own("schedule.label"),
        }
    }

    /// The same loop, as far as finding it goes.
    fn same(&self, ctx: &Context, l: ForOp) {
        self.give(ctx, l, "");
        if let Some(label) = &self.label {
            l.op()
                .set_attr(ctx, "schedule.label", ctx.string_attr(label));
        }
    }

    /// A loop made of that one, whose variable has its name with `suffix`.
    fn give(&self, ctx: &Context, l: ForOp, suffix: &str) {
        l.op().set_loc(ctx, self.place);
        if let Some(loc) = self.variable {
            let loc = match loc.name(ctx) {
                Some(n) => loc.named(ctx, &format!("{n}{suffix}")),
                None => loc,
            };
            l.body(ctx).set_arg_loc(ctx, 0, loc);
        }
        if let Some(n) = &self.name {
            let n = ctx.string_attr(&format!("{n}{suffix}"));
            l.op().set_attr(ctx, "schedule.iv", n);
        }
    }
}
