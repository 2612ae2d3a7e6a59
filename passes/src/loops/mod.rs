//! How loops are transformed: one transformation a file.
//!
//! Each is a function that gets loops and numbers and gives the loops that stand in
//! their place, in the order of the results of the op of the schedule dialect. It
//! either does all of it or refuses before it has changed anything.

pub mod alone;
pub(crate) mod band;
pub(crate) mod build;
pub(crate) mod carried;
pub(crate) mod carry;
pub(crate) mod coalesce;
pub(crate) mod coalesce_scf;
pub(crate) mod codegen;
pub mod components;
pub mod distribute;
pub(crate) mod distribute_nest;
mod domain;
pub(crate) mod expand;
pub(crate) mod expand_array;
pub(crate) mod frame;
pub mod fuse;
pub(crate) mod fuse_slice;
pub(crate) mod guard;
pub(crate) mod in_place;
pub(crate) mod inequalities;
pub(crate) mod inline;
pub(crate) mod isolate;
pub(crate) mod iterations;
pub(crate) mod linear_scan;
pub(crate) mod mapper;
pub(crate) mod names;
pub mod nest;
pub mod normalize;
pub(crate) mod outline;
pub mod parallelize;
pub mod peel;
pub mod permute;
pub(crate) mod promote;
mod rebuild;
pub(crate) mod recurrence;
pub(crate) mod redirect;
pub(crate) mod rematerialize;
pub mod reverse;
mod scan;
pub(crate) mod scop;
pub(crate) mod separate;
pub(crate) mod sequentialize;
pub mod shift;
pub(crate) mod single_iteration;
pub(crate) mod sink;
pub mod skew;
pub(crate) mod splice;
pub mod split;
pub(crate) mod split_at_counter;
pub(crate) mod stage;
pub mod strip_mine;
mod substitute;
pub mod take_over;
mod tidy;
pub mod tile;
pub(crate) mod tile_band;
pub(crate) mod unroll;
pub(crate) mod unroll_jam;
pub(crate) mod vectorize;

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
    pub(crate) fn new(loc: Loc, message: impl Into<String>) -> Refusal {
        Refusal {
            loc,
            message: message.into(),
            notes: Vec::new(),
        }
    }

    pub(crate) fn note(mut self, loc: Loc, message: impl Into<String>) -> Refusal {
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
