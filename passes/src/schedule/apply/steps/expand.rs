//! `schedule.expand`: an array for each iteration.

use super::{Given, Request, StepInfo, array_in};
use crate::analysis::dependence::{Options, dependences};
use crate::schedule::legality::{Promise, Violation};
use crate::schedule::mechanics::Refusal;
use crate::schedule::mechanics::expand::expand;
use terrace_dialects::schedule::ExpandOp;
use terrace_ir::{Context, OpKind};

pub(super) const STEP: StepInfo = StepInfo {
    name: "schedule.expand",
    promise: |_, _| Promise {
        storage: true,
        ..Promise::default()
    },
    apply,
};

/// Each element that an iteration reads must have been written before in it. What is read
/// behind the loop is of no matter here: arrays that are used there are refused.
pub(super) fn forbidden(ctx: &Context, r: &Request) -> Option<Violation> {
    let l = r.for_loop(ctx, 0).ok()?;
    let name = ExpandOp::wrap(r.step).array(ctx);
    let array = array_in(ctx, l, name).ok()?;
    // The loop itself: what loops around it carry is of other arrays then.
    let found = dependences(ctx, l.op(), &Options::default());
    let iv = l.iv(ctx);
    let private = found.privatizable(ctx);
    if private.iter().any(|p| p.of.iv == iv && p.memref == array) {
        return None;
    }
    let m = format!("an iteration may read from '{name}' what it has not written itself");
    Some(Violation::new(m).note(array.loc(ctx), "this array"))
}

fn apply(ctx: &mut Context, r: &Request) -> Result<Given, Refusal> {
    let l = r.for_loop(ctx, 0)?;
    let array = array_in(ctx, l, ExpandOp::wrap(r.step).array(ctx))?;
    expand(ctx, l, array)?;
    Ok(vec![l].into())
}
