//! Words of PTX text.

use super::Error;

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Tok<'a> {
    /// A name, a mnemonic with its suffixes, or a number: letters, digits,
    /// `_ $ %`, and dots and `::` inside.
    Word(&'a str),
    /// `.name`: a directive, or a type or space in a declaration.
    Dot(&'a str),
    /// Text between quotation marks, as written.
    Str(&'a str),
    Punct(char),
    End,
}

impl Tok<'_> {
    /// What was found, in words.
    pub fn describe(self) -> String {
        match self {
            Tok::Word(w) => format!("`{w}`"),
            Tok::Dot(w) => format!("`.{w}`"),
            Tok::Str(_) => "a string".to_string(),
            Tok::Punct(c) => format!("`{c}`"),
            Tok::End => "the end of the text".to_string(),
        }
    }
}

/// A token and the byte at which it starts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token<'a> {
    pub tok: Tok<'a>,
    pub at: usize,
}

/// The tokens of a text, an [`Tok::End`] last, and what could not be read.
pub(super) fn lex(text: &str) -> (Vec<Token<'_>>, Vec<Error>) {
    let bytes = text.as_bytes();
    let mut tokens = Vec::with_capacity(bytes.len() / 5);
    let mut errors = Vec::new();
    let mut i = 0;
    while let Some(&b) = bytes.get(i) {
        let at = i;
        let next = bytes.get(i + 1).copied().unwrap_or(0);
        let tok = match b {
            b' ' | b'\t' | b'\r' | b'\n' => {
                i += 1;
                continue;
            }
            b'/' if next == b'/' => {
                i = end_of_line(bytes, i);
                continue;
            }
            b'/' if next == b'*' => {
                match text[i + 2..].find("*/") {
                    Some(len) => i += len + 4,
                    None => {
                        errors.push(Error::at(text, at, "a comment that does not end".into()));
                        i = bytes.len();
                    }
                }
                continue;
            }
            b'"' => {
                let rest = &bytes[i + 1..];
                let mut len = 0;
                while let Some(&c) = rest.get(len) {
                    match c {
                        b'"' | b'\n' => break,
                        b'\\' => len += 2,
                        _ => len += 1,
                    }
                }
                let len = len.min(rest.len());
                if rest.get(len) != Some(&b'"') {
                    errors.push(Error::at(text, at, "a string that does not end".into()));
                }
                i += len + 2;
                // A backslash before a multi-byte character may have cut it.
                Tok::Str(text.get(at + 1..at + 1 + len).unwrap_or(""))
            }
            b'.' if is_word(next) => {
                i += 1;
                while bytes.get(i).is_some_and(|b| is_word(*b)) {
                    i += 1;
                }
                Tok::Dot(&text[at + 1..i])
            }
            _ if is_word(b) => {
                i = end_of_word(bytes, i);
                Tok::Word(&text[at..i])
            }
            _ => {
                let c = text[i..].chars().next().unwrap_or('?');
                i += c.len_utf8();
                if !"{}()[],;:@!+-*|<>=_".contains(c) {
                    errors.push(Error::at(text, at, format!("`{}`", c.escape_default())));
                    continue;
                }
                Tok::Punct(c)
            }
        };
        tokens.push(Token { tok, at });
    }
    tokens.push(Token {
        tok: Tok::End,
        at: bytes.len(),
    });
    (tokens, errors)
}

const fn is_word(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$' | b'%')
}

fn end_of_line(bytes: &[u8], from: usize) -> usize {
    let rest = bytes.get(from..).unwrap_or(&[]);
    from + rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len())
}

/// A dot, or two colons, belong to the word if a letter or digit follows. A
/// number keeps the sign of its exponent: `1e-3`.
fn end_of_word(bytes: &[u8], from: usize) -> usize {
    let get = |i: usize| bytes.get(i).copied().unwrap_or(0);
    let decimal = get(from).is_ascii_digit()
        && !matches!(get(from + 1), b'x' | b'X' | b'f' | b'F' | b'd' | b'D');
    let mut i = from;
    loop {
        if is_word(get(i)) {
            let exponent = decimal && matches!(get(i), b'e' | b'E');
            i += 1;
            if exponent && matches!(get(i), b'+' | b'-') {
                i += 1;
            }
        } else if get(i) == b'.' && (is_word(get(i + 1)) || decimal) {
            i += 1;
        } else if get(i) == b':' && get(i + 1) == b':' && is_word(get(i + 2)) {
            i += 2;
        } else {
            return i;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        let (tokens, errors) = lex(text);
        assert!(errors.is_empty(), "{errors:?}");
        tokens.iter().map(|t| t.tok.describe()).collect()
    }

    #[test]
    fn mnemonics_registers_and_numbers_are_words() {
        assert_eq!(
            words(
                "@!%p1 ld.global.L2::128B.f32 %f1, [%rd2+-8]; // x\n$L_1: mov.u32 %r1,%tid.x;/* */ 1e-3"
            ),
            [
                "`@`",
                "`!`",
                "`%p1`",
                "`ld.global.L2::128B.f32`",
                "`%f1`",
                "`,`",
                "`[`",
                "`%rd2`",
                "`+`",
                "`-`",
                "`8`",
                "`]`",
                "`;`",
                "`$L_1`",
                "`:`",
                "`mov.u32`",
                "`%r1`",
                "`,`",
                "`%tid.x`",
                "`;`",
                "`1e-3`",
                "the end of the text"
            ]
        );
        assert_eq!(words(".reg.b32 %r<3>")[..2], ["`.reg`", "`.b32`"]);
    }

    #[test]
    fn what_cannot_be_read_is_an_error_with_its_place() {
        let (_, errors) = lex("ret;\n  § \"open\n/* no end");
        let places: Vec<_> = errors.iter().map(|e| (e.line, e.column)).collect();
        assert_eq!(places, [(2, 3), (2, 5), (3, 1)]);
    }
}
