//! `schedule.strip_mine`: pieces of a number of iterations.

use super::tile::tile;
use super::{Request, StepInfo, ops};
use crate::schedule::mechanics::Refusal;
use terrace_dialects::schedule::StripMineOp;
use terrace_ir::{Context, Op, OpKind};

pub(super) const STEP: StepInfo = StepInfo {
    name: "schedule.strip_mine",
    promise: super::order,
    apply,
};

fn apply(ctx: &mut Context, r: &Request) -> Result<Vec<Op>, Refusal> {
    let size = StripMineOp::wrap(r.step).size(ctx);
    let l = r.for_loop(ctx, 0)?;
    let (pieces, within) = tile(ctx, l, &[size])?;
    Ok(ops(&[pieces, within].concat()))
}
