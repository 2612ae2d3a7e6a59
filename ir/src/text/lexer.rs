//! The lexer of MLIR's textual IR.
//!
//! It allocates nothing and keeps no state but its position, so a parser may
//! copy it, look ahead, and come back with [`Lexer::reset`]. It decides what
//! MLIR's own lexer decides (`mlir/lib/AsmParser/Lexer.cpp`, version 22), with
//! the same messages at the same places; only input that is not UTF-8 is
//! refused here and let through in strings there.

use std::fmt;

use super::scan::{self, ALPHA, DIGIT, HEX, IDENT, SUFFIX};
use super::token::{Token, TokenKind};

/// Why a text cannot be lexed at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputError {
    /// Token offsets are 32 bits wide.
    TooLarge {
        /// How many the text has.
        bytes: usize,
    },
    /// The first byte that is not UTF-8. Line and column count from 1, columns in bytes.
    NotUtf8 {
        /// Bytes before it.
        offset: usize,
        /// From 1.
        line: usize,
        /// From 1, in bytes.
        column: usize,
        /// The byte found there.
        byte: u8,
    },
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InputError::TooLarge { bytes } => write!(
                f,
                "input has {bytes} bytes, but at most {} are supported",
                u32::MAX
            ),
            InputError::NotUtf8 { byte, .. } => {
                write!(f, "invalid UTF-8: unexpected byte 0x{byte:02x}")
            }
        }
    }
}

impl std::error::Error for InputError {}

/// What is wrong with an [`TokenKind::Error`] token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LexErrorKind {
    UnexpectedCharacter,
    InvalidAtIdentifier,
    InvalidAttributeName,
    InvalidValueName,
    InvalidBlockName,
    InvalidTypeIdentifier,
    IncompleteEllipsis,
    UnterminatedString,
    UnknownEscape,
}

impl LexErrorKind {
    /// The message, in MLIR's words.
    pub const fn message(self) -> &'static str {
        match self {
            LexErrorKind::UnexpectedCharacter => "unexpected character",
            LexErrorKind::InvalidAtIdentifier => {
                "@ identifier expected to start with letter or '_'"
            }
            LexErrorKind::InvalidAttributeName => "invalid attribute name",
            LexErrorKind::InvalidValueName => "invalid SSA name",
            LexErrorKind::InvalidBlockName => "invalid block name",
            LexErrorKind::InvalidTypeIdentifier => "invalid type identifier",
            LexErrorKind::IncompleteEllipsis => "expected three consecutive dots for an ellipsis",
            LexErrorKind::UnterminatedString => "expected '\"' in string literal",
            LexErrorKind::UnknownEscape => "unknown escape in string literal",
        }
    }
}

/// What is wrong, and where: `offset` may lie inside the token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LexError {
    pub kind: LexErrorKind,
    pub offset: u32,
}

impl fmt::Display for LexError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind.message())
    }
}

/// A failed scan: the error, and where lexing goes on.
struct Failed {
    kind: LexErrorKind,
    offset: usize,
    resume: usize,
}

/// Checks that `bytes` is UTF-8 and small enough for a [`Lexer`].
pub(crate) fn utf8_text(bytes: &[u8]) -> Result<&str, InputError> {
    let text = std::str::from_utf8(bytes).map_err(|e| {
        let offset = e.valid_up_to();
        let before = &bytes[..offset];
        let line_start = before
            .iter()
            .rposition(|&b| b == b'\n')
            .map_or(0, |i| i + 1);
        InputError::NotUtf8 {
            offset,
            line: 1 + before.iter().filter(|&&b| b == b'\n').count(),
            column: 1 + offset - line_start,
            byte: scan::at(bytes, offset),
        }
    })?;
    if u32::try_from(text.len()).is_err() {
        return Err(InputError::TooLarge { bytes: text.len() });
    }
    Ok(text)
}

