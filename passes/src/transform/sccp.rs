//! `sccp`: values that are constant on every way the program can take become
//! constants (Wegman and Zadeck's sparse conditional constant propagation).
//!
//! Nothing is reachable at first but the entry, and no value is known. Ops reached
//! are folded with the constants known of their operands; branches, conditions and
//! loops whose way is known make only that way reachable. A value that two ways give
//! different constants is not constant. Functions all of whose calls are in sight get
//! their arguments from those calls. Legal because a value is replaced only by the
//! constant it has in every execution.
//!
//! ```text
//! %true = arith.constant true
//! %1 = arith.constant 1 : i32                 %true = arith.constant true
//! cf.cond_br %true, ^a(%1 : i32), ^b    =>    %1 = arith.constant 1 : i32
//! ^a(%x: i32):                                cf.cond_br %true, ^a(%1 : i32), ^b
//!   %y = arith.addi %x, %x : i32              ^a(%x: i32):
//!   return %y : i32                             return %c2 : i32
//! ```

mod calls;
mod lattice;
mod rewrite;
mod solver;
mod structured;

use solver::Solver;
use terrace_ir::Op;
use terrace_ir::pass::{Pass, PassContext, PassInfo, PassResult, StatisticInfo};

pub static INFO: PassInfo = PassInfo {
    name: "sccp",
    title: "SCCP",
    summary: "Sparse Conditional Constant Propagation",
    description: "Replaces values that are constant on all ways the program can take, through branches, structured control flow and calls of functions whose callers are all known.",
    statistics: &[StatisticInfo::new(
        "num-constants",
        "Number of values found constant",
    )],
    make: |_| Ok(Box::new(Sccp)),
    ..PassInfo::EMPTY
};

struct Sccp;

impl Pass for Sccp {
    fn run(&mut self, ctx: &mut PassContext, op: Op) -> PassResult {
        let facts = Solver::solve(ctx.ctx, op);
        let n = rewrite::rewrite(ctx.ctx, op, &facts);
        ctx.count("num-constants", n);
        Ok(())
    }
}
