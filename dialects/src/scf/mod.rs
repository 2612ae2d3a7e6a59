//! The `scf` dialect: structured control flow.

mod branches;
mod branches_canonicalize;
mod edges;
mod for_canonicalize;
mod for_op;
mod forall;
mod if_canonicalize;
mod if_combine;
mod parallel;
mod parallel_canonicalize;
mod syntax;
mod terminators;
mod while_canonicalize;
mod while_op;

use terrace_ir::{DialectDef, OpKind};

pub use branches::{ExecuteRegionOp, IfOp, IndexSwitchOp};
pub use for_op::{ForOp, constant_trip_count};
pub use forall::{Bound, ForallOp, InParallelOp};
pub use parallel::{ParallelOp, ReduceOp, ReduceReturnOp};
pub use terminators::{ConditionOp, YieldOp};
pub use while_op::WhileOp;

/// Loops and conditions with regions.
pub static DIALECT: DialectDef = DialectDef {
    name: "scf",
    doc: "Structured control flow: loops, conditions and switches with regions.",
    ops: &[
        ConditionOp::DEF,
        ExecuteRegionOp::DEF,
        ForOp::DEF,
        ForallOp::DEF,
        InParallelOp::DEF,
        IfOp::DEF,
        IndexSwitchOp::DEF,
        ParallelOp::DEF,
        ReduceOp::DEF,
        ReduceReturnOp::DEF,
        WhileOp::DEF,
        YieldOp::DEF,
    ],
    ..DialectDef::EMPTY
};
