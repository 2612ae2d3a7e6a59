//! Conversions from one level to the next: one a file.

pub mod affine;
mod affine_dma;
mod affine_index;
pub mod expand;
pub mod scf_to_cf;
