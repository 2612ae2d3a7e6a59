//! What code is lowered to. Machine descriptions and PTX as a machine form are
//! a crate of their own, which the runtime's emulator uses too.

pub mod gpu_to_ptx;
pub mod interp;
pub mod native;

pub use terrace_ptx as ptx;
pub use terrace_ptx::machine;
