//! `schedule.normalize`: a loop that counts from 0 by 1.

use super::{Given, Request, StepInfo};
use crate::loops::Refusal;
use crate::loops::normalize::{normalize_for, normalize_parallel};
use terrace_dialects::affine::{ForOp, ParallelOp};
use terrace_dialects::schedule;
use terrace_ir::Context;

pub(super) const STEP: StepInfo = StepInfo {
    name: schedule::NormalizeOp::NAME,
    promise: super::order,
    apply,
};

fn apply(ctx: &mut Context, r: &Request) -> Result<Given, Refusal> {
    let op = r.loops[0];
    let done = if let Some(l) = op.cast::<ForOp>(ctx) {
        normalize_for(ctx, l, false)
    } else if let Some(p) = op.cast::<ParallelOp>(ctx) {
        normalize_parallel(ctx, p)
    } else {
        false
    };
    if !done {
        let m = "it has several lower bounds, of which the greatest counts, so that its first \
                 iteration is no affine function";
        return Err(Refusal::new(op.loc(ctx), m));
    }
    Ok(Given {
        loops: vec![op],
        ..Given::default()
    })
}
