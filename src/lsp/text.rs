//! Texts as editors have them: versions, changes, and positions that count as the client does.

use lsp_types::{Position, Range, TextDocumentContentChangeEvent, Uri};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use terrace_ir::diag::DiagLoc;

use super::settings::Settings;

/// What a column of the protocol counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Encoding {
    /// Bytes.
    Utf8,
    /// Units of UTF-16, which every client knows.
    #[default]
    Utf16,
}

impl Encoding {
    fn units(self, text: &str) -> u32 {
        match self {
            Encoding::Utf8 => text.len() as u32,
            Encoding::Utf16 if text.is_ascii() => text.len() as u32,
            Encoding::Utf16 => text.chars().map(|c| c.len_utf16() as u32).sum(),
        }
    }

    /// The byte of a line at which a column begins. A column behind the end is the end.
    fn byte(self, line: &str, column: u32) -> usize {
        if self == Encoding::Utf8 || line.is_ascii() {
            let mut at = (column as usize).min(line.len());
            while !line.is_char_boundary(at) {
                at -= 1;
            }
            return at;
        }
        let mut left = column;
        for (at, c) in line.char_indices() {
            let units = c.len_utf16() as u32;
            if left < units {
                return at;
            }
            left -= units;
        }
        line.len()
    }
}

/// Which language a document is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// MLIR's text.
    Mlir,
    /// Models in formulas.
    Formulas,
    /// C with directives.
    C,
}

impl Language {
    /// By the end of a file's name, or else by what the editor calls the language.
    pub fn of(path: &str, id: &str) -> Option<Language> {
        let end = Path::new(path).extension().and_then(|e| e.to_str());
        Some(match (end, id) {
            (Some("mlir"), _) => Language::Mlir,
            (Some("tf"), _) => Language::Formulas,
            (Some("c" | "h"), _) => Language::C,
            (_, "mlir") => Language::Mlir,
            (_, "terrace-formulas") => Language::Formulas,
            (_, "c") => Language::C,
            _ => return None,
        })
    }
}

/// A document at one version. It does not change: a change makes another one.
#[derive(Debug, Clone)]
pub struct Snapshot {
    /// As the client names it.
    pub uri: Uri,
    /// As the client counts.
    pub version: i32,
    /// What the text is in.
    pub language: Language,
    /// All of it.
    pub text: Arc<str>,
    /// What columns count.
    pub encoding: Encoding,
    /// The settings at this time.
    pub settings: Arc<Settings>,
    /// Counts what was handed over to be looked at: also the same text, where settings or headers changed.
    pub revision: u64,
    /// Offsets of the first bytes of lines.
    starts: Arc<[u32]>,
    /// What became of lines: for each change since the document was opened.
    changes: Arc<Vec<LineChange>>,
}

/// Lines of one version that others stand for in the next.
#[derive(Debug, Clone, Copy)]
struct LineChange {
    version: i32,
    first: u32,
    before: u32,
    after: u32,
}

/// So many changes are remembered. What is known of older versions is shown no more.
const REMEMBERED: usize = 256;

fn line_starts(text: &str) -> Arc<[u32]> {
    let ends = text.bytes().enumerate().filter(|(_, b)| *b == b'\n');
    std::iter::once(0)
        .chain(ends.map(|(i, _)| i as u32 + 1))
        .collect()
}

impl Snapshot {
    /// A document that was opened.
    pub fn new(
        uri: Uri,
        version: i32,
        language: Language,
        text: String,
        (encoding, settings): (Encoding, Arc<Settings>),
    ) -> Snapshot {
        Snapshot {
            uri,
            version,
            language,
            starts: line_starts(&text),
            text: text.into(),
            encoding,
            settings,
            revision: 0,
            changes: Arc::default(),
        }
    }

    /// The same text under other settings.
    pub fn with(&self, settings: Arc<Settings>) -> Snapshot {
        Snapshot {
            settings,
            ..self.clone()
        }
    }

