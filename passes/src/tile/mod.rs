//! What a block does on tiles: from loops, and to threads.

pub mod from_affine;
pub mod threads;
