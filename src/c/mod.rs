//! C programs: rewritten for the system compiler, with their regions compiled here.

pub mod compile;
pub mod plan;
pub mod rewrite;
pub mod visit;
