//! Regions of a program: what their directives say, what becomes of their loops, which part
//! of which array they touch and what they take.
//!
//! [`notes`] is what is said about a region to its author, as data. [`mod@parallelize`] decides
//! for each loop, from dependences and directives, whether its iterations may run in
//! any order: `verdict` decides, `rewrite` does it, `explain` finds words.
//! [`extents`] is which part of each array a region touches, as a function, and
//! `extent_words` the same in words; `sure` which subscripts it surely has; `overwrites` of which
//! of those it leaves nothing. [`sentences`] makes sentences of notes, [`report`] remarks of those.
//! [`unsigned`] and [`presume`] say what has to hold of arguments when a region is called.
//! [`slices`] lets a region be run a part at a time.
//! [`map`] makes kernels of the parallel loops; [`cost`] asks the model what they take.

use crate::analysis::directive::Region;

mod coincide;
mod collapse;
pub mod cost;
pub mod estimate;
mod explain;
mod extent_words;
pub mod extents;
mod flags;
mod forms;
mod freedom;
pub mod map;
pub mod notes;
mod overwrites;
pub mod parallelize;
pub mod presume;
mod private;
pub(crate) mod private_reductions;
mod range;
pub(crate) mod reorder;
pub(crate) mod report;
mod rewrite;
mod score;
pub mod sentences;
pub mod slices;
mod sure;
mod ties;
pub mod unsigned;
mod verdict;

pub use crate::analysis::loop_like::Loop;
pub use estimate::{
    CpuModel, Estimate, GpuModel, Times, Work, common_core, declines, estimate, pays, times,
};
pub use overwrites::Overwritten;
pub use parallelize::{Options, Schedule, parallelize};
pub use score::{innermost_parallel, only_threads};

/// The construct of a region's function, as `acc.region` says.
pub fn construct_of(ctx: &terrace_ir::Context, function: terrace_ir::Op) -> notes::Construct {
    Region::of(ctx, function).construct
}
