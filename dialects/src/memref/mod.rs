//! The `memref` dialect: memory with a shape, a layout and a memory space.

mod access;
mod alloc;
mod atomic;
mod canonicalize;
mod cast;
mod constraints;
mod dma;
mod effects;
mod fold;
mod global;
pub mod layout;
mod reshape;
mod scope;
mod shape;
mod subview;
mod syntax;

use terrace_ir::{DialectDef, OpKind};

pub(crate) use constraints::REASSOCIATION;

pub use access::{CopyOp, LoadOp, PrefetchOp, StoreOp};
pub use alloc::{AllocOp, AllocaOp, DeallocOp, ReallocOp};
pub use atomic::{AtomicRmwOp, AtomicYieldOp, GenericAtomicRmwOp, RMW_KIND};
pub use cast::{
    AssumeAlignmentOp, CastOp, DistinctObjectsOp, MemorySpaceCastOp, ReinterpretCastOp, ViewOp,
};
pub use dma::{DmaStartOp, DmaWaitOp, Transfer};
pub use global::{GetGlobalOp, GlobalOp};
pub use reshape::{CollapseShapeOp, ExpandShapeOp, ReshapeOp, groups};
pub use scope::{AllocaScopeOp, AllocaScopeReturnOp};
pub use shape::{DimOp, ExtractAlignedPointerAsIndexOp, ExtractStridedMetadataOp, RankOp};
pub use subview::{SubViewOp, TransposeOp};

/// Memory with a shape: allocation, access and views.
pub static DIALECT: DialectDef = DialectDef {
    name: "memref",
    doc: "Memory with a shape, a layout and a memory space.",
    ops: &[
        AllocOp::DEF,
        AllocaOp::DEF,
        AllocaScopeOp::DEF,
        AllocaScopeReturnOp::DEF,
        AssumeAlignmentOp::DEF,
        AtomicRmwOp::DEF,
        AtomicYieldOp::DEF,
        CastOp::DEF,
        CollapseShapeOp::DEF,
        CopyOp::DEF,
        DeallocOp::DEF,
        DimOp::DEF,
        DistinctObjectsOp::DEF,
        DmaStartOp::DEF,
        DmaWaitOp::DEF,
        ExpandShapeOp::DEF,
        ExtractAlignedPointerAsIndexOp::DEF,
        ExtractStridedMetadataOp::DEF,
        GenericAtomicRmwOp::DEF,
        GetGlobalOp::DEF,
        GlobalOp::DEF,
        LoadOp::DEF,
        MemorySpaceCastOp::DEF,
        PrefetchOp::DEF,
        RankOp::DEF,
        ReallocOp::DEF,
        ReinterpretCastOp::DEF,
        ReshapeOp::DEF,
        StoreOp::DEF,
        SubViewOp::DEF,
        TransposeOp::DEF,
        ViewOp::DEF,
    ],
    materialize: Some(canonicalize::materialize),
    ..DialectDef::EMPTY
};
