//! Affine expressions, maps and integer sets.
//!
//! A plain data library: it knows nothing of operations, of parsing or of
//! attributes. The parser calls the builders here, which simplify as they
//! build the way MLIR's do, so that text read and printed again is the text
//! `mlir-opt` would print.
//!
//! * [`AffineExpr`], [`AffineMap`], [`IntegerSet`]: the data.
//! * [`simplify_affine_expr`], [`Flattener`]: normal form through a linear
//!   form with one local variable per division.
//! * [`LinearSystem`]: equalities and inequalities, Fourier-Motzkin.
//! * [`canonicalize_map_and_operands`] and its kin: maps applied to operands
//!   of any type.
//! * [`expr_bounds`], [`simplify_with_facts`]: interval arithmetic, and what
//!   follows from it.
//!
//! Nothing here panics. Where a result does not fit in an `i64` the
//! expression is left as it was, or the answer is `None`.

mod bounds;
mod build;
mod constraints;
mod elimination;
mod expr;
mod flatten;
mod map;
mod operands;
mod print;
mod query;
mod ranges;
mod semi_affine;
mod set;
mod simplify;
mod subst;

#[cfg(test)]
mod tests;

pub use bounds::{Range, expr_bounds};
pub use build::BuildError;
pub use constraints::{Emptiness, FourierMotzkinLimits, LinearSystem, Unknown};
pub use expr::{AffineExpr, AffineOp, BinaryExpr, MAX_DEPTH};
pub use flatten::{Division, FlatForm, FlattenError, Flattener, LinearRow, Local, flatten};
pub use map::{AffineMap, MapError};
pub use operands::{
    OperandInfo, ValueMap, canonicalize_map_and_operands, canonicalize_set_and_operands,
    compose_map_operands,
};
pub(crate) use print::{DimOrSym, print_expr_with};
pub use query::gcd;
pub use ranges::{InputFacts, prune_min_max, simplify_with_facts};
pub use set::{Constraint, IntegerSet};
pub use simplify::simplify_affine_expr;
