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

use crate::loops::normalize::{normalize_for, normalize_parallel};
use terrace_dialects::affine::{ForOp, ParallelOp};
use terrace_dialects::func;
use terrace_ir::Op;
use terrace_ir::pass::{OptionInfo, Pass, PassContext, PassInfo, PassResult};

pub static INFO: PassInfo = PassInfo {
    name: "affine-loop-normalize",
    title: "AffineLoopNormalizePass",
    summary: "Apply normalization transformations to affine loop-like ops",
    description: "Lets affine.for and affine.parallel start at 0 with a step of 1.",
    anchor: Some(func::FuncOp::NAME),
    options: &[OptionInfo::flag(
        "promote-single-iter",
        "Promote single iteration loops",
    )],
    make: |o| {
        Ok(Box::new(Normalize {
            promote: o.bool("promote-single-iter"),
        }))
    },
    ..PassInfo::EMPTY
};

struct Normalize {
    promote: bool,
}

impl Pass for Normalize {
    fn run(&mut self, ctx: &mut PassContext, op: Op) -> PassResult {
        // Inner loops first, so that a promoted loop takes none along that is to come.
        for o in op.post_order(ctx) {
            if let Some(p) = o.cast::<ParallelOp>(ctx) {
                normalize_parallel(ctx, p);
            } else if let Some(l) = o.cast::<ForOp>(ctx) {
                normalize_for(ctx, l, self.promote);
            }
        }
        Ok(())
    }
}
