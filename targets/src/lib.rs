//! Machine descriptions, and the machine-level forms that code is lowered to.

pub mod interp;
pub mod machine;
pub mod native;
pub mod ptx;
