//! Transformations that keep the level of the program: one pass a file.

pub mod affine_parallelize;
pub mod canonicalize;
pub mod cse;
pub mod inline;
pub mod licm;
pub mod sccp;
pub mod sequentialize;
pub mod symbol_dce;
