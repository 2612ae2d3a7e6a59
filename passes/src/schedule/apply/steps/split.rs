//! `schedule.split`: iterations before a number and from it on.

use super::{Given, Request, StepInfo};
use crate::loops::Refusal;
use crate::loops::split::split;
use terrace_dialects::schedule::SplitOp;
use terrace_ir::affine::AffineMap;
use terrace_ir::{Context, OpKind};

pub(super) const STEP: StepInfo = StepInfo {
    name: SplitOp::NAME,
    promise: super::order,
    apply,
};

fn apply(ctx: &mut Context, r: &Request) -> Result<Given, Refusal> {
    let l = r.for_loop(ctx, 0)?;
    let at = AffineMap::constant(SplitOp::wrap(r.step).point(ctx));
    let (below, above) = split(ctx, l, &at, &[])?;
    Ok(vec![below, above].into())
}
