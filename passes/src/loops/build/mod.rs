//! Arithmetic as ops, folded where its operands are constants.

pub(crate) mod float;
pub(crate) mod index;
