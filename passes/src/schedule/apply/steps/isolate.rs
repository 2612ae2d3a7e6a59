//! `schedule.isolate`: what goes from iteration to iteration in a loop of its own.

use super::{Given, Request, StepInfo};
use crate::analysis::dependence::{Options, dependences};
use crate::loops::Refusal;
use crate::loops::isolate::isolate;
use terrace_dialects::schedule;
use terrace_ir::{Context, Op, OpKind};

pub(super) const STEP: StepInfo = StepInfo {
    name: schedule::IsolateOp::NAME,
    promise: super::order,
    apply,
};

fn apply(ctx: &mut Context, r: &Request) -> Result<Given, Refusal> {
    let l = r.for_loop(ctx, 0)?;
    let options = Options {
        distances: false,
        ..Options::default()
    };
    let found = dependences(ctx, l.op(), &options);
    let pairs: Vec<(Op, Op)> = found.all.iter().map(|d| (d.source_op, d.sink_op)).collect();
    let loops = isolate(ctx, l, &pairs)?.loops;
    let want = r.step.num_results(ctx);
    if loops.len() != want {
        let m = format!("it makes {} loops, and the step names {want}", loops.len());
        return r.refuse(ctx, m);
    }
    Ok(loops.into())
}
