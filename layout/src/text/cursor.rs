//! A place in a text, and what is read there.

use std::fmt;

/// What was wrong in a text, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// Bytes from the start of the text.
    pub offset: usize,
    /// What stands there.
    pub found: String,
    /// What would be right.
    pub expected: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ParseError {
            offset,
            found,
            expected,
        } = self;
        write!(f, "at offset {offset}: expected {expected}, found {found}")
    }
}

impl std::error::Error for ParseError {}

pub(crate) type Parsed<T> = Result<T, ParseError>;

/// A place in a text.
pub(crate) struct Cursor<'a> {
    text: &'a str,
    offset: usize,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(text: &'a str) -> Cursor<'a> {
        Cursor { text, offset: 0 }
    }

    /// Where the next token starts, behind white space.
    pub(crate) fn offset(&mut self) -> usize {
        let rest = &self.text[self.offset..];
        self.offset += rest.len() - rest.trim_start().len();
        self.offset
    }

    /// The next token, empty at the end: a word, a number, or one character.
    fn peek(&mut self) -> &'a str {
        let start = self.offset();
        let rest = &self.text[start..];
        let signed = rest.strip_prefix('-').unwrap_or(rest);
        let digits = signed.len()
            - signed
                .trim_start_matches(|c: char| c.is_ascii_digit())
                .len();
        if digits > 0 {
            return &rest[..rest.len() - signed.len() + digits];
        }
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let word = rest.len() - rest.trim_start_matches(is_word).len();
        let one = rest.chars().next().map_or(0, char::len_utf8);
        &rest[..word.max(one)]
    }

    /// An error at the next token.
    pub(crate) fn error(&mut self, expected: impl Into<String>) -> ParseError {
        let token = self.peek();
        let found = match token {
            "" => "the end of the text".to_string(),
            token => format!("`{token}`"),
        };
        ParseError {
            offset: self.offset(),
            found,
            expected: expected.into(),
        }
    }

    /// Takes this token if it comes next.
    pub(crate) fn take(&mut self, token: &str) -> bool {
        let comes = self.peek() == token;
        if comes {
            self.offset += token.len();
        }
        comes
    }

    pub(crate) fn expect(&mut self, token: &str) -> Parsed<()> {
        match self.take(token) {
            true => Ok(()),
            false => Err(self.error(format!("`{token}`"))),
        }
    }

    /// A whole number of 64 bits.
    pub(crate) fn number(&mut self, what: &str) -> Parsed<i64> {
        let token = self.peek();
        let is_number = token.ends_with(|c: char| c.is_ascii_digit());
        match token.parse() {
            Ok(n) => {
                self.offset += token.len();
                Ok(n)
            }
            Err(_) if is_number => Err(self.error("a number of 64 bits")),
            Err(_) => Err(self.error(what)),
        }
    }

    /// A number that counts something: it must lie between these, both included.
    pub(crate) fn number_within(&mut self, what: &str, low: i64, high: i64) -> Parsed<i64> {
        let start = self.offset();
        let n = self.number(what)?;
        if (low..=high).contains(&n) {
            return Ok(n);
        }
        self.offset = start;
        Err(self.error(format!("{what} from {low} to {high}")))
    }

    /// Items with commas between brackets.
    pub(crate) fn list<T>(
        &mut self,
        open: &str,
        close: &str,
        mut item: impl FnMut(&mut Self) -> Parsed<T>,
    ) -> Parsed<Vec<T>> {
        self.expect(open)?;
        let mut out = Vec::new();
        if self.take(close) {
            return Ok(out);
        }
        loop {
            out.push(item(self)?);
            if self.take(close) {
                return Ok(out);
            }
            if !self.take(",") {
                return Err(self.error(format!("`,` or `{close}`")));
            }
        }
    }

    pub(crate) fn end(&mut self) -> Parsed<()> {
        match self.peek() {
            "" => Ok(()),
            _ => Err(self.error("the end of the text")),
        }
    }
}
