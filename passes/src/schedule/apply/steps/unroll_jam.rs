//! `schedule.unroll_jam`: several iterations at once in the loops inside.

use super::{Given, Request, StepInfo};
use crate::loops::Refusal;
use crate::loops::unroll_jam::unroll_jam;
use crate::schedule::legality::Promise;
use terrace_dialects::schedule::UnrollJamOp;
use terrace_ir::{Context, OpKind};

pub(super) const STEP: StepInfo = StepInfo {
    name: UnrollJamOp::NAME,
    promise: |ctx, step| Promise {
        reductions: UnrollJamOp::wrap(step).reductions(ctx),
        ..Promise::default()
    },
    apply,
};

fn apply(ctx: &mut Context, r: &Request) -> Result<Given, Refusal> {
    let l = r.for_loop(ctx, 0)?;
    let step = UnrollJamOp::wrap(r.step);
    if l.op().num_results(ctx) > 0 && !step.reductions(ctx) {
        let m = "it carries a value from iteration to iteration; if that is a sum or the like that \
                 may be added up in any order, write 'reductions'";
        return Err(Refusal::new(l.op().loc(ctx), m));
    }
    let jammed = unroll_jam(ctx, l, step.factor(ctx).unsigned_abs())?;
    let Some(outer) = jammed.outer else {
        return r.refuse(ctx, "no loop is left: unroll it in full");
    };
    let replaced = jammed.replaced.iter();
    Ok(Given {
        loops: vec![outer.op()],
        replaced: replaced.map(|(a, b)| (a.op(), b.op())).collect(),
    })
}
