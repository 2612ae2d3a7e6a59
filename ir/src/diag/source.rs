//! Source files, and the line and column of an offset in them.

use std::sync::{Arc, OnceLock};

use crate::text::{InputError, utf8_text};

/// A named text. Lines end at `\n`; lines and columns count from 1, columns in bytes.
#[derive(Debug)]
pub struct SourceFile {
    name: Arc<str>,
    text: String,
    /// Offset of the first byte of every line; made when first asked for.
    line_starts: OnceLock<Vec<u32>>,
}

impl SourceFile {
    /// Fails if `text` has 4 GiB or more.
    pub fn new(name: impl Into<Arc<str>>, text: impl Into<String>) -> Result<Self, InputError> {
        let text = text.into();
        if u32::try_from(text.len()).is_err() {
            return Err(InputError::TooLarge { bytes: text.len() });
        }
        Ok(SourceFile {
            name: name.into(),
            text,
            line_starts: OnceLock::new(),
        })
    }

    /// As [`SourceFile::new`], from bytes that must be UTF-8.
    pub fn from_bytes(name: impl Into<Arc<str>>, bytes: Vec<u8>) -> Result<Self, InputError> {
        let text = String::from_utf8(bytes).or_else(|e| {
            // The check that failed does not give line and column.
            utf8_text(e.as_bytes()).map(str::to_owned)
        })?;
        Self::new(name, text)
    }

    /// The name that diagnostics carry.
    pub fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// The whole content.
    pub fn text(&self) -> &str {
        &self.text
    }

    fn line_starts(&self) -> &[u32] {
        self.line_starts.get_or_init(|| {
            let newlines = self.text.bytes().enumerate().filter(|&(_, b)| b == b'\n');
            // The constructor refuses texts whose length does not fit.
            std::iter::once(0)
                .chain(newlines.map(|(i, _)| i as u32 + 1))
                .collect()
        })
    }

    /// Line and column of a byte; past the end, those of the end.
    pub(crate) fn line_column(&self, offset: u32) -> (u32, u32) {
        LineCursor::new(self).line_column(offset)
    }

    /// The bytes of a line without its `\n`, as a range; `None` if there is no such line.
    fn line_range(&self, line: u32) -> Option<std::ops::Range<usize>> {
        let index = line.checked_sub(1)? as usize;
        let starts = self.line_starts();
        let start = *starts.get(index)? as usize;
        let end = match starts.get(index + 1) {
            Some(&next) => next as usize - 1,
            None => self.text.len(),
        };
        Some(start..end)
    }

    /// A line's text without its `\n`; `None` if there is no such line.
    pub fn line(&self, line: u32) -> Option<&str> {
        self.text.get(self.line_range(line)?)
    }

    /// The offset of a line and column; `None` outside the text. The column
    /// behind the last character of a line is inside.
    pub fn offset(&self, line: u32, column: u32) -> Option<u32> {
        let range = self.line_range(line)?;
        let column = column.checked_sub(1)?;
        (column as usize <= range.len()).then(|| range.start as u32 + column)
    }

    /// The place of a byte, for a diagnostic.
    pub fn location(&self, offset: u32) -> super::DiagLoc {
        let (line, column) = self.line_column(offset);
        super::DiagLoc::Pos {
            file: self.name.clone(),
            line,
            column,
        }
    }
}

/// Finds lines and columns of offsets that mostly grow, as a parser asks for
/// them: constant time for an offset on the line of the last one or on the next.
#[derive(Clone, Debug)]
pub struct LineCursor<'a> {
    starts: &'a [u32],
    len: u32,
    /// Index of the line found last.
    line: usize,
}

impl<'a> LineCursor<'a> {
    pub(crate) fn new(file: &'a SourceFile) -> Self {
        LineCursor {
            starts: file.line_starts(),
            len: file.text.len() as u32,
            line: 0,
        }
    }

    /// As [`SourceFile::line_column`].
    pub(crate) fn line_column(&mut self, offset: u32) -> (u32, u32) {
        let offset = offset.min(self.len);
        let holds = |line: usize| {
            self.starts.get(line).is_some_and(|&start| start <= offset)
                && self.starts.get(line + 1).is_none_or(|&next| offset < next)
        };
        if !holds(self.line) {
            self.line = if holds(self.line + 1) {
                self.line + 1
            } else {
                // The first line starts at 0, so at least one start is not above.
                self.starts.partition_point(|&start| start <= offset) - 1
            };
        }
        (self.line as u32 + 1, offset - self.starts[self.line] + 1)
    }
}

