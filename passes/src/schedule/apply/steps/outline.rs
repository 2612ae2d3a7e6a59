//! `schedule.outline`: a loop as a function.

use super::{Given, Request, StepInfo};
use crate::loops::Refusal;
use crate::loops::outline::outline;
use crate::schedule::legality::Violation;
use terrace_dialects::schedule::OutlineOp;
use terrace_ir::{Context, OpKind};

pub(super) const STEP: StepInfo = StepInfo {
    name: OutlineOp::NAME,
    promise: super::order,
    apply,
};

/// Nothing forbids it: the op of the loop is moved as it is, with all in it, and called
/// where it stood, so that no access comes before another than before. The marks of the
/// check are not followed into other functions.
pub(super) fn forbidden(_: &Context, _: &Request) -> Option<Violation> {
    None
}

fn apply(ctx: &mut Context, r: &Request) -> Result<Given, Refusal> {
    let name = OutlineOp::wrap(r.step).function(ctx).to_string();
    outline(ctx, r.loops[0], &name)?;
    Ok(Given::default())
}
