//! `schedule.shift`: iterations counted from elsewhere.

use super::{Given, Request, StepInfo};
use crate::loops::Refusal;
use crate::loops::shift::shift_by;
use terrace_dialects::schedule::ShiftOp;
use terrace_ir::{Context, OpKind};

pub(super) const STEP: StepInfo = StepInfo {
    name: ShiftOp::NAME,
    promise: super::order,
    apply,
};

fn apply(ctx: &mut Context, r: &Request) -> Result<Given, Refusal> {
    let l = r.for_loop(ctx, 0)?;
    let amount = ShiftOp::wrap(r.step).amount(ctx);
    Ok(vec![shift_by(ctx, l, amount)?].into())
}
