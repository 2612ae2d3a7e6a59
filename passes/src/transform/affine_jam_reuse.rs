//! `affine-jam-reuse`: iterations of a loop share what the loop inside loads.
//!
//! ```text
//! affine.for %k = 0 to %n {                 affine.for %k = 0 to %n step 4 {
//!   affine.for %j = 0 to %m {                 affine.for %j = 0 to %m {
//!     c[%j] += a[%k] * b[%k, %j]     =>         c[%j] += a[%k] * b[%k, %j]
//!   }                                           c[%j] += a[%k + 1] * b[%k + 1, %j]
//! }                                             ...
//!                                             }
//!                                           }
//! ```
//!
//! Done where the loop inside goes along an element that the loop around it does not move, as
//! `c[%j]` here: it is loaded and stored once then. And where the loop inside makes a sum,
//! whose terms wait for one another: sums of several iterations do not wait for each other.
//! Nothing is computed in another order for any element.

use crate::analysis::bounds::constant_trip_count;
use crate::analysis::jam::jam_obstacle;
use crate::analysis::linear::Linear;
use crate::loops::unroll_jam::unroll_jam;
use terrace_dialects::affine::{Access, ApplyOp, ForOp, YieldOp};
use terrace_dialects::attributes::LOOP_LEFT_OVER;
use terrace_dialects::{arith, func};
use terrace_ir::pass::{
    OptionInfo, OptionKind, Pass, PassContext, PassInfo, PassResult, StatisticInfo,
};
use terrace_ir::{Context, Op, OpKind};

pub static INFO: PassInfo = PassInfo {
    name: "affine-jam-reuse",
    title: "AffineJamReuse",
    summary: "Unroll and jam loops whose iterations use the same elements",
    description: "Unrolls the affine.for ops around innermost ones by 2 or 4, and jams these, where iterations load or store the same elements, or each makes a sum.",
    anchor: Some(func::FuncOp::NAME),
    options: &[OptionInfo::new(
        "max-ops",
        OptionKind::UInt,
        "48",
        "Ops of a jammed innermost loop, at most",
    )],
    statistics: &[StatisticInfo::new(
        "num-loops",
        "Number of loops that were unrolled and jammed",
    )],
    make: |o| {
        Ok(Box::new(JamReuse {
            max_ops: o.uint("max-ops"),
        }))
    },
};

struct JamReuse {
    max_ops: u64,
}

impl Pass for JamReuse {
    fn run(&mut self, ctx: &mut PassContext, op: Op) -> PassResult {
        let mut inner = op.find_all::<ForOp>(ctx);
        inner.retain(|l| l.op().find_all::<ForOp>(ctx).len() == 1);
        for l in inner {
            let around = l.op().parent(ctx).and_then(|o| o.cast::<ForOp>(ctx));
            let Some(outer) = around else { continue };
            if let Some(factor) = self.factor(ctx, outer, l)
                && jam_obstacle(ctx, outer, factor).is_none()
                && unroll_jam(ctx, outer, factor).is_ok()
            {
                ctx.count("num-loops", 1);
            }
        }
        Ok(())
    }
}

impl JamReuse {
    /// How many iterations of `outer` pay together; `None` where they share nothing.
    fn factor(&self, ctx: &Context, outer: ForOp, inner: ForOp) -> Option<u64> {
        let loops = outer.op().find_all::<ForOp>(ctx).len();
        let marked = |l: ForOp| l.op().attr(ctx, LOOP_LEFT_OVER).is_some();
        if loops != 2 || outer.op().num_results(ctx) > 0 || marked(outer) || marked(inner) {
            return None;
        }
        let ops = inner.op().pre_order(ctx).into_iter().skip(1);
        let free = |o: &Op| {
            o.isa::<ApplyOp>(ctx) || o.isa::<arith::ConstantOp>(ctx) || o.isa::<YieldOp>(ctx)
        };
        let size = ops.filter(|o| !free(o)).count() as u64;
        let factor = [4, 2].into_iter().find(|f| f * size <= self.max_ops)?;
        let runs = |l: ForOp, n: u64| constant_trip_count(ctx, l).is_none_or(|t| t >= n);
        let pays = runs(outer, factor) && runs(inner, 8) && shares(ctx, outer, inner);
        pays.then_some(factor)
    }
}

/// Whether iterations of `outer` use the same elements in `inner`, or each makes a sum there.
fn shares(ctx: &Context, outer: ForOp, inner: ForOp) -> bool {
    if inner.op().num_results(ctx) > 0 {
        return true;
    }
    let mut accesses = Access::all(ctx, inner.op()).into_iter();
    accesses.any(|a| {
        let composed = a.composed(ctx);
        let Some(forms) = Linear::of_map(&composed.map, &composed.operands) else {
            return false;
        };
        let moves = |l: ForOp| forms.iter().any(|f| f.coefficient(l.iv(ctx)) != 0);
        // What stays as it is in the loop inside is carried by it.
        let sum = !moves(inner) && a.stored(ctx).is_some();
        sum || (moves(inner) && !moves(outer))
    })
}
