//! The `affine` dialect: loops, conditions and memory accesses whose bounds and
//! subscripts are affine in loop induction variables and symbols.
//!
//! [`scope`] says what may be a dimension or a symbol, [`compose`] brings maps and
//! operands into canonical form, and [`Access`] is one view of every op that touches
//! a memref through an affine map.

mod access;
mod access_fold;
mod access_syntax;
mod apply;
pub mod compose;
mod dense;
mod dma;
mod for_fold;
mod for_op;
mod for_syntax;
mod if_op;
mod index;
mod index_patterns;
mod inverse;
mod minmax;
mod parallel;
mod parallel_syntax;
pub mod scope;
mod scope_op;
mod syntax;
mod vector;
mod yield_op;

use terrace_ir::{Attr, Builder, DialectDef, Op, OpKind, Type};

pub use access::{Access, AccessKind, LoadOp, StoreOp};
pub use apply::ApplyOp;
pub use dma::{DmaEnd, DmaStart, DmaStartOp, DmaWaitOp};
pub use for_op::ForOp;
pub use if_op::{Fill, IfOp};
pub use index::{DelinearizeIndexOp, LinearizeIndexOp, Size};
pub use minmax::{MaxOp, MinOp};
pub use parallel::ParallelOp;
pub use scope_op::ScopeOp;
pub use vector::{PrefetchOp, VectorLoadOp, VectorStoreOp};
pub use yield_op::YieldOp;

/// Loops, conditions and accesses that are affine functions of counters and symbols.
pub static DIALECT: DialectDef = DialectDef {
    name: "affine",
    doc: "Loops, conditions and accesses with affine bounds and subscripts.",
    ops: &[
        ApplyOp::DEF,
        DelinearizeIndexOp::DEF,
        DmaStartOp::DEF,
        DmaWaitOp::DEF,
        ForOp::DEF,
        IfOp::DEF,
        LinearizeIndexOp::DEF,
        LoadOp::DEF,
        MaxOp::DEF,
        MinOp::DEF,
        ParallelOp::DEF,
        PrefetchOp::DEF,
        ScopeOp::DEF,
        StoreOp::DEF,
        VectorLoadOp::DEF,
        VectorStoreOp::DEF,
        YieldOp::DEF,
    ],
    materialize: Some(materialize),
    ..DialectDef::EMPTY
};

/// Constants that affine ops fold to are made by `arith.constant`.
fn materialize(b: &mut Builder, value: Attr, ty: Type) -> Option<Op> {
    let make = crate::arith::DIALECT.materialize?;
    make(b, value, ty)
}
