//! ir
pub mod affine;
