//! Machine descriptions, and what code is lowered to.

pub mod gpu_to_ptx;
pub mod interp;
pub mod machine;
pub mod native;
pub mod ptx;
