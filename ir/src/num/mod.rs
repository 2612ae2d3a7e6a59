//! Numbers as constants of the IR carry them: integers of any width and
//! floating-point values of every builtin format, as bit patterns.
//!
//! Both types are plain values without a context: equality and hashing are on
//! the bits, so `-0.0` differs from `0.0` and a NaN equals itself, which is
//! what uniquing attributes needs. Arithmetic is exact to the bit on every
//! host, since folding must not depend on where the compiler runs.

pub mod float;
pub mod int;
mod reciprocal;

pub use float::{Float, FloatKind, ParseFloatError, Rounding};
pub use int::{Int, ParseIntError};
pub use reciprocal::{Reciprocal, short_reciprocal};
