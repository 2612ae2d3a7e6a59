//! Arrays on a device, and expressions over them that become kernels.
//!
//! ```
//! use terrace::array::{Context, max, sum};
//!
//! let cx = Context::cpu();
//! let x = cx.vector(&[1.0, 2.0, 3.0])?;
//! let y = cx.vector(&[0.0; 3])?;
//! y.set(2.0 * &x - x.sqrt())?;                       // one kernel
//! let (s, m) = cx.reduce((sum(&x * &y), max(&y)))?;  // one kernel, no array for the products
//! assert!(s > 0.0 && m == 6.0 - 3f64.sqrt());
//! # Ok::<(), terrace::array::ArrayError>(())
//! ```
//!
//! `context` says where arrays are and keeps kernels, `filter` finds devices. `memory` is what
//! arrays share, `arrays` is the arrays, `views` their parts. `assign`, `places` and `reduce` compute.
//! `sparse` has matrices of few elements. `sort` puts `columns` in the order of `keys`, on devices
//! by `radix`, or by `merge` where a function compares, and `by_key` folds elements with equal keys. `fourier` transforms, and `record`
//! keeps steps of algorithms. `stream` does calls that are waited for later. `borrowed` makes arrays
//! of memory that a program has, and `own` calls functions that are written as text.
//! `kernel` makes code of a program of `terrace_dsl`, and `run` calls it, with what
//! is computed `apart` before.

/// Calls a macro for the tuples of one to eight: `$m!(A 0); $m!(A 0, B 1);` and so on.
macro_rules! up_to_eight {
    ($m:ident) => {
        $m!(A 0);
        $m!(A 0, B 1);
        $m!(A 0, B 1, C 2);
        $m!(A 0, B 1, C 2, D 3);
        $m!(A 0, B 1, C 2, D 3, E 4);
        $m!(A 0, B 1, C 2, D 3, E 4, F 5);
        $m!(A 0, B 1, C 2, D 3, E 4, F 5, G 6);
        $m!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7);
    };
}

mod apart;
mod arrays;
mod assign;
mod borrowed;
mod by_key;
mod columns;
mod context;
mod error;
mod filter;
mod fourier;
mod in_order;
mod kernel;
mod keys;
mod memory;
mod merge;
mod own;
mod places;
mod radix;
mod record;
mod reduce;
mod run;
mod sort;
mod sparse;
mod split;
mod stream;
mod views;

pub use crate::passes::pipeline::Algebra;
pub use arrays::Array;
pub use assign::{Assignment, Assignments};
pub use borrowed::{HostView, HostViewMut};
pub use by_key::ReductionsByKey;
pub use columns::Columns;
pub use context::{Context, Kernels};
pub use error::ArrayError;
pub use filter::{
    Candidate, DeviceKind, Filter, any_device, count, cpu, emulator, environment, gpu, matching,
    named, position,
};
pub use fourier::{
    FourierPart, Signal, fft, fft_along, ifft, ifft_along, irfft, irfft_along, rfft, rfft_along,
};
pub use keys::{Key, KeyColumn, Keys, Ordered, OrderedElement};
pub use own::{AllPassed, Function, Passed};
pub use places::Places;
pub use record::{Repeated, Step};
pub use reduce::{Reduction, Reductions, all, any, count_true, max, min, product, sum};
pub use sparse::{Csr, Ell, PIECE, Place};
pub use stream::Stream;
pub use terrace_dsl::{
    Beside, Bits, Complex, ComplexPart, Draw, Edge, Element, ElementType, Expr, ExprError, Float,
    Integer, Neighbours, Number, Operand, Real, RealNumber, Scalar, Signed, bf16, complex,
    constant, f16, index, iterate, iterate_over, parameter, philox, philox_4x32, stencil, threefry,
    threefry_2x64,
};
