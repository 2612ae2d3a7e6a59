//! What instructions compute, on the bits of one lane.
//!
//! A value lies in the low bits of a `u64`, zeros above. Functions take and give
//! such bits; signed ones extend the sign for themselves.

pub mod convert;
mod cut;
pub mod float;
pub mod half;
pub mod int;
pub mod product;
#[cfg(test)]
mod tests;
