//! What a loop is told of the kernel that it becomes: attributes that steps of schedules and
//! `gpu-map` put on it, and mappers obey.

use crate::loops::Refusal;
use terrace_dialects::attributes::GPU_MAPPER;
use terrace_ir::{Context, Op};

/// `map-parallel-to-gpu`.
pub const LOOPS: &str = "loops";
/// `gpu-map-stencils`.
pub const STENCIL: &str = "stencil";
/// `gpu-map-reductions`.
pub const REDUCTION: &str = "reduction";
/// `gpu-map-contractions`.
pub const CONTRACTION: &str = "contraction";
/// `tile-to-threads`.
pub const TILE: &str = "tile";
/// Which mapper the nest of `root` is to have, where that is said.
pub fn mapper_of(ctx: &Context, root: Op) -> Option<&str> {
    root.str_attr(ctx, GPU_MAPPER)
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
    root.set_attr(ctx, GPU_MAPPER, ctx.string_attr(mapper));
    Ok(())
}
