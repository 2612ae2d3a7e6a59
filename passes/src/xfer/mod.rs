//! Where arrays live and when they move: mirrors on the device, plain copies, the placement
//! that moves as little as can be, and a check that nothing stale is used.
//!
//! - [`insert`]: mirrors, and copies by one of three plain schemes;
//! - [`optimize`]: the copies taken out again and put where each is needed, on
//!   [`flow`] (the control flow of the host's code), [`arrays`] (who touches what) and
//!   [`motion`] (where a copy may be made);
//! - [`hand`]: mirrors handed to functions, whose copies then stand in their callers;
//! - [`peel`]: loops taken apart, so that copies leave them;
//! - [`chunk`]: large copies and the kernel between them in pieces that can overlap;
//! - [`device_copies`]: which `memref.copy` is done on the device;
//! - [`narrow`]: copies of the boxes that are used or were written, in place of whole arrays;
//! - [`overwritten`]: where affine loops leave nothing of what was in an array;
//! - [`overlap`]: copies and launches go on while the host does something else;
//! - [`pad_rows`]: rows of buffers at multiples of what memory is moved by;
//! - [`present`]: whether an `xfer.enter_data` finds its array on the device already;
//! - [`lower_data`]: data regions taken apart, before mirrors are made;
//! - [`dead_on_entry`]: where a whole function does;
//! - [`fragments`]: small host code between kernels as kernels of one thread;
//! - [`keep_on_host`]: parallel loops of which no kernel is made, because copies would take longer;
//! - [`lower_mirrors`]: buffers and flags, for code that runs;
//! - [`forward_copies`]: copies on the device left out, one buffer for both ends;
//! - [`hoist`]: buffers allocated in front of loops, and shared;
//! - [`report`]: what is copied, how often and why;
//! - [`check`]: on all paths every use sees the last write; shares nothing with the others.

pub(crate) mod arrays;
pub mod check;
pub(crate) mod chunk;
pub(crate) mod dead_on_entry;
pub(crate) mod device_copies;
pub(crate) mod flow;
pub(crate) mod forward_copies;
pub(crate) mod fragments;
pub(crate) mod guard;
pub(crate) mod hand;
pub(crate) mod hoist;
pub(crate) mod insert;
pub(crate) mod keep_on_host;
pub(crate) mod lower_data;
pub(crate) mod lower_mirrors;
pub(crate) mod motion;
pub(crate) mod narrow;
pub(crate) mod optimize;
pub(crate) mod overlap;
pub(crate) mod overwritten;
pub(crate) mod pad_rows;
pub(crate) mod peel;
pub(crate) mod present;
pub(crate) mod report;
pub(crate) mod summary;
