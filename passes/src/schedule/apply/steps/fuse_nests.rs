//! `schedule.fuse_nests`: one nest of parallel loops of two.

use super::{Given, Request, StepInfo};
use crate::gpu::fuse_nests;
use crate::loops::Refusal;
use crate::schedule::legality::Violation;
use terrace_dialects::affine::ParallelOp;
use terrace_dialects::schedule;
use terrace_ir::{Context, Op, OpKind};

pub(super) const STEP: StepInfo = StepInfo {
    name: schedule::FuseNestsOp::NAME,
    promise: super::order,
    apply,
};

/// What is done is judged while it is done, since stores and loads go with it.
pub(super) fn forbidden(_: &Context, _: &Request) -> Option<Violation> {
    None
}

fn apply(ctx: &mut Context, r: &Request) -> Result<Given, Refusal> {
    let parallel = |op: Op| {
        op.cast::<ParallelOp>(ctx).ok_or_else(|| {
            let m = "its iterations run in order; let it run in parallel with schedule.parallel \
                     first";
            Refusal::new(op.loc(ctx), m)
        })
    };
    let (first, second) = (parallel(r.loops[0])?, parallel(r.loops[1])?);
    let loc = second.op().loc(ctx);
    match fuse_nests::fuse(ctx, first, second) {
        Ok(fused) => Ok(Given {
            loops: vec![fused.op()],
            ..Given::default()
        }),
        Err(why) => Err(Refusal::new(loc, why)),
    }
}
