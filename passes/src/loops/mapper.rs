//! What a loop is told of the kernel that it becomes: attributes that steps of schedules and
//! `gpu-map` put on it, and mappers obey.

use crate::loops::Refusal;
use terrace_ir::{Context, Op};

/// The attribute that says which mapper is to make the kernel: [`LOOPS`], [`STENCIL`],
/// [`REDUCTION`] or [`CONTRACTION`]. Another one leaves the nest alone.
pub const MAPPER: &str = "gpu.mapper";
/// `map-parallel-to-gpu`.
pub const LOOPS: &str = "loops";
/// `gpu-map-stencils`.
pub const STENCIL: &str = "stencil";
/// `gpu-map-reductions`.
pub const REDUCTION: &str = "reduction";
/// `gpu-map-contractions`.
pub const CONTRACTION: &str = "contraction";
/// The shape of a matrix product's kernel: rows and columns of a block, depth, stages; 0
/// where the mapper chooses.
pub const SHAPE: &str = "gpu.shape";
/// The number of a nest, by which it is found again after it has been lowered; launches of
/// its kernel have it too.
pub const NUMBER: &str = "gpu.nest";

/// Which mapper the nest of `root` is to have, where that is said.
pub fn mapper_of(ctx: &Context, root: Op) -> Option<&str> {
    root.str_attr(ctx, MAPPER)
}

/// Tells `root` its mapper.
///
/// # Errors
///
/// It has one already.
pub fn tell(ctx: &Context, root: Op, mapper: &str) -> Result<(), Refusal> {
    if mapper_of(ctx, root).is_some() {
        let m = "a step before has said which kernel it becomes";
        return Err(Refusal::new(root.loc(ctx), m));
    }
    root.set_attr(ctx, MAPPER, ctx.string_attr(mapper));
    Ok(())
}
