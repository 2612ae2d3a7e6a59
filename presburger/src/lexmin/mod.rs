//! The lexicographically least integer point: of a program without parameters, and as
//! a function of parameters.

mod context;
mod dual;
mod parametric;
mod pieces;
mod program;

pub use pieces::Piece;
pub use program::IntegerProgram;
