//! `loop-invariant-code-motion`: ops in a loop whose operands are defined outside
//! move in front of it.
//!
//! Legal for ops without memory effects that may run even when the loop would not
//! (no division by a value that may be zero, say), with everything nested in them.
//!
//! ```text
//! affine.for %i = 0 to 10 {                  %0 = arith.addf %a, %b : f32
//!   %0 = arith.addf %a, %b : f32       =>    affine.for %i = 0 to 10 {
//!   memref.store %0, %m[%i]                    memref.store %0, %m[%i]
//! }                                          }
//! ```

use terrace_ir::effects::runs_anywhere;
use terrace_ir::opdef::traits;
use terrace_ir::pass::{Pass, PassContext, PassInfo, PassResult, StatisticInfo};
use terrace_ir::{Context, Op, Region};

pub static INFO: PassInfo = PassInfo {
    name: "loop-invariant-code-motion",
    title: "LoopInvariantCodeMotion",
    summary: "Hoist loop invariant instructions outside of the loop",
    description: "Moves ops that compute the same in every iteration in front of the loop, inner loops first.",
    statistics: &[StatisticInfo::new(
        "num-hoisted",
        "Number of operations moved",
    )],
    make: |_| Ok(Box::new(Licm)),
    ..PassInfo::EMPTY
};

struct Licm;

impl Pass for Licm {
    fn run(&mut self, ctx: &mut PassContext, op: Op) -> PassResult {
        let n = hoist_invariants(ctx, op);
        ctx.count("num-hoisted", n);
        Ok(())
    }
}

/// Hoist out of every loop inside `root`, innermost first, so that an op can leave
/// several loops. Returns how many moves were made.
pub fn hoist_invariants(ctx: &mut Context, root: Op) -> u64 {
    let is_loop = |op: &Op| op.has_trait(ctx, traits::LOOP_LIKE);
    let loops: Vec<Op> = root.post_order(ctx).into_iter().filter(is_loop).collect();
    loops.into_iter().map(|l| out_of(ctx, l)).sum()
}

fn out_of(ctx: &mut Context, l: Op) -> u64 {
    let mut moved = 0;
    for r in l.regions(ctx) {
        // Only ops directly in the loop: those in nested regions may be guarded.
        for b in r.blocks(ctx) {
            for op in b.ops(ctx) {
                if !op.is_terminator(ctx) && runs_anywhere(ctx, op) && uses_only_outside(ctx, op, r)
                {
                    op.move_before(ctx, l);
                    moved += 1;
                }
            }
        }
    }
    moved
}

/// Whether `op` and what is in it use no value that `region` defines, but those that
/// `op` defines itself.
pub(super) fn uses_only_outside(ctx: &Context, op: Op, region: Region) -> bool {
    let mut ok = true;
    op.walk(ctx, &mut |o| {
        ok &= o.operands(ctx).into_iter().all(|v| {
            let Some(r) = v.block(ctx).and_then(|b| b.region(ctx)) else {
                return true;
            };
            !region.contains(ctx, r) || op.regions(ctx).iter().any(|own| own.contains(ctx, r))
        });
    });
    ok
}
