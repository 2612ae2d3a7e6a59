//! `canonicalize`: fold ops and apply every op's canonicalisation patterns until
//! nothing changes.
//!
//! Always legal: folds and patterns keep the meaning of the program.
//!
//! ```text
//! %c2 = arith.constant 2 : index          func.func @f(%a: index) -> index {
//! %0 = arith.addi %a, %c2 : index    =>     %c5 = arith.constant 5 : index
//! %c3 = arith.constant 3 : index            %0 = arith.addi %a, %c5 : index
//! %1 = arith.addi %0, %c3 : index           return %0 : index
//! ```

use terrace_ir::Op;
use terrace_ir::pass::{
    OptionInfo, OptionKind, ParsedOptions, Pass, PassContext, PassInfo, PassResult, StatisticInfo,
};
use terrace_ir::rewrite::{GreedyOptions, PatternSet, apply_greedily};

pub static INFO: PassInfo = PassInfo {
    name: "canonicalize",
    title: "Canonicalizer",
    summary: "Canonicalize operations",
    description: "Folds ops and applies the canonicalisation patterns of all dialects until nothing changes or a limit is met.",
    options: &[
        OptionInfo::new(
            "top-down",
            OptionKind::Bool,
            "true",
            "Seed the worklist in general top-down order",
        ),
        OptionInfo::new(
            "region-simplify",
            OptionKind::Enum(&["disabled", "normal", "aggressive"]),
            "normal",
            "Perform control flow optimizations to the region tree",
        ),
        OptionInfo::new(
            "max-iterations",
            OptionKind::Int,
            "10",
            "Max. iterations between applying patterns / simplifying regions",
        ),
        OptionInfo::new(
            "max-num-rewrites",
            OptionKind::Int,
            "-1",
            "Max. number of pattern rewrites within an iteration",
        ),
        OptionInfo::flag(
            "test-convergence",
            "Fail when the limits are met before nothing changes any more",
        ),
    ],
    statistics: &[
        StatisticInfo::new("num-rewrites", "Number of patterns applied"),
        StatisticInfo::new("num-folds", "Number of operations folded"),
        StatisticInfo::new("num-dce'd", "Number of dead operations erased"),
    ],
    make: |o| Ok(Box::new(Canonicalize::new(o))),
    ..PassInfo::EMPTY
};

struct Canonicalize {
    options: GreedyOptions,
    test_convergence: bool,
}

impl Canonicalize {
    fn new(o: &ParsedOptions) -> Self {
        Canonicalize {
            options: GreedyOptions {
                top_down: o.bool("top-down"),
                simplify_regions: o.str("region-simplify") != "disabled",
                merge_blocks: o.str("region-simplify") == "aggressive",
                // Negative means no limit.
                max_iterations: usize::try_from(o.int("max-iterations")).ok(),
                max_rewrites: u64::try_from(o.int("max-num-rewrites")).ok(),
                ..GreedyOptions::default()
            },
            test_convergence: o.bool("test-convergence"),
        }
    }
}

impl Pass for Canonicalize {
    fn run(&mut self, ctx: &mut PassContext, op: Op) -> PassResult {
        let patterns = PatternSet::canonicalization(ctx);
        let r = apply_greedily(ctx, op, &patterns, &self.options);
        ctx.count("num-rewrites", r.rewrites);
        ctx.count("num-folds", r.folds);
        ctx.count("num-dce'd", r.erased);
        if self.test_convergence && !r.converged {
            let n = r.iterations;
            return ctx.fail(
                op,
                format!("canonicalization did not converge in {n} iterations"),
            );
        }
        Ok(())
    }
}
