//! Sets and maps as text, in isl's notation:
//!
//! ```text
//! [n] -> { [i, j] -> [k] : 0 <= i < n and exists (e : j = 2e and k = i + e) }
//! ```
//!
//! Understood are `and`, `or`, `not`, `exists`, `true`, `false`, chains and lists of
//! comparisons (`0 <= i, j < n`), `!=`, `mod`, `floor(e/d)`, `ceil(e/d)`, `floord`,
//! `ceild`, tuple elements that are expressions, and several pieces with `;` between
//! them. One name may stand before a tuple; it is not kept.

mod lexer;
mod lower;
mod print;
pub use print::Named;
mod syntax;

use std::fmt;

use crate::relation::Relation;

/// What was wrong in a text, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// Bytes from the start of the text.
    pub offset: usize,
    /// From 1.
    pub line: usize,
    /// Characters from the start of the line, from 1.
    pub column: usize,
    pub message: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for ParseError {}

/// An error at an offset, before lines are counted.
#[derive(Debug)]
pub(crate) struct Fault {
    pub(crate) offset: usize,
    pub(crate) message: String,
}

impl Fault {
    pub(crate) fn new(offset: usize, message: impl Into<String>) -> Fault {
        Fault {
            offset,
            message: message.into(),
        }
    }

    fn place(self, text: &str) -> ParseError {
        let before = &text[..self.offset.min(text.len())];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        ParseError {
            offset: self.offset,
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            message: self.message,
        }
    }
}

/// What parameters and dimensions are called in text. Where a name is missing or
/// empty one is made up: `p0`, `i0`, `o0`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    pub params: Vec<String>,
    pub inputs: Vec<String>,
    pub outputs: Vec<String>,
}

impl Relation {
    /// Reads a set or a map.
    ///
    /// # Errors
    ///
    /// With the place, where the text is not one, where an expression is not affine,
    /// and where the negation of an `exists` is too hard.
    pub fn parse(text: &str) -> Result<Relation, ParseError> {
        Relation::parse_with_names(text).map(|(relation, _)| relation)
    }

    /// Reads a set or a map and the names it uses.
    ///
    /// # Errors
    ///
    /// As [`Relation::parse`].
    pub fn parse_with_names(text: &str) -> Result<(Relation, Names), ParseError> {
        lexer::tokens(text)
            .and_then(|tokens| syntax::parse(&tokens, text.len()))
            .and_then(lower::lower)
            .map_err(|fault| fault.place(text))
    }
}

impl std::str::FromStr for Relation {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Relation, ParseError> {
        Relation::parse(text)
    }
}