    /// The document after changes, in their order.
    ///
    /// # Errors
    ///
    /// A range that ends before it begins.
    pub fn changed(
        &self,
        version: i32,
        changes: &[TextDocumentContentChangeEvent],
    ) -> Result<Snapshot, String> {
        let mut next = self.clone();
        next.version = version;
        for change in changes {
            let Some(range) = change.range else {
                next.text = change.text.as_str().into();
                next.starts = line_starts(&next.text);
                next.changes = Arc::default();
                continue;
            };
            let (start, end) = (next.offset(range.start), next.offset(range.end));
            if start > end {
                return Err(format!(
                    "found a change that ends at {}:{}, before it begins at {}:{}",
                    range.end.line, range.end.character, range.start.line, range.start.character
                ));
            }
            let removed = &next.text[start as usize..end as usize];
            let first = next.line_of(start);
            let line_change = LineChange {
                version,
                first,
                before: removed.matches('\n').count() as u32,
                after: change.text.matches('\n').count() as u32,
            };
            let mut text = String::with_capacity(next.text.len() + change.text.len());
            text.push_str(&next.text[..start as usize]);
            text.push_str(&change.text);
            text.push_str(&next.text[end as usize..]);
            next.starts = line_starts(&text);
            next.text = text.into();
            let changes = Arc::make_mut(&mut next.changes);
            changes.push(line_change);
            if changes.len() > REMEMBERED {
                changes.drain(..REMEMBERED / 2);
            }
        }
        Ok(next)
    }

    /// Where a line of an older version is now, both from 0; `None` where it was changed.
    pub fn line_now(&self, version: i32, line: u32) -> Option<u32> {
        let mut line = line;
        if version == self.version {
            return Some(line);
        }
        let known = self
            .changes
            .first()
            .is_some_and(|c| c.version <= version + 1);
        if version > self.version || !known {
            return None;
        }
        for c in self.changes.iter().filter(|c| c.version > version) {
            if line < c.first {
                continue;
            }
            match line > c.first + c.before {
                true => line = line - c.before + c.after,
                // A line that is typed into is still the line that it was.
                false if c.before == 0 && c.after == 0 => {}
                false if c.before == 0 && line == c.first => {}
                false => return None,
            }
        }
        Some(line)
    }

    /// The file, where the document is one.
    pub fn path(&self) -> Option<PathBuf> {
        path_of(self.uri.as_str())
    }

    /// What messages and line markers call the document: its path, or else its address.
    pub fn name(&self) -> String {
        match self.path() {
            Some(path) => path.to_string_lossy().into_owned(),
            None => self.uri.as_str().to_string(),
        }
    }

    /// How many lines there are.
    pub fn num_lines(&self) -> u32 {
        self.starts.len() as u32
    }

    /// The line of a byte, from 0.
    pub fn line_of(&self, offset: u32) -> u32 {
        self.starts.partition_point(|s| *s <= offset) as u32 - 1
    }

    /// The text of a line, from 0, without its end; empty behind the last.
    pub fn line(&self, line: u32) -> &str {
        let Some(start) = self.starts.get(line as usize) else {
            return "";
        };
        let rest = &self.text[*start as usize..];
        let rest = rest.split('\n').next().unwrap_or("");
        rest.strip_suffix('\r').unwrap_or(rest)
    }

    /// The first byte of a line; behind the last one, the end.
    pub fn line_start(&self, line: u32) -> u32 {
        let start = self.starts.get(line as usize).copied();
        start.unwrap_or(self.text.len() as u32)
    }

    /// The byte at a position. What is outside is at the nearest place inside.
    pub fn offset(&self, at: Position) -> u32 {
        let column = self.encoding.byte(self.line(at.line), at.character);
        self.line_start(at.line) + column as u32
    }

    /// The position of a byte.
    pub fn position(&self, offset: u32) -> Position {
        let offset = (offset as usize).min(self.text.len());
        let line = self.line_of(offset as u32);
        let start = self.line_start(line) as usize;
        let mut end = offset;
        while !self.text.is_char_boundary(end) {
            end -= 1;
        }
        Position::new(line, self.encoding.units(&self.text[start..end]))
    }

    /// The positions of bytes.
    pub fn range(&self, start: u32, end: u32) -> Range {
        Range::new(self.position(start), self.position(end))
    }

    /// A line without the space around it.
    pub fn line_range(&self, line: u32) -> Range {
        let text = self.line(line);
        let start = self.line_start(line) + (text.len() - text.trim_start().len()) as u32;
        let end = self.line_start(line) + text.trim_end().len() as u32;
        self.range(start.min(end), end)
    }

    /// The byte of a place that is in this document: line and column from 1, in bytes.
    pub fn offset_of(&self, place: &DiagLoc) -> Option<u32> {
        let DiagLoc::Pos { file, line, column } = place else {
            return None;
        };
        if **file != *self.name() {
            return None;
        }
        let line = line.checked_sub(1)?;
        let column = column.saturating_sub(1).min(self.line(line).len() as u32);
        (line < self.num_lines()).then(|| self.line_start(line) + column)
    }

