//! `schedule.fuse`: one loop of two.

use super::{Given, Request, StepInfo};
use crate::loops::Refusal;
use crate::loops::fuse::{Align, fuse};
use terrace_dialects::schedule::FuseOp;
use terrace_ir::{Context, OpKind};

pub(super) const STEP: StepInfo = StepInfo {
    name: FuseOp::NAME,
    promise: super::order,
    apply,
};

fn apply(ctx: &mut Context, r: &Request) -> Result<Given, Refusal> {
    let (first, second) = (r.for_loop(ctx, 0)?, r.for_loop(ctx, 1)?);
    let align = match FuseOp::wrap(r.step).aligned(ctx) {
        true => Align::Start,
        false => Align::Value,
    };
    Ok(vec![fuse(ctx, first, second, align)?.fused].into())
}
