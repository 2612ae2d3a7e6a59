//! Passes that change nothing and show what an analysis found.

pub mod dependences;
mod json;
pub mod memref_dependence_check;
mod report;
