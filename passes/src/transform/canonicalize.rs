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
        OptionInfo {
            name: "top-down",
            kind: OptionKind::Bool,
            default: "true",
            doc: "Seed the worklist in general top-down order",
        },
        OptionInfo {
            name: "region-simplify",
            kind: OptionKind::Enum(&["disabled", "normal", "aggressive"]),
            default: "normal",
            doc: "Perform control flow optimizations to the region tree",
        },
        OptionInfo {
            name: "max-iterations",
            kind: OptionKind::Int,
            default: "10",
            doc: "Max. iterations between applying patterns / simplifying regions",
        },
        OptionInfo {
            name: "max-num-rewrites",
            kind: OptionKind::Int,
            default: "-1",
            doc: "Max. number of pattern rewrites within an iteration",
        },
        OptionInfo {
            name: "test-convergence",
            kind: OptionKind::Bool,
            default: "false",
            doc: "Fail when the limits are met before nothing changes any more",
        },
    ],
    statistics: &[
        StatisticInfo {
            name: "num-rewrites",
            doc: "Number of patterns applied",
        },
        StatisticInfo {
            name: "num-folds",
            doc: "Number of operations folded",
        },
        StatisticInfo {
            name: "num-dce'd",
            doc: "Number of dead operations erased",
        },
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
