//! Layouts as linear maps over the field of two elements.
//!
//! Where all radices are powers of two and no two digits set the same bit of a coordinate,
//! a sum of digits is the same as an exclusive or. Then a layout is a matrix of bits, and
//! linear algebra answers what enumeration would. The idea is that of "Linear Layouts" by
//! Zhou et al., 2025 (arXiv 2505.23819). No code is taken from there.

mod map;
mod matrix;

pub use map::F2;
pub use matrix::BitMatrix;
pub(crate) use matrix::rank;
