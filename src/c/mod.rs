//! C programs: rewritten for the system compiler, with their regions compiled here.

pub mod archs;
pub mod compile;
pub mod costs;
pub mod driver;
pub mod found;
mod left;
pub mod plan;
pub mod rewrite;
pub mod schedule;
pub mod sources;
pub mod translate;
pub mod visit;
pub mod wishes;
