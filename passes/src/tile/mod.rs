//! What a block does on tiles: from loops, to threads, and back to loops.

pub(crate) mod distribute_nests;
pub(crate) mod expand;
pub(crate) mod from_affine;
mod parts;
pub mod threads;
