//! `affine-promote`: elements of arrays that an innermost affine loop uses again and again
//! stay in registers.
//!
//! Legal where nothing else in the loop may touch them; see
//! [`crate::loops::promote`].
//!
//! ```text
//!                                            %0 = affine.load %m[%j]
//! affine.for %i = 0 to 10 {                  %r = affine.for %i = 0 to 10 iter_args(%a = %0) {
//!   %1 = affine.load %m[%j]
//!   %2 = arith.addf %1, %v             =>      %2 = arith.addf %a, %v
//!   affine.store %2, %m[%j]                    affine.yield %2
//! }                                          }
//!                                            affine.store %r, %m[%j]
//! ```

use crate::loops::promote::{Kept, promote};
use terrace_dialects::affine::ForOp;
use terrace_ir::pass::{
    OptionInfo, OptionKind, Pass, PassContext, PassInfo, PassResult, StatisticInfo,
};
use terrace_ir::{Op, OpKind};

pub static INFO: PassInfo = PassInfo {
    name: "affine-promote",
    title: "AffinePromote",
    summary: "Keep elements of arrays in registers along innermost affine loops",
    description: "Loads what is the same in all iterations before the loop, stores it behind, and hands on what later iterations use again.",
    options: &[
        OptionInfo::new(
            "rotate",
            OptionKind::Bool,
            "true",
            "Hand on what later iterations use again, too",
        ),
        OptionInfo::new(
            "max-handed-on",
            OptionKind::UInt,
            "8",
            "Values that a loop hands on from iteration to iteration, at most",
        ),
    ],
    statistics: &[
        StatisticInfo::new(
            "num-invariant",
            "Number of elements kept that are the same in all iterations",
        ),
        StatisticInfo::new(
            "num-rotated",
            "Number of sets of elements handed on from iteration to iteration",
        ),
    ],
    make: |o| {
        Ok(Box::new(Promote {
            kept: match o.bool("rotate") {
                true => Kept::Cheap(o.uint("max-handed-on")),
                false => Kept::Invariant,
            },
        }))
    },
    ..PassInfo::EMPTY
};

struct Promote {
    kept: Kept,
}

impl Pass for Promote {
    fn run(&mut self, ctx: &mut PassContext, op: Op) -> PassResult {
        let mut loops = op.find_all::<ForOp>(ctx);
        loops.retain(|l| l.op().find_all::<ForOp>(ctx).len() == 1);
        for l in loops {
            if let Ok(done) = promote(ctx, l, None, self.kept) {
                ctx.count("num-invariant", done.invariant as u64);
                ctx.count("num-rotated", done.rotated as u64);
            }
        }
        Ok(())
    }
}
