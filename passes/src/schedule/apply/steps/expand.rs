//! `schedule.expand`: an array for each iteration.

use super::{Given, Request, StepInfo, array_in};
use crate::analysis::dependence::{Dependences, Kind, Options, Private, dependences};
use crate::loops::Refusal;
use crate::loops::expand::{expand, privatize};
use crate::schedule::legality::{Promise, Violation};
use terrace_dialects::affine::ForOp;
use terrace_dialects::memref::DeallocOp;
use terrace_dialects::schedule::ExpandOp;
use terrace_ir::opdef::traits;
use terrace_ir::{Context, Op, OpKind, Value};

pub(super) const STEP: StepInfo = StepInfo {
    name: ExpandOp::NAME,
    promise: |_, _| Promise {
        storage: true,
        ..Promise::default()
    },
    apply,
};

/// Each element that an iteration reads must have been written before in it. Where the
/// array is used behind the loop, each iteration must write all of it, as what the last
/// one wrote is copied back.
pub(super) fn forbidden(ctx: &Context, r: &Request) -> Option<Violation> {
    let l = r.for_loop(ctx, 0).ok()?;
    let name = ExpandOp::wrap(r.step).array(ctx);
    let array = array_in(ctx, l, name).ok()?;
    let (all, private) = known(ctx, l, array);
    let Some(p) = private else {
        let m = format!(
            "an iteration may read an element of '{name}' that it has not written before itself"
        );
        let v = Violation::new(m).note(array.loc(ctx), "this is the array");
        let flow = all
            .carried_by(l.iv(ctx))
            .find(|d| d.memref == Some(array) && d.kind == Kind::Flow);
        return Some(match flow {
            Some(d) => v
                .note(d.source_op.loc(ctx), "one iteration writes it here")
                .note(d.sink_op.loc(ctx), "and a later one reads it here"),
            None => v,
        });
    };
    if p.live_out && !all.writes_all(ctx, p.of, array) {
        let m = format!(
            "'{name}' is used behind it, and it is not known that every iteration writes all of it"
        );
        return Some(Violation::new(m).note(array.loc(ctx), "this is the array"));
    }
    None
}

fn apply(ctx: &mut Context, r: &Request) -> Result<Given, Refusal> {
    let l = r.for_loop(ctx, 0)?;
    let step = ExpandOp::wrap(r.step);
    let array = array_in(ctx, l, step.array(ctx))?;
    let live_out = match known(ctx, l, array).1 {
        Some(p) => p.live_out,
        // Forced, or not checked.
        None => is_used_elsewhere(ctx, l, array),
    };
    if !step.private(ctx) {
        expand(ctx, l, array, live_out)?;
    } else if live_out {
        let m = format!(
            "'{}' is used behind it, so that its iterations cannot allocate it; leave out \
             'private' for the last one's to be copied back",
            step.array(ctx)
        );
        return Err(Refusal::new(l.op().loc(ctx), m));
    } else {
        privatize(ctx, l, array)?;
    }
    Ok(vec![l].into())
}

/// The dependences of the function, and whether iterations of `l` may have an array of
/// their own.
fn known(ctx: &Context, l: ForOp, array: Value) -> (Dependences, Option<Private>) {
    let options = Options {
        distances: false,
        ..Options::default()
    };
    let all = dependences(ctx, function_of(ctx, l.op()), &options);
    let iv = l.iv(ctx);
    let mut private = all.privatizable(ctx).into_iter();
    let p = private.find(|p| p.of.iv == iv && p.memref == array);
    (all, p)
}

/// Whether memory is not made in this function, or used otherwise than in `l`.
fn is_used_elsewhere(ctx: &Context, l: ForOp, array: Value) -> bool {
    let outside = |u: &Op| !l.op().is_ancestor_of(ctx, *u) && !u.isa::<DeallocOp>(ctx);
    array.def_op().is_none() || array.users(ctx).iter().any(outside)
}

/// The function around an op, or the outermost op around it.
fn function_of(ctx: &Context, op: Op) -> Op {
    let mut at = op;
    while let Some(parent) = at.parent(ctx) {
        at = parent;
        if at.has_trait(ctx, traits::ISOLATED) {
            break;
        }
    }
    at
}
