//! `schedule.vectorize`: iterations as the lanes of vectors.

use super::{Given, Request, StepInfo};
use crate::loops::Refusal;
use crate::loops::vectorize::{Options, vectorize};
use crate::schedule::legality::{Violation, parallel};
use terrace_dialects::schedule::VectorizeOp;
use terrace_ir::{Context, OpKind};

pub(super) const STEP: StepInfo = StepInfo {
    name: VectorizeOp::NAME,
    promise: super::order,
    apply,
};

/// Lanes run at once; which is more than vectors ask for, whose ops come one by one.
pub(super) fn forbidden(ctx: &Context, r: &Request) -> Option<Violation> {
    parallel::carried(ctx, r.for_loop(ctx, 0).ok()?)
}

fn apply(ctx: &mut Context, r: &Request) -> Result<Given, Refusal> {
    let l = r.for_loop(ctx, 0)?;
    let step = VectorizeOp::wrap(r.step);
    let lanes = step.lanes(ctx).unsigned_abs();
    let options = Options {
        reductions: step.reductions(ctx),
        for_registers: false,
        checked: false,
        in_order: false,
    };
    Ok(vec![vectorize(ctx, l, lanes, options)?].into())
}
