//! `affine-loop-unroll-jam`: the loop that a function begins with does the work of several
//! iterations in one, and so do the loops inside it; with `every-nest`, each loop that
//! holds another does.
//!
//! Legal where no two accesses to the same element change their order (see
//! [`crate::analysis::jam`]) and values that the loop carries are reductions; those of
//! floats are then made in another order than written. What is not legal is left alone.
//!
//! ```text
//! affine.for %i = 0 to 8 {              affine.for %i = 0 to 8 step 2 {
//!   affine.for %j = 0 to %n {      =>     affine.for %j = 0 to %n {
//!     use(%i, %j)                           use(%i, %j), use(%i + 1, %j)
//!   }                                     }
//! }                                     }
//! ```

use crate::analysis::bounds::constant_trip_count;
use crate::analysis::jam::jam_obstacle;
use crate::loops::single_iteration::promote_if_single_iteration;
use crate::loops::unroll::Room;
use crate::loops::unroll_jam::unroll_jam;
use terrace_dialects::affine::ForOp;
use terrace_ir::opdef::traits;
use terrace_ir::pass::{
    OptionInfo, OptionKind, Pass, PassContext, PassInfo, PassResult, StatisticInfo,
};
use terrace_ir::{Context, Op, OpKind};

pub static INFO: PassInfo = PassInfo {
    name: "affine-loop-unroll-jam",
    title: "AffineLoopUnrollAndJam",
    summary: "Unroll and jam affine for loops",
    description: "Unrolls the loop that a function begins with by a factor, and jams the copies of the loops inside.",
    options: &[
        OptionInfo::new(
            "unroll-jam-factor",
            OptionKind::UInt,
            "4",
            "Use this unroll jam factor for all loops",
        ),
        OptionInfo::flag(
            "every-nest",
            "Every loop that holds another, not only the one that a function begins with",
        ),
    ],
    statistics: &[StatisticInfo::new(
        "num-jammed",
        "Number of loops unrolled and jammed",
    )],
    make: |o| match o.uint("unroll-jam-factor") {
        0 => Err("Invalid option: 'unroll-jam-factor' should be greater than 0".into()),
        factor => Ok(Box::new(UnrollJam {
            factor,
            every_nest: o.bool("every-nest"),
        })),
    },
    ..PassInfo::EMPTY
};

struct UnrollJam {
    factor: u64,
    every_nest: bool,
}

impl Pass for UnrollJam {
    fn run(&mut self, ctx: &mut PassContext, op: Op) -> PassResult {
        // Inner loops first: jamming makes loops inside anew.
        let all = op.post_order(ctx).into_iter();
        let loops: Vec<ForOp> = if self.every_nest {
            let nest = |l: &ForOp| l.op().find_all::<ForOp>(ctx).len() > 1;
            all.filter_map(|o| o.cast(ctx)).filter(nest).collect()
        } else {
            all.filter_map(|f| first_loop(ctx, f)).collect()
        };
        let mut room = Room::default();
        for l in loops {
            if self.factor == 1 {
                promote_if_single_iteration(ctx, l);
            } else if jam_obstacle(ctx, l, self.factor).is_none() {
                if constant_trip_count(ctx, l).is_none_or(|trips| trips >= self.factor) {
                    room.take(ctx, l, self.factor)?;
                }
                if unroll_jam(ctx, l, self.factor).is_ok() {
                    ctx.count("num-jammed", 1);
                }
            }
        }
        Ok(())
    }
}

/// The loop that a function begins with.
fn first_loop(ctx: &Context, function: Op) -> Option<ForOp> {
    if !function.def(ctx)?.has(traits::ISOLATED) || function.num_regions(ctx) != 1 {
        return None;
    }
    let entry = function.region(ctx, 0).entry(ctx)?;
    entry.first_op(ctx)?.cast(ctx)
}
