//! The `gpu` dialect: kernels, launches, and what threads do together.

pub(crate) mod canonicalize;
mod collective;
mod enums;
mod ids;
mod launch;
mod launch_func;
mod memory;
mod mma;
mod module;
mod rows;
mod sync;
pub(crate) mod syntax;
pub(crate) mod types;
mod warp;

use terrace_ir::{Attr, Builder, DialectDef, Op, OpKind, OpState, Type};

pub use collective::{AllReduceOp, RotateOp, ShuffleOp, SubgroupBroadcastOp, SubgroupReduceOp};
pub use enums::{
    ADDRESS_SPACE, ALL_REDUCE, DIMENSION, MMA_ELEMENTWISE, SHUFFLE_MODE, dynamic_workgroup_bytes,
    is_workgroup_space, workgroup_memref, workgroup_space,
};
pub use ids::{
    BlockDimOp, BlockIdOp, ClusterBlockIdOp, ClusterDimBlocksOp, ClusterDimOp, ClusterIdOp,
    GlobalIdOp, GridDimOp, LaneIdOp, NumSubgroupsOp, SubgroupIdOp, SubgroupSizeOp, ThreadIdOp,
};
pub use launch::{LaunchOp, TerminatorOp};
pub use launch_func::LaunchFuncOp;
pub use memory::{
    AllocOp, DeallocOp, DynamicSharedMemoryOp, HostRegisterOp, HostUnregisterOp, MemcpyOp,
    MemsetOp, SetDefaultDeviceOp, WaitOp,
};
pub use mma::{
    SubgroupMmaComputeOp, SubgroupMmaConstantMatrixOp, SubgroupMmaElementwiseOp,
    SubgroupMmaExtractThreadLocalOp, SubgroupMmaInsertThreadLocalOp, SubgroupMmaLoadMatrixOp,
    SubgroupMmaStoreMatrixOp,
};
pub use module::{FuncOp, ModuleOp, ReturnOp};
pub use rows::RowsAlignedOp;
pub use sync::{
    BarrierOp, GridBarrierOp, LoadAcquireOp, LoadRelaxedOp, NoteWorkOp, PrintfOp, StoreRelaxedOp,
    StoreReleaseOp, YieldOp,
};
pub use types::{MmaMatrix, async_token};
pub use warp::WarpExecuteOnLane0Op;

/// Kernels, their launches, and what threads of a block do together.
pub static DIALECT: DialectDef = DialectDef {
    name: "gpu",
    doc: "Kernels, launches, and what threads do together.",
    ops: &[
        AllReduceOp::DEF,
        AllocOp::DEF,
        BarrierOp::DEF,
        GridBarrierOp::DEF,
        LoadAcquireOp::DEF,
        StoreReleaseOp::DEF,
        LoadRelaxedOp::DEF,
        StoreRelaxedOp::DEF,
        BlockDimOp::DEF,
        BlockIdOp::DEF,
        ClusterBlockIdOp::DEF,
        ClusterDimBlocksOp::DEF,
        ClusterDimOp::DEF,
        ClusterIdOp::DEF,
        DeallocOp::DEF,
        DynamicSharedMemoryOp::DEF,
        FuncOp::DEF,
        GlobalIdOp::DEF,
        GridDimOp::DEF,
        HostRegisterOp::DEF,
        HostUnregisterOp::DEF,
        LaneIdOp::DEF,
        LaunchFuncOp::DEF,
        LaunchOp::DEF,
        MemcpyOp::DEF,
        MemsetOp::DEF,
        ModuleOp::DEF,
        NoteWorkOp::DEF,
        NumSubgroupsOp::DEF,
        PrintfOp::DEF,
        ReturnOp::DEF,
        RotateOp::DEF,
        RowsAlignedOp::DEF,
        SetDefaultDeviceOp::DEF,
        ShuffleOp::DEF,
        SubgroupBroadcastOp::DEF,
        SubgroupIdOp::DEF,
        SubgroupMmaComputeOp::DEF,
        SubgroupMmaConstantMatrixOp::DEF,
        SubgroupMmaElementwiseOp::DEF,
        SubgroupMmaExtractThreadLocalOp::DEF,
        SubgroupMmaInsertThreadLocalOp::DEF,
        SubgroupMmaLoadMatrixOp::DEF,
        SubgroupMmaStoreMatrixOp::DEF,
        SubgroupReduceOp::DEF,
        SubgroupSizeOp::DEF,
        TerminatorOp::DEF,
        ThreadIdOp::DEF,
        WaitOp::DEF,
        WarpExecuteOnLane0Op::DEF,
        YieldOp::DEF,
    ],
    attrs: enums::ATTRS,
    types: types::TYPES,
    materialize: Some(materialize),
    verify_op_attr: Some(launch_func::verify_op_attr),
};

/// Constants are those of `arith`.
pub(crate) fn materialize(b: &mut Builder, value: Attr, ty: Type) -> Option<Op> {
    let def = b.ctx.op_def("arith.constant")?;
    let s = OpState::new(def, b.loc)
        .results(&[ty])
        .attr(b.ctx, "value", value);
    Some(b.create(s))
}
