//! C's tokens, as far as places and brackets need them: no keywords, no values.
//!
//! The whole front end's own reading of text goes through here: aligning preprocessed
//! lines with their originals, masking what the parser does not take, pragmas.

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TokenKind {
    /// An identifier or keyword.
    Word,
    /// A preprocessing number (C11 6.4.8): everything from the digit on.
    Number,
    /// A string literal with its prefix.
    Str,
    /// A character constant with its prefix.
    Char,
    /// An operator or other punctuation, the longest that C has.
    Punct,
    /// A byte that begins no token of C, or a literal without its end.
    Unknown,
}

/// Bytes `start..end` of the text it was read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token {
    pub kind: TokenKind,
    pub start: usize,
    pub end: usize,
}

/// Reads tokens from bytes, which need not be UTF-8. Comments, blanks, line ends and
/// spliced line ends are passed over.
#[derive(Debug, Clone)]
pub struct Lexer<'a> {
    text: &'a [u8],
    at: usize,
    end: usize,
    open_comment: bool,
}

impl<'a> Lexer<'a> {
    pub fn new(text: &'a [u8]) -> Lexer<'a> {
        Lexer::range(text, 0, text.len())
    }

    /// Reads only `start..end`; tokens' places are those in `text`.
    pub fn range(text: &'a [u8], start: usize, end: usize) -> Lexer<'a> {
        let end = end.min(text.len());
        Lexer {
            text,
            at: start.min(end),
            end,
            open_comment: false,
        }
    }

    /// Whether the text ended inside a comment.
    pub fn in_comment(&self) -> bool {
        self.open_comment
    }

    fn byte(&self, at: usize) -> u8 {
        if at < self.end { self.text[at] } else { 0 }
    }

    fn skip_blanks(&mut self) {
        while self.at < self.end {
            match (self.text[self.at], self.byte(self.at + 1)) {
                (b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c, _) => self.at += 1,
                (b'\\', b'\n') => self.at += 2,
                (b'\\', b'\r') if self.byte(self.at + 2) == b'\n' => self.at += 3,
                (b'/', b'/') => {
                    while self.at < self.end && self.text[self.at] != b'\n' {
                        self.at += 1;
                    }
                }
                (b'/', b'*') => {
                    self.at += 2;
                    loop {
                        if self.at >= self.end {
                            self.open_comment = true;
                            return;
                        }
                        if self.text[self.at] == b'*' && self.byte(self.at + 1) == b'/' {
                            self.at += 2;
                            break;
                        }
                        self.at += 1;
                    }
                }
                _ => return,
            }
        }
    }

    /// The end of a literal whose opening quote is at `at`; `None` without an end on
    /// its line.
    fn literal_end(&self, at: usize) -> Option<usize> {
        let quote = self.text[at];
        let mut i = at + 1;
        while i < self.end {
            match self.text[i] {
                b'\\' => i += 2,
                b'\n' => return None,
                b if b == quote => return Some(i + 1),
                _ => i += 1,
            }
        }
        None
    }

    fn punct_end(&self, at: usize) -> usize {
        let three = [self.byte(at), self.byte(at + 1), self.byte(at + 2)];
        if matches!(&three, b"<<=" | b">>=" | b"...") {
            return at + 3;
        }
        let two = matches!(
            &three[..2],
            b"->"
                | b"++"
                | b"--"
                | b"<<"
                | b">>"
                | b"<="
                | b">="
                | b"=="
                | b"!="
                | b"&&"
                | b"||"
                | b"*="
                | b"/="
                | b"%="
                | b"+="
                | b"-="
                | b"&="
                | b"^="
                | b"|="
                | b"##"
        );
        at + if two { 2 } else { 1 }
    }
}

fn begins_word(b: u8) -> bool {
    b.is_ascii_alphabetic() || b == b'_' || b == b'$' || b >= 0x80
}

fn in_word(b: u8) -> bool {
    begins_word(b) || b.is_ascii_digit()
}

impl Iterator for Lexer<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        self.skip_blanks();
        if self.at >= self.end {
            return None;
        }
        let start = self.at;
        let first = self.text[start];
        let (kind, end) = if begins_word(first) {
            let mut i = start + 1;
            while i < self.end && in_word(self.text[i]) {
                i += 1;
            }
            let prefix = matches!(&self.text[start..i], b"L" | b"u" | b"U" | b"u8");
            match self.byte(i) {
                quote @ (b'"' | b'\'') if prefix => match self.literal_end(i) {
                    Some(end) if quote == b'"' => (TokenKind::Str, end),
                    Some(end) => (TokenKind::Char, end),
                    None => (TokenKind::Word, i),
                },
                _ => (TokenKind::Word, i),
            }
        } else if first.is_ascii_digit() || (first == b'.' && self.byte(start + 1).is_ascii_digit())
        {
            let mut i = start + 1;
            while i < self.end {
                let b = self.text[i];
                let sign = matches!(b, b'+' | b'-')
                    && matches!(self.text[i - 1], b'e' | b'E' | b'p' | b'P');
                if !(in_word(b) || b == b'.' || sign) {
                    break;
                }
                i += 1;
            }
            (TokenKind::Number, i)
        } else if first == b'"' || first == b'\'' {
            match self.literal_end(start) {
                Some(end) if first == b'"' => (TokenKind::Str, end),
                Some(end) => (TokenKind::Char, end),
                None => {
                    // What follows an open quote is not C: the rest of the line is one
                    // token.
                    let mut i = start + 1;
                    while i < self.end && self.text[i] != b'\n' {
                        i += 1;
                    }
                    (TokenKind::Unknown, i)
                }
            }
        } else if first.is_ascii_punctuation() && !matches!(first, b'@' | b'`' | b'\\') {
            (TokenKind::Punct, self.punct_end(start))
        } else {
            (TokenKind::Unknown, start + 1)
        };
        self.at = end;
        Some(Token { kind, start, end })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<&str> {
        Lexer::new(text.as_bytes())
            .map(|t| &text[t.start..t.end])
            .collect()
    }

    #[test]
    fn tokens_are_the_longest_that_c_has() {
        assert_eq!(
            words("a+++b>>=0x1.8p-3f...L\"x\\\"y\" '\\''u8\"\""),
            [
                "a",
                "++",
                "+",
                "b",
                ">>=",
                "0x1.8p-3f...L",
                "\"x\\\"y\"",
                "'\\''",
                "u8\"\""
            ]
        );
        assert_eq!(
            words("a->b . c[1 .2]"),
            ["a", "->", "b", ".", "c", "[", "1", ".2", "]"]
        );
    }

    #[test]
    fn comments_and_splices_are_blanks() {
        assert_eq!(words("a/*b\n*/c // d\ne \\\n f"), ["a", "c", "e", "f"]);
        let mut open = Lexer::new(b"a /* b");
        assert_eq!(open.by_ref().count(), 1);
        assert!(open.in_comment());
    }

    #[test]
    fn an_open_quote_takes_its_line() {
        assert_eq!(words("a 'b c\nd \"e"), ["a", "'b c", "d", "\"e"]);
        assert_eq!(words("\"a\\"), ["\"a\\"]);
    }
}
