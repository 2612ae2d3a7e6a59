//! `affine-loop-normalize`: affine loops count from 0 by 1.
//!
//! Always legal: the old induction variable is computed in the body. Loops with a
//! maximum as their lower bound and parallel bands with minima or maxima stay as they
//! are.
//!
//! ```text
//! affine.for %i = 2 to 32 step 2 {        affine.for %k = 0 to 15 {
//!   use(%i)                         =>      %i = affine.apply (d0) -> (d0 * 2 + 2)(%k)
//! }                                         use(%i)
//!                                         }
//! ```

use crate::analysis::subscript::Subscript;
use crate::loops::normalize::{normalize_for, normalize_parallel};
use terrace_dialects::affine::{Access, ForOp, ParallelOp};
use terrace_dialects::func;
use terrace_ir::pass::{OptionInfo, Pass, PassContext, PassInfo, PassResult};
use terrace_ir::{Context, Op, OpKind};

pub static INFO: PassInfo = PassInfo {
    name: "affine-loop-normalize",
    title: "AffineLoopNormalizePass",
    summary: "Apply normalization transformations to affine loop-like ops",
    description: "Lets affine.for and affine.parallel start at 0 with a step of 1.",
    anchor: Some(func::FuncOp::NAME),
    options: &[
        OptionInfo::flag("promote-single-iter", "Promote single iteration loops"),
        OptionInfo::flag(
            "steps",
            "Only innermost affine.for ops whose step is not 1 and that have subscripts with quotients or remainders of their variables",
        ),
    ],
    make: |o| {
        Ok(Box::new(Normalize {
            promote: o.bool("promote-single-iter"),
            steps: o.bool("steps"),
        }))
    },
    ..PassInfo::EMPTY
};

struct Normalize {
    promote: bool,
    steps: bool,
}

impl Pass for Normalize {
    fn run(&mut self, ctx: &mut PassContext, op: Op) -> PassResult {
        // Inner loops first, so that a promoted loop takes none along that is to come.
        for o in op.post_order(ctx) {
            if self.steps && !o.cast::<ForOp>(ctx).is_some_and(|l| divides(ctx.ctx, l)) {
                continue;
            }
            if let Some(p) = o.cast::<ParallelOp>(ctx) {
                normalize_parallel(ctx, p);
            } else if let Some(l) = o.cast::<ForOp>(ctx) {
                normalize_for(ctx, l, self.promote);
            }
        }
        Ok(())
    }
}

/// Whether an innermost loop with another step than 1 has subscripts that grow evenly, if at all,
/// where it counts by 1: `a[i / 2]` of every second `i`.
fn divides(ctx: &Context, l: ForOp) -> bool {
    let ops = l.op().pre_order(ctx).into_iter().skip(1);
    let mut accesses = ops.filter_map(|op| Access::of(ctx, op));
    let iv = l.iv(ctx);
    let uneven = |a: Access| (Subscript::all_of(ctx, &a).iter()).any(|s| s.growth(iv).is_none());
    l.step(ctx) != 1 && l.op().find_all::<ForOp>(ctx).len() == 1 && accesses.any(uneven)
}