/// For each first byte, the token it begins. `Eof` stands for white space,
/// `Error` for bytes that begin nothing.
const fn first_bytes() -> [TokenKind; 256] {
    let mut table = [TokenKind::Error; 256];
    let mut b = 0;
    while b < 256 {
        let c = b as u8;
        if c.is_ascii_alphabetic() || c == b'_' {
            table[b] = TokenKind::BareIdentifier;
        } else if c.is_ascii_digit() {
            table[b] = TokenKind::Integer;
        } else {
            table[b] = match c {
                b' ' | b'\t' | b'\n' | b'\r' | 0 => TokenKind::Eof,
                b':' => TokenKind::Colon,
                b',' => TokenKind::Comma,
                b'.' => TokenKind::Ellipsis,
                b'(' => TokenKind::LParen,
                b')' => TokenKind::RParen,
                b'{' => TokenKind::LBrace,
                b'}' => TokenKind::RBrace,
                b'[' => TokenKind::LSquare,
                b']' => TokenKind::RSquare,
                b'<' => TokenKind::Less,
                b'>' => TokenKind::Greater,
                b'=' => TokenKind::Equal,
                b'+' => TokenKind::Plus,
                b'*' => TokenKind::Star,
                b'-' => TokenKind::Minus,
                b'?' => TokenKind::Question,
                b'|' => TokenKind::VerticalBar,
                b'/' => TokenKind::Slash,
                b'@' => TokenKind::AtIdentifier,
                b'#' => TokenKind::HashIdentifier,
                b'!' => TokenKind::ExclamationIdentifier,
                b'^' => TokenKind::CaretIdentifier,
                b'%' => TokenKind::PercentIdentifier,
                b'"' => TokenKind::String,
                _ => TokenKind::Error,
            };
        }
        b += 1;
    }
    table
}

static FIRST: [TokenKind; 256] = first_bytes();

/// A position in a text, from which [`Lexer::lex`] takes one token after another.
#[derive(Clone, Debug)]
pub struct Lexer<'a> {
    text: &'a str,
    /// `text`'s bytes up to where lexing ends.
    src: &'a [u8],
    pos: usize,
}

impl<'a> Lexer<'a> {
    /// A lexer at the start of `text`. Fails if `text` has 4 GiB or more.
    pub fn new(text: &'a str) -> Result<Self, InputError> {
        Self::with_range(text, 0..text.len())
    }

    /// A lexer over part of `text`, for a chunk of a split file; offsets count
    /// from the start of `text`. The range is cut to the text and to whole characters.
    pub(crate) fn with_range(
        text: &'a str,
        range: std::ops::Range<usize>,
    ) -> Result<Self, InputError> {
        if u32::try_from(text.len()).is_err() {
            return Err(InputError::TooLarge { bytes: text.len() });
        }
        let end = floor_char_boundary(text, range.end);
        let pos = floor_char_boundary(text, range.start.min(end));
        Ok(Lexer {
            text,
            src: &text.as_bytes()[..end],
            pos,
        })
    }

