//! Schedules: what is done to which loops.
//!
//! `mechanics/` changes loops, one transformation a file. It checks that the loops
//! have the shape that the transformation is for, never whether it is legal: that is
//! decided apart from it, from the dependences of the program before and the loops
//! after. Which sizes and which order is decided by neither: that is `policy/`.

pub mod mechanics;
pub mod policy;
