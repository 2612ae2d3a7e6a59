//! `schedule.coalesce`: one loop in place of several.

use super::{Given, Request, StepInfo};
use crate::loops::Refusal;
use crate::loops::coalesce::coalesce;
use terrace_dialects::schedule::CoalesceOp;
use terrace_ir::{Context, OpKind};

pub(super) const STEP: StepInfo = StepInfo {
    name: CoalesceOp::NAME,
    promise: super::order,
    apply,
};

fn apply(ctx: &mut Context, r: &Request) -> Result<Given, Refusal> {
    let depth = CoalesceOp::wrap(r.step).depth(ctx);
    let band = r.band(ctx, 0, usize::try_from(depth).unwrap_or(0))?;
    Ok(vec![coalesce(ctx, &band)?].into())
}
