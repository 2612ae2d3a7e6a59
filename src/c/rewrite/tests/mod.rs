//! What becomes of constructs, one by one, and that compilers take it.

mod build;
mod constructs;
mod errors;
mod real;
mod regions;
