//! The IR of terrace: MLIR's data model on [`pliron`], with MLIR's text.
//!
//! pliron supplies the storage: operations, blocks, regions and def-use chains in
//! arenas owned by a context. This crate wraps it, so that nothing above it names
//! pliron, and adds what pliron lacks: MLIR's textual syntax in both directions,
//! types and attributes as uniqued plain data, one-place op declarations
//! ([`op!`]), memory effects, a rewrite driver, a pass registry, and verification
//! that reports every error at its source line.
//!
//! The handles [`Op`], [`Block`], [`Region`], [`Value`], [`Type`] and [`Attr`] are
//! small `Copy` values; everything they refer to lives in a [`Context`], which each
//! method takes as its first argument.

#![deny(missing_docs)]

pub mod affine;
pub mod attr;
pub mod block;
pub mod builder;
pub mod clone;
pub mod constraint;
pub mod context;
mod dense;
pub mod diag;
pub mod dominance;
pub mod effects;
pub mod fingerprint;
pub mod fold;
pub mod loc;
pub mod num;
pub mod op;
pub mod opdef;
pub mod pass;
pub mod rewrite;
mod storage;
pub mod symbols;
#[cfg(test)]
mod testing;
pub mod text;
pub mod types;
pub mod value;
pub mod verify;

pub use attr::{Attr, AttrData, DenseData};
pub use block::{Block, Region};
pub use builder::{Builder, InsertPoint, OpState};
pub use context::{Context, ForeignDialect, Str};
pub use loc::{Loc, LocData};
pub use op::Op;
pub use opdef::{DialectDef, OpDef, OpKind};
pub use types::{Type, TypeData};
pub use value::{Use, Value};

/// What the macros of this crate expand to; not for direct use.
#[doc(hidden)]
pub mod __private {
    pub use crate::storage::{OpTypeInfo, verify_declared};
    pub use pliron;

    type Ptr = pliron::context::Ptr<pliron::operation::Operation>;

    pub fn wrap<K: pliron::op::Op>(op: crate::Op) -> K {
        K::from_operation(op.0)
    }

    pub fn unwrap(op: Ptr) -> crate::Op {
        crate::Op(op)
    }
}
