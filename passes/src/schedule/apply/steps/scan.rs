//! `schedule.scan`: a linear recurrence, block by block.

use super::{Given, Request, StepInfo};
use crate::analysis::dependence::{Kind, Options, dependences};
use crate::loops::Refusal;
use crate::loops::linear_scan::linear_scan;
use crate::loops::recurrence::Recurrence;
use terrace_dialects::schedule::ScanOp;
use terrace_ir::{Context, Op, OpKind};

pub(super) const STEP: StepInfo = StepInfo {
    name: ScanOp::NAME,
    promise: super::order,
    apply,
};

fn apply(ctx: &mut Context, r: &Request) -> Result<Given, Refusal> {
    let l = r.for_loop(ctx, 0)?;
    let step = ScanOp::wrap(r.step);
    let options = Options {
        distances: false,
        ..Options::default()
    };
    let found = dependences(ctx, l.op(), &options);
    let flow = found.all.iter().filter(|d| d.kind == Kind::Flow);
    let overwritten: Vec<Op> = flow.map(|d| d.sink_op).collect();
    let recurrence = Recurrence::of(ctx, l, &overwritten)?;
    if recurrence.value.ty(ctx).is_float(ctx) && !step.reassociate(ctx) {
        let m = "its carried value is a float, and a scan rounds it otherwise; if it may, write \
                 '{reassociate}'";
        return Err(Refusal::new(l.op().loc(ctx), m));
    }
    let size = step.size(ctx).unsigned_abs();
    let done = linear_scan(ctx, l, &recurrence, size)?;
    Ok(vec![done.blocks, done.chain, done.rest].into())
}
