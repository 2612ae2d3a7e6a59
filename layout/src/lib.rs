//! Layouts of tiles: which thread and register holds which element. The crate knows no IR.
//!
//! A [`Layout`] gives each resource (registers, lanes, warps, ...) a list of digits
//! `radix @ step`. The element held is the sum of digit times step. `layout` and `digit`
//! define it, `held` answers who holds what, and `text` reads and prints it.

mod axes;
mod digit;
mod error;
mod frame;
mod held;
mod layout;
mod normal;
mod place;
mod reshape;
mod resource;
mod spread;
mod text;

pub use axes::HeldAlong;
pub use digit::Digit;
pub use error::LayoutError;
pub use held::Outside;
pub use layout::Layout;
pub use place::Place;
pub use resource::Resource;
pub use text::ParseError;

/// Coordinates of an element, one for each dimension of a tile.
pub type Coords = smallvec::SmallVec<[i64; 4]>;
