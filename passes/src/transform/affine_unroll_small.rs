//! `affine-unroll-small`: innermost loops of a few instructions do several iterations in one.
//!
//! What a loop itself costs, the next index, a comparison, a jump and copies between
//! registers, is shared by the iterations. Loops in vectors have several iterations in one
//! already, and what they leave over is few.
//!
//! ```text
//! affine.for %i = 0 to %n {          affine.for %i = 0 to %n floordiv 4 * 4 step 4 {
//!   use(%i)                    =>      use(%i), use(%i + 1), use(%i + 2), use(%i + 3)
//! }                                  }
//!                                    affine.for %i = %n floordiv 4 * 4 to %n { use(%i) }
//! ```

use crate::analysis::bounds::constant_trip_count;
use crate::loops::unroll::unroll_by;
use terrace_dialects::affine::{ApplyOp, ForOp};
use terrace_dialects::attributes::LOOP_LEFT_OVER;
use terrace_dialects::{arith, func};
use terrace_ir::pass::{
    OptionInfo, OptionKind, Pass, PassContext, PassInfo, PassResult, StatisticInfo,
};
use terrace_ir::{Context, Op, OpKind};

pub static INFO: PassInfo = PassInfo {
    name: "affine-unroll-small",
    title: "AffineUnrollSmall",
    summary: "Unroll innermost affine loops that are a few instructions",
    description: "Unrolls innermost affine.for ops by 2 or 4 as long as they stay small; not those in vectors, nor what such leave over.",
    anchor: Some(func::FuncOp::NAME),
    options: &[OptionInfo::new(
        "max-ops",
        OptionKind::UInt,
        "32",
        "Ops of an unrolled loop, at most",
    )],
    statistics: &[StatisticInfo::new("num-loops", "Number of loops unrolled")],
    make: |o| {
        Ok(Box::new(UnrollSmall {
            max_ops: o.uint("max-ops"),
        }))
    },
};

struct UnrollSmall {
    max_ops: u64,
}

impl Pass for UnrollSmall {
    fn run(&mut self, ctx: &mut PassContext, op: Op) -> PassResult {
        let mut loops = op.find_all::<ForOp>(ctx);
        loops.retain(|l| l.op().find_all::<ForOp>(ctx).len() == 1);
        for l in loops {
            if let Some(factor) = self.factor(ctx, l)
                && unroll_by(ctx, l, factor, false)
            {
                ctx.count("num-loops", 1);
            }
        }
        Ok(())
    }
}

impl UnrollSmall {
    /// By how much a loop is to be unrolled; `None` where it is to stay as it is.
    fn factor(&self, ctx: &Context, l: ForOp) -> Option<u64> {
        if l.op().attr(ctx, LOOP_LEFT_OVER).is_some() {
            return None;
        }
        let mut size = 0u64;
        for op in l.op().pre_order(ctx).into_iter().skip(1) {
            let vectors = op.result_types(ctx).iter().any(|t| t.is_vector(ctx));
            if vectors {
                return None;
            }
            let free = op.isa::<ApplyOp>(ctx) || op.isa::<arith::ConstantOp>(ctx);
            size += u64::from(!free);
        }
        let factor = [4, 2].into_iter().find(|f| f * size <= self.max_ops)?;
        let trips = constant_trip_count(ctx, l);
        trips.is_none_or(|n| n >= 2 * factor).then_some(factor)
    }
}
