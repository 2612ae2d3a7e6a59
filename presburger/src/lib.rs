//! Integer sets and maps: the lowest layer, which knows no IR.
//!
//! `solve/` decides whether there is an integer point, `simplex/` is the linear
//! programming under it, `lexmin/` the lexicographic minimum, of integer programs and
//! as a function of parameters. All of them are written over `num.rs`, whose numbers
//! widen when they overflow.

mod conjunct;
mod extremum;
mod int;
mod lexmin;
mod num;
mod points;
mod redundant;
mod relation;
mod simplex;
mod solve;
mod space;
mod unknown;

pub use conjunct::{Conjunct, Row};
pub use extremum::Extremum;
pub use int::Int;
pub use lexmin::{IntegerProgram, Piece};
pub use relation::{Relation, Set};
pub use space::Space;
pub use unknown::Unknown;
