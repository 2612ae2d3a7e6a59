//! Machine descriptions, and the machine-level forms that code is lowered to.

pub mod gpu_to_ptx;
pub mod machine;
pub mod ptx;
