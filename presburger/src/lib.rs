//! Integer sets and maps: the lowest layer, which knows no IR.

mod conjunct;
mod int;
mod relation;
mod space;
mod unknown;

pub use conjunct::{Conjunct, Row};
pub use int::Int;
pub use relation::{Relation, Set};
pub use space::Space;
pub use unknown::Unknown;
