//! From parallel loops to kernels: mapping, outlining, promises.

pub(crate) mod affine_for_to_gpu;
mod aligned;
mod branches;
mod combine;
pub mod contraction;
pub(crate) mod count_work;
pub(crate) mod expand_math;
pub(crate) mod fuse_nests;
pub mod map;
pub(crate) mod map_blocks;
pub(crate) mod map_parallel;
pub(crate) mod map_reductions;
pub(crate) mod map_scans;
mod match_failure;
pub(crate) mod merge_identical;
pub(crate) mod merge_kernels;
pub mod model;
pub(crate) mod outlining;
pub(crate) mod persistent;
pub(crate) mod promises;
pub(crate) mod reciprocal_roots;
pub(crate) mod set_fastmath;
pub(crate) mod sink;
pub(crate) mod stencils;
pub(crate) mod temporal_blocking;
pub(crate) mod thread_coarsening;
