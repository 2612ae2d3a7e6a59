//! terrace: a compiler framework that carries affine loop programs down, level by
//! level, to PTX for NVIDIA GPUs and to native code.

pub use terrace_dialects as dialects;
pub use terrace_ir as ir;
