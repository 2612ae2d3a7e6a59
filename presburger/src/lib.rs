//! Integer sets and maps: the lowest layer, which knows no IR.

mod cone;
mod algebra;
mod columns;
mod conjunct;
mod extremum;
mod int;
mod integer_program;
mod num;
mod points;
mod relation;
mod simplex;
mod simplify;
mod solve;
mod space;
mod text;
mod unknown;

pub use cone::Generators;
pub use conjunct::{Conjunct, Row};
pub use extremum::Extremum;
pub use int::Int;
pub use integer_program::IntegerProgram;
pub use relation::{Relation, Set};
pub use space::Space;
pub use text::{Named, Names, ParseError};
pub use unknown::Unknown;
