//! The call of a region around its statement.

mod arrays;
mod bytes;
mod call;
pub(super) mod copies;
mod overwritten;
mod scalars;
mod slots;
mod stays;
mod words;

use terrace_c::directive::Directive;
use terrace_c::hir::{ExprKind, Function, Span, Stmt, StmtKind, VarId};

use super::Rewriter;
use super::clauses::{self, OnHost};
use crate::c::visit;
use copies::Copies;

impl Rewriter<'_> {
    /// Writes what stands before the statement, and says what stands behind it; `None`
    /// after an error. `copies` are of the construct's own where the statement runs.
    pub(super) fn open_region(
        &mut self,
        plan: usize,
        d: Option<&Directive>,
        copies: &Copies,
    ) -> Option<String> {
        self.placed[plan] = true;
        let arrays = self.arrays_of(plan, d)?;
        let stays =
            !arrays.gpu && !arrays.cpu || d.is_some_and(|d| clauses::on_host(d) == OnHost::Always);
        let (open, close) = match stays {
            true => (copies.open(), copies.close()),
            false => self.call(plan, d, &arrays, copies),
        };
        self.open_construct(d, self.plans[plan].region.span, &open);
        Some(close)
    }

    /// Writes what opens a construct, if it is anything.
    pub(super) fn open_construct(&mut self, d: Option<&Directive>, statement: Span, open: &str) {
        match d {
            _ if open.is_empty() => {}
            Some(d) => self.open_at(d, open.trim_start()),
            None => self.within(self.begin(statement.start), open),
        }
    }

    /// Variables that are declared directly in a `scop` and used behind it would be out
    /// of reach in the block that the region becomes.
    pub(super) fn check_scope(&mut self, s: &Stmt) {
        let StmtKind::Block(list) = &s.kind else {
            return;
        };
        if self.unit.text(s.span).trim_start().starts_with('{') {
            return;
        }
        for child in list {
            let StmtKind::Decl(vars) = &child.kind else {
                continue;
            };
            for (v, _) in vars {
                let var = self.unit.var(*v);
                if self.is_used_behind(*v, s.span) {
                    let message = format!(
                        "`{}` is declared in this region and used behind it; declare it before \
                         the region",
                        var.name
                    );
                    self.error(var.span, message);
                }
            }
        }
    }

    fn is_used_behind(&self, v: VarId, span: Span) -> bool {
        let inside = |f: &&Function| f.span.start <= span.start && span.end <= f.span.end;
        let Some(f) = self.unit.functions.iter().find(inside) else {
            return false;
        };
        let mut stack: Vec<&Stmt> = vec![&f.body];
        let mut used = false;
        while let Some(s) = stack.pop() {
            if s.span.start >= span.end {
                visit::expressions(s, |e| used |= e.kind == ExprKind::Var(v));
            } else if s.span.end > span.end {
                stack.extend(visit::children(s));
            }
        }
        used
    }
}
