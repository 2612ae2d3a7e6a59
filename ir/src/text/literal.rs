//! The values of literal tokens. Each function takes a token's spelling.

use std::borrow::Cow;

/// The value of an integer token, decimal or `0x`; `None` if it needs more than
/// 64 bits or is not an integer.
pub(crate) fn integer_u64(spelling: &str) -> Option<u64> {
    u64::try_from(integer_u128(spelling)?).ok()
}

/// As [`integer_u64`], up to 128 bits.
pub(crate) fn integer_u128(spelling: &str) -> Option<u128> {
    let (digits, radix) = match spelling.strip_prefix("0x") {
        Some(digits) => (digits, 16),
        None => (spelling, 10),
    };
    // `from_str_radix` takes a sign, tokens have none.
    if digits.starts_with(['+', '-']) {
        return None;
    }
    u128::from_str_radix(digits, radix).ok()
}

fn hex_digit(byte: u8) -> Option<u8> {
    Some(char::from(byte).to_digit(16)? as u8)
}

/// The bytes between the quotes of `"..."`.
fn unquoted(spelling: &str) -> Option<&str> {
    spelling.strip_prefix('"')?.strip_suffix('"')
}

/// The bytes a string token stands for: quotes off, escapes replaced. They need
/// not be UTF-8 (`"\FF"`). Borrowed when there is no escape. What is not a
/// valid escape is kept as it stands; the lexer lets none through.
pub(crate) fn string_bytes(spelling: &str) -> Cow<'_, [u8]> {
    let body = unquoted(spelling).unwrap_or(spelling).as_bytes();
    let Some(first) = body.iter().position(|&b| b == b'\\') else {
        return Cow::Borrowed(body);
    };
    let mut out = Vec::with_capacity(body.len());
    out.extend_from_slice(&body[..first]);
    let mut rest = &body[first..];
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        match tail {
            [b'n', after @ ..] => {
                out.push(b'\n');
                rest = after;
            }
            [b't', after @ ..] => {
                out.push(b'\t');
                rest = after;
            }
            [quoted @ (b'"' | b'\\'), after @ ..] => {
                out.push(*quoted);
                rest = after;
            }
            [high, low, after @ ..] => match (hex_digit(*high), hex_digit(*low)) {
                (Some(high), Some(low)) => {
                    out.push(high << 4 | low);
                    rest = after;
                }
                _ => out.push(b'\\'),
            },
            _ => out.push(b'\\'),
        }
    }
    Cow::Owned(out)
}

/// [`string_bytes`] as text; `None` if the bytes are not UTF-8.
pub(crate) fn string_text(spelling: &str) -> Option<Cow<'_, str>> {
    match string_bytes(spelling) {
        Cow::Borrowed(bytes) => std::str::from_utf8(bytes).ok().map(Cow::Borrowed),
        Cow::Owned(bytes) => String::from_utf8(bytes).ok().map(Cow::Owned),
    }
}

/// The data of a hexadecimal string, `"0x00FF"`, as in `dense<"0x...">`;
/// `None` if the prefix is missing or the digits are not whole bytes.
pub(crate) fn hex_string_bytes(spelling: &str) -> Option<Vec<u8>> {
    let digits = unquoted(spelling)?.strip_prefix("0x")?.as_bytes();
    let (pairs, []) = digits.as_chunks::<2>() else {
        return None;
    };
    pairs
        .iter()
        .map(|&[high, low]| Some(hex_digit(high)? << 4 | hex_digit(low)?))
        .collect()
}

/// The name in a symbol token, `@foo` or `@"foo"`; `None` if its bytes are not UTF-8.
pub fn symbol_name(spelling: &str) -> Option<Cow<'_, str>> {
    let name = spelling.strip_prefix('@').unwrap_or(spelling);
    if name.starts_with('"') {
        string_text(name)
    } else {
        Some(Cow::Borrowed(name))
    }
}

/// Escapes text for a string literal, without the quotes, as MLIR prints it:
/// `\` doubled, every other byte that is not printable ASCII, and `"`, as two
/// upper-case hexadecimal digits.
pub(crate) fn escape_into(out: &mut String, bytes: &[u8]) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    for &byte in bytes {
        match byte {
            b'\\' => out.push_str("\\\\"),
            b'"' | 0..=0x1f | 0x7f.. => {
                out.push('\\');
                out.push(char::from(DIGITS[usize::from(byte >> 4)]));
                out.push(char::from(DIGITS[usize::from(byte & 15)]));
            }
            _ => out.push(char::from(byte)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers() {
        assert_eq!(integer_u64("42"), Some(42));
        assert_eq!(integer_u64("0x2a"), Some(42));
        assert_eq!(integer_u64("007"), Some(7));
        assert_eq!(integer_u64("18446744073709551615"), Some(u64::MAX));
        assert_eq!(integer_u64("18446744073709551616"), None);
        assert_eq!(integer_u128("18446744073709551616"), Some(1 << 64));
        assert_eq!(integer_u128(&"9".repeat(1000)), None);
        assert_eq!(integer_u64("+1"), None);
        assert_eq!(integer_u64(""), None);
    }

    #[test]
    fn strings() {
        assert!(
            matches!(string_bytes(r#""plain é""#), Cow::Borrowed(b) if b == "plain é".as_bytes())
        );
        assert_eq!(&*string_bytes(r#""a\n\t\\\"\41\fFz""#), b"a\n\t\\\"A\xffz");
        assert_eq!(string_text(r#""\C3\A9""#).as_deref(), Some("é"));
        assert_eq!(string_text(r#""\FF""#), None);
        // Not from the lexer, and no reason to panic.
        assert_eq!(&*string_bytes("\"\\"), b"\"\\");
        assert_eq!(&*string_bytes("\"a\\4\""), b"a\\4");
        assert_eq!(&*string_bytes("\"a\\q1\""), b"a\\q1");
    }

    #[test]
    fn hex_strings() {
        assert_eq!(hex_string_bytes("\"0x00fF\""), Some(vec![0, 255]));
        assert_eq!(hex_string_bytes("\"0x\""), Some(vec![]));
        assert_eq!(hex_string_bytes("\"0x0\""), None);
        assert_eq!(hex_string_bytes("\"0xg0\""), None);
        assert_eq!(hex_string_bytes("\"00\""), None);
    }

    #[test]
    fn identifiers() {
        assert_eq!(symbol_name("@foo").as_deref(), Some("foo"));
        assert_eq!(symbol_name("@\"a b\\0A\"").as_deref(), Some("a b\n"));
    }

    #[test]
    fn escaping_is_undone_by_unescaping() {
        let bytes: Vec<u8> = (0..=255).collect();
        let mut text = String::from("\"");
        escape_into(&mut text, &bytes);
        text.push('"');
        assert_eq!(&*string_bytes(&text), &bytes[..]);
        let mut out = String::new();
        escape_into(&mut out, "a\"b\\c\n\té".as_bytes());
        assert_eq!(out, r"a\22b\\c\0A\09\C3\A9");
    }
}
