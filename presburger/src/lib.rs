//! Integer sets and maps: the lowest layer, which knows no IR.

mod algebra;
mod columns;
mod conjunct;
mod int;
mod relation;
mod simplify;
mod space;
mod text;
mod unknown;

pub use conjunct::{Conjunct, Row};
pub use int::Int;
pub use relation::{Relation, Set};
pub use space::Space;
pub use text::{Named, Names, ParseError};
pub use unknown::Unknown;
