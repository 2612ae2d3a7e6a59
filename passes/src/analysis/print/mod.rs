//! Passes that change nothing and show what an analysis found.

pub mod memref_dependence_check;
