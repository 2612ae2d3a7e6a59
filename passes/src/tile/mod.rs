//! What a block does, to threads and back to loops.
//!
//! - [`expand`] turns tiles back into loops over local buffers.

pub(crate) mod expand;
