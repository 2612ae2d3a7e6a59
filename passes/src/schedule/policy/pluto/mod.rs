//! A schedule from the dependences, in the manner of Pluto: Bondhugula, Hartono,
//! Ramanujam and Sadayappan, "A practical automatic polyhedral parallelizer and
//! locality optimizer" (PLDI 2008).
//!
//! Each statement gets affine functions of its counters, the hyperplanes, which are
//! the loops of the new program from the outside in. Hyperplanes that no dependence
//! runs against form a band: its loops may be permuted and tiled. Among the legal
//! ones those are taken along which dependent instances lie closest, found by integer
//! programming over the coefficients.
//!
//! Different from the paper: the conditions that hold for all instances of a
//! dependence are not got by eliminating Farkas multipliers but stated once for each
//! generator of the dependence's polyhedron, which is the same by Minkowski and Weyl,
//! and are given to the solver when a solution violates them; a dependence that a band
//! carries only in part goes on with the face on which it is not carried; and
//! components are solved one by one.
//!
//! [`problem`] is what is asked, [`tree`] the answer; [`hyperplane`] finds one
//! hyperplane, [`band`] as many as fit, [`search`] the whole tree with its fusion.
//! [`kernels`] is another search, for devices: loops in order outside, parallel ones inside.

pub(crate) mod band;
pub(crate) mod hyperplane;
pub(crate) mod kernels;
pub(crate) mod linear;
pub(crate) mod plan;
pub(crate) mod problem;
pub(crate) mod program;
pub(crate) mod search;
pub(crate) mod tree;

#[cfg(test)]
mod tests;

pub use kernels::{for_kernels, most_threads};
pub use plan::{Choices, Times, plan};
pub use problem::Problem;
pub use program::problem_of;
pub use search::schedule;
pub use tree::Node;
