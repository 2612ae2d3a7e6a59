//! `schedule.promote`: elements that are used again in registers.

use super::array_in;
use super::{Given, Request, StepInfo};
use crate::loops::Refusal;
use crate::loops::promote::{Kept, promote};
use crate::schedule::legality::Promise;
use terrace_dialects::schedule::PromoteOp;
use terrace_ir::{Context, OpKind};

pub(super) const STEP: StepInfo = StepInfo {
    name: PromoteOp::NAME,
    promise: |_, _| Promise {
        storage: true,
        ..Promise::default()
    },
    apply,
};

fn apply(ctx: &mut Context, r: &Request) -> Result<Given, Refusal> {
    let l = r.for_loop(ctx, 0)?;
    let only = match PromoteOp::wrap(r.step).array(ctx) {
        Some(name) => Some(array_in(ctx, l, name)?),
        None => None,
    };
    let done = promote(ctx, l, only, Kept::All)?;
    Ok(Given {
        loops: vec![done.loop_.op()],
        replaced: vec![(l.op(), done.loop_.op())],
    })
}
