//! The table of present arrays, followed on all paths: data regions that were taken apart,
//! `xfer.enter_data`, `xfer.exit_data`, updates, and the buffers that are looked up.
//!
//! Each array is followed by itself, from the functions that others may call into those
//! that they call. What may be so of it is a set of states, one for each kind of path:
//! which rows of its elements are on the device and how often they are held, which elements
//! are stale on which side, and which buffers are still theirs.
//!
//! - `content`: elements that are valid here or there; `place`: which ones a memref is.
//! - `state`: the rule. `effects`: what an op does. `functions`: calls, and where to begin.
//! - `under_way`: asynchronous ops that may still use a buffer.
//! - `report`: what is said of mistakes.

pub(super) mod content;
pub(super) mod effects;
mod follow;
pub(super) mod functions;
mod place;
pub(super) mod report;
pub(super) mod state;
pub(super) mod under_way;
pub(super) mod ways;
