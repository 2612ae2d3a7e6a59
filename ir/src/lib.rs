//! ir

pub mod num;
