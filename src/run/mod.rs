//! Running programs: on the CPU, on a GPU, or in the reference interpreter.

pub mod bind;
pub mod entry;
pub mod formula;
pub mod options;
pub mod session;
