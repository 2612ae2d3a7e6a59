//! `schedule.reverse`: the last iteration first.

use super::{Given, Request, StepInfo};
use crate::loops::Refusal;
use crate::loops::reverse::reverse;
use terrace_dialects::schedule;
use terrace_ir::Context;

pub(super) const STEP: StepInfo = StepInfo {
    name: schedule::ReverseOp::NAME,
    promise: super::order,
    apply,
};

fn apply(ctx: &mut Context, r: &Request) -> Result<Given, Refusal> {
    let l = r.for_loop(ctx, 0)?;
    Ok(vec![reverse(ctx, l)?].into())
}
