//! Text to tokens.

use num_bigint::BigInt;

use crate::int::Int;

use super::Fault;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    Number(Int),
    /// Names and words such as `and`.
    Name(String),
    /// Punctuation and operators.
    Sign(&'static str),
}

#[derive(Clone, Debug)]
pub(super) struct Placed {
    pub(super) token: Token,
    pub(super) offset: usize,
}

/// Longer signs stand before their beginnings.
const SIGNS: [&str; 26] = [
    "->", "<=", ">=", "!=", "==", "&&", "||", "//", "{", "}", "[", "]", "(", ")", ":", ";", ",",
    "=", "<", ">", "+", "-", "*", "/", "%", "!",
];

pub(super) fn tokens(text: &str) -> Result<Vec<Placed>, Fault> {
    let mut tokens = Vec::new();
    let mut offset = 0;
    while let Some(first) = text[offset..].chars().next() {
        let rest = &text[offset..];
        if first.is_whitespace() {
            offset += first.len_utf8();
            continue;
        }
        let (token, length) = if first.is_ascii_digit() {
            let digits = prefix(rest, |c| c.is_ascii_digit());
            (Token::Number(number(digits)), digits.len())
        } else if first.is_ascii_alphabetic() || first == '_' {
            let name = prefix(rest, |c| {
                c.is_ascii_alphanumeric() || matches!(c, '_' | '\'' | '$' | '.')
            });
            (Token::Name(name.to_owned()), name.len())
        } else if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
            (Token::Sign(sign), sign.len())
        } else {
            return Err(Fault::new(
                offset,
                format!("'{first}' has no meaning in a set or a map"),
            ));
        };
        tokens.push(Placed { token, offset });
        offset += length;
    }
    Ok(tokens)
}

fn prefix(text: &str, belongs: impl Fn(char) -> bool) -> &str {
    let end = text.find(|c| !belongs(c)).unwrap_or(text.len());
    &text[..end]
}

fn number(digits: &str) -> Int {
    match digits.parse::<i64>() {
        Ok(value) => Int::new(value),
        // Digits only, so that it is a number.
        Err(_) => Int::from(digits.parse::<BigInt>().unwrap_or_default()),
    }
}
