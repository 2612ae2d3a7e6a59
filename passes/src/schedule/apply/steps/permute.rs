//! `schedule.permute`: loops of a band in another order.

use super::{Given, Request, StepInfo};
use crate::loops::Refusal;
use crate::loops::permute::permute;
use terrace_dialects::schedule::PermuteOp;
use terrace_ir::{Context, OpKind};

pub(super) const STEP: StepInfo = StepInfo {
    name: PermuteOp::NAME,
    promise: super::order,
    apply,
};

fn apply(ctx: &mut Context, r: &Request) -> Result<Given, Refusal> {
    let order = PermuteOp::wrap(r.step).order(ctx);
    // Verified to be numbers of loops.
    let order: Vec<usize> = order
        .iter()
        .filter_map(|n| usize::try_from(*n).ok())
        .collect();
    let band = r.band(ctx, 0, order.len())?;
    Ok(permute(ctx, &band, &order)?.into())
}
