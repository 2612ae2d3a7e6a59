//! Expressions over arrays.
//!
//! ```
//! use terrace_dsl::{Expr, View, lower::lower, program::Program};
//! use std::sync::Arc;
//!
//! let y = Expr::<f64>::array(View::row_major(Arc::new(()), &[100]));
//! let e = 2.0 * &y - y.sin();                      // nothing is computed yet
//! assert_eq!(e.sizes().unwrap(), Some(&[100][..]));
//! ```
//!
//! An [`Expr`] is a typed graph of [`node`]s. [`program`] makes a list of it in which what is
//! computed twice stands once, without the numbers and sizes that a call passes: that list is the
//! key of a kernel. [`lower`] makes affine loops of the list, and nothing else. What runs them is
//! not known here.

#![deny(missing_docs)]

mod complex;
mod element;
mod error;
mod expr;
mod functions;
mod iterate;
pub mod lower;
pub mod node;
mod op;
#[doc(hidden)]
pub mod operators;
pub mod program;
mod random;
mod stencil;

pub use complex::{complex, parts};
pub use element::{
    Bits, ComplexPart, Element, ElementType, Float, Integer, Number, RealNumber, Scalar, Signed,
};
pub use error::{ExprError, Problem, Sizes, sizes_text};
pub use expr::{Expr, Operand, constant, index, parameter};
pub use half::{bf16, f16};
pub use iterate::{Real, Recorded, iterate, iterate_over};
pub use node::{Graph, View};
pub use num_complex::Complex;
pub use op::{Binary, Compare, Edge, Fold, Kept, Part, Scatter, Unary, Within};
pub use operators::Beside;
pub use random::{Draw, philox, philox_4x32, threefry, threefry_2x64};
#[doc(hidden)]
pub use std::primitive::{bool, f32, f64, i32, i64, u32, u64};
pub use stencil::{Neighbours, stencil};
