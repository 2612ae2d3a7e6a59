//! Layouts as text: `<[128, 128], reg = [2 @ (0,1), 2 @ (8,0)], lane = [4 @ (0,2), 8 @ (1,0)]>`.

mod cursor;
mod parse;
mod print;

pub use cursor::ParseError;
pub(crate) use cursor::{Cursor, Parsed};
