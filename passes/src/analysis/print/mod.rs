//! Passes that change nothing and show what an analysis found.

pub(crate) mod dependences;
mod json;
mod report;
