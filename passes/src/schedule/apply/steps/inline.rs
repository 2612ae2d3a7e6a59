//! `schedule.inline`: a loop without calls.

use super::{Given, Request, StepInfo};
use crate::loops::Refusal;
use crate::loops::inline::inline;
use crate::schedule::legality::Promise;
use terrace_dialects::schedule;
use terrace_ir::Context;

pub(super) const STEP: StepInfo = StepInfo {
    name: schedule::InlineOp::NAME,
    // What stands behind the mark of a call is other ops than a call. That it is run
    // for the same iterations, and in order with the rest, is checked.
    promise: |_, _| Promise {
        storage: true,
        ..Promise::default()
    },
    apply,
};

fn apply(ctx: &mut Context, r: &Request) -> Result<Given, Refusal> {
    let l = r.loops[0];
    inline(ctx, l)?;
    Ok(Given {
        loops: vec![l],
        ..Given::default()
    })
}
