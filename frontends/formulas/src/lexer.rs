//! Words, numbers and signs of a text.

/// Where something stands: bytes from the first to behind the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// The byte behind the last.
    pub end: u32,
}

impl Span {
    /// From the start of one to the end of another.
    pub fn to(self, other: Span) -> Span {
        Span {
            start: self.start,
            end: other.end,
        }
    }
}

/// What a token is.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// A word; Maxima's `%e` and `%pi` are words too.
    Name(String),
    /// A number; whether it is written as a whole one.
    Number(f64, bool),
    /// One of the signs.
    Sign(&'static str),
    /// A character that begins nothing.
    Other(char),
    /// The end of the text.
    End,
}

/// A token and its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Token {
    /// What it is.
    pub kind: Kind,
    /// Where it is.
    pub span: Span,
}

impl Token {
    /// As messages name it.
    pub fn shown(&self) -> String {
        match &self.kind {
            Kind::Name(n) => format!("`{n}`"),
            Kind::Number(n, _) => format!("`{n}`"),
            Kind::Sign(s) => format!("`{s}`"),
            Kind::Other(c) => format!("`{c}`"),
            Kind::End => "the end of the file".to_string(),
        }
    }
}

/// Longer signs first.
const SIGNS: [&str; 27] = [
    "**", "..", "<=", ">=", "==", "!=", ":=", "(", ")", "[", "]", "{", "}", ",", ";", ":", "=",
    "+", "-", "*", "/", "^", "<", ">", "&", "|", "~",
];

/// The tokens of a text; the last one is its end. Comments run from `#` or `//` to the end of the line.
pub fn tokens(text: &str) -> Vec<Token> {
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        if c.is_whitespace() {
            at += c.len_utf8();
            continue;
        }
        if c == '#' || rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
            continue;
        }
        let (kind, len) = token(rest, c);
        let span = Span {
            start: at as u32,
            end: (at + len) as u32,
        };
        out.push(Token { kind, span });
        at += len;
    }
    let end = text.len() as u32;
    out.push(Token {
        kind: Kind::End,
        span: Span { start: end, end },
    });
    out
}

fn token(rest: &str, c: char) -> (Kind, usize) {
    let word = |from: usize| {
        let end = rest[from..].find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        end.map_or(rest.len(), |e| e + from)
    };
    if c.is_ascii_alphabetic() || c == '_' {
        let len = word(1);
        return (Kind::Name(rest[..len].to_string()), len);
    }
    if c == '%' && rest[1..].starts_with(|c: char| c.is_ascii_alphabetic()) {
        let len = word(1);
        return (Kind::Name(rest[..len].to_string()), len);
    }
    let fraction = c == '.' && rest[1..].starts_with(|c: char| c.is_ascii_digit());
    if c.is_ascii_digit() || fraction {
        return number(rest);
    }
    match SIGNS.iter().find(|s| rest.starts_with(**s)) {
        Some(s) => (Kind::Sign(s), s.len()),
        None => (Kind::Other(c), c.len_utf8()),
    }
}

/// A number: `2`, `2.`, `.5`, `1e-3`, `1.5d0`, `2.5b0`. Two dots behind digits are a range.
fn number(rest: &str) -> (Kind, usize) {
    let bytes = rest.as_bytes();
    let digits = |mut at: usize| {
        while bytes.get(at).is_some_and(u8::is_ascii_digit) {
            at += 1;
        }
        at
    };
    let mut end = digits(0);
    let mut whole = true;
    if bytes.get(end) == Some(&b'.') && bytes.get(end + 1) != Some(&b'.') {
        whole = false;
        end = digits(end + 1);
    }
    let mut text = rest[..end].to_string();
    if let Some(b'e' | b'E' | b'd' | b'D' | b'b' | b'B') = bytes.get(end) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let power = digits(end + 1 + sign);
        if power > end + 1 + sign {
            whole = false;
            text.push('e');
            text.push_str(&rest[end + 1..power]);
            end = power;
        }
    }
    (Kind::Number(text.parse().unwrap_or(f64::NAN), whole), end)
}
