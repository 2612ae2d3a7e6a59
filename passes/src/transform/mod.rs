//! Transformations that keep the level of the program: one pass a file.

pub mod affine_data_copy_generate;
pub mod affine_loop_coalescing;
pub mod affine_loop_fusion;
pub mod affine_loop_invariant_code_motion;
pub mod affine_loop_normalize;
pub mod affine_loop_tile;
pub mod affine_loop_unroll;
pub mod affine_loop_unroll_jam;
pub mod affine_parallel_boxes;
pub mod affine_parallelize;
pub mod affine_ping_pong;
pub mod affine_promote;
pub mod affine_scalrep;
pub mod affine_simplify_structures;
pub mod affine_super_vectorize;
pub mod canonicalize;
pub mod cse;
pub mod inline;
pub mod licm;
pub mod loop_nests;
pub mod loop_utils;
pub mod sccp;
pub mod sequentialize;
pub mod symbol_dce;
pub mod test_affine_data_copy;
pub mod test_loop_fusion;
