//! Regions of a program that are offered to an accelerator.
//!
//! `notes` is what is said about a region to its author, as data. `parallelize` decides
//! for each loop, from dependences and directives, whether its iterations may run in
//! any order: `verdict` decides, `rewrite` does it, `explain` and `source` find words.
//! `extents` is which part of each array a region touches, as a function, and
//! `extent_words` the same in words, `sure` which subscripts it surely has, `overwrites` of which of those it leaves nothing.
//! `say` makes sentences of notes, `report` remarks of those.
//! `map` makes kernels of the parallel loops, `merge_kernels` one module of those; `cost` asks
//! the model what they take.

mod accumulate;
pub(crate) mod carried;
mod coincide;
mod collapse;
pub mod cost;
pub(crate) mod directive;
pub mod estimate;
pub(crate) mod expand_array;
mod explain;
mod extent_words;
pub mod extents;
mod flags;
mod forms;
mod freedom;
mod in_place;
mod loops;
pub mod map;
pub mod merge_kernels;
pub mod notes;
mod overwrites;
pub mod parallelize;
mod poly;
mod private;
mod range;
pub mod registers;
pub(crate) mod reorder;
pub mod report;
mod rewrite;
pub mod say;
mod score;
pub mod source;
mod split;
mod sure;
mod verdict;

pub use estimate::{CpuModel, Estimate, GpuModel, Times, Work, declines, estimate, pays, times};
pub use extents::{ArrayExtent, Extents, extents};
pub use loops::Loop;
pub(crate) use map::coefficient;
pub use overwrites::Overwritten;
pub use parallelize::{Options, Schedule, parallelize};

/// The construct of a region's function, as `acc.region` says.
pub fn construct_of(ctx: &terrace_ir::Context, function: terrace_ir::Op) -> notes::Construct {
    directive::Region::of(ctx, function).construct
}
