//! MLIR's textual IR: tokens, the lexer, and the values of literal tokens.

mod body;
pub mod lexer;
pub mod literal;
mod scan;
pub mod token;

#[cfg(test)]
mod lexer_tests;

pub use body::BodyError;
pub use lexer::{InputError, LexError, LexErrorKind, Lexer, utf8_text};
pub use token::{Token, TokenKind};
