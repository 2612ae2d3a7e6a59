//! `affine-parallelize`: affine loops whose iterations may run in any order become
//! `affine.parallel`.
//!
//! Legal where no two iterations touch the same element, one of them writing (see
//! [`crate::analysis::parallel`]), and no value goes from iteration to iteration but,
//! with `parallel-reductions`, by a reduction. Reductions of floats then run in
//! another order than written.
//!
//! ```text
//! affine.for %i = 0 to %n {              affine.parallel (%i) = (0) to (symbol(%n)) {
//!   affine.store %v, %m[%i]        =>      affine.store %v, %m[%i]
//! }                                      }
//! ```

use crate::analysis::parallel::memory_obstacle;
use crate::analysis::reduction::{self, Reduction};
use crate::loops::parallelize::parallelize;
use terrace_dialects::affine::{ForOp, ParallelOp};
use terrace_dialects::func;
use terrace_ir::pass::{
    OptionInfo, OptionKind, Pass, PassContext, PassInfo, PassResult, StatisticInfo,
};
use terrace_ir::{Context, Op, OpKind};

pub(crate) static INFO: PassInfo = PassInfo {
    name: "affine-parallelize",
    title: "AffineParallelize",
    summary: "Convert affine.for ops into 1-D affine.parallel",
    description: "Finds loops whose iterations are independent and marks them parallel, outer loops first.",
    anchor: Some(func::FuncOp::NAME),
    options: &[
        OptionInfo::new(
            "max-nested",
            OptionKind::UInt,
            "4294967295",
            "Maximum number of nested parallel loops to produce. Defaults to unlimited (UINT_MAX).",
        ),
        OptionInfo::flag(
            "parallel-reductions",
            "Whether to parallelize reduction loops. Defaults to false.",
        ),
    ],
    statistics: &[StatisticInfo::new(
        "num-parallel",
        "Number of loops made parallel",
    )],
    make: |o| {
        Ok(Box::new(AffineParallelize {
            max_nested: o.uint("max-nested"),
            reductions: o.bool("parallel-reductions"),
        }))
    },
};

struct AffineParallelize {
    max_nested: u64,
    reductions: bool,
}

impl Pass for AffineParallelize {
    fn run(&mut self, ctx: &mut PassContext, op: Op) -> PassResult {
        // All questions before any change: they are about the loops as written.
        let mut found = Vec::new();
        for l in op.find_all::<ForOp>(ctx) {
            if let Some(r) = parallel_reductions(ctx, l, self.reductions) {
                found.push((l, r));
            }
        }
        let mut made = 0;
        for (l, reductions) in found {
            let mut depth = 0;
            let mut around = l.op().parent(ctx);
            while let Some(p) = around {
                depth += u64::from(p.isa::<ParallelOp>(ctx));
                around = p.parent(ctx);
            }
            if depth < self.max_nested {
                parallelize(ctx, l, &reductions);
                made += 1;
            }
        }
        ctx.count("num-parallel", made);
        Ok(())
    }
}

/// The reductions that a parallel form of `l` has to make; `None` where `l` must stay
/// sequential.
pub fn parallel_reductions(ctx: &Context, l: ForOp, allowed: bool) -> Option<Vec<Reduction>> {
    let n = l.op().num_results(ctx);
    let reductions = match (n, allowed) {
        (0, _) => Vec::new(),
        (_, false) => return None,
        (_, true) => reduction::all_of(ctx, l)?,
    };
    memory_obstacle(ctx, l).is_none().then_some(reductions)
}
