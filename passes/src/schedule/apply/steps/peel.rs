//! `schedule.peel`: iterations at an end in a loop of their own.

use super::{Given, Request, StepInfo};
use crate::loops::Refusal;
use crate::loops::peel::{peel_back, peel_front, peel_remainder};
use terrace_dialects::schedule::{Peel, PeelOp};
use terrace_ir::{Context, OpKind};

pub(super) const STEP: StepInfo = StepInfo {
    name: PeelOp::NAME,
    promise: super::order,
    apply,
};

fn apply(ctx: &mut Context, r: &Request) -> Result<Given, Refusal> {
    let l = r.for_loop(ctx, 0)?;
    let p = match PeelOp::wrap(r.step).what(ctx) {
        Some(Peel::Front(n)) => peel_front(ctx, l, n.unsigned_abs())?,
        Some(Peel::Back(n)) => peel_back(ctx, l, n.unsigned_abs())?,
        Some(Peel::Remainder(n)) => match peel_remainder(ctx, l, n.unsigned_abs())? {
            Some(p) => p,
            None => {
                return r.refuse(
                    ctx,
                    format!("it runs a multiple of {n} times: nothing is left over"),
                );
            }
        },
        None => return r.refuse(ctx, "it does not say what to take off"),
    };
    Ok(vec![p.rest, p.peeled].into())
}
