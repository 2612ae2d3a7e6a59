//! `affine-ping-pong`: a time loop that computes an array anew and copies it back goes
//! between two arrays instead.
//!
//! ```text
//! affine.for %t = 0 to %T {               %q = memref.alloc() // the rest of %p copied to it
//!   affine.for %i = 1 to %n {             affine.for %t = 0 to %T - 1 step 2 {
//!     %w[%i] = f(%p)                        affine.for %i = 1 to %n { %q[%i] = f(%p) }
//!   }                                 =>    affine.for %i = 1 to %n { %p[%i] = f(%q) }
//!   affine.for %i = 1 to %n {             }
//!     %p[%i] = %w[%i]                     // a last step as written where %T is odd,
//!   }                                     // %w[%i] = %p[%i] where it is even
//! }
//! ```
//!
//! Legal where the copy is of all that the loop stores to `%w` in a step, nothing else in
//! it reads `%w`, and nothing else writes `%p`: outside of the copied box `%p` stays what it
//! was in front of the loop, so that `%q`, with that copied to it once, is `%p` of the
//! next step when the box is stored to it. It takes the memory of one more array, and
//! saves a load and a store of each element in each step.

mod find;
mod rewrite;

use terrace_dialects::affine::ForOp;
use terrace_dialects::func;
use terrace_ir::pass::{Pass, PassContext, PassInfo, PassResult, StatisticInfo};
use terrace_ir::{Op, OpKind};

pub static INFO: PassInfo = PassInfo {
    name: "affine-ping-pong",
    title: "AffinePingPong",
    summary: "Let time loops go between two arrays instead of copying one back",
    description: "Time loops at the top of a function whose last nest copies what the step stored to another array back to where it is read: two steps at a time, the second reading what the first stored.",
    anchor: Some(func::FuncOp::NAME),
    statistics: &[StatisticInfo::new(
        "num-loops",
        "Number of time loops that no longer copy",
    )],
    make: |_| Ok(Box::new(AffinePingPong)),
    ..PassInfo::EMPTY
};

struct AffinePingPong;

impl Pass for AffinePingPong {
    fn run(&mut self, ctx: &mut PassContext, function: Op) -> PassResult {
        let mut loops = 0;
        let mut tops = function.find_all::<ForOp>(ctx);
        tops.retain(|l| l.op().parent(ctx) == Some(function));
        for l in tops {
            if let Some(step) = find::find(ctx, l) {
                rewrite::rewrite(ctx, &step);
                loops += 1;
            }
        }
        ctx.count("num-loops", loops);
        Ok(())
    }
}
