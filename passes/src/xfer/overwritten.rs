//! `xfer-mark-overwritten`: an `xfer.discard` in front of each nest of affine loops that
//! writes every element of an array before it reads any.
//!
//! What such a nest leaves in the array does not depend on what was there, so that
//! nothing need be copied for it. The pass looks for a store that
//!
//! - has the counters of different loops for subscripts, each of which runs over the whole
//!   dimension: a constant, what `memref.dim` says of it or of a dimension that
//!   `terrace.dims` gives the same name, or what the array was allocated with;
//! - stands in other loops only if they are sure to run, and under no condition;
//! - comes before every other access to the array in the nest that is not a store: those
//!   have the same subscripts and stand behind it in its block.
//!
//! ```text
//! affine.for %i = 0 to 64 {               xfer.discard %y
//!   affine.store %z, %y[%i]         =>    affine.for %i = 0 to 64 {
//!   ...                                     affine.store %z, %y[%i]
//! }                                         ...
//! ```

use crate::analysis::overwritten::overwritten;
use terrace_dialects::affine::{ForOp, ParallelOp};
use terrace_dialects::func;
use terrace_dialects::xfer;
use terrace_ir::pass::{Pass, PassContext, PassInfo, PassResult, StatisticInfo};
use terrace_ir::{Builder, Context, Op};

pub static INFO: PassInfo = PassInfo {
    name: "xfer-mark-overwritten",
    title: "XferMarkOverwritten",
    summary: "Put an xfer.discard in front of loops that overwrite a whole array",
    description: "Looks for nests of affine loops that write every element of an array before they read any.",
    anchor: Some(func::FuncOp::NAME),
    statistics: &[StatisticInfo::new("num-discards", "Number of discards")],
    make: |_| Ok(Box::new(MarkOverwritten)),
    ..PassInfo::EMPTY
};

struct MarkOverwritten;

impl Pass for MarkOverwritten {
    fn run(&mut self, ctx: &mut PassContext, function: Op) -> PassResult {
        let mut marks = Vec::new();
        for nest in nests(ctx, function) {
            for array in overwritten(ctx, nest) {
                marks.push((nest, array));
            }
        }
        for (nest, array) in &marks {
            let mut b = Builder::before(ctx, *nest);
            xfer::DiscardOp::build(&mut b, *array);
        }
        ctx.count("num-discards", marks.len() as u64);
        Ok(())
    }
}

/// All affine loops: an inner nest may overwrite an array where an outer does not.
fn nests(ctx: &Context, function: Op) -> Vec<Op> {
    let is_loop = |o: &Op| o.isa::<ForOp>(ctx) || o.isa::<ParallelOp>(ctx);
    let all = function.pre_order(ctx).into_iter();
    all.filter(|o| is_loop(o) && o.parent_of::<ParallelOp>(ctx).is_none())
        .collect()
}
