//! The `tensor` dialect: arrays as values. Read, checked and written, so that programs
//! that still hold tensors go through; nothing here lowers them.

mod ops;
mod shape;
mod slice;

use terrace_ir::constraint::TypeConstraint;
use terrace_ir::{Context, DialectDef, OpKind, Type, TypeData};

pub use ops::{
    BitcastOp, CastOp, DimOp, EmptyOp, ExtractOp, FromElementsOp, GenerateOp, InsertOp, RankOp,
    SplatOp, YieldOp,
};
pub use shape::{CollapseShapeOp, ConcatOp, ExpandShapeOp, PadOp, ReshapeOp};
pub use slice::{ExtractSliceOp, InsertSliceOp, ParallelInsertSliceOp};

pub(crate) const TENSOR: TypeConstraint =
    TypeConstraint::new("tensor of any type values", |c, t| t.is_tensor(c));

const RANKED: TypeConstraint = TypeConstraint::new("ranked tensor of any type values", is_ranked);

fn is_ranked(ctx: &Context, t: Type) -> bool {
    matches!(t.data(ctx), TypeData::Tensor { .. })
}

/// Tensors: their elements, slices and shapes.
pub static DIALECT: DialectDef = DialectDef {
    name: "tensor",
    doc: "Arrays as values.",
    ops: &[
        BitcastOp::DEF,
        CastOp::DEF,
        CollapseShapeOp::DEF,
        ConcatOp::DEF,
        DimOp::DEF,
        EmptyOp::DEF,
        ExpandShapeOp::DEF,
        ExtractOp::DEF,
        ExtractSliceOp::DEF,
        FromElementsOp::DEF,
        GenerateOp::DEF,
        InsertOp::DEF,
        InsertSliceOp::DEF,
        PadOp::DEF,
        ParallelInsertSliceOp::DEF,
        RankOp::DEF,
        ReshapeOp::DEF,
        SplatOp::DEF,
        YieldOp::DEF,
    ],
    ..DialectDef::EMPTY
};
