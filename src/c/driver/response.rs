//! `@file` arguments: words that stand in a file.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};

/// Files in files no deeper than this; one that names itself would not end.
const MAX_DEPTH: usize = 32;

/// The arguments with each `@file` replaced by what the file says. One that cannot be
/// read stays as it is, as GCC has it.
pub fn expand(args: &[OsString]) -> Vec<OsString> {
    let mut out = Vec::new();
    for a in args {
        one(a, 0, &mut out);
    }
    out
}

fn one(arg: &OsString, depth: usize, out: &mut Vec<OsString>) {
    let bytes = arg.as_bytes();
    if let Some(path) = bytes.strip_prefix(b"@")
        && depth < MAX_DEPTH
        && let Ok(text) = std::fs::read(OsString::from_vec(path.to_vec()))
    {
        for word in split(&text) {
            one(&word, depth + 1, out);
        }
        return;
    }
    out.push(arg.clone());
}

/// Words apart by blanks; quotes of both kinds and backslashes keep blanks in a word.
fn split(text: &[u8]) -> Vec<OsString> {
    let mut words = Vec::new();
    let mut word: Option<Vec<u8>> = None;
    let mut quote = None;
    let mut bytes = text.iter().copied();
    while let Some(b) = bytes.next() {
        match (b, quote) {
            (b'\\', _) => word.get_or_insert_default().extend(bytes.next()),
            (b, Some(q)) if b == q => quote = None,
            (b'"' | b'\'', None) => {
                quote = Some(b);
                word.get_or_insert_default();
            }
            (b, None) if b.is_ascii_whitespace() => {
                words.extend(word.take().map(OsString::from_vec));
            }
            (b, _) => word.get_or_insert_default().push(b),
        }
    }
    words.extend(word.map(OsString::from_vec));
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_file() {
        let words = split(b"-O2  \"a b\".c\n'-DX=\"1\"' \\\"q\\\" '' c\\ d");
        assert_eq!(
            words,
            ["-O2", "a b.c", "-DX=\"1\"", "\"q\"", "", "c d"].map(OsString::from)
        );
    }

    #[test]
    fn files_in_files_end() {
        let path = std::env::temp_dir().join(format!("terrace-at-{}", std::process::id()));
        let at = OsString::from(format!("@{}", path.display()));
        std::fs::write(&path, format!("-a {} -b", at.to_string_lossy())).unwrap();
        let words = expand(&[at.clone(), "@missing".into()]);
        std::fs::remove_file(&path).unwrap();
        assert_eq!(words.len(), 2 * MAX_DEPTH + 2);
        assert_eq!(
            (words[0].to_str(), words.last().unwrap().to_str()),
            (Some("-a"), Some("@missing"))
        );
        assert!(words.contains(&at));
    }
}
