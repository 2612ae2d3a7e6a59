//! The `schedule` dialect: what is to be done to which loops, as text.

mod find;
mod instance;
mod sequence;
mod steps;
mod types;

use terrace_ir::opdef::Verified;
use terrace_ir::{Attr, AttrData, Context, DialectDef, Op, OpKind};

pub use find::FindLoopOp;
pub use instance::InstanceOp;
pub use sequence::{STAGES, SequenceOp, YieldOp};
pub use steps::*;
pub use types::loop_type;

/// Schedules: what to do with which loop.
pub static DIALECT: DialectDef = DialectDef {
    name: "schedule",
    doc: "What is to be done to which loops, as text.",
    ops: &[
        CoalesceOp::DEF,
        DistributeOp::DEF,
        ExpandOp::DEF,
        FindLoopOp::DEF,
        FuseNestsOp::DEF,
        FuseOp::DEF,
        InlineOp::DEF,
        InstanceOp::DEF,
        IsolateOp::DEF,
        MapContractionOp::DEF,
        MapReductionOp::DEF,
        MapStencilOp::DEF,
        MapToGpuOp::DEF,
        NormalizeOp::DEF,
        OutlineOp::DEF,
        ParallelOp::DEF,
        PeelOp::DEF,
        PermuteOp::DEF,
        PromoteOp::DEF,
        ReverseOp::DEF,
        RescheduleOp::DEF,
        ScanOp::DEF,
        SequenceOp::DEF,
        ShiftOp::DEF,
        SkewOp::DEF,
        SplitOp::DEF,
        StageOp::DEF,
        StripMineOp::DEF,
        TileOp::DEF,
        UnrollJamOp::DEF,
        UnrollOp::DEF,
        VectorizeOp::DEF,
        YieldOp::DEF,
    ],
    types: types::TYPES,
    verify_op_attr: Some(verify_op_attr),
    ..DialectDef::EMPTY
};

/// `schedule.label` and `schedule.iv` name a loop and its induction variable.
fn verify_op_attr(ctx: &Context, op: Op, name: &str, a: Attr) -> Verified {
    if !matches!(name, "schedule.label" | "schedule.iv") {
        return Ok(());
    }
    if !matches!(a.data(ctx), AttrData::String { value, .. } if !value.is_empty()) {
        return Err(format!("attribute '{name}' must be a string that is not empty").into());
    }
    let loops = terrace_ir::opdef::traits::LOOP_LIKE;
    if op.def(ctx).is_some_and(|d| !d.has(loops)) {
        return Err(format!("has '{name}', which is for loops").into());
    }
    Ok(())
}
