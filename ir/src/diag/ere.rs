//! POSIX extended regular expressions, which MLIR's expectations are written
//! in, as expressions of the `regex` crate. They differ in what is an escape,
//! in bracket expressions, in lone braces and in repeated repetitions.

use std::iter::Peekable;
use std::str::Chars;

const BAD_REPEAT: &str = "repetition-operator operand invalid";
const BAD_BRACKETS: &str = "brackets ([ ]) not balanced";
const BAD_PARENS: &str = "parentheses not balanced";
const BAD_RANGE: &str = "invalid character range";
const BAD_COUNT: &str = "invalid repetition count(s)";
const EMPTY: &str = "empty (sub)expression";

/// The largest count in `{n,m}`.
const MAX_COUNT: u32 = 255;

fn push_literal(out: &mut String, c: char) {
    out.push_str(&regex::escape(c.encode_utf8(&mut [0; 4])));
}

/// Translates an expression; its `.` matches newlines too when the result is
/// compiled with the flag `s`. The error is LLVM's wording of what is wrong.
pub fn translate(pattern: &str) -> Result<String, String> {
    let mut out = String::new();
    let mut chars = pattern.chars().peekable();
    let mut depth = 0usize;
    // Whether something stands before that can be repeated, and that no
    // repetition has been applied to yet.
    let mut repeatable = false;
    // Whether the branch of an alternative is still empty.
    let mut empty = true;
    while let Some(c) = chars.next() {
        match c {
            '*' | '+' | '?' => {
                if !std::mem::take(&mut repeatable) {
                    return Err(BAD_REPEAT.into());
                }
                out.push(c);
                continue;
            }
            '{' if chars.peek().is_some_and(char::is_ascii_digit) => {
                if !std::mem::take(&mut repeatable) {
                    return Err(BAD_REPEAT.into());
                }
                counts(&mut chars, &mut out)?;
                continue;
            }
            '(' => {
                depth += 1;
                out.push('(');
                if chars.next_if_eq(&')').is_some() {
                    depth -= 1;
                    out.push(')');
                    repeatable = true;
                    empty = false;
                } else {
                    repeatable = false;
                    empty = true;
                }
                continue;
            }
            ')' => {
                depth = depth.checked_sub(1).ok_or(BAD_PARENS)?;
                if empty {
                    return Err(EMPTY.into());
                }
                out.push(')');
            }
            '|' => {
                if empty {
                    return Err(EMPTY.into());
                }
                out.push('|');
                repeatable = false;
                empty = true;
                continue;
            }
            '^' | '$' => {
                out.push(c);
                repeatable = false;
                empty = false;
                continue;
            }
            '.' => out.push('.'),
            '[' => brackets(&mut chars, &mut out)?,
            '\\' => match chars.next() {
                None => return Err("trailing backslash (\\)".into()),
                Some(digit @ '1'..='9') => {
                    return Err(format!("backreference \\{digit} is not supported"));
                }
                Some(c) => push_literal(&mut out, c),
            },
            c => push_literal(&mut out, c),
        }
        repeatable = true;
        empty = false;
    }
    if depth != 0 {
        return Err(BAD_PARENS.into());
    }
    if empty {
        return Err(EMPTY.into());
    }
    Ok(out)
}

/// `n}`, `n,}` or `n,m}`, behind the brace.
fn counts(chars: &mut Peekable<Chars<'_>>, out: &mut String) -> Result<(), String> {
    let low = count(chars)?.unwrap_or(0);
    out.push_str(&format!("{{{low}"));
    if chars.next_if_eq(&',').is_some() {
        out.push(',');
        if let Some(high) = count(chars)? {
            if high < low {
                return Err(BAD_COUNT.into());
            }
            out.push_str(&high.to_string());
        }
    }
    match chars.next() {
        Some('}') => out.push('}'),
        Some(_) => return Err(BAD_COUNT.into()),
        None => return Err("braces not balanced".into()),
    }
    Ok(())
}

/// A decimal number, if there is one.
fn count(chars: &mut Peekable<Chars<'_>>) -> Result<Option<u32>, String> {
    let mut value = None;
    while let Some(digit) = chars.peek().and_then(|c| c.to_digit(10)) {
        chars.next();
        let next = value.unwrap_or(0) * 10 + digit;
        if next > MAX_COUNT {
            return Err(BAD_COUNT.into());
        }
        value = Some(next);
    }
    Ok(value)
}

