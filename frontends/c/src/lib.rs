//! C programs, with their directives: parsed, typed, and lowered to affine loops.
//!
//! `cc -E` preprocesses, lang-c parses; [`read`](read()) is all of it. [`source`] maps places in the preprocessed
//! text to the files as written, [`directive`] reads pragmas, and [`hir`] is the unit
//! with names resolved and types known. `sema/` makes it, `rules/` holds it against what OpenACC
//! forbids, and `lower/` makes MLIR of it.
//! Who has a variable of a construct, each gang or all the same, is answered in one place, for
//! the lowering and for the text that the host's compiler gets.

pub mod dialect;
pub mod directive;
pub mod hir;
pub mod lex;
pub mod lower;
pub mod parse;
pub mod preprocess;
mod read;
pub mod region;
mod rules;
pub mod sema;
pub mod source;
pub mod stack;
pub mod types;

pub use read::{ReadError, read, read_as, read_source};
