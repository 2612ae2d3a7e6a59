//! The walk over functions, statement by statement.

use terrace_c::directive::{Directive, DirectiveKind};
use terrace_c::hir::{DirectiveId, Function, Span, Stmt, StmtKind};

use super::region::copies::Copies;
use super::{Rewriter, acts};
use crate::c::visit::children;

/// What is opened before a statement and closed behind it.
enum Opened {
    Data(String),
    HostData(String),
    Region(String),
    /// A compute construct, with variables of its own.
    Construct(String),
    /// A loop directive with variables of its own.
    Loop(String),
}

/// A region of several statements, opened at the first.
struct Pending {
    end: u32,
    close: String,
}

impl Rewriter<'_> {
    pub(super) fn function(&mut self, f: &Function) {
        self.statement(&f.body, false);
        self.frames.clear();
    }

    fn statements(&mut self, list: &[Stmt], in_region: bool) {
        let frames = self.frames.len();
        let mut pending: Vec<Pending> = Vec::new();
        for s in list {
            if !in_region && pending.is_empty() {
                let range = list.last().map_or(s.span, |last| s.span.to(last.span));
                if let Some(plan) = self.plan_of_several(s.span, range) {
                    let span = self.plans[plan].region.span;
                    if let Some(close) = self.open_region(plan, None, &Copies::default()) {
                        pending.push(Pending {
                            end: span.end,
                            close,
                        });
                    }
                }
            }
            self.statement(s, in_region || !pending.is_empty());
            if let Some(p) = pending.pop_if(|p| p.end <= s.span.end) {
                self.close_region(p.end, &p.close);
            }
        }
        // `declare` holds to the end of its block.
        self.frames.truncate(frames);
    }

    /// The plan without a directive that begins with this statement and runs on.
    fn plan_of_several(&self, s: Span, range: Span) -> Option<usize> {
        (0..self.plans.len()).find(|&i| {
            let r = &self.plans[i].region;
            let starts = r.directive.is_none() && r.span.start == s.start;
            starts && !self.placed[i] && r.span.end > s.end && r.span.end <= range.end
        })
    }

    fn statement(&mut self, s: &Stmt, in_region: bool) {
        let mut opened = Vec::new();
        let mut inside = in_region;
        for &id in &s.directives {
            self.met.insert(id);
            let d = self.directive(id);
            match d.kind {
                DirectiveKind::Loop => self.open_loop(d, s, &mut opened),
                _ if inside => self.not_in_region(d),
                DirectiveKind::Data => opened.push(Opened::Data(self.open_data(d, s))),
                DirectiveKind::HostData => {
                    opened.push(Opened::HostData(self.open_host_data(d)));
                }
                DirectiveKind::Compute { .. } | DirectiveKind::Scop => {
                    let plan = self
                        .plans
                        .iter()
                        .position(|p| p.region.directive == Some(id));
                    inside |= self.try_region(plan, Some((id, d)), s, &mut opened);
                }
                _ => {}
            }
        }
        if !inside {
            let plan = self.plans.iter().position(|p| {
                p.region.directive.is_none() && p.region.span == s.span && is_region(s)
            });
            inside |= self.try_region(plan, None, s, &mut opened);
        }
        if let StmtKind::Directive(id) = &s.kind {
            let d = self.directive(*id);
            match inside {
                true => self.not_in_region(d),
                false => self.standalone(d),
            }
        }
        match &s.kind {
            StmtKind::Block(list) => self.statements(list, inside),
            StmtKind::Switch { arms, .. } => {
                let frames = self.frames.len();
                for arm in arms {
                    self.statements(&arm.body, inside);
                }
                self.frames.truncate(frames);
            }
            _ => {
                for child in children(s) {
                    if !matches!(s.kind, StmtKind::Label(..)) {
                        self.check_braces(child);
                    }
                    self.statement(child, inside);
                }
            }
        }
        let end = self.end_of(s.span);
        while let Some(o) = opened.pop() {
            match o {
                Opened::Data(code) => self.close_data(end, &code),
                Opened::HostData(code) | Opened::Loop(code) => self.close(end, &code),
                Opened::Region(code) => self.close_region(end, &code),
                Opened::Construct(code) => {
                    self.shadows.pop();
                    self.close_region(end, &code);
                }
            }
        }
        // Its opening stands before all of these, and behind those of the statements around it.
        if self.host.is_block(s) {
            self.close(end, "}");
        }
    }

    /// The text of a directive that is the statement of an `if` or of a loop would put
    /// itself in the place of the statement behind it (OpenACC 3.1, 2.14.4, forbids it).
    fn check_braces(&mut self, s: &Stmt) {
        let StmtKind::Block(list) = &s.kind else {
            return;
        };
        let braces = self.unit.text(s.span).trim_start().starts_with('{');
        let Some(StmtKind::Directive(id)) = list.first().map(|s| &s.kind) else {
            return;
        };
        let d = self.directive(*id);
        if !braces && acts(&d.kind) {
            let message = "this directive cannot be the statement of an `if` or a loop; put it, \
                           and what belongs to it, in braces";
            self.error(d.span, message);
        }
    }

    /// Data cannot be moved by what runs on the device.
    fn not_in_region(&mut self, d: &Directive) {
        if acts(&d.kind) {
            self.error(d.span, "this directive cannot stand in a compute region");
            self.remove(d);
        }
    }

    fn try_region(
        &mut self,
        plan: Option<usize>,
        directive: Option<(DirectiveId, &Directive)>,
        s: &Stmt,
        opened: &mut Vec<Opened>,
    ) -> bool {
        let d = directive.map(|(_, d)| d);
        let plan = plan.filter(|&p| !self.placed[p]);
        let compute = d.filter(|d| matches!(d.kind, DirectiveKind::Compute { .. }));
        let copies = compute.map(|d| {
            let names = self.copy_names();
            let (copies, shadows) = self.construct_copies(d, s, &names);
            self.shadows.push(shadows);
            copies
        });
        let construct = copies.is_some();
        let copies = copies.unwrap_or_default();
        let mut is_left = false;
        let close = match plan {
            Some(plan) => self.open_region(plan, d, &copies),
            None => {
                let left = directive.filter(|(id, _)| self.left.contains(id));
                let (begin, end) = match left {
                    Some((_, d)) => self.on_host(d),
                    None => Default::default(),
                };
                self.open_construct(d, s.span, &format!("{begin}{}", copies.open()));
                is_left = left.is_some();
                (construct || is_left).then(|| format!("{}{end}", copies.close()))
            }
        };
        match close {
            Some(close) => {
                if !is_left {
                    self.check_scope(s);
                }
                opened.push(match construct {
                    true => Opened::Construct(close),
                    false => Opened::Region(close),
                });
            }
            // After an error, which nothing is written for.
            None if construct => {
                self.shadows.pop();
            }
            None => {}
        }
        plan.is_some() || is_left
    }

    /// Opens the block of a loop directive's own variables, if it has any.
    fn open_loop(&mut self, d: &Directive, s: &Stmt, opened: &mut Vec<Opened>) {
        let names = self.copy_names();
        let copies = self.loop_copies(d, s, &names);
        if !copies.is_empty() {
            self.open_at(d, copies.open().trim_start());
            opened.push(Opened::Loop(copies.close().trim().to_string()));
        }
    }

    /// Where a statement ends, without blanks behind it.
    fn end_of(&self, span: Span) -> u32 {
        let text = self.unit.text(span);
        span.end - (text.len() - text.trim_end().len()) as u32
    }

    fn close_region(&mut self, end: u32, code: &str) {
        if code.is_empty() {
        } else if code == "} }" {
            self.close(end, code);
        } else {
            self.within(end, code);
        }
    }
}

/// A block and its only statement may have the same span; a region is the outer.
fn is_region(s: &Stmt) -> bool {
    !matches!(s.kind, StmtKind::Decl(_))
}
