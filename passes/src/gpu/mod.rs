//! From parallel loops to kernels: mapping, outlining, promises.

pub mod affine_for_to_gpu;
mod again;
mod aligned;
mod branches;
pub mod contraction;
pub mod count_work;
pub mod expand_math;
pub mod fuse_nests;
pub mod jam_threads;
pub(crate) mod linear;
pub mod map;
pub mod map_parallel;
pub mod map_reductions;
pub mod map_scans;
pub mod merge_identical;
pub mod model;
mod not;
pub(crate) mod numbers;
pub mod outlining;
pub mod persistent;
pub mod promises;
pub mod reciprocal_roots;
pub mod set_fastmath;
pub mod sink;
pub mod stencils;
pub mod time_tile;

use terrace_ir::{Context, Op, Value};

/// The values that ops inside `op` use and that are defined outside it, in the order
/// of first use.
pub(crate) fn captured(ctx: &Context, op: Op) -> Vec<Value> {
    let mut out: Vec<Value> = Vec::new();
    for o in op.pre_order(ctx).into_iter().skip(1) {
        for v in o.operands(ctx) {
            let inside = match (v.def_op(), v.arg_block().and_then(|b| b.parent_op(ctx))) {
                (Some(d), _) => op != d && op.is_ancestor_of(ctx, d),
                (None, Some(owner)) => op.is_ancestor_of(ctx, owner),
                (None, None) => false,
            };
            if !inside && !out.contains(&v) {
                out.push(v);
            }
        }
    }
    out
}