/// A bracket expression, behind its `[`. A backslash in it is itself.
fn brackets(chars: &mut Peekable<Chars<'_>>, out: &mut String) -> Result<(), String> {
    out.push('[');
    if chars.next_if_eq(&'^').is_some() {
        out.push('^');
    }
    let mut first = true;
    loop {
        let c = chars.next().ok_or(BAD_BRACKETS)?;
        if c == ']' && !first {
            out.push(']');
            return Ok(());
        }
        first = false;
        if c == '[' {
            match chars.peek() {
                Some(':') => {
                    chars.next();
                    class(chars, out)?;
                    continue;
                }
                Some('.' | '=') => return Err("invalid collating element".into()),
                _ => {}
            }
        }
        push_in_class(out, c);
        if chars.peek() == Some(&'-') {
            let mut ahead = chars.clone();
            ahead.next();
            match ahead.peek() {
                None => return Err(BAD_BRACKETS.into()),
                // A minus before the end is itself.
                Some(']') => {}
                Some(&high) => {
                    if high < c {
                        return Err(BAD_RANGE.into());
                    }
                    ahead.next();
                    *chars = ahead;
                    out.push('-');
                    push_in_class(out, high);
                }
            }
        }
    }
}

fn push_in_class(out: &mut String, c: char) {
    if c.is_ascii_punctuation() {
        out.push('\\');
    }
    out.push(c);
}

/// `alpha:]`, behind `[:`.
fn class(chars: &mut Peekable<Chars<'_>>, out: &mut String) -> Result<(), String> {
    const NAMES: [&str; 12] = [
        "alnum", "alpha", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space",
        "upper", "xdigit",
    ];
    let mut name = String::new();
    while let Some(c) = chars.next_if(char::is_ascii_lowercase) {
        name.push(c);
    }
    if chars.next() != Some(':') || chars.next() != Some(']') {
        return Err(BAD_BRACKETS.into());
    }
    if !NAMES.contains(&name.as_str()) {
        return Err("invalid character class".into());
    }
    out.push_str(&format!("[:{name}:]"));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, text: &str) -> bool {
        let translated = translate(pattern).unwrap();
        let regex = regex::Regex::new(&format!("(?s){translated}"));
        regex
            .unwrap_or_else(|e| panic!("{pattern}: {e}"))
            .is_match(text)
    }

    #[test]
    fn what_matches() {
        for (pattern, text) in [
            ("a.c", "a\nc"),
            ("^[0-9]+$", "123"),
            (r"\[\]\{x\}\.", "[]{x}."),
            (r"[\]", r"\"),
            ("[]a]+x", "]a]x"),
            ("[^[&&~~-]", "b"),
            ("[a-]b", "-b"),
            ("[[:digit:]_]{2,3}!", "1_!"),
            ("{x} a{,2} }", "{x} a{,2} }"),
            ("(a|b)*c|d", "abac"),
            ("()x", "x"),
            (r"\d#-", "d#-"),
            ("i(8|16){1}", "i16"),
            ("a{2,}$", "aaa"),
        ] {
            assert!(matches(pattern, text), "{pattern} on {text:?}");
        }
        for (pattern, text) in [
            (r"\d", "1"),
            ("[^[&]", "[&"),
            ("a{2}", "a"),
            ("[[:upper:]]", "a"),
            ("^a$", "a\na"),
        ] {
            assert!(!matches(pattern, text), "{pattern} on {text:?}");
        }
    }

    #[test]
    fn what_is_wrong() {
        for (pattern, error) in [
            ("c(", BAD_PARENS),
            ("c)", BAD_PARENS),
            ("[a", BAD_BRACKETS),
            ("[a-", BAD_BRACKETS),
            ("[[:al", BAD_BRACKETS),
            ("[[:foo:]]", "invalid character class"),
            ("[z-a]", BAD_RANGE),
            ("*a", BAD_REPEAT),
            ("a+?", BAD_REPEAT),
            ("(?:a)", BAD_REPEAT),
            ("{2}", BAD_REPEAT),
            ("a{2", "braces not balanced"),
            ("a{3,2}", BAD_COUNT),
            ("a{256}", BAD_COUNT),
            ("a{99999999999999999999}", BAD_COUNT),
            ("a{1x}", BAD_COUNT),
            ("a|", EMPTY),
            ("", EMPTY),
            ("a\\", "trailing backslash (\\)"),
            ("(a)\\1", "backreference \\1 is not supported"),
        ] {
            assert_eq!(translate(pattern).unwrap_err(), error, "{pattern}");
        }
    }

    #[test]
    fn whatever_is_translated_compiles() {
        let alphabet: Vec<char> = "a-z[]^{}(),2|*+?.\\:&~é$#".chars().collect();
        let mut state = 12345u32;
        for _ in 0..20_000 {
            let pattern: String = (0..state % 9)
                .map(|_| {
                    state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    alphabet[(state >> 16) as usize % alphabet.len()]
                })
                .collect();
            state = state.wrapping_add(1);
            if let Ok(translated) = translate(&pattern) {
                let compiled = regex::Regex::new(&format!("(?s){translated}"));
                assert!(compiled.is_ok(), "{pattern} became {translated}");
            }
        }
    }
}
