//! The statements of a block as they come, with the directives between them.

use super::fits::{self, Position};
use crate::directive::DirectiveKind;
use crate::hir::{DirectiveId, Span, Stmt, StmtKind};
use crate::sema::Sema;
use terrace_ir::diag::Diagnostic;

/// Part of a block.
#[derive(Default)]
pub(in crate::sema) struct Sequence {
    done: Vec<Stmt>,
    /// Directives that wait for their statement, outermost first.
    pending: Vec<DirectiveId>,
    /// `scop`s that are open, with the statements before each.
    scops: Vec<OpenScop>,
}

struct OpenScop {
    id: DirectiveId,
    before: Vec<Stmt>,
    /// Directives that say how it runs.
    modifiers: Vec<DirectiveId>,
}

impl Sema<'_> {
    /// Takes the directives that begin before `end` into the sequence.
    pub(in crate::sema) fn directives_in_sequence(&mut self, end: u32, sequence: &mut Sequence) {
        while let Some(id) = self.next_directive(end) {
            self.resolve_directive(id);
            match fits::position(&self.directive(id).kind) {
                Position::Before => self.pending(id, sequence),
                Position::Alone => {
                    self.end_pending(sequence, id);
                    let span = self.directive(id).span;
                    sequence.done.push(Stmt {
                        kind: StmtKind::Directive(id),
                        span,
                        directives: Vec::new(),
                    });
                }
                Position::Open => {
                    let (modifiers, others) = std::mem::take(&mut sequence.pending)
                        .into_iter()
                        .partition(|p| fits::is_modifier(&self.directive(*p).kind));
                    sequence.pending = others;
                    self.end_pending(sequence, id);
                    self.queue.open.push(id);
                    let before = std::mem::take(&mut sequence.done);
                    sequence.scops.push(OpenScop {
                        id,
                        before,
                        modifiers,
                    });
                }
                Position::Close => {
                    self.end_pending(sequence, id);
                    self.close_scop(id, sequence);
                }
                Position::Outside => {
                    let span = self.directive(id).span;
                    let name = fits::name(self.directive(id));
                    let message = format!(
                        "`{name}` without a function's name has to stand before a function, \
                         outside of others"
                    );
                    self.error(span, message);
                }
            }
        }
    }

    fn pending(&mut self, id: DirectiveId, sequence: &mut Sequence) {
        // What is for a loop has the loop right behind it.
        let is_modifier = |id: DirectiveId| fits::is_modifier(&self.directive(id).kind);
        let before = sequence.pending.iter().rev().find(|p| !is_modifier(**p));
        if let Some(&last) = before
            && !is_modifier(id)
            && fits::needs_loop(&self.directive(last).kind)
            && !fits::needs_loop(&self.directive(id).kind)
        {
            let (outer, inner) = (
                fits::name(self.directive(last)),
                fits::name(self.directive(id)),
            );
            let message = format!("`{outer}` is for a `for` loop, and `{inner}` follows");
            self.error_with(last, message, id, "this stands in between");
            sequence.pending.retain(|p| *p != last);
        }
        sequence.pending.push(id);
    }

    /// Reports directives whose statement does not come.
    fn end_pending(&mut self, sequence: &mut Sequence, by: DirectiveId) {
        for id in std::mem::take(&mut sequence.pending) {
            let (name, other) = (
                fits::name(self.directive(id)),
                fits::name(self.directive(by)),
            );
            let message = format!("`{name}` is for a statement, and `{other}` follows");
            self.error_with(id, message, by, "this stands in between");
        }
    }

    fn close_scop(&mut self, id: DirectiveId, sequence: &mut Sequence) {
        let Some(open) = sequence.scops.pop() else {
            if self.queue.reported.contains(&id) {
                return;
            }
            match self.queue.open.last().copied() {
                Some(open) => {
                    self.queue.reported.push(open);
                    let message = "this `endscop` is not in the same block as its `scop`";
                    self.error_with(id, message.into(), open, "the `scop` stands here");
                }
                None => {
                    let at = self.directive(id).span;
                    self.error(at, "there is no `scop` before this `endscop`");
                }
            }
            return;
        };
        let scop = open.id;
        self.queue.open.retain(|o| *o != scop);
        let body = std::mem::replace(&mut sequence.done, open.before);
        let mut directives = open.modifiers;
        directives.push(scop);
        let after = self.directive(scop).span.end;
        let span = match (body.first(), body.last()) {
            (Some(first), Some(last)) => first.span.to(last.span),
            _ => Span {
                start: after,
                end: after,
            },
        };
        if let Some(other) = self.decides_within(scop, id) {
            let message = "this `scop` has no effect: the OpenACC directives in it say what is \
                           offloaded";
            let at = self.directive(scop).span;
            let first = self.directive(other).span;
            let name = fits::name(self.directive(other));
            let diagnostic = Diagnostic::warning(self.place(at), message)
                .with_note(self.place(first), format!("`{name}` is the first"));
            self.report(at, diagnostic);
            // It opens nothing any more, as its end.
            self.directives[scop.0 as usize].kind = DirectiveKind::EndScop;
            // Not a block of its own: it may declare what is used behind it.
            sequence.done.extend(body);
            return;
        }
        sequence.done.push(Stmt {
            kind: StmtKind::Block(body),
            span,
            directives,
        });
    }

    /// The first directive between a `scop` and its end that makes a region itself, or
    /// moves data for those that do. Programs that are used with a polyhedral compiler and
    /// with OpenACC's have both.
    fn decides_within(&self, scop: DirectiveId, end: DirectiveId) -> Option<DirectiveId> {
        let (from, to) = (
            self.directive(scop).span.end,
            self.directive(end).span.start,
        );
        self.queue.order.iter().copied().find(|&id| {
            let d = self.directive(id);
            let within = from <= d.span.start && d.span.start < to;
            within && fits::decides(d)
        })
    }

    /// Adds the next statement, with the directives that wait for it.
    pub(in crate::sema) fn add_to_sequence(&mut self, mut stmt: Stmt, sequence: &mut Sequence) {
        let mut directives = std::mem::take(&mut sequence.pending);
        directives.retain(|id| {
            let directive = self.directive(*id);
            let Some(why) = fits::unfit(&directive.kind, &stmt) else {
                return true;
            };
            // A loop that was not understood is none in the tree.
            if matches!(stmt.kind, StmtKind::Unsupported(_)) {
                return true;
            }
            let (at, name) = (directive.span, fits::name(directive));
            let diagnostic = Diagnostic::error(self.place(at), format!("`{name}` {why}"))
                .with_note(self.place(stmt.span), "what follows stands here");
            self.report(at, diagnostic);
            false
        });
        directives.append(&mut stmt.directives);
        stmt.directives = directives;
        sequence.done.push(stmt);
    }

    /// The statements of a sequence that ends; `at` is what it was in.
    pub(in crate::sema) fn end_of_sequence(&mut self, sequence: Sequence, at: Span) -> Vec<Stmt> {
        for id in sequence.pending {
            let span = self.directive(id).span;
            let name = fits::name(self.directive(id));
            let end = Span {
                start: at.end.saturating_sub(1),
                end: at.end,
            };
            let diagnostic = Diagnostic::error(
                self.place(span),
                format!("`{name}` is for a statement, and none follows"),
            )
            .with_note(self.place(end), "the block ends here");
            self.report(span, diagnostic);
        }
        let mut statements = sequence.done;
        for open in sequence.scops.into_iter().rev() {
            self.queue.open.retain(|o| *o != open.id);
            if !self.queue.reported.contains(&open.id) {
                self.unclosed(open.id);
            }
            let inner = std::mem::replace(&mut statements, open.before);
            statements.extend(inner);
        }
        statements
    }

    /// Reports a `scop` that its block does not close.
    fn unclosed(&mut self, scop: DirectiveId) {
        let rest = &self.queue.order[self.queue.next.min(self.queue.order.len())..];
        let end = rest
            .iter()
            .copied()
            .take_while(|id| self.directive(*id).kind != DirectiveKind::Scop)
            .find(|id| self.directive(*id).kind == DirectiveKind::EndScop);
        match end {
            Some(end) => {
                self.queue.reported.push(end);
                let message = "this `scop` is not in the same block as its `endscop`";
                self.error_with(scop, message.into(), end, "the `endscop` stands here");
            }
            None => {
                let at = self.directive(scop).span;
                self.error(at, "there is no `endscop` behind this `scop`");
            }
        }
    }
}
