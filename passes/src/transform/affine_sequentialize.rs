//! `affine-sequentialize`: of parallel loops inside one another only the outermost stays.
//!
//! Threads of the host are few, and share out the outermost loop. Loops inside are run by
//! each thread by itself, one iteration after another, and passes that look at such loops
//! see them so.
//!
//! ```text
//! affine.parallel (%i) = (0) to (100) {      affine.parallel (%i) = (0) to (100) {
//!   affine.parallel (%j) = (0) to (100) {      affine.for %j = 0 to 100 {
//!     affine.store %v, %m[%i, %j]        =>      affine.store %v, %m[%i, %j]
//!   }                                          }
//! }                                          }
//! ```
//!
//! So do those beside a loop that has to run in order, where iterations of the loop around them all can be
//! jammed: what waits in the one is made side by side then, and rows that all of them read
//! are read once. Threads would share out the smaller part of the work, in each iteration anew.

use crate::loops::sequentialize::affine_in_order;
use crate::transform::affine_jam_reuse::would_jam_chains;
use terrace_dialects::affine::{ForOp, ParallelOp};
use terrace_dialects::{func, scf};
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::pass::{Pass, PassContext, PassInfo, PassResult, StatisticInfo};
use terrace_ir::{Builder, Context, Op, OpKind};

pub static INFO: PassInfo = PassInfo {
    name: "affine-sequentialize",
    title: "AffineSequentialize",
    summary: "Let parallel loops inside parallel loops run in order",
    description: "Makes affine.parallel ops inside other parallel loops affine.for ops, which carry what they reduce.",
    anchor: Some(func::FuncOp::NAME),
    statistics: &[StatisticInfo::new(
        "num-loops",
        "Number of parallel loops that run in order now",
    )],
    make: |_| Ok(Box::new(Sequentialize)),
    ..PassInfo::EMPTY
};

struct Sequentialize;

impl Pass for Sequentialize {
    fn run(&mut self, ctx: &mut PassContext, op: Op) -> PassResult {
        let mut inner = op.find_all::<ParallelOp>(ctx);
        inner.retain(|p| {
            let p = p.op();
            p.parent_of::<ParallelOp>(ctx).is_some()
                || p.parent_of::<scf::ParallelOp>(ctx).is_some()
        });
        for p in inner {
            if affine_in_order(ctx, p).is_some() {
                ctx.count("num-loops", 1);
            }
        }
        let mut around = op.find_all::<ForOp>(ctx);
        around.retain(|l| !parallel_in(ctx, *l).is_empty());
        for l in around {
            let count = beside_chains(ctx, l);
            ctx.count("num-loops", count);
        }
        Ok(())
    }
}

/// The parallel loops in the body of a loop.
fn parallel_in(ctx: &Context, l: ForOp) -> Vec<ParallelOp> {
    let ops = l.body(ctx).ops(ctx).into_iter();
    ops.filter_map(|op| op.cast::<ParallelOp>(ctx)).collect()
}

/// Makes the parallel loops in the body of `l` run in order, where iterations of `l` would be jammed
/// then for the sake of another loop beside them; how many.
fn beside_chains(ctx: &mut Context, l: ForOp) -> u64 {
    let ops = l.body(ctx).ops(ctx);
    let has_chain = ops.iter().any(|op| op.isa::<ForOp>(ctx));
    let count = parallel_in(ctx, l).len() as u64;
    if !has_chain || l.op().find_all::<ParallelOp>(ctx).len() as u64 != count {
        return 0;
    }
    // Whether they can be jammed shows when they run in order.
    let copy = clone_op(ctx, l.op(), &mut IrMapping::new());
    Builder::before(ctx, l.op()).insert(copy);
    let trial = ForOp::wrap(copy);
    let mut all = parallel_in(ctx, trial).into_iter();
    match all.all(|p| affine_in_order(ctx, p).is_some()) && would_jam_chains(ctx, trial) {
        true => {
            let results = copy.results(ctx);
            l.op().replace(ctx, &results);
            count
        }
        false => {
            copy.erase(ctx);
            0
        }
    }
}
