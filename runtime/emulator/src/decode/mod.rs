//! From the machine form to code that can be run: operands become rows of a
//! warp's registers, immediates and special registers rows of their own,
//! labels positions.

mod act;
mod code;
mod collective;
mod layout;
mod lower;
mod memory;
mod module;
mod pure;
mod pure_bits;
mod pure_float;
mod pure_move;

pub(crate) use code::*;
pub(crate) use lower::{LOCAL_WINDOW, PARAM_WINDOW, SHARED_WINDOW, WINDOW};
pub use module::{Kernel, LoadError, Module, Parameter};
