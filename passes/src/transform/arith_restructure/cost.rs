//! What the arithmetic of a function costs: operations, each as often as the loops around it are
//! thought to run.

use super::read::ops_of;
use terrace_dialects::arith;
use terrace_ir::opdef::traits;
use terrace_ir::{Context, Op};

/// How often a loop is thought to run.
const RUNS: f64 = 8.0;

/// The cost of the ops below `function`, in additions.
pub fn cost(ctx: &Context, function: Op) -> f64 {
    let mut all = 0.0;
    for op in ops_of(ctx, function) {
        let each = match op.name(ctx) {
            arith::AddFOp::NAME
            | arith::SubFOp::NAME
            | arith::MulFOp::NAME
            | arith::NegFOp::NAME => 1.0,
            arith::DivFOp::NAME => 4.0,
            _ => continue,
        };
        let mut times = 1.0;
        let mut at = op.parent(ctx);
        while let Some(around) = at
            && around != function
        {
            if around.has_trait(ctx, traits::LOOP_LIKE) {
                times *= RUNS;
            }
            at = around.parent(ctx);
        }
        all += each * times;
    }
    all
}
