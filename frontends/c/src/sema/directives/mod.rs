//! Directives: which statement each belongs to, and what their clauses name.

mod args;
mod clauses;
mod fits;
mod sequence;

pub(super) use sequence::Sequence;

use super::Sema;
use crate::directive::{Arg, Directive, DirectiveKind};
use crate::hir::{DirectiveId, Span};
use terrace_ir::diag::Diagnostic;

/// Directives in the order of the text; those before `next` have their places.
pub(super) struct Queue {
    order: Vec<DirectiveId>,
    next: usize,
    /// `scop`s that are open, in this block or around it.
    open: Vec<DirectiveId>,
    /// Ends of a `scop` that were reported with the other end.
    reported: Vec<DirectiveId>,
}

impl Queue {
    pub fn new(directives: &[Directive]) -> Queue {
        let mut order: Vec<_> = (0..directives.len())
            .map(|i| DirectiveId(u32::try_from(i).unwrap_or(u32::MAX)))
            .collect();
        order.sort_by_key(|id| directives[id.0 as usize].span.start);
        Queue {
            order,
            next: 0,
            open: Vec::new(),
            reported: Vec::new(),
        }
    }
}

impl Sema<'_> {
    fn directive(&self, id: DirectiveId) -> &Directive {
        &self.directives[id.0 as usize]
    }

    /// The next directive that begins before `end`.
    fn next_directive(&mut self, end: u32) -> Option<DirectiveId> {
        let id = *self.queue.order.get(self.queue.next)?;
        if self.directive(id).span.start >= end {
            return None;
        }
        self.queue.next += 1;
        Some(id)
    }

    /// Whether a directive waits that stands before `at`.
    pub(super) fn directive_before(&self, at: Span) -> bool {
        let next = self.queue.order.get(self.queue.next);
        next.is_some_and(|id| self.directive(*id).span.start < at.start)
    }

    /// Directives before a declaration or definition of the file; `function` is the
    /// name that it declares. Returns those that belong to the function.
    pub(super) fn directives_at_file_level(
        &mut self,
        at: Span,
        function: Option<&str>,
    ) -> Vec<DirectiveId> {
        let mut own = Vec::new();
        while let Some(id) = self.next_directive(at.start) {
            let span = self.directive(id).span;
            match &self.directive(id).kind {
                DirectiveKind::Routine(None) => {
                    let Some(name) = function else {
                        self.error(
                            span,
                            "a `routine` directive without a name has to stand before a function",
                        );
                        continue;
                    };
                    // From here on it says the name.
                    let name = Arg {
                        text: name.to_owned(),
                        span,
                        expr: None,
                    };
                    self.directives[id.0 as usize].kind = DirectiveKind::Routine(Some(name));
                    self.file_directives.push(id);
                    own.push(id);
                    self.resolve_directive(id);
                }
                // For all regions of the function.
                DirectiveKind::Target(_) | DirectiveKind::Host if function.is_some() => {
                    own.push(id);
                }
                DirectiveKind::Routine(Some(_)) | DirectiveKind::Declare => {
                    self.file_directives.push(id);
                    self.resolve_directive(id);
                }
                _ => {
                    let name = fits::name(self.directive(id));
                    self.error(span, format!("`{name}` has to stand in a function"));
                }
            }
        }
        own
    }

    /// Directives before `at.end` that no statement has taken stand inside something.
    pub(super) fn directives_misplaced(&mut self, at: Span) {
        while let Some(id) = self.next_directive(at.end) {
            let span = self.directive(id).span;
            let name = fits::name(self.directive(id));
            let message = format!("`{name}` has to stand between statements, not inside one");
            self.error(span, message);
        }
    }

    /// `routine(f)` belongs to f wherever it stands.
    pub(super) fn directives_left_over(&mut self) {
        for id in self.file_directives.clone() {
            let directive = self.directive(id);
            let DirectiveKind::Routine(Some(name)) = &directive.kind else {
                continue;
            };
            let (name, at) = (name.text.trim().to_owned(), name.span);
            match self.functions.iter_mut().find(|f| f.name == name) {
                Some(f) if !f.directives.contains(&id) => f.directives.push(id),
                Some(_) => {}
                None if self.function_table.contains_key(&name) => {}
                None => self.error(at, format!("there is no function `{name}`")),
            }
        }
    }

    /// An error at `id` with a note at another directive.
    fn error_with(&mut self, id: DirectiveId, message: String, other: DirectiveId, note: &str) {
        let (at, there) = (self.directive(id).span, self.directive(other).span);
        let diagnostic =
            Diagnostic::error(self.place(at), message).with_note(self.place(there), note);
        self.report(at, diagnostic);
    }
}
