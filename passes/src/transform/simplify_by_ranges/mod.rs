//! `arith-simplify-by-ranges`: what the ranges of integers say need not be computed.
//!
//! ```text
//! %x = arith.extui %byte : i8 to i32             %x = arith.extui %byte : i8 to i32
//! %c = arith.cmpi slt, %x, %c0 : i32      =>     %c = arith.constant false
//! %y = arith.minsi %x, %c255 : i32               // %x in place of %y
//! ```
//!
//! [`fold`] replaces comparisons and choices whose outcome is always the same, with the `scf.if`
//! ops that ask for them, and ops that change nothing. [`divide`] makes products and shifts of
//! divisions of numbers that are small and not negative, and [`rounding`] shifts of those by powers of two.
//! [`truths`] makes one op of what compares the answers of two comparisons. The ranges are those of
//! `analysis::int_range`: of types, constants, loops and what arithmetic makes of them.

mod divide;
mod fold;
mod rounding;
mod truths;

use crate::analysis::int_range::IntRanges;
use terrace_dialects::func;
use terrace_ir::Op;
use terrace_ir::pass::{
    OptionInfo, OptionKind, Pass, PassContext, PassInfo, PassResult, StatisticInfo,
};

pub static INFO: PassInfo = PassInfo {
    name: "arith-simplify-by-ranges",
    title: "ArithSimplifyByRanges",
    summary: "Leave out what the ranges of integers say, and divide small numbers with products",
    description: "Replaces comparisons, conditions, extrema, absolute values, remainders and masks of integers that are the same for all numbers that can come up, and divisions by positive constants of numbers that are never negative, or by powers of two where they round down or up.",
    anchor: Some(func::FuncOp::NAME),
    options: &[OptionInfo::new(
        "divide",
        OptionKind::Bool,
        "true",
        "Make products and shifts of divisions, whose ranges are not seen any more",
    )],
    statistics: &[
        StatisticInfo::new(
            "num-folded",
            "Number of ops whose result is known or is an operand",
        ),
        StatisticInfo::new("num-divisions", "Number of divisions replaced"),
    ],
    make: |o| {
        Ok(Box::new(SimplifyByRanges {
            divide: o.bool("divide"),
        }))
    },
};

struct SimplifyByRanges {
    divide: bool,
}

impl Pass for SimplifyByRanges {
    fn run(&mut self, ctx: &mut PassContext, op: Op) -> PassResult {
        let mut ranges = IntRanges::default();
        // What is in a way that a condition never takes is gone then, and was looked at before.
        for op in op.post_order(ctx) {
            if fold::fold(ctx, &mut ranges, op) || truths::replace(ctx, op).is_some() {
                ctx.count("num-folded", 1);
            } else if self.divide
                && (divide::replace(ctx, &mut ranges, op).is_some()
                    || rounding::replace(ctx, op).is_some())
            {
                ctx.count("num-divisions", 1);
            }
        }
        Ok(())
    }
}
