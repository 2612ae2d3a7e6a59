//! `schedule.reschedule`: neighbouring loops in the order of given times.

use super::{Given, Request, StepInfo};
use crate::loops::Refusal;
use crate::loops::codegen::{Body, Options, reschedule};
use crate::loops::scop::{Scop, Statement};
use terrace_dialects::schedule::{InstanceOp, RescheduleOp};
use terrace_ir::affine::AffineExpr;
use terrace_ir::{Context, Op, OpKind};

pub(super) const STEP: StepInfo = StepInfo {
    name: RescheduleOp::NAME,
    promise: super::order,
    apply,
};

fn apply(ctx: &mut Context, r: &Request) -> Result<Given, Refusal> {
    let (Some(&first), Some(&last)) = (r.loops.first(), r.loops.last()) else {
        return r.refuse(ctx, "it is for no loop");
    };
    let op = RescheduleOp::wrap(r.step);
    let (times, parallel) = (op.times(ctx), op.parallel(ctx));
    let scop = Scop::between(ctx, first, last)?;
    if scop.statements.len() != times.len() {
        let m = format!(
            "it has times for {} statements, but there are {}",
            times.len(),
            scop.statements.len()
        );
        return r.refuse(ctx, m);
    }
    let mut bodies = Vec::new();
    for (i, (s, times)) in scop.statements.iter().zip(times).enumerate() {
        if times.num_dims() as usize != s.ivs.len() {
            let m = format!(
                "it has a time of {} loop variables for statement {i}, which is in {} loops",
                times.num_dims(),
                s.ivs.len()
            );
            return r.refuse(ctx, m);
        }
        bodies.push(Body {
            ops: with_marks(ctx, s),
            ivs: s.ivs.clone(),
            times,
            parallel: parallel.get(i).cloned().unwrap_or_default(),
            joined: Vec::new(),
        });
    }
    // Loops over tiles stay whole: cutting them would multiply what is in them.
    let length = bodies.first().map_or(0, |b| b.times.num_results());
    let is_tile = |k: usize| {
        let mut results = bodies.iter().filter_map(|b| b.times.result(k));
        results.any(|e| !e.is_pure_affine() || has_quotient(e))
    };
    let options = Options {
        whole: (0..length).map(is_tile).collect(),
        ..Options::default()
    };
    reschedule(ctx, first, last, &bodies, &options)?;
    Ok(Given::default())
}

/// The ops of a statement, each behind the mark that says which iteration it belongs to.
/// A mark between two of them is among them already.
fn with_marks(ctx: &Context, s: &Statement) -> Vec<Op> {
    let is_new = |p: &Op| p.isa::<InstanceOp>(ctx) && !s.ops.contains(p);
    let both = |op: &Op| [op.prev(ctx).filter(is_new), Some(*op)];
    s.ops.iter().flat_map(both).flatten().collect()
}

fn has_quotient(e: &AffineExpr) -> bool {
    use terrace_ir::affine::AffineOp;
    match e.as_binary() {
        Some((AffineOp::FloorDiv | AffineOp::CeilDiv | AffineOp::Mod, _, _)) => true,
        Some((_, a, b)) => has_quotient(a) || has_quotient(b),
        None => false,
    }
}
