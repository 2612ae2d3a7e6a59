//! Systems of linear constraints whose columns are values of the program, and the
//! bounds that they give to loops.
//!
//! This is the form in which slices of loop nests and regions of memrefs are computed
//! and turned back into affine maps. Elimination is Fourier-Motzkin with integer
//! tightening, in an order and with a handling of equalities that give the bounds that
//! MLIR's affine passes print; what is computed by it is a box or a rational
//! projection, so never too small. A question that needs an exact answer does not
//! belong here.

mod bounds;
mod domain;
mod eliminate;
mod expr;
mod hull;
mod slice_bounds;
mod system;

pub use bounds::Extent;
pub use slice_bounds::SliceBound;
pub use system::{Bound, Row, System};
