//! The `transform` dialect: upstream's scripts of transformations, as far as they are
//! read, checked and written here. terrace's own scripts are of the `schedule` dialect;
//! nothing runs these.

mod control;
mod extensions;
mod loops;
mod results;
mod types;

use terrace_ir::{DialectDef, OpKind};

pub use control::{
    ApplyCanonicalizationOp, ApplyCseOp, ApplyDceOp, ApplyLicmOp, ApplyPatternsOp, CastOp,
    ForeachOp, GetDefiningOp, GetParentOp, MatchOp, MergeHandlesOp, NamedSequenceOp, PrintOp,
    SplitHandleOp, YieldOp,
};
pub use extensions::{
    AllocToAllocaPatternsOp, AllocaToGlobalOp, CastAndCallOp, DeduplicateFuncArgsOp,
    EmitRemarkAtOp, EraseDeadAllocAndStoresOp, ExpandStridedMetadataPatternsOp,
    ExtractAddressComputationsPatternsOp, FoldMemrefAliasPatternsOp, MakeLoopIndependentOp,
    MultiBufferOp, ReplaceFuncSignatureOp, SimplifyBoundedOp, SimplifyMinMaxOp,
};
pub use loops::{
    CoalesceOp, ForallToForOp, ForallToParallelOp, FuseSiblingOp, OutlineOp,
    ParallelToNestedForsOp, PeelOp, PipelineOp, PromoteOp, TakeAssumedBranchOp, UnrollAndJamOp,
    UnrollOp,
};
pub use results::GetResultOp;

/// Scripts of rewrites in upstream's form.
pub static DIALECT: DialectDef = DialectDef {
    name: "transform",
    doc: "Upstream's scripts of transformations.",
    ops: &[
        AllocToAllocaPatternsOp::DEF,
        AllocaToGlobalOp::DEF,
        ApplyCanonicalizationOp::DEF,
        ApplyCseOp::DEF,
        ApplyDceOp::DEF,
        ApplyLicmOp::DEF,
        ApplyPatternsOp::DEF,
        CastAndCallOp::DEF,
        CastOp::DEF,
        CoalesceOp::DEF,
        DeduplicateFuncArgsOp::DEF,
        EmitRemarkAtOp::DEF,
        EraseDeadAllocAndStoresOp::DEF,
        ExpandStridedMetadataPatternsOp::DEF,
        ExtractAddressComputationsPatternsOp::DEF,
        FoldMemrefAliasPatternsOp::DEF,
        ForallToForOp::DEF,
        ForallToParallelOp::DEF,
        ForeachOp::DEF,
        FuseSiblingOp::DEF,
        GetDefiningOp::DEF,
        GetParentOp::DEF,
        GetResultOp::DEF,
        MakeLoopIndependentOp::DEF,
        MatchOp::DEF,
        MergeHandlesOp::DEF,
        MultiBufferOp::DEF,
        NamedSequenceOp::DEF,
        OutlineOp::DEF,
        ParallelToNestedForsOp::DEF,
        PeelOp::DEF,
        PipelineOp::DEF,
        PrintOp::DEF,
        PromoteOp::DEF,
        ReplaceFuncSignatureOp::DEF,
        SimplifyBoundedOp::DEF,
        SimplifyMinMaxOp::DEF,
        SplitHandleOp::DEF,
        TakeAssumedBranchOp::DEF,
        UnrollAndJamOp::DEF,
        UnrollOp::DEF,
        YieldOp::DEF,
    ],
    types: types::TYPES,
    ..DialectDef::EMPTY
};
