//! Where the elements of a tile lie in a buffer, and what it costs to get at them.

mod access;
mod conflicts;
mod offsets;
mod swizzle;
mod text;

pub use access::widest_access;
pub use conflicts::{Passes, bank_conflicts};
pub use offsets::{Memory, Xor};
pub use swizzle::{Swizzle, choose_swizzle};
