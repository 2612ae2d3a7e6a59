//! Splitting a test file at markers, `// -----` by default.

use std::ops::Range;

use super::{Diagnostic, SourceFile};

/// The marker of `-split-input-file` without a value, and between the outputs.
pub const DEFAULT_SPLIT_MARKER: &str = "// -----";

/// A part of a split file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// Its bytes in the file. Lexing this range of the whole text
    /// (`crate::text::Lexer::with_range`) gives positions in the file.
    pub range: Range<usize>,
    /// The line its first byte is on, from 1: for all but the first chunk, the
    /// line of the marker before it.
    pub first_line: u32,
}

/// What [`split_input`] gives.
#[derive(Clone, Debug)]
pub struct Split {
    /// The parts between markers, in order.
    pub chunks: Vec<Chunk>,
    /// Warnings about near misses.
    pub warnings: Vec<Diagnostic>,
}

/// Splits a file at every `marker`, wherever on a line it stands. An empty
/// marker splits nothing.
///
/// As in MLIR, a marker that lacks its last two bytes, goes on with a dash or a
/// zero, or ends the file is a near miss: it is left as it stands, with a
/// warning. Where there is no byte before, between or behind markers, there is
/// no chunk. (MLIR takes a marker that begins the file for text.)
pub fn split_input(file: &SourceFile, marker: &str) -> Split {
    let text = file.text();
    let mut chunks = Vec::new();
    let mut warnings = Vec::new();
    let mut chunk = |range: Range<usize>| {
        chunks.push(Chunk {
            first_line: file.line_column(range.start as u32).0,
            range,
        });
    };
    if marker.is_empty() {
        chunk(0..text.len());
        return Split { chunks, warnings };
    }
    // Of a short marker nothing can be missing without it being missed everywhere.
    let mut checked_from = match marker.len() {
        len @ 0..=2 => len,
        len => len - 2,
    };
    while !marker.is_char_boundary(checked_from) {
        checked_from += 1;
    }
    let (prefix, checked) = marker.split_at(checked_from);

    let mut start = 0;
    for (at, _) in text.match_indices(prefix) {
        if at < start {
            // In the marker found last.
            continue;
        }
        let after = at + prefix.len();
        let rest = text.get(after..).unwrap_or("");
        let complete = rest
            .strip_prefix(checked)
            .is_some_and(|rest| !rest.is_empty() && !rest.starts_with(['-', '0']));
        if complete {
            if at > start {
                chunk(start..at);
            }
            start = after + checked.len();
        } else {
            warnings.push(Diagnostic::warning(
                file.location(after as u32),
                "near miss with file split marker",
            ));
        }
    }
    if start < text.len() {
        chunk(start..text.len());
    }
    Split { chunks, warnings }
}

#[cfg(test)]
mod tests {
    use super::super::Renderer;
    use super::*;

    fn split(text: &str, marker: &str) -> (Vec<(String, u32)>, String) {
        let file = SourceFile::new("a.mlir", text).unwrap();
        let split = split_input(&file, marker);
        let chunks = split
            .chunks
            .iter()
            .map(|c| (text[c.range.clone()].to_owned(), c.first_line))
            .collect();
        (chunks, Renderer::new(&file).render_all(&split.warnings))
    }

    fn chunks(text: &str, marker: &str) -> Vec<(String, u32)> {
        let (chunks, warnings) = split(text, marker);
        assert_eq!(warnings, "");
        chunks
    }

    fn expect(chunks: &[(&str, u32)]) -> Vec<(String, u32)> {
        chunks.iter().map(|&(s, n)| (s.to_owned(), n)).collect()
    }

    #[test]
    fn chunks_know_their_line() {
        assert_eq!(
            chunks(
                "a\n// -----\nb\n\n// ----- c // -----\nd",
                DEFAULT_SPLIT_MARKER
            ),
            expect(&[("a\n", 1), ("\nb\n\n", 2), (" c ", 5), ("\nd", 5)])
        );
        assert_eq!(
            chunks("a\n// -----\nb", ""),
            expect(&[("a\n// -----\nb", 1)])
        );
        assert_eq!(chunks("", DEFAULT_SPLIT_MARKER), []);
        assert_eq!(chunks("", ""), expect(&[("", 1)]));
        assert_eq!(
            chunks("// -----\na", DEFAULT_SPLIT_MARKER),
            expect(&[("\na", 1)])
        );
        assert_eq!(
            chunks("a\n// -----\n// -----\nb", DEFAULT_SPLIT_MARKER),
            expect(&[("a\n", 1), ("\n", 2), ("\nb", 3)])
        );
    }

    #[test]
    fn near_misses_are_warned_of_and_kept() {
        let text = "a\n// ----\nb\n// ------\n// -----0\nc\n// -----";
        let (chunks, warnings) = split(text, DEFAULT_SPLIT_MARKER);
        assert_eq!(chunks, expect(&[(text, 1)]));
        let expected: String = [
            (2, "// ----"),
            (4, "// ------"),
            (5, "// -----0"),
            (7, "// -----"),
        ]
        .iter()
        .map(|(line, text)| {
            format!("a.mlir:{line}:7: warning: near miss with file split marker\n{text}\n      ^\n")
        })
        .collect();
        assert_eq!(warnings, expected);
    }

    #[test]
    fn other_markers() {
        assert_eq!(
            chunks("a|b|c", "|"),
            expect(&[("a", 1), ("b", 1), ("c", 1)])
        );
        assert_eq!(chunks("a\n==\nb", "=="), expect(&[("a\n", 1), ("\nb", 2)]));
        assert_eq!(chunks("|a||b", "|"), expect(&[("a", 1), ("b", 1)]));
        assert_eq!(chunks("xaaaay", "aaaa"), expect(&[("x", 1), ("y", 1)]));
        assert_eq!(chunks("aéb", "é"), expect(&[("a", 1), ("b", 1)]));
        assert_eq!(
            chunks("x\n// CHECK: ----\ny", "// CHECK: ----"),
            expect(&[("x\n", 1), ("\ny", 2)])
        );
    }
}
