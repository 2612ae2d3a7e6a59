//! `schedule.unroll`: the body several times over.

use super::{Given, Request, StepInfo};
use crate::analysis::bounds::constant_trip_count;
use crate::loops::Refusal;
use crate::loops::unroll::{unroll_by, unroll_full};
use terrace_dialects::schedule::UnrollOp;
use terrace_ir::{Context, OpKind};

pub(super) const STEP: StepInfo = StepInfo {
    name: UnrollOp::NAME,
    promise: super::order,
    apply,
};

fn apply(ctx: &mut Context, r: &Request) -> Result<Given, Refusal> {
    let l = r.for_loop(ctx, 0)?;
    let loc = l.op().loc(ctx);
    let trips = constant_trip_count(ctx, l);
    let Some(factor) = UnrollOp::wrap(r.step).factor(ctx) else {
        return match trips {
            None => Err(Refusal::new(
                loc,
                "how often it runs is no constant, so that it cannot be unrolled in full",
            )),
            Some(0) => {
                let inits = l.inits(ctx);
                l.op().replace(ctx, &inits);
                Ok(Given::default())
            }
            Some(n) if !unroll_full(ctx, l) => Err(Refusal::new(
                loc,
                format!("{n} copies of its body would be too many"),
            )),
            Some(_) => Ok(Given::default()),
        };
    };
    let factor = factor.unsigned_abs();
    if let Some(n) = trips.filter(|n| *n <= factor) {
        let m = format!(
            "it runs {n} times, so that unrolled by {factor} no loop is left: unroll it in full"
        );
        return Err(Refusal::new(loc, m));
    }
    if !unroll_by(ctx, l, factor, false) {
        let m = "its remainder has no affine bounds, or it would become too large";
        return Err(Refusal::new(loc, m));
    }
    if !ctx.is_alive(l.op()) {
        return r.refuse(ctx, "no loop is left: unroll it in full");
    }
    Ok(vec![l].into())
}
