//! Models that are written as their equations, lowered to affine loops.
//!
//! ```text
//! model decay(N: index; h: real) precision f64
//! array U(i: 0..N)
//! compute U(i skip 1 1) = U[i] + h*(U[i-1] - 2*U[i] + U[i+1])
//! ```
//!
//! [`parse`](parser::parse) makes a tree of a text and says all that is wrong with it. [`check`](model::check)
//! finds what names mean, where each array's elements lie ([`layout`]), that indices are there ([`index`])
//! and which statements need their old values kept ([`race`]). [`lower`](lower::lower) writes the module.
//! The crate knows neither passes nor devices.

pub mod affine;
pub mod ast;
pub mod domain;
pub mod index;
pub mod layout;
pub mod lexer;
pub mod lower;
pub mod model;
pub mod parser;
pub mod race;

use terrace_ir::diag::{Diagnostic, SourceFile};
use terrace_ir::{Context, Op};

/// The module of a file in the language of formulas: one function with the model's name.
///
/// # Errors
///
/// All that is wrong with the text, in its order.
pub fn read(ctx: &mut Context, file: &SourceFile) -> Result<Op, Vec<Diagnostic>> {
    let (tree, said) = parser::parse(file);
    if !said.is_empty() {
        return Err(said);
    }
    let model = model::check(file, &tree)?;
    lower::lower(ctx, file, &model)
}
