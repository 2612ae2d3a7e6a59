//! Pragmas in the preprocessed text.

use crate::hir::Span;

/// A `#pragma` line, or several that backslashes join.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pragma {
    /// From `#` to the end of the line.
    pub span: Span,
    /// What stands behind `#pragma`, of the length that it has in the text: a spliced
    /// line end is blanks.
    pub text: String,
    /// The offset of the first byte of `text`.
    pub start: u32,
}

/// Every pragma of a text, in order.
pub(super) fn find(text: &str) -> Vec<Pragma> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let mut end = line_end(bytes, at);
        if let Some(start) = pragma_text(&text[at..end]).map(|s| at + s) {
            while end < bytes.len() && bytes[..end].trim_ascii_end().ends_with(b"\\") {
                end = line_end(bytes, end + 1);
            }
            let hash = at + text[at..end].find('#').unwrap_or(0);
            found.push(Pragma {
                span: Span::new(hash, end),
                text: unspliced(&text[start..end]),
                start: start as u32,
            });
        }
        at = end + 1;
    }
    found
}

fn line_end(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    rest.iter()
        .position(|&b| b == b'\n')
        .map_or(bytes.len(), |n| at + n)
}

/// Where the text behind `#pragma` begins, if the line is one.
fn pragma_text(line: &str) -> Option<usize> {
    let rest = line.trim_ascii_start().strip_prefix('#')?;
    let rest = rest.trim_ascii_start().strip_prefix("pragma")?;
    let ends = !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
    ends.then_some(line.len() - rest.len())
}

/// Backslashes before line ends, and the line ends, as blanks.
fn unspliced(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut lines = text.split('\n').peekable();
    while let Some(line) = lines.next() {
        if lines.peek().is_none() {
            out.push_str(line);
            break;
        }
        let kept = line.trim_ascii_end();
        let kept = kept.strip_suffix('\\').unwrap_or(kept);
        out.push_str(kept);
        out.extend(std::iter::repeat_n(' ', line.len() - kept.len() + 1));
    }
    out
}

/// Whether a text, preprocessed or not, may have directives that terrace reads: a scan
/// for the words, which comments and strings can deceive.
pub fn mentions_directives(text: &[u8]) -> bool {
    let mut at = 0;
    while let Some(found) = text[at..]
        .windows(6)
        .position(|w| w == b"pragma" || w == b"Pragma")
    {
        let after = at + found + 6;
        let rest = &text[after..];
        let word = rest
            .iter()
            .position(|b| !matches!(b, b' ' | b'\t' | b'(' | b'"' | b'L' | b'\\' | b'\n' | b'\r'))
            .map_or(&[][..], |n| &rest[n..]);
        if [&b"acc"[..], b"scop", b"endscop", b"terrace"]
            .iter()
            .any(|w| word.starts_with(w))
        {
            return true;
        }
        at = after;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pragmas_keep_their_places_where_lines_are_joined() {
        let text = "a\n  # pragma acc loop \\\n   gang\nb\n#pragma\n#pragmatic\n#pragma scop";
        let found = find(text);
        let texts: Vec<&str> = found.iter().map(|p| p.text.as_str()).collect();
        assert_eq!(texts, [" acc loop      gang", "", " scop"]);
        for p in &found {
            let whole = &text[p.span.start as usize..p.span.end as usize];
            assert!(whole.starts_with('#'));
            assert_eq!(p.start as usize + p.text.len(), p.span.end as usize);
        }
        let gang = found[0].text.find("gang").unwrap() + found[0].start as usize;
        assert!(text[gang..].starts_with("gang\nb"));
    }

    #[test]
    fn a_pragma_at_the_end_may_be_spliced_to_nothing() {
        assert_eq!(find("#pragma acc \\").len(), 1);
        assert_eq!(find("#pragma acc \\\n").len(), 1);
    }

    #[test]
    fn words_that_announce_directives() {
        for yes in [
            "#pragma acc loop",
            "# pragma \t scop",
            "#pragma \\\n endscop",
            "_Pragma(\"acc wait\")",
            "_Pragma ( \"terrace host\" )",
        ] {
            assert!(mentions_directives(yes.as_bytes()), "{yes}");
        }
        for no in [
            "",
            "#pragma omp for",
            "pragma",
            "#pragma once\nint acc;",
            "acc scop",
        ] {
            assert!(!mentions_directives(no.as_bytes()), "{no}");
        }
    }
}
