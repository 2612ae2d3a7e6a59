//! ir

pub mod diag;
pub mod text;
