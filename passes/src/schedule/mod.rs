//! Schedules: what is done to which loops.
//!
//! `apply/` reads a schedule and does it, step by step. `mechanics/` changes loops,
//! one transformation a file. It checks that the loops have the shape that the
//! transformation is for, never whether it is legal: that is decided apart from it, in
//! `legality/`, from the dependences of the program before and the loops after. Which
//! sizes and which order is decided by neither: that is `policy/`.

pub mod apply;
pub mod codegen;
pub mod legality;
pub mod mechanics;
pub mod policy;
pub mod scop;
pub mod words;
