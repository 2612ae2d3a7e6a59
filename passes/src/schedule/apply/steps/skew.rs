//! `schedule.skew`: an inner variable plus a multiple of an outer one.

use super::{Given, Request, StepInfo};
use crate::loops::Refusal;
use crate::loops::skew::skew;
use terrace_dialects::schedule::SkewOp;
use terrace_ir::{Context, OpKind};

pub(super) const STEP: StepInfo = StepInfo {
    name: SkewOp::NAME,
    promise: super::order,
    apply,
};

fn apply(ctx: &mut Context, r: &Request) -> Result<Given, Refusal> {
    let (outer, inner) = (r.for_loop(ctx, 0)?, r.for_loop(ctx, 1)?);
    let factor = SkewOp::wrap(r.step).factor(ctx);
    let inner = skew(ctx, outer, inner, factor)?;
    Ok(vec![outer, inner].into())
}
