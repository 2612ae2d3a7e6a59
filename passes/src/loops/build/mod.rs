//! Arithmetic as ops, folded where its operands are constants.

pub mod float;
pub mod index;
