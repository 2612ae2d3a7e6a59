//! PTX text to the machine form: what [`crate::print()`] writes, and what other
//! compilers write as far as the instruction table knows it.
//!
//! Order and spelling of suffixes come from the table, so a new instruction is
//! parsed as soon as it is printed. Nested scopes, register ranges (`%r<8>`),
//! debug sections and `.loc` with inlining are understood. What calls take and
//! give in `.param` space are variables of the function; of several with one name
//! in different scopes the later ones get a number.
//!
//! | file | what |
//! | --- | --- |
//! | `lex` | words |
//! | `cursor` | the place in the words, and errors |
//! | `scope` | names of registers, variables and labels |
//! | `module` | directives, signatures |
//! | `variables` | declarations of variables |
//! | `body` | statements of a function |
//! | `inst` | one instruction, by the table |
//! | `operand` | operands |

mod body;
mod cursor;
mod inst;
mod lex;
mod module;
mod operand;
mod scope;
#[cfg(test)]
mod tests;
mod variables;

use crate::module::Module;
use std::fmt;

/// A module and where its instructions stand in the text.
#[derive(Clone, Debug)]
pub struct Parsed {
    pub module: Module,
    /// For each function, by its position in [`Module::funcs`], the line
    /// (from 1) of each instruction, by its position in the arena; 0 for a
    /// branch to the next block, which the text leaves out.
    pub lines: Vec<Vec<u32>>,
}

/// What is wrong with a text, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Error {
    /// From 1.
    pub line: u32,
    /// From 1, in characters.
    pub column: u32,
    pub message: String,
}

impl Error {
    fn at(text: &str, at: usize, message: String) -> Error {
        let before = text.get(..at).unwrap_or(text);
        let start = before.rfind('\n').map_or(0, |i| i + 1);
        let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Error {
            line: count(before.bytes().filter(|b| *b == b'\n').count() + 1),
            column: count(before[start..].chars().count() + 1),
            message,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

/// Most errors that are collected before parsing gives up.
const MAX_ERRORS: usize = 50;

/// Parses a module.
///
/// # Errors
/// Everything found wrong, in the order of the text: each with its line and
/// column, what was found and what would be right.
pub fn parse(text: &str) -> Result<Parsed, Vec<Error>> {
    let (tokens, errors) = lex::lex(text);
    let mut cursor = cursor::Cursor::new(text, &tokens, errors);
    let parsed = module::parse(&mut cursor);
    let mut errors = cursor.errors;
    if errors.is_empty() {
        return Ok(parsed);
    }
    errors.sort_by_key(|e| (e.line, e.column));
    errors.truncate(MAX_ERRORS);
    Err(errors)
}