    /// The whole text that offsets refer to.
    pub fn source(&self) -> &'a str {
        self.text
    }

    /// The bytes of the text, up to where lexing ends.
    pub(super) fn bytes(&self) -> &'a [u8] {
        self.src
    }

    /// A token's spelling.
    #[inline]
    pub fn text(&self, token: Token) -> &'a str {
        token.text(self.text)
    }

    /// Where the next token is looked for, white space before it included.
    #[cfg(test)]
    pub fn position(&self) -> u32 {
        self.pos as u32
    }

    /// Goes to byte `pos`, cut to the end of the text and to a whole character.
    pub fn reset(&mut self, pos: u32) {
        self.pos = floor_char_boundary(self.text, (pos as usize).min(self.src.len()));
    }

    /// The next token. At the end of the text, [`TokenKind::Eof`], as often as asked.
    ///
    /// An [`TokenKind::Error`] token covers what was skipped, which is never
    /// empty unless the text ends there, and lexing goes on after it.
    #[inline]
    pub fn lex(&mut self) -> Token {
        let src = self.src;
        let mut pos = self.pos;
        let (kind, start, end) = loop {
            let Some(&byte) = src.get(pos) else {
                break (TokenKind::Eof, pos, pos);
            };
            let kind = FIRST[byte as usize];
            match kind {
                TokenKind::Eof => pos += 1,
                TokenKind::Slash if scan::at(src, pos + 1) == b'/' => {
                    pos = scan::line_end(src, pos + 2);
                }
                TokenKind::BareIdentifier => {
                    let end = scan::skip(src, pos + 1, IDENT);
                    let kind = if matches!(byte, b'i' | b's' | b'u') && is_int_type(&src[pos..end])
                    {
                        TokenKind::IntType
                    } else {
                        TokenKind::BareIdentifier
                    };
                    break (kind, pos, end);
                }
                TokenKind::Integer => {
                    let (kind, end) = number(src, pos);
                    break (kind, pos, end);
                }
                TokenKind::Minus if scan::at(src, pos + 1) == b'>' => {
                    break (TokenKind::Arrow, pos, pos + 2);
                }
                TokenKind::LBrace if src[pos..].starts_with(b"{-#") => {
                    break (TokenKind::FileMetadataBegin, pos, pos + 3);
                }
                TokenKind::HashIdentifier if src[pos..].starts_with(b"#-}") => {
                    break (TokenKind::FileMetadataEnd, pos, pos + 3);
                }
                TokenKind::PercentIdentifier
                | TokenKind::HashIdentifier
                | TokenKind::CaretIdentifier
                | TokenKind::ExclamationIdentifier
                | TokenKind::AtIdentifier
                | TokenKind::String
                | TokenKind::Ellipsis
                | TokenKind::Error => match self.compound(kind, pos) {
                    Ok(end) => break (kind, pos, end),
                    Err(failed) => break (TokenKind::Error, pos, failed.resume),
                },
                _ => break (kind, pos, pos + 1),
            }
        };
        self.pos = end;
        // The constructors refuse texts whose length does not fit in 32 bits.
        Token {
            kind,
            start: start as u32,
            end: end as u32,
        }
    }

    /// What is wrong with an error token of this lexer; `None` for any other token.
    pub fn error(&self, token: Token) -> Option<LexError> {
        if token.kind != TokenKind::Error {
            return None;
        }
        let start = token.start as usize;
        let kind = FIRST[scan::at(self.src, start) as usize];
        let failed = self.compound(kind, start).err()?;
        Some(LexError {
            kind: failed.kind,
            offset: failed.offset as u32,
        })
    }

    /// In a list of dimensions such as `4x8xf32`, the `x` and what follows it
    /// lex as one identifier. If `token`, the last one lexed, is an identifier
    /// that begins with `x`, lexing goes on right behind the `x`, and the token
    /// there is returned; otherwise `None`, and nothing changes.
    pub(crate) fn lex_after_x(&mut self, token: Token) -> Option<Token> {
        if token.kind != TokenKind::BareIdentifier
            || scan::at(self.src, token.start as usize) != b'x'
        {
            return None;
        }
        self.reset(token.start + 1);
        Some(self.lex())
    }

    /// Right behind a dimension, the `x` of `4x8xf32` as a token of its own. Lexed as
    /// usual it would be an identifier with all that follows, again for every
    /// dimension.
    pub(crate) fn lex_separator(&mut self) -> Option<Token> {
        if scan::at(self.src, self.pos) != b'x' {
            return None;
        }
        let start = self.pos as u32;
        self.pos += 1;
        Some(Token {
            kind: TokenKind::BareIdentifier,
            start,
            end: start + 1,
        })
    }

    /// In a list of dimensions, `0x8xf32` means zero by eight, but `0x8` lexes
    /// as a hexadecimal number. Cuts such a token to its `0` and goes back
    /// behind it; any other token comes back as it is.
    pub(crate) fn split_hexadecimal(&mut self, token: Token) -> Token {
        let is_hex = token.kind == TokenKind::Integer
            && scan::at(self.src, token.start as usize + 1) == b'x'
            && token.len() > 1;
        if !is_hex {
            return token;
        }
        let end = token.start + 1;
        self.reset(end);
        Token { end, ..token }
    }

    /// The end of a token that is more than one byte, or why it is none.
    fn compound(&self, kind: TokenKind, start: usize) -> Result<usize, Failed> {
        let src = self.src;
        match kind {
            TokenKind::PercentIdentifier => prefixed(src, start, LexErrorKind::InvalidValueName),
            TokenKind::HashIdentifier => prefixed(src, start, LexErrorKind::InvalidAttributeName),
            TokenKind::CaretIdentifier => prefixed(src, start, LexErrorKind::InvalidBlockName),
            TokenKind::ExclamationIdentifier => {
                prefixed(src, start, LexErrorKind::InvalidTypeIdentifier)
            }
            TokenKind::AtIdentifier => match scan::at(src, start + 1) {
                b'"' => string(src, start + 1),
                b if scan::is(b, ALPHA) || b == b'_' => Ok(scan::skip(src, start + 2, IDENT)),
                _ => Err(Failed {
                    kind: LexErrorKind::InvalidAtIdentifier,
                    offset: start + 1,
                    resume: start + 1,
                }),
            },
            TokenKind::String => string(src, start),
            TokenKind::Ellipsis => {
                if src[start..].starts_with(b"...") {
                    Ok(start + 3)
                } else {
                    Err(Failed {
                        kind: LexErrorKind::IncompleteEllipsis,
                        offset: start + 1,
                        resume: start + 1,
                    })
                }
            }
            _ => {
                // Skips the whole character, so that spans never cut one.
                let mut resume = start + 1;
                while scan::at(src, resume) & 0xc0 == 0x80 {
                    resume += 1;
                }
                Err(Failed {
                    kind: LexErrorKind::UnexpectedCharacter,
                    offset: start,
                    resume,
                })
            }
        }
    }
}

