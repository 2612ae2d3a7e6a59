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

use crate::loops::sequentialize::affine_in_order;
use terrace_dialects::affine::ParallelOp;
use terrace_dialects::{func, scf};
use terrace_ir::pass::{Pass, PassContext, PassInfo, PassResult, StatisticInfo};
use terrace_ir::{Op, OpKind};

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
        Ok(())
    }
}
