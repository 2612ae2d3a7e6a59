//! How loops are transformed: one transformation a file.
//!
//! Each is a function that gets loops and numbers and gives the loops that stand in
//! their place, in the order of the results of the op of the schedule dialect. It
//! either does all of it or refuses before it has changed anything.

pub mod band;
pub mod build;
pub(crate) mod carried;
pub mod carry;
pub mod coalesce;
pub mod coalesce_scf;
pub mod codegen;
pub mod components;
pub mod distribute;
mod domain;
pub mod expand;
pub(crate) mod expand_array;
pub(crate) mod frame;
pub mod fuse;
pub mod fuse_slice;
pub(crate) mod in_place;
pub(crate) mod inequalities;
pub mod inline;
pub mod isolate;
pub mod iterations;
pub mod linear_scan;
pub mod mapper;
pub mod names;
pub mod nest;
pub mod normalize;
pub mod outline;
pub mod parallelize;
pub mod peel;
pub mod permute;
pub mod promote;
mod rebuild;
pub mod recurrence;
pub mod redirect;
pub(crate) mod rematerialize;
pub mod reverse;
mod scan;
pub mod scop;
pub mod separate;
pub mod sequentialize;
pub mod shift;
pub mod single_iteration;
pub mod sink;
pub mod skew;
pub(crate) mod splice;
pub mod split;
pub(crate) mod split_at_counter;
pub mod stage;
pub mod strip_mine;
mod substitute;
pub(crate) mod take_over;
mod tidy;
pub mod tile;
pub mod tile_band;
pub mod unroll;
pub mod unroll_jam;
pub mod vectorize;

use std::fmt;

use terrace_ir::Loc;

/// Why a transformation cannot be done to these loops, in the words of the program.
#[derive(Debug, Clone)]
pub struct Refusal {
    /// The loop or op that is in the way.
    pub loc: Loc,
    /// What was found, and what would be right.
    pub message: String,
    /// Further places.
    pub notes: Vec<(Loc, String)>,
}

impl Refusal {
    pub fn new(loc: Loc, message: impl Into<String>) -> Refusal {
        Refusal {
            loc,
            message: message.into(),
            notes: Vec::new(),
        }
    }

    pub fn note(mut self, loc: Loc, message: impl Into<String>) -> Refusal {
        self.notes.push((loc, message.into()));
        self
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Refusal {}