/// The last character boundary at or before `pos`.
fn floor_char_boundary(text: &str, pos: usize) -> usize {
    let mut pos = pos.min(text.len());
    while !text.is_char_boundary(pos) {
        pos -= 1;
    }
    pos
}

/// `i[0-9]+` or `[su]i[0-9]+`
#[inline]
fn is_int_type(spelling: &[u8]) -> bool {
    let digits = match spelling {
        [b'i', digits @ ..] | [b's' | b'u', b'i', digits @ ..] => digits,
        _ => return false,
    };
    !digits.is_empty() && digits.iter().all(u8::is_ascii_digit)
}

/// `[0-9]+`, `0x[0-9a-fA-F]+` or `[0-9]+[.][0-9]*([eE][-+]?[0-9]+)?`, the
/// longest that fits; the digit at `start` is given.
#[inline]
fn number(src: &[u8], start: usize) -> (TokenKind, usize) {
    if src[start] == b'0' && scan::at(src, start + 1) == b'x' {
        // `0xi32` is a zero, and then a dimension separator.
        if !scan::is(scan::at(src, start + 2), HEX) {
            return (TokenKind::Integer, start + 1);
        }
        return (TokenKind::Integer, scan::skip(src, start + 2, HEX));
    }
    let mut pos = scan::skip(src, start + 1, DIGIT);
    if scan::at(src, pos) != b'.' {
        return (TokenKind::Integer, pos);
    }
    pos = scan::skip(src, pos + 1, DIGIT);
    if matches!(scan::at(src, pos), b'e' | b'E') {
        let digits = pos + 1 + usize::from(matches!(scan::at(src, pos + 1), b'+' | b'-'));
        if scan::is(scan::at(src, digits), DIGIT) {
            pos = scan::skip(src, digits, DIGIT);
        }
    }
    (TokenKind::Float, pos)
}

/// A sigil at `start`, then digits only, or a name that does not begin with a digit.
#[inline]
fn prefixed(src: &[u8], start: usize, error: LexErrorKind) -> Result<usize, Failed> {
    let first = scan::at(src, start + 1);
    if scan::is(first, DIGIT) {
        Ok(scan::skip(src, start + 2, DIGIT))
    } else if scan::is(first, SUFFIX) {
        Ok(scan::skip(src, start + 2, SUFFIX))
    } else {
        Err(Failed {
            kind: error,
            offset: start,
            resume: start + 1,
        })
    }
}

/// A string literal whose opening quote is at `start`.
#[inline]
fn string(src: &[u8], start: usize) -> Result<usize, Failed> {
    let mut pos = start + 1;
    loop {
        pos = scan::string_stop(src, pos);
        match scan::at(src, pos) {
            b'"' => return Ok(pos + 1),
            b'\\' => {
                let next = scan::at(src, pos + 1);
                if matches!(next, b'"' | b'\\' | b'n' | b't') {
                    pos += 2;
                } else if scan::is(next, HEX) && scan::is(scan::at(src, pos + 2), HEX) {
                    pos += 3;
                } else {
                    return Err(Failed {
                        kind: LexErrorKind::UnknownEscape,
                        offset: pos,
                        resume: pos + 1,
                    });
                }
            }
            _ => {
                return Err(Failed {
                    kind: LexErrorKind::UnterminatedString,
                    offset: pos,
                    resume: pos,
                });
            }
        }
    }
}
