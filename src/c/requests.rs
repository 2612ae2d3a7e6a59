//! What `terrace target`, `terrace host` and `terrace schedule` ask of the regions of a unit.
//!
//! They stand before the statement that a region is, with its other directives. A
//! target may also stand before a statement with regions in it, or before a function:
//! the one that is closest to a region counts. A schedule may also stand in a region,
//! before one of its loops.

use crate::ir::diag::Diagnostic;
use crate::targets::machine::by_name;
use std::collections::{HashMap, HashSet};
use terrace_c::directive::{DirectiveKind, Target};
use terrace_c::hir::{DirectiveId, Span, Stmt, StmtKind, Unit};
use terrace_c::lower::compute_directive;

use super::visit::children;

/// What is asked of a region.
#[derive(Debug, Clone, Default)]
pub struct Request {
    pub target: Option<(Target, DirectiveId)>,
    /// In the order of the text.
    pub schedules: Vec<Scheduled>,
}

/// A `schedule` directive of a region.
#[derive(Debug, Clone, Copy)]
pub struct Scheduled {
    pub directive: DirectiveId,
    /// The statement in the region that it is for; `None` for the whole region.
    pub scope: Option<Span>,
}

/// What is asked of the regions of a unit, by their compute directives.
#[derive(Debug, Default)]
pub struct Requests {
    of: HashMap<DirectiveId, Request>,
    /// Directives that nothing can be done with.
    pub errors: Vec<Diagnostic>,
}

impl Requests {
    pub fn of(unit: &Unit) -> Requests {
        let mut w = Walk {
            unit,
            seen: HashSet::default(),
            requests: Requests::default(),
        };
        for f in &unit.functions {
            let before = w.requests.of.len();
            let own = w.targets(&f.directives);
            w.statement(&f.body, own.clone(), None);
            if let Some((target, id)) = own {
                w.used(&target, id, before);
            }
        }
        w.rest();
        w.requests
    }

    /// Of the region under a compute directive.
    pub fn region(&self, directive: Option<DirectiveId>) -> Request {
        let found: Option<&Request> = directive.and_then(|d| self.of.get(&d));
        found.cloned().unwrap_or_default()
    }
}

type Wanted = Option<(Target, DirectiveId)>;

struct Walk<'u> {
    unit: &'u Unit,
    seen: HashSet<DirectiveId>,
    requests: Requests,
}

impl Walk<'_> {
    fn error(&mut self, id: DirectiveId, message: impl Into<String>) -> &mut Diagnostic {
        let d = self.unit.directive(id);
        let (loc, underline) = self.unit.source.underlined(d.span);
        let mut error = Diagnostic::error(loc, message);
        error.underline = underline;
        self.requests.errors.push(error);
        let last = self.requests.errors.len() - 1;
        &mut self.requests.errors[last]
    }

    fn note(&mut self, id: DirectiveId, message: &str) {
        let loc = self
            .unit
            .source
            .loc(self.unit.directive(id).span.start as usize);
        if let Some(last) = self.requests.errors.last_mut() {
            last.notes.push((loc, message.to_string()));
        }
    }

    /// The target among the directives of a statement or function.
    fn targets(&mut self, list: &[DirectiveId]) -> Wanted {
        let mut found: Wanted = None;
        for &id in list {
            let target = match &self.unit.directive(id).kind {
                DirectiveKind::Target(name) => Target::parse(&name.text),
                DirectiveKind::Host => Some(Target::Host),
                _ => continue,
            };
            self.seen.insert(id);
            let Some(target) = target else { continue };
            if let Target::Arch(arch) = &target
                && let Err(why) = by_name(arch)
            {
                self.error(id, why);
                continue;
            }
            if let Some((_, first)) = &found {
                let first = *first;
                let message = format!("{} is a second target of the same statement", self.name(id));
                self.error(id, message);
                self.note(first, "the first is here");
                continue;
            }
            found = Some((target, id));
        }
        found
    }

    /// Walks a statement; `around` is the target that holds for it, `region` the region
    /// that it is in.
    fn statement(&mut self, s: &Stmt, around: Wanted, region: Option<DirectiveId>) {
        let own = self.targets(&s.directives);
        let starts = compute_directive(self.unit, s)
            .map(|(id, _)| id)
            .filter(|_| region.is_none());
        let is_schedule = |id: &&DirectiveId| {
            matches!(self.unit.directive(**id).kind, DirectiveKind::Schedule(_))
        };
        let schedules: Vec<DirectiveId> =
            s.directives.iter().filter(is_schedule).copied().collect();
        self.seen.extend(&schedules);
        if let [first, second, ..] = schedules[..] {
            self.error(second, "a second `terrace schedule` for the same statement");
            self.note(first, "the first is here");
        }
        let before = self.requests.of.len();
        let around = match (&own, region) {
            (Some((_, id)), Some(region)) => {
                let name = self.name(*id);
                let message = format!("{name} has to stand before a region, and this is in one");
                self.error(*id, message);
                self.note(region, "the region begins here");
                around
            }
            (Some(_), None) => own.clone(),
            (None, _) => around,
        };
        let inside = region.or(starts);
        if let Some(r) = starts {
            let request = Request {
                target: around.clone(),
                schedules: Vec::new(),
            };
            self.requests.of.insert(r, request);
        }
        match (schedules.first(), inside) {
            (Some(&directive), Some(r)) => {
                let scope = starts.is_none().then_some(s.span);
                let request = self.requests.of.entry(r).or_default();
                request.schedules.push(Scheduled { directive, scope });
            }
            (Some(&directive), None) => {
                self.error(
                    directive,
                    "`terrace schedule` is for a region or for a loop in one, and no region \
                     follows; write `#pragma terrace offload` behind it",
                );
            }
            (None, _) => {}
        }
        if let StmtKind::Directive(_) = s.kind {
            return;
        }
        for child in children(s) {
            self.statement(child, around.clone(), inside);
        }
        if let (Some((target, id)), None) = (&own, region) {
            self.used(target, *id, before);
        }
    }

    /// Reports a target that no region has. Without one all stays on the host anyway.
    fn used(&mut self, target: &Target, id: DirectiveId, before: usize) {
        if self.requests.of.len() == before && *target != Target::Host {
            self.error(
                id,
                "`terrace target` is for a region, and none follows; write `#pragma terrace \
                 offload` behind it",
            );
        }
    }

    /// Directives that no statement has.
    fn rest(&mut self) {
        for (i, d) in self.unit.directives.iter().enumerate() {
            let id = DirectiveId(u32::try_from(i).unwrap_or(u32::MAX));
            let asks = matches!(
                d.kind,
                DirectiveKind::Target(_) | DirectiveKind::Schedule(_)
            );
            if asks && !self.seen.contains(&id) {
                let message = format!(
                    "{} has to stand before a region; what follows here is none, or is not \
                     understood",
                    self.name(id)
                );
                self.error(id, message);
            }
        }
    }

    /// A directive in the user's words.
    fn name(&self, id: DirectiveId) -> &'static str {
        match self.unit.directive(id).kind {
            DirectiveKind::Schedule(_) => "`terrace schedule`",
            DirectiveKind::Host => "`terrace host`",
            _ => "`terrace target`",
        }
    }
}
