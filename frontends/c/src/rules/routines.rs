//! Functions with `routine` directives, and who may call them (2.15.1).

use super::levels::{Level, LevelAt, of};
use super::{Around, Home, Rules};
use crate::directive::{Directive, DirectiveKind};
use crate::hir::{DirectiveId, Expr, ExprKind, Span};

/// What is said of a function.
#[derive(Debug, Clone, Copy)]
pub(super) struct Routine {
    pub level: Level,
    /// The directive.
    pub at: Span,
}

impl Rules<'_> {
    /// The level of each function that a `routine` directive names.
    pub(super) fn find_routines(&mut self) {
        let own = self.unit.functions.iter();
        let mut all: Vec<(DirectiveId, &str)> = own
            .flat_map(|f| f.directives.iter().map(|id| (*id, f.name.as_str())))
            .collect();
        for id in &self.unit.file_directives {
            if let DirectiveKind::Routine(Some(name)) = &self.unit.directive(*id).kind {
                all.push((*id, name.text.trim()));
            }
        }
        all.sort_by_key(|(id, _)| self.unit.directive(*id).span.start);
        all.dedup();
        for (id, name) in all {
            self.routine(self.unit.directive(id), name);
        }
    }

    fn routine(&mut self, d: &Directive, name: &str) {
        if !matches!(d.kind, DirectiveKind::Routine(_)) {
            return;
        }
        let said = of(d).first().copied();
        let LevelAt { level, at } = said.unwrap_or(LevelAt {
            level: Level::Seq,
            at: d.span,
        });
        match self.routines.get(name).copied() {
            Some(first) if first.level != level => {
                let (one, other) = (first.level.name(), level.name());
                let message = format!(
                    "`{name}` is a `{one}` routine already, and cannot be a `{other}` routine too"
                );
                let note = "the first directive is here".to_owned();
                self.error_with(at, message, Some((first.at, note)));
            }
            Some(_) => {}
            None => {
                let at = d.span;
                self.routines.insert(name.to_owned(), Routine { level, at });
            }
        }
    }

    /// A call in code that runs on a device: what the function shares out has to be left.
    pub(super) fn call(&mut self, e: &Expr, around: &Around) {
        let mut calls = Vec::new();
        crate::lower::walk::expr(e, &mut |e| {
            if let ExprKind::Call { function, .. } = &e.kind {
                calls.push((function.clone(), e.span));
            }
        });
        for (name, at) in calls {
            if let Some(routine) = self.routines.get(&name).copied() {
                self.call_of(&name, routine, at, around);
            }
        }
    }

    fn call_of(&mut self, name: &str, routine: Routine, at: Span, around: &Around) {
        let level = routine.level.name();
        let outer = around.loops.iter().flat_map(|l| &l.levels);
        let outer = outer
            .filter(|o| o.level != Level::Seq)
            .min_by_key(|o| o.level);
        if routine.level == Level::Seq {
            return;
        }
        if let Some(o) = outer.filter(|o| routine.level >= o.level) {
            let taken = o.level.name();
            let message = format!(
                "`{name}` is a `{level}` routine, which a `{taken}` loop cannot call: it leaves \
                 no {level} for it"
            );
            self.error_with(at, message, Some((o.at, "the loop is here".to_owned())));
        } else if let Home::Routine(most) = around.home
            && routine.level > most
        {
            let most = most.name();
            let message =
                format!("`{name}` is a `{level}` routine, which a `{most}` routine cannot call");
            let note = around
                .from
                .map(|f| (f, "the caller's directive is here".to_owned()));
            self.error_with(at, message, note);
        }
    }
}
