//! MLIR's textual IR: lexer, parser, assembly formats and printer.

mod body;
pub mod format;
mod lexer;
mod literal;
pub mod parser;
pub mod places;
pub mod printer;
mod resource;
mod scan;
mod token;

#[cfg(test)]
mod lexer_tests;

pub use lexer::InputError;
pub(crate) use lexer::{Lexer, utf8_text};
pub use token::{Token, TokenKind};
