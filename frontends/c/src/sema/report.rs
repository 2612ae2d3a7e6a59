//! Errors in the program: where they are, and which of them are said.

use rustc_hash::FxHashSet;
use terrace_ir::diag::{DiagLoc, Diagnostic};

use super::Sema;
use crate::hir::{Expr, ExprKind, Span};
use crate::types;
use crate::types::Type;

/// The reason of what stands where an error was reported.
pub(super) const ERROR: &str = "an error in the program";

/// Diagnostics so far.
#[derive(Default)]
pub(super) struct Reports {
    found: Vec<(u32, Diagnostic)>,
    /// Names that were reported as not declared: once is enough.
    pub undeclared: FxHashSet<String>,
}

impl Reports {
    /// In the order of the text.
    pub fn finish(mut self) -> Vec<Diagnostic> {
        self.found.sort_by_key(|f| f.0);
        self.found.into_iter().map(|f| f.1).collect()
    }
}

impl Sema<'_> {
    /// A span of the parser, without what the parser skips at its end: white space and
    /// lines of the preprocessor. Nodes that the parser made up have none.
    pub(super) fn span(&self, s: lang_c::span::Span) -> Span {
        let Some(text) = self.source.text().get(s.start..s.end) else {
            return Span::new(0, 0);
        };
        let mut end = text.trim_end().len();
        while let Some(newline) = text[..end].rfind('\n')
            && text[newline..end].trim_start().starts_with('#')
        {
            end = text[..newline].trim_end().len();
        }
        Span::new(s.start, s.start + end)
    }

    pub(super) fn place(&self, span: Span) -> DiagLoc {
        self.source.loc(span.start as usize)
    }

    pub(super) fn error(&mut self, at: Span, message: impl Into<String>) {
        self.report(at, Diagnostic::error(self.place(at), message));
    }

    pub(super) fn warn(&mut self, at: Span, message: impl Into<String>) {
        self.report(at, Diagnostic::warning(self.place(at), message));
    }

    /// Adds a diagnostic that stands at `at`. Those in system headers are dropped: what
    /// is wrong there is this front end's knowledge of the compiler's extensions.
    pub(super) fn report(&mut self, at: Span, mut diagnostic: Diagnostic) {
        if self.source.is_system(at.start as usize) {
            return;
        }
        let text = self.source.text();
        let covered = text
            .get(at.start as usize..at.end as usize)
            .unwrap_or_default();
        let line = covered.lines().next().unwrap_or_default();
        diagnostic.underline = u32::try_from(line.trim_end().len()).unwrap_or(0);
        self.reports.found.push((at.start, diagnostic));
    }

    /// A type in C's words.
    pub(super) fn spell(&self, ty: &Type) -> String {
        types::spell(&self.records, ty)
    }

    /// What stands for an expression that has an error.
    pub(super) fn poison(span: Span) -> Expr {
        Expr {
            kind: ExprKind::Unsupported(ERROR.into()),
            ty: error_type(),
            span,
        }
    }
}

/// The type of what has an error: nothing is said about it again.
pub(super) fn error_type() -> Type {
    Type::Other(ERROR.into())
}

pub(super) fn is_error(ty: &Type) -> bool {
    matches!(ty, Type::Other(name) if &**name == ERROR)
}

/// An expression of this type that is not translated, with the reason.
pub(super) fn unsupported(reason: impl Into<String>, ty: Type, span: Span) -> Expr {
    Expr {
        kind: ExprKind::Unsupported(reason.into()),
        ty,
        span,
    }
}
