//! The lexicographically least integer point: of a program without parameters, and as
//! a function of parameters.

mod context;
mod dual;
mod parametric;
mod pieces;

pub use pieces::Piece;
