//! Passes that change nothing and show what an analysis found.

pub mod dependences;
mod json;
mod report;
