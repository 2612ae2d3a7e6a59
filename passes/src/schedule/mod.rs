//! Schedules: what is done to which loops.
//!
//! [`apply`] reads a schedule and does it, step by step, with [`crate::loops`]. A
//! transformation checks that loops have the shape that it is for, never whether it is legal:
//! that is decided apart from it, in [`legality`], from the dependences of the program before
//! and the loops after. Which sizes and which order is decided by neither: that is [`policy`].

pub mod apply;
pub(crate) mod legality;
pub(crate) mod policy;
