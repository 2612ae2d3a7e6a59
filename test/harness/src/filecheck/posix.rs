//! From POSIX extended regular expressions, which FileCheck has, to the syntax
//! of the regex crates.
//!
//! Where they differ: inside brackets a backslash and a `[` are themselves, and
//! a negated bracket does not match the end of a line; a `{` that starts no
//! repetition is itself.

/// `pattern` in the syntax of the regex crates. Errors are left to the
/// compiler of the result.
pub(super) fn translate(pattern: &str) -> String {
    let chars: Vec<char> = pattern.chars().collect();
    let mut out = String::with_capacity(pattern.len() + 8);
    let mut at = 0;
    while at < chars.len() {
        match chars[at] {
            '\\' if at + 1 < chars.len() => {
                escape(chars[at + 1], &mut out);
                at += 2;
            }
            '[' => at = bracket(&chars, at, &mut out),
            '{' if !chars.get(at + 1).is_some_and(char::is_ascii_digit) => {
                out.push_str("\\{");
                at += 1;
            }
            c => {
                out.push(c);
                at += 1;
            }
        }
    }
    out
}

/// An escaped character. Of the classes by letter, those that LLVM's tests use
/// by habit (`\d`, `\s`, `\w`, `\b`) keep their usual meaning.
fn escape(c: char, out: &mut String) {
    if c.is_alphabetic() && !"dswbDSWBnt".contains(c) {
        out.push(c);
    } else {
        out.extend(['\\', c]);
    }
}

/// A bracket expression that starts at `at`; returns where it ends.
fn bracket(chars: &[char], mut at: usize, out: &mut String) -> usize {
    out.push('[');
    at += 1;
    let negated = chars.get(at) == Some(&'^');
    if negated {
        out.push('^');
        at += 1;
    }
    let mut first = true;
    while at < chars.len() {
        match chars[at] {
            ']' if !first => {
                if negated {
                    out.push_str("\\n");
                }
                out.push(']');
                return at + 1;
            }
            '[' if chars.get(at + 1) == Some(&':') => {
                let rest: String = chars[at..].iter().collect();
                match rest.find(":]") {
                    Some(end) => {
                        out.push_str(&rest[..end + 2]);
                        at += rest[..end + 2].chars().count() - 1;
                    }
                    None => out.push_str("\\["),
                }
            }
            // `[\[\]]` is in use upstream although POSIX reads it otherwise.
            '\\' if matches!(chars.get(at + 1), Some(']' | '[' | '\\'))
                && closes_later(chars, at + 2) =>
            {
                out.extend(['\\', chars[at + 1]]);
                at += 1;
            }
            c @ ('[' | ']' | '\\' | '&' | '~' | '^') => out.extend(['\\', c]),
            '-' if chars.get(at + 1) == Some(&'-') => out.push_str("\\-"),
            c => out.push(c),
        }
        first = false;
        at += 1;
    }
    // Not closed: what comes out does not compile, and the compiler says so.
    at
}

/// Whether a `]` follows before a new bracket expression opens.
fn closes_later(chars: &[char], from: usize) -> bool {
    chars[from.min(chars.len())..]
        .iter()
        .take_while(|c| **c != '[')
        .any(|c| *c == ']')
}

#[cfg(test)]
mod tests {
    use super::translate;

    fn matches(pattern: &str, text: &str) -> bool {
        fancy_regex::Regex::new(&format!("(?m)^(?:{})$", translate(pattern)))
            .unwrap()
            .is_match(text)
            .unwrap()
    }

    #[test]
    fn brackets_braces_and_escapes() {
        for (pattern, yes, no) in [
            ("[^a]+", "bc", "a"),
            ("[][]+", "[]", "x"),
            ("[^]]+", "x[", "]"),
            ("[[:alnum:]_]+", "a_1", "-"),
            ("a{", "a{", "a"),
            ("a{2}", "aa", "a"),
            (r"\.\(x", ".(x", "a(x"),
            ("[a&&b]+", "a&b", "c"),
            (r"[0-9\[]+", "1[", "x"),
        ] {
            assert!(matches(pattern, yes), "{pattern} {yes}");
            assert!(!matches(pattern, no), "{pattern} {no}");
        }
        assert!(
            !matches("a[^b]c", "a\nc"),
            "a negated bracket stops at the end of a line"
        );
    }
}
