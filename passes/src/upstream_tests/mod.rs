//! Passes that exist for upstream's tests alone: no pipeline has them.

pub(crate) mod affine_data_copy;
pub(crate) mod loop_fusion;
pub(crate) mod memref_dependence_check;
