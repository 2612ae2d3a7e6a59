//! The call of a region around its statement.

mod arrays;
mod bytes;
mod call;
mod call_maps;
pub(super) mod copies;
mod implicit;
mod named;
mod objects;
mod overwritten;
mod scalars;
mod slices;
mod slots;
mod stay_there;
mod stays;
mod tables;
mod words;

pub(crate) use implicit::CLAUSE_WOULD_SAY;

use terrace_c::directive::{Directive, DirectiveKind};
use terrace_c::hir::{ExprKind, Function, Span, Stmt, StmtKind, Unit, VarId};
use terrace_c::region::Region;

use super::clauses::{self, OnHost};
use super::{Rewriter, c_string};
use crate::c::visit;
use copies::Copies;

/// Whether some iterations of the loop that a region is can run by its statement.
pub(in crate::c) fn runs_in_slices(unit: &Unit, region: &Region) -> bool {
    slices::Slices::of(unit, region).is_some()
}

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
            true => {
                let says = self.host.regions.get(&self.plans[plan].region.span);
                match says.map(|r| &*r.on_host).filter(|t| !t.is_empty()) {
                    Some(says) => (
                        format!("{{ {says};{}", copies.open()),
                        format!("{} }}", copies.close()),
                    ),
                    None => (copies.open(), copies.close()),
                }
            }
            false => self.call(plan, d, &arrays, copies),
        };
        // The choice of the analysis is the host's own code; what a directive asks for would
        // be the device's.
        let left = d.filter(|_| !arrays.gpu && !self.plans[plan].at_home);
        let (open, close) = match left {
            Some(d) => {
                let (begin, end) = self.on_host(d);
                (format!("{begin}{open}"), format!("{close}{end}"))
            }
            None => (open, close),
        };
        self.open_construct(d, self.plans[plan].region.span, &open);
        Some(close)
    }

    /// What stands around a region for which no device has code, where it is not on the host
    /// by its own clauses.
    pub(super) fn on_host(&mut self, d: &Directive) -> (String, String) {
        let here = match clauses::on_host(d) {
            OnHost::Always => return (String::new(), String::new()),
            OnHost::If(cond) => Some(format!("!{cond}")),
            OnHost::Never => None,
        };
        let all: Vec<String> = clauses::condition(d).into_iter().chain(here).collect();
        let cond = match all.is_empty() {
            true => "1".to_string(),
            false => all.join(" && "),
        };
        let name = format!("__terrace_h{}", self.number());
        let text = c_string(&self.unit.text(d.span).replace(['\n', '\\'], " "));
        let place = self.place(d.span);
        if d.kind == DirectiveKind::Scop {
            // What is declared in it may be used behind it.
            let begin = format!(" terrace_host_begin({text}, {place});");
            return (begin, " terrace_host_end();".to_string());
        }
        (
            format!(" {{ int {name} = {cond}; if ({name}) terrace_host_begin({text}, {place});",),
            format!(" if ({name}) terrace_host_end(); }}"),
        )
    }

    /// Writes what opens a construct, if it is anything.
    pub(super) fn open_construct(&mut self, d: Option<&Directive>, statement: Span, open: &str) {
        match d {
            _ if open.is_empty() => {}
            // Constructs that were joined have no pragma for all of them.
            Some(d) if d.span.start == d.span.end => self.within(self.begin(d.span.start), open),
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
