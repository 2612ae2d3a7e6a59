//! The `vector` dialect: vectors of any rank, and how they come from memory.

mod attrs;
mod canonicalize;
mod elements;
mod mask;
mod memory;
mod reduce;
mod shape;
mod slice;
mod transfer;
mod types;

use terrace_ir::{DialectDef, OpKind};

pub use attrs::KIND;
pub use elements::{ExtractOp, FromElementsOp, InsertOp, ToElementsOp};
pub use mask::{ConstantMaskOp, CreateMaskOp, MaskOp, PrintOp, YieldOp};
pub(crate) use memory::last_dim_unit_stride;
pub use memory::{
    CompressStoreOp, ExpandLoadOp, GatherOp, LoadOp, MaskedLoadOp, MaskedStoreOp, ScatterOp,
    StoreOp,
};
pub use reduce::{ContractionOp, FMAOp, MultiDimReductionOp, OuterProductOp, ReductionOp, ScanOp};
pub use shape::{
    BitCastOp, BroadcastOp, DeinterleaveOp, InterleaveOp, ScalableExtractOp, ScalableInsertOp,
    ShapeCastOp, ShuffleOp, StepOp, TransposeOp, TypeCastOp, VectorScaleOp,
};
pub use slice::{ExtractStridedSliceOp, InsertStridedSliceOp};
pub use transfer::{TransferReadOp, TransferWriteOp, mask_type};

/// Vectors: their parts, shapes, sums and transfers.
pub static DIALECT: DialectDef = DialectDef {
    name: "vector",
    doc: "Vectors of any rank, and how they come from memory.",
    ops: &[
        BitCastOp::DEF,
        BroadcastOp::DEF,
        CompressStoreOp::DEF,
        ConstantMaskOp::DEF,
        ContractionOp::DEF,
        CreateMaskOp::DEF,
        DeinterleaveOp::DEF,
        ExpandLoadOp::DEF,
        ExtractOp::DEF,
        ExtractStridedSliceOp::DEF,
        FMAOp::DEF,
        FromElementsOp::DEF,
        GatherOp::DEF,
        InsertOp::DEF,
        InsertStridedSliceOp::DEF,
        InterleaveOp::DEF,
        LoadOp::DEF,
        MaskOp::DEF,
        MaskedLoadOp::DEF,
        MaskedStoreOp::DEF,
        MultiDimReductionOp::DEF,
        OuterProductOp::DEF,
        PrintOp::DEF,
        ReductionOp::DEF,
        ScalableExtractOp::DEF,
        ScalableInsertOp::DEF,
        ScanOp::DEF,
        ScatterOp::DEF,
        ShapeCastOp::DEF,
        ShuffleOp::DEF,
        StepOp::DEF,
        StoreOp::DEF,
        ToElementsOp::DEF,
        TransferReadOp::DEF,
        TransferWriteOp::DEF,
        TransposeOp::DEF,
        TypeCastOp::DEF,
        VectorScaleOp::DEF,
        YieldOp::DEF,
    ],
    attrs: attrs::ATTRS,
    materialize: Some(crate::gpu::materialize),
    ..DialectDef::EMPTY
};
