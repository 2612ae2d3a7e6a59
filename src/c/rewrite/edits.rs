//! Changes of a text by spans: collected in any order, applied at once.

use std::fmt::Write as _;

/// Replacements and insertions. Spans are bytes of the text as it was.
#[derive(Debug, Default)]
pub struct Edits {
    list: Vec<Edit>,
}

#[derive(Debug)]
struct Edit {
    start: usize,
    end: usize,
    text: String,
}

/// Two edits that change the same bytes, by their spans, or one that is outside the
/// text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    pub first: (usize, usize),
    pub second: (usize, usize),
}

impl Edits {
    /// Bytes `start..end` become `text`.
    pub fn replace(&mut self, start: usize, end: usize, text: impl Into<String>) {
        self.list.push(Edit {
            start,
            end: end.max(start),
            text: text.into(),
        });
    }

    /// `text` goes before the byte `at`. Of several insertions at one place the earlier
    /// call's comes first, and all come before what replaces the bytes from there on.
    pub fn insert(&mut self, at: usize, text: impl Into<String>) {
        self.replace(at, at, text);
    }

    /// All edits of `other`, as if they were made after these.
    pub fn append(&mut self, other: Edits) {
        self.list.extend(other.list);
    }

    /// The text with all edits.
    pub fn apply(mut self, text: &str) -> Result<String, Conflict> {
        self.list.sort_by_key(|e| (e.start, e.end > e.start));
        let added: usize = self.list.iter().map(|e| e.text.len()).sum();
        let mut out = String::with_capacity(text.len() + added);
        let mut at = 0;
        let mut last = (0, 0);
        for e in &self.list {
            let here = (e.start, e.end);
            let kept = if e.start < at {
                None
            } else {
                text.get(at..e.start)
            };
            let (Some(kept), true) = (kept, text.is_char_boundary(e.end)) else {
                return Err(Conflict {
                    first: last,
                    second: here,
                });
            };
            let _ = write!(out, "{kept}{}", e.text);
            at = e.end;
            last = here;
        }
        out.push_str(&text[at..]);
        Ok(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn apply(text: &str, edits: &[(usize, usize, &str)]) -> Result<String, Conflict> {
        let mut e = Edits::default();
        for &(start, end, with) in edits {
            e.replace(start, end, with);
        }
        e.apply(text)
    }

    #[test]
    fn in_any_order() {
        let edits = [(4, 6, "EF"), (0, 1, ""), (2, 2, "<>")];
        assert_eq!(apply("abcdefg", &edits).unwrap(), "b<>cdEFg");
        assert_eq!(apply("", &[]).unwrap(), "");
        assert_eq!(apply("", &[(0, 0, "x")]).unwrap(), "x");
    }

    #[test]
    fn insertions_at_one_place_keep_their_order_and_precede_a_replacement() {
        let edits = [(1, 3, "R"), (1, 1, "1"), (1, 1, "2"), (3, 3, "3")];
        assert_eq!(apply("abcd", &edits).unwrap(), "a12R3d");
    }

    #[test]
    fn nested_pairs_close_in_reverse() {
        // As a walk makes them: open outer, open inner, close inner, close outer.
        let edits = [(0, 0, "("), (0, 0, "["), (2, 2, "]"), (2, 2, ")")];
        assert_eq!(apply("ab", &edits).unwrap(), "([ab])");
    }

    #[test]
    fn overlaps_and_spans_outside_the_text_are_refused() {
        let conflict = apply("abcdef", &[(1, 4, "x"), (3, 5, "y")]).unwrap_err();
        assert_eq!((conflict.first, conflict.second), ((1, 4), (3, 5)));
        assert!(apply("abc", &[(1, 3, "x"), (2, 2, "y")]).is_err());
        assert!(apply("abc", &[(2, 9, "x")]).is_err());
        assert!(apply("abc", &[(7, 7, "x")]).is_err());
        assert!(apply("\u{e9}", &[(1, 1, "x")]).is_err());
    }
}
