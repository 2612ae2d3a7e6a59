//! `schedule.parallel`: iterations at once.

use super::{Given, Request, StepInfo};
use crate::analysis::reduction;
use crate::loops::Refusal;
use crate::loops::parallelize::parallelize;
use crate::schedule::legality::Promise;
use terrace_dialects::schedule::ParallelOp;
use terrace_ir::{Context, OpKind};

pub(super) const STEP: StepInfo = StepInfo {
    name: ParallelOp::NAME,
    promise: |ctx, step| Promise {
        reductions: ParallelOp::wrap(step).reductions(ctx),
        ..Promise::default()
    },
    apply,
};

fn apply(ctx: &mut Context, r: &Request) -> Result<Given, Refusal> {
    let l = r.for_loop(ctx, 0)?;
    let loc = l.op().loc(ctx);
    let reductions = if l.op().num_results(ctx) == 0 {
        Vec::new()
    } else if !ParallelOp::wrap(r.step).reductions(ctx) {
        let m = "it carries a value from iteration to iteration; if that is a sum or the like that \
                 may be added up in any order, write 'reductions'";
        return Err(Refusal::new(loc, m));
    } else if let Some(all) = reduction::all_of(ctx, l) {
        all
    } else {
        let m = "a value that it carries from iteration to iteration is no sum or the like";
        return Err(Refusal::new(loc, m));
    };
    let variable = l.iv(ctx).loc(ctx);
    let names = ["schedule.iv", "schedule.label"].map(|n| (n, l.op().attr(ctx, n)));
    let new = parallelize(ctx, l, &reductions);
    new.body(ctx).set_arg_loc(ctx, 0, variable);
    for (n, a) in names {
        if let Some(a) = a {
            new.op().set_attr(ctx, n, a);
        }
    }
    Ok(Given {
        loops: vec![new.op()],
        ..Given::default()
    })
}
