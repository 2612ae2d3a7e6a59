//! The dialects of terrace, one folder each: ops, types, attributes, verifiers and
//! folders, declared with [`terrace_ir::op!`].

#![deny(missing_docs)]

pub mod affine;
pub mod arith;
pub mod arith_by_name;
pub mod attributes;
pub mod bufferization;
pub mod builtin;
pub mod cf;
mod enums;
pub mod func;
pub mod function;
pub mod gpu;
pub mod index;
pub mod linalg;
pub mod llvm;
pub mod math;
pub mod memref;
pub mod nvgpu;
pub mod offsets;
mod region_text;
pub mod rows;
pub mod scf;
pub mod schedule;
pub mod tensor;
pub mod tile;
pub mod transform;
pub mod ub;
pub mod upstream;
pub mod vector;
pub mod xfer;

use terrace_ir::{Context, DialectDef};

/// Every dialect, in the order `--show-dialects` lists them.
pub static ALL: &[&DialectDef] = &[
    &affine::DIALECT,
    &arith::DIALECT,
    &bufferization::DIALECT,
    &builtin::DIALECT,
    &cf::DIALECT,
    &func::DIALECT,
    &gpu::DIALECT,
    &index::DIALECT,
    &linalg::DIALECT,
    &llvm::DIALECT,
    &math::DIALECT,
    &memref::DIALECT,
    &nvgpu::DIALECT,
    &rows::DIALECT,
    &scf::DIALECT,
    &schedule::DIALECT,
    &tensor::DIALECT,
    &tile::DIALECT,
    &transform::DIALECT,
    &ub::DIALECT,
    &vector::DIALECT,
    &xfer::DIALECT,
];

/// Make every dialect, and the attributes by which passes talk, known to `ctx`.
pub fn register_all(ctx: &mut Context) {
    for d in ALL {
        ctx.register(d);
    }
    ctx.register_op_attrs(attributes::ALL);
    ctx.register_foreign(upstream::DIALECTS);
}

/// A context that knows every dialect.
pub fn context() -> Context {
    let mut ctx = Context::new();
    register_all(&mut ctx);
    ctx
}
