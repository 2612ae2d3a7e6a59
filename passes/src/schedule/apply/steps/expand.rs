//! `schedule.expand`: an array for each iteration.

use super::array_in;
use super::{Given, Request, StepInfo};
use crate::analysis::dependence::{Kind, Options, dependences};
use crate::schedule::legality::Promise;
use crate::schedule::mechanics::Refusal;
use crate::schedule::mechanics::expand::{expand, privatize};
use terrace_dialects::affine::ForOp;
use terrace_dialects::schedule::ExpandOp;
use terrace_ir::opdef::traits;
use terrace_ir::{Context, Op, OpKind, Value};

pub(super) const STEP: StepInfo = StepInfo {
    name: "schedule.expand",
    promise: |_, _| Promise {
        storage: true,
        ..Promise::default()
    },
    apply,
};

fn apply(ctx: &mut Context, r: &Request) -> Result<Given, Refusal> {
    let l = r.for_loop(ctx, 0)?;
    let step = ExpandOp::wrap(r.step);
    let name = step.array(ctx).to_string();
    let memref = array_in(ctx, l, &name)?;
    let live_out = prove(ctx, l, memref, &name)?;
    if !step.private(ctx) {
        expand(ctx, l, memref, live_out)?;
    } else if live_out {
        let m = format!(
            "'{name}' is used behind it, so that its iterations cannot allocate it; leave out \
             'private' for the last one's to be copied back"
        );
        return Err(Refusal::new(l.op().loc(ctx), m));
    } else {
        privatize(ctx, l, memref)?;
    }
    Ok(vec![l].into())
}

/// That each iteration reads only what it wrote before, and, where the array is used
/// behind the loop, that each writes all of it. Gives whether it is used there.
fn prove(ctx: &Context, l: ForOp, memref: Value, name: &str) -> Result<bool, Refusal> {
    let loc = l.op().loc(ctx);
    let options = Options {
        distances: false,
        ..Options::default()
    };
    let all = dependences(ctx, function_of(ctx, l.op()), &options);
    let iv = l.iv(ctx);
    let mut all_private = all.privatizable(ctx).into_iter();
    let Some(p) = all_private.find(|p| p.of.iv == iv && p.memref == memref) else {
        let carried = || all.carried_by(iv).filter(|d| d.memref == Some(memref));
        if carried().next().is_none() {
            let m = format!("no two iterations of it touch the same element of '{name}'");
            return Err(Refusal::new(loc, m));
        }
        let m = format!(
            "an iteration may read an element of '{name}' that it has not written before itself"
        );
        let mut r = Refusal::new(loc, m);
        if let Some(d) = carried().find(|d| d.kind == Kind::Flow) {
            r = r
                .note(d.source_op.loc(ctx), "one iteration writes it here")
                .note(d.sink_op.loc(ctx), "and a later one reads it here");
        }
        return Err(r);
    };
    if p.live_out && !all.writes_all(ctx, p.of, memref) {
        let m = format!(
            "'{name}' is used behind it, and it is not known that every iteration writes all of it"
        );
        return Err(Refusal::new(loc, m).note(memref.loc(ctx), "this is the array"));
    }
    Ok(p.live_out)
}

/// The function around an op, or the outermost op around it.
fn function_of(ctx: &Context, op: Op) -> Op {
    let mut at = op;
    while let Some(parent) = at.parent(ctx) {
        at = parent;
        if at.def(ctx).is_some_and(|d| d.has(traits::ISOLATED)) {
            break;
        }
    }
    at
}
