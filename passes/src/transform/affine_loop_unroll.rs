//! `affine-loop-unroll`: innermost affine loops do the work of several iterations in
//! one.
//!
//! Always legal: the order of iterations stays. Those left over go to a loop behind.
//!
//! ```text
//! affine.for %i = 0 to 9 {             affine.for %i = 0 to 8 step 4 {
//!   use(%i)                     =>       use(%i), use(%i + 1), use(%i + 2), use(%i + 3)
//! }                                    }
//!                                      use(8)
//! ```

use crate::analysis::bounds::constant_trip_count;
use crate::loops::unroll::{Room, unroll_by, unroll_full, unroll_up_to};
use crate::transform::affine_vectorize_innermost::runs_in_vectors;
use terrace_dialects::affine::{ForOp, IfOp, ParallelOp};
use terrace_dialects::scf;
use terrace_ir::pass::{OptionInfo, OptionKind, Pass, PassContext, PassInfo, PassResult};
use terrace_ir::{Context, Op, OpKind};

pub static INFO: PassInfo = PassInfo {
    name: "affine-loop-unroll",
    title: "AffineLoopUnroll",
    summary: "Unroll affine loops",
    description: "Unrolls innermost loops by a factor, or short loops fully.",
    options: &[
        OptionInfo::new(
            "unroll-factor",
            OptionKind::Int,
            "4",
            "Use this unroll factor for all loops being unrolled, set it to -1, and it will fully unroll.",
        ),
        OptionInfo::flag(
            "unroll-up-to-factor",
            "Allow unrolling up to the factor specified",
        ),
        OptionInfo::new(
            "unroll-num-reps",
            OptionKind::UInt,
            "1",
            "Unroll innermost loops repeatedly this many times",
        ),
        OptionInfo::new(
            "unroll-full-threshold",
            OptionKind::UInt,
            "1",
            "Unroll all loops with trip count less than or equal to this",
        ),
        OptionInfo::new(
            "unroll-full-ops",
            OptionKind::UInt,
            "0",
            "Of these loops, unroll only those inside others, to no more ops than this, and none that runs in vectors where no loop around can; 0 for all",
        ),
        OptionInfo::flag(
            "cleanup-unroll",
            "Fully unroll the cleanup loop when possible.",
        ),
    ],
    make: |o| {
        let factor = match o.int("unroll-factor") {
            -1 => None,
            n => Some(u64::try_from(n).ok().filter(|n| *n > 0).ok_or(
                "Invalid option: 'unroll-factor' should be greater than 0 or equal to -1",
            )?),
        };
        Ok(Box::new(Unroll {
            factor,
            up_to: o.bool("unroll-up-to-factor"),
            repetitions: o.uint("unroll-num-reps"),
            full_threshold: o
                .is_given("unroll-full-threshold")
                .then(|| o.uint("unroll-full-threshold")),
            full_ops: o.uint("unroll-full-ops"),
            cleanup: o.bool("cleanup-unroll"),
        }))
    },
    ..PassInfo::EMPTY
};

struct Unroll {
    /// `None` to unroll fully.
    factor: Option<u64>,
    up_to: bool,
    repetitions: u64,
    full_threshold: Option<u64>,
    /// 0 for any.
    full_ops: u64,
    cleanup: bool,
}

impl Pass for Unroll {
    fn run(&mut self, ctx: &mut PassContext, op: Op) -> PassResult {
        match (self.factor, self.full_threshold) {
            (None, Some(most)) => unroll_short(ctx, op, most, self.full_ops),
            _ => self.unroll_innermost(ctx, op),
        }
    }
}

impl Unroll {
    fn unroll_innermost(&self, ctx: &mut Context, f: Op) -> PassResult {
        let mut room = Room::default();
        for _ in 0..self.repetitions {
            let loops = innermost(ctx, f);
            let mut changed = false;
            let before = f.pre_order(ctx).len();
            for l in loops {
                let trips = constant_trip_count(ctx, l);
                // A loop that runs less often is unrolled fully at most.
                if let Some(n) = self.factor {
                    room.take(ctx, l, n.min(trips.unwrap_or(n)))?;
                }
                changed |= match self.factor {
                    None => unroll_full(ctx, l),
                    Some(n) if self.up_to => unroll_up_to(ctx, l, n),
                    Some(n) => unroll_by(ctx, l, n, self.cleanup),
                };
            }
            // A factor of 1 and empty loops are done at once, as often as one asks.
            let ops = f.pre_order(ctx).len();
            if !changed || ops == before {
                break;
            }
        }
        Ok(())
    }
}

/// Unroll all loops that run at most `most` times, inner ones first; where `ops` is not 0, those
/// inside others that become no more ops.
fn unroll_short(ctx: &mut Context, f: Op, most: u64, ops: u64) -> PassResult {
    let loops = f
        .post_order(ctx)
        .into_iter()
        .filter_map(|o| o.cast::<ForOp>(ctx));
    let short: Vec<ForOp> = loops
        .filter(|l| constant_trip_count(ctx, *l).is_some_and(|t| t <= most))
        .collect();
    let mut room = Room::default();
    for l in short {
        let trips = constant_trip_count(ctx, l).unwrap_or(1);
        let size = l.op().pre_order(ctx).len() as u64;
        let inside = l.op().parent_of::<ForOp>(ctx).is_some();
        if ops > 0 && (!inside || trips.saturating_mul(size) > ops || alone_in_vectors(ctx, l)) {
            continue;
        }
        room.take(ctx, l, trips)?;
        unroll_full(ctx, l);
    }
    Ok(())
}

/// Whether a loop can run in vectors and none around it could in its place: between them stands
/// what is not affine, such as a loop that is not counted.
fn alone_in_vectors(ctx: &Context, l: ForOp) -> bool {
    let mut around = l.op().parent(ctx);
    while let Some(op) = around.filter(|o| o.isa::<scf::IfOp>(ctx) || o.isa::<IfOp>(ctx)) {
        around = op.parent(ctx);
    }
    let in_loop = around.is_some_and(|o| o.isa::<ForOp>(ctx) || o.isa::<ParallelOp>(ctx));
    !in_loop && runs_in_vectors(ctx, l)
}

/// The loops inside `f` that hold no other, in post-order.
fn innermost(ctx: &Context, f: Op) -> Vec<ForOp> {
    let mut loops: Vec<ForOp> = f
        .post_order(ctx)
        .into_iter()
        .filter_map(|o| o.cast(ctx))
        .collect();
    loops.retain(|l| l.op().find_all::<ForOp>(ctx).len() == 1);
    loops
}
