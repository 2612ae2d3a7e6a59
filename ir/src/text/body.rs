//! The bodies of dialect attributes and types: `<...>` behind `#dialect.name`
//! or `!dialect.name`. Any text with balanced brackets is one, tokens or not,
//! as only the dialect knows its syntax.

use std::fmt;
use std::ops::Range;

use super::lexer::{LexError, Lexer};
use super::token::{Token, TokenKind};

/// Why a text is not a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyError {
    /// This bracket is not closed by its counterpart. The offset is that of the
    /// body, where MLIR reports it.
    Unbalanced { open: char, offset: u32 },
    /// A string literal in the body is not one.
    String(LexError),
    /// The token given is not `<`.
    NoBody { offset: u32 },
}

impl BodyError {
    /// Where the error is.
    pub fn offset(&self) -> u32 {
        match self {
            BodyError::Unbalanced { offset, .. } | BodyError::NoBody { offset } => *offset,
            BodyError::String(error) => error.offset,
        }
    }
}

impl fmt::Display for BodyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BodyError::Unbalanced { open, .. } => {
                write!(f, "unbalanced '{open}' character in pretty dialect name")
            }
            BodyError::String(error) => error.fmt(f),
            BodyError::NoBody { .. } => f.write_str("expected '<' in pretty dialect name"),
        }
    }
}

impl<'a> Lexer<'a> {
    /// Goes past the body that begins with `less`, a `<` token, and returns its
    /// bytes, brackets included. Brackets nest; those in strings do not count,
    /// and neither does the `>` of `->`. On an error the position stays.
    pub(crate) fn lex_body(&mut self, less: Token) -> Result<Range<u32>, BodyError> {
        if less.kind != TokenKind::Less {
            return Err(BodyError::NoBody { offset: less.start });
        }
        let bytes = self.bytes();
        let mut pos = less.start as usize;
        let mut open: Vec<u8> = Vec::new();
        while let Some(&byte) = bytes.get(pos) {
            let partner = match byte {
                b'<' | b'[' | b'(' | b'{' => {
                    open.push(byte);
                    pos += 1;
                    continue;
                }
                b'>' => b'<',
                b']' => b'[',
                b')' => b'(',
                b'}' => b'{',
                b'-' if bytes.get(pos + 1) == Some(&b'>') => {
                    pos += 2;
                    continue;
                }
                b'"' => {
                    let mut ahead = self.clone();
                    ahead.reset(pos as u32);
                    let string = ahead.lex();
                    if let Some(error) = ahead.error(string) {
                        return Err(BodyError::String(error));
                    }
                    pos = string.end as usize;
                    continue;
                }
                0 => break,
                _ => {
                    pos += 1;
                    continue;
                }
            };
            if open.pop_if(|bracket| *bracket == partner).is_none() {
                break;
            }
            pos += 1;
            if open.is_empty() {
                let end = pos as u32;
                self.reset(end);
                return Ok(less.start..end);
            }
        }
        // The loop only ends with a bracket open: the first is `less` itself.
        let bracket = open.last().map_or(b'<', |&bracket| bracket);
        Err(BodyError::Unbalanced {
            open: char::from(bracket),
            offset: less.start,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(text: &str) -> Result<&str, String> {
        let mut lexer = Lexer::new(text).unwrap();
        let name = lexer.lex();
        assert!(name.is(TokenKind::HashIdentifier));
        let less = lexer.lex();
        let after = lexer.position();
        match lexer.lex_body(less) {
            Ok(range) => {
                assert_eq!(lexer.position(), range.end);
                Ok(&text[range.start as usize..range.end as usize])
            }
            Err(error) => {
                assert_eq!(lexer.position(), after);
                Err(format!("{}: {error}", error.offset()))
            }
        }
    }

    #[test]
    fn bodies() {
        for text in [
            "<abcd<[f]$$[32]>>",
            "<!x@#!@#>",
            "<() -> (i32)>",
            "<\">\\\"<\">",
            "<é ; \\ '>",
            "<>",
        ] {
            assert_eq!(body(&format!("#d.a{text} : <")), Ok(text));
        }
    }

    #[test]
    fn unbalanced_bodies() {
        let unbalanced = |c| {
            Err(format!(
                "4: unbalanced '{c}' character in pretty dialect name"
            ))
        };
        assert_eq!(body("#d.a<[>]"), unbalanced('['));
        assert_eq!(body("#d.a<(x)"), unbalanced('<'));
        assert_eq!(body("#d.a<]>"), unbalanced('<'));
        assert_eq!(body("#d.a<\0>"), unbalanced('<'));
        assert_eq!(
            body("#d.a<\"x>"),
            Err("8: expected '\"' in string literal".into())
        );
        assert_eq!(
            body("#d.a : i32"),
            Err("5: expected '<' in pretty dialect name".into())
        );
        assert_eq!(
            body(&format!("#d.a{}", "<".repeat(200_000))),
            unbalanced('<')
        );
    }
}
