//! Integer sets and maps: the lowest layer, which knows no IR.
//!
//! `solve/` decides whether there is an integer point, `simplex/` is the linear
//! programming under it, `lexmin/` the lexicographic minimum, of integer programs and
//! as a function of parameters. All of them are written over `num.rs`, whose numbers
//! widen when they overflow. `conjunct` and `relation` are constraints and their unions,
//! with parameters and existentially quantified columns; `algebra/`, `union/`, `quantifier/`
//! and `simplify/` are what is done with them. `text/` is isl's notation, and `effort` bounds
//! the work of many questions together.

mod algebra;
mod bounds;
mod columns;
mod cone;
mod conjunct;
mod count;
mod effort;
mod extremum;
mod int;
mod integer_program;
mod lexmin;
mod num;
mod points;
mod quantifier;
mod redundant;
mod relation;
mod simplex;
mod simplify;
mod solve;
mod space;
mod text;
mod union;
mod unknown;

pub use bounds::{Bound, DimBounds, Interval};
pub use cone::Generators;
pub use conjunct::{Conjunct, Row};
pub use count::Count;
pub use effort::Effort;
pub use extremum::Extremum;
pub use int::Int;
pub use integer_program::IntegerProgram;
pub use lexmin::Piece;
pub use relation::{Relation, Set};
pub use space::Space;
pub use text::{Named, Names, ParseError};
pub use union::Extreme;
pub use unknown::Unknown;
