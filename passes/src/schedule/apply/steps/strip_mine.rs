//! `schedule.strip_mine`: pieces of a number of iterations.

use super::{Given, Request, StepInfo};
use crate::loops::Refusal;
use crate::loops::strip_mine::strip_mine;
use terrace_dialects::schedule::StripMineOp;
use terrace_ir::{Context, OpKind};

pub(super) const STEP: StepInfo = StepInfo {
    name: StripMineOp::NAME,
    promise: super::order,
    apply,
};

fn apply(ctx: &mut Context, r: &Request) -> Result<Given, Refusal> {
    let l = r.for_loop(ctx, 0)?;
    let size = StripMineOp::wrap(r.step).size(ctx);
    let (pieces, within) = strip_mine(ctx, l, size.unsigned_abs())?;
    Ok(vec![pieces, within].into())
}
