//! Preprocessed text and where it came from.
//!
//! Line markers (`# 12 "file.c" 2`) give files and lines. Columns are found by aligning
//! the tokens of a preprocessed line with those of the original line, which is read when
//! it is first asked for.

mod align;
mod markers;
mod pragma;

use std::cell::{OnceCell, RefCell};
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use terrace_ir::diag::DiagLoc;

use crate::dialect::Dialect;
use crate::hir::Span;
use align::Aligned;
use markers::Lines;

pub use pragma::{Pragma, mentions_directives};

/// A place in a file as the user wrote it. Lines and columns count from 1, columns in
/// bytes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SourcePos {
    pub file: Arc<str>,
    pub line: u32,
    pub column: u32,
}

impl From<SourcePos> for DiagLoc {
    fn from(place: SourcePos) -> DiagLoc {
        DiagLoc::Pos {
            file: place.file,
            line: place.line,
            column: place.column,
        }
    }
}

/// Reads an original file by the name that line markers give it.
pub type Loader = Box<dyn Fn(&str) -> Option<Vec<u8>>>;

/// The output of the preprocessor, and the way back from it. Everything but the text
/// is made when first asked for.
pub struct SourceMap {
    text: String,
    dialect: Dialect,
    load: Loader,
    lines: OnceCell<Lines>,
    pragmas: OnceCell<Vec<Pragma>>,
    /// Original files; `None` where one cannot be read.
    files: RefCell<FxHashMap<Arc<str>, Option<Rc<Original>>>>,
    /// Lines whose tokens are aligned, by the index of the first.
    aligned: RefCell<FxHashMap<usize, Rc<Aligned>>>,
}

/// An original file and the offsets of its lines.
struct Original {
    text: Vec<u8>,
    starts: Vec<usize>,
}

impl Original {
    fn new(text: Vec<u8>) -> Original {
        let newlines = text.iter().enumerate().filter(|(_, b)| **b == b'\n');
        let starts = std::iter::once(0)
            .chain(newlines.map(|(i, _)| i + 1))
            .collect();
        Original { text, starts }
    }

    /// The bytes of a line, counted from 1, without its line end.
    fn line(&self, line: u32) -> Option<(usize, usize)> {
        let index = (line as usize).checked_sub(1)?;
        let start = *self.starts.get(index)?;
        let end = match self.starts.get(index + 1) {
            Some(next) => next - 1,
            None => self.text.len(),
        };
        Some((start, end))
    }
}

impl SourceMap {
    /// Of preprocessed text. Original files are read from the disk.
    pub fn new(text: impl Into<String>) -> SourceMap {
        SourceMap::with_loader(text, Box::new(|file| std::fs::read(file).ok()))
    }

    /// As [`SourceMap::new`], with original files from `load`.
    pub fn with_loader(text: impl Into<String>, load: Loader) -> SourceMap {
        SourceMap {
            text: text.into(),
            dialect: Dialect::default(),
            load,
            lines: OnceCell::new(),
            pragmas: OnceCell::new(),
            files: RefCell::default(),
            aligned: RefCell::default(),
        }
    }

    /// The same text, in the language that options make of C.
    #[must_use]
    pub fn in_dialect(mut self, dialect: Dialect) -> SourceMap {
        self.dialect = dialect;
        self
    }

    /// The language of the text.
    pub fn dialect(&self) -> &Dialect {
        &self.dialect
    }

    /// The preprocessed text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Where the user wrote what stands at a byte of the preprocessed text. A token that
    /// a macro gave is at the macro's use. An offset past the end is the end's.
    pub fn locate(&self, offset: usize) -> SourcePos {
        let lines = self.lines();
        let index = lines.index(offset);
        let (file, line) = lines.origin(index);
        let offset = offset.min(self.text.len());
        let plain = SourcePos {
            file: lines.file(file),
            line,
            column: (offset - lines.start(index)) as u32 + 1,
        };
        match self.align(index) {
            Some(aligned) => match aligned.find(offset) {
                Some((line, column)) => SourcePos {
                    line,
                    column,
                    ..plain
                },
                None => plain,
            },
            None => plain,
        }
    }

    /// [`SourceMap::locate`], for a diagnostic.
    pub fn loc(&self, offset: usize) -> DiagLoc {
        self.locate(offset).into()
    }

    /// [`SourceMap::loc`] of a span's start, and how many bytes of that line it has.
    pub fn underlined(&self, span: Span) -> (DiagLoc, u32) {
        let start = self.locate(span.start as usize);
        let last = self.locate((span.end as usize).saturating_sub(1));
        let inside = span.end > span.start
            && (&last.file, last.line) == (&start.file, start.line)
            && last.column >= start.column;
        let length = if inside {
            last.column - start.column + 1
        } else {
            0
        };
        (start.into(), length)
    }

    /// Whether the text comes from a system header: flag 3 of its line marker.
    pub fn is_system(&self, offset: usize) -> bool {
        let lines = self.lines();
        lines.is_system(lines.index(offset))
    }

    /// The file that was compiled: the first that a marker names.
    pub fn main_file(&self) -> Arc<str> {
        self.lines().file(self.lines().main())
    }

    /// Whether the text comes from the file that was compiled, and from no header.
    pub fn is_main(&self, offset: usize) -> bool {
        let lines = self.lines();
        lines.origin(lines.index(offset)).0 == lines.main()
    }

    /// Every pragma, in order.
    pub fn pragmas(&self) -> &[Pragma] {
        self.pragmas.get_or_init(|| pragma::find(&self.text))
    }

    fn lines(&self) -> &Lines {
        self.lines.get_or_init(|| Lines::new(&self.text))
    }

    fn original(&self, file: &Arc<str>) -> Option<Rc<Original>> {
        if let Some(known) = self.files.borrow().get(file) {
            return known.clone();
        }
        let read = (self.load)(file).map(|text| Rc::new(Original::new(text)));
        self.files.borrow_mut().insert(file.clone(), read.clone());
        read
    }

    /// The tokens of the lines that come from the same original line as this one, with
    /// their places; `None` where the original cannot be read.
    fn align(&self, index: usize) -> Option<Rc<Aligned>> {
        let lines = self.lines();
        let (first, last) = lines.group(&self.text, index);
        if let Some(known) = self.aligned.borrow().get(&first) {
            return Some(known.clone());
        }
        let (file, line) = lines.origin(first);
        let original = self.original(&lines.file(file))?;
        let follow = lines.blank_after(&self.text, last);
        let parts: Vec<(usize, usize)> = (first..=last)
            .filter(|&i| !lines.is_marker(i))
            .map(|i| lines.range(&self.text, i))
            .collect();
        let aligned = Rc::new(Aligned::new(&self.text, &parts, &original, line, follow)?);
        self.aligned.borrow_mut().insert(first, aligned.clone());
        Some(aligned)
    }
}

impl fmt::Debug for SourceMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SourceMap")
            .field("bytes", &self.text.len())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