/// A file of a [`SourceMap`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(u32);

/// A byte of a file of a [`SourceMap`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Pos {
    /// Which file of the map.
    pub file: FileId,
    /// Bytes from the start of the file.
    pub offset: u32,
}

/// The files of one compilation.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    files: Vec<Arc<SourceFile>>,
}

impl SourceMap {
    /// A map without files.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file. Of two files with the same name, the first is found by name.
    pub fn add(&mut self, file: impl Into<Arc<SourceFile>>) -> FileId {
        let id = FileId(self.files.len() as u32);
        self.files.push(file.into());
        id
    }

    /// The file of an id; `None` if the id is of another map.
    pub fn file(&self, id: FileId) -> Option<&Arc<SourceFile>> {
        self.files.get(id.0 as usize)
    }

    /// The first file with this name.
    pub fn find(&self, name: &str) -> Option<FileId> {
        let index = self.files.iter().position(|file| **file.name() == *name)?;
        Some(FileId(index as u32))
    }

    /// A position as a diagnostic shows it.
    pub fn location(&self, pos: Pos) -> super::DiagLoc {
        match self.file(pos.file) {
            Some(file) => file.location(pos.offset),
            None => super::DiagLoc::Unknown,
        }
    }
}

/// Where the source lines shown in diagnostics come from.
pub trait SourceProvider {
    /// The file with this name, if it is at hand.
    fn source(&self, name: &str) -> Option<&SourceFile>;
}

impl SourceProvider for SourceMap {
    fn source(&self, name: &str) -> Option<&SourceFile> {
        self.file(self.find(name)?).map(|file| &**file)
    }
}

impl SourceProvider for SourceFile {
    fn source(&self, name: &str) -> Option<&SourceFile> {
        (*self.name == *name).then_some(self)
    }
}

/// No source text: diagnostics show positions only.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoSources;

impl SourceProvider for NoSources {
    fn source(&self, _name: &str) -> Option<&SourceFile> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns() {
        let file = SourceFile::new("a", "ab\n\né\r\nx").unwrap();
        let expected = [
            (1, 1),
            (1, 2),
            (1, 3),
            (2, 1),
            (3, 1),
            (3, 2),
            (3, 3),
            (3, 4),
            (4, 1),
            (4, 2),
            (4, 2),
        ];
        for (offset, &(line, column)) in expected.iter().enumerate() {
            assert_eq!(file.line_column(offset as u32), (line, column), "{offset}");
            if offset <= file.text().len() {
                assert_eq!(file.offset(line, column), Some(offset as u32));
            }
        }
        assert_eq!(file.line(3), Some("é\r"));
        assert_eq!(file.line(4), Some("x"));
        assert_eq!(file.line(0), None);
        assert_eq!(file.line(5), None);
        assert_eq!(file.offset(1, 4), None);
        assert_eq!(file.offset(1, 0), None);
        assert_eq!(file.offset(u32::MAX, u32::MAX), None);
        let empty = SourceFile::new("e", "").unwrap();
        assert_eq!(empty.line_column(7), (1, 1));
        assert_eq!(empty.line(1), Some(""));
    }

    #[test]
    fn a_cursor_agrees_whichever_way_it_goes() {
        let text = "a\nbb\n\n\nccc\n".repeat(20);
        let file = SourceFile::new("a", text.clone()).unwrap();
        let mut cursor = LineCursor::new(&file);
        let len = text.len() as u32;
        for i in 0..4 * len {
            let offset = (i * 37 % (len + 5)) / (1 + i % 3);
            assert_eq!(cursor.line_column(offset), file.line_column(offset));
        }
        for offset in 0..len {
            let before = &text[..offset as usize];
            let line = before.matches('\n').count() as u32 + 1;
            assert_eq!(cursor.line_column(offset).0, line);
        }
    }

    #[test]
    fn maps_find_files_by_id_and_name() {
        let mut map = SourceMap::new();
        let a = map.add(SourceFile::new("a", "x\ny").unwrap());
        let b = map.add(SourceFile::new("b", "").unwrap());
        assert_eq!(map.find("b"), Some(b));
        assert_eq!(map.find("c"), None);
        assert_eq!(map.file(a).unwrap().text(), "x\ny");
        assert_eq!(map.source("a").unwrap().text(), "x\ny");
        assert!(SourceMap::new().file(a).is_none());
        assert!(SourceFile::from_bytes("z", vec![b'a', 0xff]).is_err());
    }
}
