//! `affine-loop-coalescing`: loops perfectly nested in one another, whose bounds do not
//! depend on one another, become one loop; `scf.for` as well as `affine.for`.
//!
//! Always legal: the order of iterations stays (see
//! [`crate::loops::coalesce`]).
//!
//! ```text
//! affine.for %i = 0 to 16 {             affine.for %k = 0 to 128 {
//!   affine.for %j = 0 to 8 {      =>      use(%k floordiv 8, %k mod 8)
//!     use(%i, %j)                       }
//!   }
//! }
//! ```

use crate::loops::band::perfect_band;
use crate::loops::coalesce::coalesce;
use crate::loops::coalesce_scf;
use crate::loops::coalesce_scf::coalesce_scf;
use terrace_dialects::func;
use terrace_dialects::{affine, scf};
use terrace_ir::pass::{Pass, PassContext, PassInfo, PassResult, StatisticInfo};
use terrace_ir::{Block, Context, Op};

pub static INFO: PassInfo = PassInfo {
    name: "affine-loop-coalescing",
    title: "LoopCoalescingPass",
    summary: "Coalesce nested loops with independent bounds into a single loop",
    description: "Makes one loop of perfectly nested loops, affine.for and scf.for, with bounds that do not depend on one another.",
    anchor: Some(func::FuncOp::NAME),
    statistics: &[StatisticInfo::new(
        "num-coalesced",
        "Number of bands made one loop",
    )],
    make: |_| Ok(Box::new(Coalescing)),
    ..PassInfo::EMPTY
};

struct Coalescing;

impl Pass for Coalescing {
    fn run(&mut self, ctx: &mut PassContext, op: Op) -> PassResult {
        let mut done = 0;
        let mut open = blocks_of(ctx, op);
        while let Some(block) = open.pop() {
            for op in block.ops(ctx) {
                done += coalesce_nest(ctx, op);
                // Only now, as bodies of loops that were inside are in it.
                open.extend(blocks_of(ctx, op));
            }
        }
        ctx.count("num-coalesced", done);
        Ok(())
    }
}

fn blocks_of(ctx: &Context, op: Op) -> Vec<Block> {
    op.blocks(ctx)
}

/// Coalesce what can be of the perfect nest that begins with `root`.
fn coalesce_nest(ctx: &mut Context, root: Op) -> u64 {
    if let Some(l) = root.cast::<affine::ForOp>(ctx) {
        let band = perfect_band(ctx, l);
        from_inside(band.len(), |from, to| {
            coalesce(ctx, &band[from..to]).is_ok()
        })
    } else if let Some(l) = root.cast::<scf::ForOp>(ctx) {
        let band = coalesce_scf::perfect_band(ctx, l);
        from_inside(band.len(), |from, to| coalesce_scf(ctx, &band[from..to]))
    } else {
        0
    }
}

/// Try bands of the loops `0..n`, those further inside and those with more loops first;
/// returns how many were made one.
fn from_inside(n: usize, mut try_band: impl FnMut(usize, usize) -> bool) -> u64 {
    let (mut end, mut done) = (n, 0);
    while end > 1 {
        match (0..end - 1).find(|start| try_band(*start, end)) {
            Some(start) => {
                done += 1;
                end = start + 1;
            }
            None => end -= 1,
        }
    }
    done
}
