//! Where arrays live and when they move: mirrors on the device, naive copies, and the
//! placement that moves as little as can be.
//!
//! - [`insert`]: mirrors, and copies by one of three plain schemes;
//! - [`optimize`]: the copies taken out again and put where each is needed, on
//!   [`flow`] (the control flow of the host's code), [`arrays`] (who touches what) and
//!   [`motion`] (where a copy may be made).

pub mod arrays;
pub mod flow;
pub mod guard;
pub mod insert;
pub mod motion;
pub mod optimize;
pub mod summary;
