//! Conversions from one level to the next: one a file.

pub(crate) mod affine;
mod affine_dma;
mod affine_index;
pub(crate) mod expand;
pub(crate) mod rows;
pub(crate) mod scf_forall_to_parallel;
pub(crate) mod scf_to_cf;
pub(crate) mod undefined;
