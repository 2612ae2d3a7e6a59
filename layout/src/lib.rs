//! Layouts of tiles: which thread and register holds which element. The crate knows no IR.
//!
//! A [`Layout`] gives each resource (registers, lanes, warps, ...) a list of digits
//! `radix @ step`. The element held is the sum of digit times step. `layout` and `digit`
//! define it, `normal` says when two are equal, `held` answers who holds what, and `text`
//! reads and prints. `axes` and `reshape` follow a tile whose dimensions change. `spread`
//! makes layouts for accesses. `f2/` is the same layouts as matrices of bits. `memory/` is
//! about buffers that tiles pass through, and `convert/` about ways from one layout to
//! another.

mod axes;
mod convert;
mod digit;
mod error;
mod f2;
mod frame;
mod held;
mod layout;
mod memory;
mod normal;
mod place;
mod reshape;
mod resource;
mod spread;
mod text;

pub use axes::HeldAlong;
pub use convert::{Conversion, Formula, LaneFunction, Round, ShufflePlan, conversion};
pub use digit::Digit;
pub use error::LayoutError;
pub use f2::{BitMatrix, F2};
pub use held::Outside;
pub use layout::Layout;
pub use memory::{Memory, Passes, Swizzle, Xor, bank_conflicts, choose_swizzle, widest_access};
pub use place::Place;
pub use resource::Resource;
pub use text::ParseError;

/// Coordinates of an element, one for each dimension of a tile.
pub type Coords = smallvec::SmallVec<[i64; 4]>;
