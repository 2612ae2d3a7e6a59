//! `schedule.distribute`: a loop for each part of a body.

use super::{Given, Request, StepInfo};
use crate::loops::Refusal;
use crate::loops::distribute::{distribute, independent_parts, statements};
use terrace_dialects::affine::ForOp;
use terrace_dialects::schedule::{DistributeOp, InstanceOp};
use terrace_ir::{Context, Op, OpKind};

pub(super) const STEP: StepInfo = StepInfo {
    name: DistributeOp::NAME,
    promise: super::order,
    apply,
};

fn apply(ctx: &mut Context, r: &Request) -> Result<Given, Refusal> {
    let l = r.for_loop(ctx, 0)?;
    let smallest = statements_of(ctx, l);
    let parts = match DistributeOp::wrap(r.step).cuts(ctx) {
        Some(cuts) => cut(ctx, l, &smallest, &cuts)?,
        None => {
            let parts = independent_parts(ctx, l, &smallest);
            let want = r.step.num_results(ctx);
            if parts.len() != want {
                let m = format!(
                    "its dependences allow {} parts, and the step names {want}",
                    parts.len()
                );
                return Err(Refusal::new(l.op().loc(ctx), m));
            }
            parts
        }
    };
    Ok(distribute(ctx, l, &parts)?.into())
}

/// The smallest parts, in the order of the text, each with the marks of its ops.
fn statements_of(ctx: &Context, l: ForOp) -> Vec<Vec<Op>> {
    let is_mark = |o: &Op| o.isa::<InstanceOp>(ctx);
    let (marks, mut parts): (Vec<Vec<Op>>, Vec<Vec<Op>>) = statements(ctx, l)
        .into_iter()
        .partition(|p| p.iter().all(is_mark));
    for mark in marks.into_iter().flatten() {
        let mut next = mark.next(ctx);
        while let Some(op) = next {
            if let Some(p) = parts.iter_mut().find(|p| p.contains(&op)) {
                p.push(mark);
                break;
            }
            next = op.next(ctx);
        }
        // A mark before the end of the body goes with the last part.
        if next.is_none()
            && let Some(p) = parts.last_mut()
        {
            p.push(mark);
        }
    }
    parts
}

/// Parts that begin at these statements.
fn cut(
    ctx: &Context,
    l: ForOp,
    statements: &[Vec<Op>],
    cuts: &[i64],
) -> Result<Vec<Vec<Op>>, Refusal> {
    let n = statements.len();
    let mut parts = Vec::new();
    let mut from = 0;
    for c in cuts {
        let to = usize::try_from(*c).unwrap_or(usize::MAX);
        if to >= n {
            let m = format!(
                "it has {n} {}, counted from 0, and none is number {c}",
                if n == 1 { "statement" } else { "statements" }
            );
            return Err(Refusal::new(l.op().loc(ctx), m));
        }
        parts.push(statements[from..to].concat());
        from = to;
    }
    parts.push(statements[from..].concat());
    Ok(parts)
}
