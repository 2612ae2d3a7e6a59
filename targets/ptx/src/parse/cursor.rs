//! The place in the words, and errors.

use super::lex::{Tok, Token};
use super::{Error, MAX_ERRORS};

/// An error was recorded; the caller goes on at a place it knows.
#[derive(Debug)]
pub(super) struct Failed;

pub(super) type Parse<T> = Result<T, Failed>;

pub(super) struct Cursor<'a> {
    text: &'a str,
    tokens: &'a [Token<'a>],
    at: usize,
    /// Byte and line (from 1) up to which lines were counted.
    counted: (usize, u32),
    pub errors: Vec<Error>,
}

impl<'a> Cursor<'a> {
    pub fn new(text: &'a str, tokens: &'a [Token<'a>], errors: Vec<Error>) -> Cursor<'a> {
        Cursor {
            text,
            tokens,
            at: 0,
            counted: (0, 1),
            errors,
        }
    }

    pub fn peek(&self) -> Tok<'a> {
        self.ahead(0)
    }

    /// The token `n` after the next one.
    pub fn ahead(&self, n: usize) -> Tok<'a> {
        self.tokens.get(self.at + n).map_or(Tok::End, |t| t.tok)
    }

    /// Whether the token before the next one is `c`.
    pub fn is_after(&self, c: char) -> bool {
        let before = self.at.checked_sub(1).and_then(|i| self.tokens.get(i));
        before.is_some_and(|t| t.tok == Tok::Punct(c))
    }

    /// The byte of the next token.
    pub fn byte(&self) -> usize {
        self.tokens.get(self.at).map_or(self.text.len(), |t| t.at)
    }

    /// The line of the next token. Cheap when asked in the order of the text.
    pub fn line(&mut self) -> u32 {
        let to = self.byte();
        let (from, line) = self.counted;
        let between = self.text.as_bytes().get(from..to).unwrap_or(&[]);
        let more = between.iter().filter(|b| **b == b'\n').count();
        self.counted = (to.max(from), line + u32::try_from(more).unwrap_or(0));
        self.counted.1
    }

    pub fn next(&mut self) -> Tok<'a> {
        let tok = self.peek();
        if self.at < self.tokens.len() {
            self.at += 1;
        }
        tok
    }

    /// Takes the next token if it is `c`.
    pub fn eat(&mut self, c: char) -> bool {
        let found = self.peek() == Tok::Punct(c);
        if found {
            self.next();
        }
        found
    }

    /// Takes the next token if it is the directive.
    pub fn eat_dot(&mut self, name: &str) -> bool {
        let found = self.peek() == Tok::Dot(name);
        if found {
            self.next();
        }
        found
    }

    pub fn expect(&mut self, c: char) -> Parse<()> {
        if self.eat(c) {
            return Ok(());
        }
        self.expected(&format!("`{c}`"))
    }

    /// An error about the next token.
    pub fn expected<T>(&mut self, what: &str) -> Parse<T> {
        let found = self.peek().describe();
        self.fail(self.byte(), format!("expected {what}, found {found}"))
    }

    /// An error at a byte of the text.
    pub fn fail<T>(&mut self, at: usize, message: String) -> Parse<T> {
        if self.errors.len() <= MAX_ERRORS {
            self.errors.push(Error::at(self.text, at, message));
        }
        Err(Failed)
    }

    /// Whether so much is wrong that there is no use in going on.
    pub fn gave_up(&self) -> bool {
        self.errors.len() > MAX_ERRORS
    }

    pub fn word(&mut self, what: &str) -> Parse<&'a str> {
        match self.peek() {
            Tok::Word(w) => {
                self.next();
                Ok(w)
            }
            _ => self.expected(what),
        }
    }

    /// A non-negative integer.
    pub fn number(&mut self, what: &str) -> Parse<u64> {
        let at = self.byte();
        let word = self.word(what)?;
        match integer(word) {
            Some(v) => Ok(v),
            None => self.fail(at, format!("expected {what}, found `{word}`")),
        }
    }

    /// Goes on after the next `;`, or before the brace of a block.
    pub fn skip_statement(&mut self) {
        loop {
            match self.peek() {
                Tok::Punct('{') if self.is_list() => self.skip_braces(),
                Tok::End | Tok::Punct('{' | '}') => return,
                Tok::Punct(';') => {
                    self.next();
                    return;
                }
                _ => {
                    self.next();
                }
            }
        }
    }

    /// Whether the brace ahead opens a list, as of registers, and no block.
    fn is_list(&self) -> bool {
        let mut n = 1;
        loop {
            match self.ahead(n) {
                Tok::Punct('}') => return true,
                Tok::End | Tok::Punct(';') => return false,
                _ => n += 1,
            }
        }
    }

    /// Goes on after the brace that closes the one ahead, if one is ahead.
    pub fn skip_braces(&mut self) {
        let mut depth = 0usize;
        loop {
            match self.peek() {
                Tok::Punct('{') => depth += 1,
                Tok::Punct('}') if depth > 0 => depth -= 1,
                Tok::End => return,
                _ if depth == 0 => return,
                _ => {}
            }
            self.next();
            if depth == 0 {
                return;
            }
        }
    }
}

/// A non-negative integer of PTX: decimal, `0x`, `0b` or octal, with `U` at
/// the end or not.
pub(super) fn integer(word: &str) -> Option<u64> {
    let digits = word.strip_suffix(['U', 'u']).unwrap_or(word);
    let lower = digits.to_ascii_lowercase();
    if let Some(hex) = lower.strip_prefix("0x") {
        u64::from_str_radix(hex, 16).ok()
    } else if let Some(binary) = lower.strip_prefix("0b") {
        u64::from_str_radix(binary, 2).ok()
    } else if lower.len() > 1 && lower.starts_with('0') {
        u64::from_str_radix(&lower[1..], 8).ok()
    } else if lower.starts_with(|c: char| c.is_ascii_digit()) {
        lower.parse().ok()
    } else {
        None
    }
}
