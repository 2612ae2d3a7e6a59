//! From parallel loops to kernels: mapping, outlining, promises.

pub mod affine_for_to_gpu;
mod aligned;
mod branches;
pub mod contraction;
pub mod count_work;
pub mod expand_math;
pub mod fuse_nests;
pub mod map;
pub mod map_parallel;
pub mod map_reductions;
pub mod map_scans;
mod match_failure;
pub mod merge_identical;
pub mod merge_kernels;
pub mod model;
pub mod outlining;
pub mod persistent;
pub mod promises;
pub mod reciprocal_roots;
pub mod set_fastmath;
pub mod sink;
pub mod stencils;
pub mod temporal_blocking;
pub mod thread_coarsening;
