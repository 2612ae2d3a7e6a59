//! Jumps out of loops that are shared out, and into constructs (2.5.4, 2.9).

use rustc_hash::FxHashMap;

use super::Rules;
use super::nests::in_order;
use crate::directive::{Directive, DirectiveKind};
use crate::hir::{Span, Stmt, StmtKind};
use crate::lower::walk;

/// A jump, and the constructs that it stands in, outermost first.
type Goto<'u> = (&'u str, Span, Vec<Span>);

impl<'u> Rules<'u> {
    /// Jumps out of a loop whose number of iterations has to be known when it begins.
    pub(super) fn ways_out(&mut self, d: &Directive, s: &Stmt) {
        let StmtKind::For { body, .. } = &s.kind else {
            return;
        };
        if in_order(d) {
            return;
        }
        let mut labels = Vec::new();
        walk::stmts(body, &mut |s| {
            if let StmtKind::Label(name, _) = &s.kind {
                labels.push(name.as_str());
            }
        });
        let mut found = Vec::new();
        out_of(body, true, &labels, &mut found);
        for (at, what) in found {
            let message = format!(
                "`{what}` leaves a loop whose directive shares out its iterations; that is for \
                 loops with `seq`"
            );
            let note = "the directive is here".to_owned();
            self.error_with(at, message, Some((d.span, note)));
        }
    }

    /// Jumps to a label in a construct that they do not stand in themselves.
    pub(super) fn jumps_into(&mut self, body: &'u Stmt) {
        let mut labels = FxHashMap::default();
        let mut gotos = Vec::new();
        self.places(body, &mut Vec::new(), &mut labels, &mut gotos);
        for (label, at, around) in gotos {
            let Some(inside) = labels.get(label) else {
                continue;
            };
            if let Some(construct) = inside.iter().find(|c| !around.contains(c)) {
                let message =
                    format!("`goto {label}` goes into a construct, which begins at its start");
                let note = "the construct is here".to_owned();
                self.error_with(at, message, Some((*construct, note)));
            }
        }
    }

    /// The constructs around each label and jump.
    fn places(
        &self,
        s: &'u Stmt,
        around: &mut Vec<Span>,
        labels: &mut FxHashMap<&'u str, Vec<Span>>,
        gotos: &mut Vec<Goto<'u>>,
    ) {
        let before = around.len();
        for id in &s.directives {
            let d = self.unit.directive(*id);
            if matches!(
                d.kind,
                DirectiveKind::Compute { .. } | DirectiveKind::Data | DirectiveKind::HostData
            ) {
                around.push(d.span);
            }
        }
        match &s.kind {
            StmtKind::Label(name, _) => {
                labels.insert(name, around.clone());
            }
            StmtKind::Goto(name) => gotos.push((name, s.span, around.clone())),
            _ => {}
        }
        let mut inside = Vec::new();
        walk::children(s, &mut |c| inside.push(c));
        for c in inside {
            self.places(c, around, labels, gotos);
        }
        around.truncate(before);
    }
}

/// Jumps out of the body of a loop. A `break` in it is the loop's own if `own`.
fn out_of(s: &Stmt, own: bool, labels: &[&str], found: &mut Vec<(Span, String)>) {
    let what = match &s.kind {
        StmtKind::Break if own => Some("break".to_owned()),
        StmtKind::Return(_) => Some("return".to_owned()),
        StmtKind::Goto(label) if !labels.contains(&label.as_str()) => Some(format!("goto {label}")),
        _ => None,
    };
    found.extend(what.map(|w| (s.span, w)));
    let own = own
        && !matches!(
            s.kind,
            StmtKind::For { .. }
                | StmtKind::While { .. }
                | StmtKind::DoWhile { .. }
                | StmtKind::Switch { .. }
        );
    walk::children(s, &mut |c| out_of(c, own, labels, found));
}
