//! MLIR's textual IR: lexer, parser, assembly formats and printer.

mod body;
pub mod format;
pub mod lexer;
pub mod literal;
pub mod parser;
pub mod printer;
mod scan;
pub mod token;

#[cfg(test)]
mod lexer_tests;

pub use body::BodyError;
pub use lexer::{InputError, LexError, LexErrorKind, Lexer, utf8_text};
pub use token::{Token, TokenKind};