    /// The space that a line begins with.
    pub fn indentation(&self, line: u32) -> &str {
        let text = self.line(line);
        &text[..text.len() - text.trim_start().len()]
    }
}

/// The path of an address of a file.
pub fn path_of(uri: &str) -> Option<PathBuf> {
    let rest = uri.strip_prefix("file://")?;
    // A host may be named, which is this one.
    let rest = &rest[rest.find('/')?..];
    let mut bytes = Vec::with_capacity(rest.len());
    let mut all = rest.bytes();
    while let Some(b) = all.next() {
        if b != b'%' {
            bytes.push(b);
            continue;
        }
        let digit = |b: u8| (b as char).to_digit(16);
        let (high, low) = (digit(all.next()?)?, digit(all.next()?)?);
        bytes.push((high * 16 + low) as u8);
    }
    String::from_utf8(bytes).ok().map(PathBuf::from)
}

/// The address of a path.
pub fn uri_of(path: &Path) -> Option<Uri> {
    let mut text = String::from("file://");
    for b in path.to_str()?.bytes() {
        match b {
            b'/' | b'-' | b'_' | b'.' | b'~' => text.push(b as char),
            b if b.is_ascii_alphanumeric() => text.push(b as char),
            b => text.push_str(&format!("%{b:02X}")),
        }
    }
    text.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn snapshot(text: &str, encoding: Encoding) -> Snapshot {
        let uri = "file:///a%20b.mlir".parse().unwrap();
        let with = (encoding, Arc::default());
        Snapshot::new(uri, 1, Language::Mlir, text.to_string(), with)
    }

    fn change(s: &Snapshot, (l0, c0): (u32, u32), (l1, c1): (u32, u32), text: &str) -> Snapshot {
        let event = TextDocumentContentChangeEvent {
            range: Some(Range::new(Position::new(l0, c0), Position::new(l1, c1))),
            range_length: None,
            text: text.to_string(),
        };
        s.changed(s.version + 1, &[event]).unwrap()
    }

    #[test]
    fn columns_count_as_the_client_does() {
        let s = snapshot("a\u{1F600}b\r\n\u{e9}x", Encoding::Utf16);
        assert_eq!(s.offset(Position::new(0, 3)), 5);
        assert_eq!(s.position(5), Position::new(0, 3));
        assert_eq!(s.offset(Position::new(0, 99)), 6);
        assert_eq!(s.offset(Position::new(1, 1)), 10);
        assert_eq!(s.offset(Position::new(9, 9)), 11);
        let s = snapshot("a\u{1F600}b\r\n\u{e9}x", Encoding::Utf8);
        assert_eq!(s.offset(Position::new(0, 5)), 5);
        // Inside a character is at its start.
        assert_eq!(s.offset(Position::new(0, 3)), 1);
        assert_eq!(s.path().unwrap(), PathBuf::from("/a b.mlir"));
        assert_eq!(
            uri_of(Path::new("/a b.mlir")).unwrap().as_str(),
            "file:///a%20b.mlir"
        );
    }

    #[test]
    fn changes_and_the_lines_that_are_left() {
        let s = snapshot("one\ntwo\nthree\nfour\n", Encoding::Utf16);
        let t = change(&s, (1, 1), (1, 2), "W");
        assert_eq!(&*t.text, "one\ntWo\nthree\nfour\n");
        let t = change(&t, (2, 0), (2, 0), "2a\n2b\n");
        assert_eq!(&*t.text, "one\ntWo\n2a\n2b\nthree\nfour\n");
        assert_eq!(t.line_now(1, 0), Some(0));
        assert_eq!(t.line_now(1, 1), Some(1));
        assert_eq!(t.line_now(1, 3), Some(5));
        let t = change(&t, (0, 0), (2, 0), "");
        assert_eq!(&*t.text, "2a\n2b\nthree\nfour\n");
        assert_eq!(t.line_now(1, 0), None);
        assert_eq!(t.line_now(1, 3), Some(3));
        assert_eq!(t.line_now(7, 0), None);
        let backwards = TextDocumentContentChangeEvent {
            range: Some(Range::new(Position::new(1, 0), Position::new(0, 0))),
            range_length: None,
            text: String::new(),
        };
        let said = t.changed(9, &[backwards]).unwrap_err();
        assert_eq!(
            said,
            "found a change that ends at 0:0, before it begins at 1:0"
        );
    }
}
