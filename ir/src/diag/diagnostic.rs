//! What a diagnostic is, and the sink that collects them.

use std::fmt;
use std::sync::Arc;

/// How grave a diagnostic is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Severity {
    /// The work cannot be done.
    Error,
    /// It is done, but likely not as wanted.
    Warning,
    /// Something worth knowing.
    Remark,
    /// More about the diagnostic before it.
    Note,
}

impl Severity {
    /// The word printed before the message.
    pub const fn word(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Remark => "remark",
            Severity::Note => "note",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// Where a diagnostic points.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum DiagLoc {
    /// No location.
    #[default]
    Unknown,
    /// A location with no file in it, in the IR's syntax: `loc("name")`.
    Other(Arc<str>),
    /// Line and column count from 1, columns in bytes; 0 if not known.
    Pos {
        /// As the user named it.
        file: Arc<str>,
        /// From 1.
        line: u32,
        /// From 1, in bytes.
        column: u32,
    },
}

impl DiagLoc {
    /// A file position.
    pub fn pos(file: &str, line: u32, column: u32) -> Self {
        DiagLoc::Pos {
            file: file.into(),
            line,
            column,
        }
    }
}

/// A message to the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// How grave it is.
    pub severity: Severity,
    /// Where it points.
    pub loc: DiagLoc,
    /// One line, without severity and place.
    pub message: String,
    /// Bytes from `loc` on to underline, all on its line; 0 for a caret alone.
    pub underline: u32,
    /// If `loc` is in inlined code: where it was called from, innermost first.
    pub callers: Vec<DiagLoc>,
    /// Further places, each with what it has to do with the matter.
    pub notes: Vec<(DiagLoc, String)>,
}

impl Diagnostic {
    /// A diagnostic without notes.
    pub fn new(severity: Severity, loc: DiagLoc, message: impl Into<String>) -> Self {
        Diagnostic {
            severity,
            loc,
            message: message.into(),
            underline: 0,
            callers: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// An error without notes.
    pub fn error(loc: DiagLoc, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, loc, message)
    }

    /// A warning without notes.
    pub fn warning(loc: DiagLoc, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, loc, message)
    }

    /// A remark without notes.
    pub fn remark(loc: DiagLoc, message: impl Into<String>) -> Self {
        Self::new(Severity::Remark, loc, message)
    }

    /// Adds a note.
    #[must_use]
    pub fn with_note(mut self, loc: DiagLoc, message: impl Into<String>) -> Self {
        self.notes.push((loc, message.into()));
        self
    }
}

/// How many errors [`Diagnostics::new`] keeps.
pub(crate) const DEFAULT_ERROR_LIMIT: usize = 20;

/// Collects diagnostics in the order they are made, up to a number of errors.
#[derive(Clone, Debug)]
pub struct Diagnostics {
    items: Vec<Diagnostic>,
    limit: usize,
    errors: usize,
    overflowed: bool,
}

impl Default for Diagnostics {
    fn default() -> Self {
        Self::new()
    }
}

impl Diagnostics {
    /// Keeps [`DEFAULT_ERROR_LIMIT`] errors.
    pub(crate) fn new() -> Self {
        Self::with_limit(DEFAULT_ERROR_LIMIT)
    }

    /// Keeps `limit` errors; 0 keeps all.
    pub fn with_limit(limit: usize) -> Self {
        Diagnostics {
            items: Vec::new(),
            limit,
            errors: 0,
            overflowed: false,
        }
    }

    /// Takes a diagnostic. False if there are now too many errors and the work
    /// that makes them should stop; the first error over the limit is replaced
    /// by a line that says so, and everything after it is dropped.
    pub fn emit(&mut self, diagnostic: Diagnostic) -> bool {
        if self.overflowed {
            return false;
        }
        if diagnostic.severity == Severity::Error {
            if self.limit != 0 && self.errors == self.limit {
                self.overflowed = true;
                self.items.push(Diagnostic::error(
                    DiagLoc::Unknown,
                    format!(
                        "too many errors emitted, stopping now (the limit is {})",
                        self.limit
                    ),
                ));
                return false;
            }
            self.errors += 1;
        }
        self.items.push(diagnostic);
        true
    }

    /// Takes an error; see [`Diagnostics::emit`].
    pub fn error(&mut self, loc: DiagLoc, message: impl Into<String>) -> bool {
        self.emit(Diagnostic::error(loc, message))
    }

    /// Whether no diagnostic is held.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The diagnostics held, in order.
    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.items.iter()
    }

    /// Hands over what was collected so far; the count towards the limit goes on.
    pub fn take(&mut self) -> Vec<Diagnostic> {
        std::mem::take(&mut self.items)
    }
}

impl<'a> IntoIterator for &'a Diagnostics {
    type Item = &'a Diagnostic;
    type IntoIter = std::slice::Iter<'a, Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.items.iter()
    }
}

impl IntoIterator for Diagnostics {
    type Item = Diagnostic;
    type IntoIter = std::vec::IntoIter<Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.items.into_iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_counts_errors_only_and_says_when_it_is_passed() {
        let mut sink = Diagnostics::with_limit(2);
        assert!(sink.error(DiagLoc::Unknown, "one"));
        assert!(sink.emit(Diagnostic::warning(DiagLoc::Unknown, "w")));
        assert!(sink.error(DiagLoc::Unknown, "two"));
        assert!(!sink.error(DiagLoc::Unknown, "three"));
        assert!(!sink.emit(Diagnostic::remark(DiagLoc::Unknown, "r")));
        let messages: Vec<_> = sink.iter().map(|d| d.message.as_str()).collect();
        assert_eq!(
            messages,
            [
                "one",
                "w",
                "two",
                "too many errors emitted, stopping now (the limit is 2)"
            ]
        );
    }

    #[test]
    fn no_limit() {
        let mut sink = Diagnostics::with_limit(0);
        for _ in 0..100 {
            assert!(sink.error(DiagLoc::Unknown, "x"));
        }
        assert_eq!(sink.take().len(), 100);
        assert!(sink.is_empty());
        let mut sink = Diagnostics::default();
        while sink.error(DiagLoc::Unknown, "x") {}
        assert_eq!(sink.into_iter().len(), DEFAULT_ERROR_LIMIT + 1);
    }
}
