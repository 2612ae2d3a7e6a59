//! `schedule.stage`: what a loop touches of an array in a buffer.

use super::array_in;
use super::{Given, Request, StepInfo};
use crate::analysis::staging::{OpRange, footprints};
use crate::loops::Refusal;
use crate::loops::stage::{StageOptions, stage};
use crate::schedule::legality::Promise;
use terrace_dialects::schedule::StageOp;
use terrace_ir::{Context, OpKind};

pub(super) const STEP: StepInfo = StepInfo {
    name: StageOp::NAME,
    promise: |_, _| Promise {
        storage: true,
        ..Promise::default()
    },
    apply,
};

fn apply(ctx: &mut Context, r: &Request) -> Result<Given, Refusal> {
    let l = r.for_loop(ctx, 0)?;
    let step = StageOp::wrap(r.step);
    let memref = array_in(ctx, l, step.array(ctx))?;
    let loc = l.op().loc(ctx);
    let Some(range) = OpRange::new(ctx, vec![l.op()]) else {
        return r.refuse(ctx, "the loop is in no block");
    };
    let found = footprints(ctx, &range, |v| v == memref);
    let footprint = found.as_ref().and_then(|f| f.all.first());
    let Some(footprint) = footprint else {
        let m = format!(
            "what it touches of '{}' is not known, or something else in it touches the same memory",
            step.array(ctx)
        );
        return Err(Refusal::new(loc, m));
    };
    let options = StageOptions {
        space: step.space(ctx).unsigned_abs(),
        ..StageOptions::default()
    };
    let Some(mut end) = l.op().next(ctx) else {
        return r.refuse(ctx, "the loop is the last op of its block");
    };
    stage(ctx, &range, &mut end, footprint, options)?;
    Ok(vec![l].into())
}
