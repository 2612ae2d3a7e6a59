//! Passes that exist for upstream's tests alone: no pipeline has them.

pub mod affine_data_copy;
pub mod loop_fusion;
pub mod memref_dependence_check;
