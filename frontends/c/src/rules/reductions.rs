//! Reductions of loops in one another, and what can be reduced (2.9.11).

use super::levels::{Level, of};
use super::{Around, Home, Rules, clauses, variable};
use crate::directive::{ClauseKind, Directive, Reduction, Section};
use crate::hir::{Span, VarId};
use crate::types::Type;

/// An operator as clauses spell it.
fn spelling(op: Reduction) -> &'static str {
    match op {
        Reduction::Add => "+",
        Reduction::Mul => "*",
        Reduction::Max => "max",
        Reduction::Min => "min",
        Reduction::BitAnd => "&",
        Reduction::BitOr => "|",
        Reduction::BitXor => "^",
        Reduction::And => "&&",
        Reduction::Or => "||",
    }
}

/// The reductions of a directive.
fn reductions(d: &Directive) -> Vec<(Reduction, &Section, Span)> {
    let lists = clauses(d, |k| match k {
        ClauseKind::Reduction { op, vars } => Some((*op, vars)),
        _ => None,
    });
    lists
        .flat_map(|((op, vars), at)| vars.iter().map(move |v| (op, v, at)))
        .collect()
}

impl Rules<'_> {
    /// What a loop reduces, beside the loops around it.
    pub(super) fn loop_reductions(&mut self, d: &Directive, around: &Around) {
        for (op, s, at) in reductions(d) {
            self.orphan(d, at, around);
            let Some(v) = variable(s) else { continue };
            if let Some((outer, there)) = self.reduced_around(v, around)
                && outer != op
            {
                let (one, other) = (spelling(outer), spelling(op));
                let message = format!(
                    "`{}` is reduced by `{other}` here and by `{one}` in a loop around it",
                    s.base.text.trim()
                );
                let note = format!("the loop with `{one}` is here");
                self.error_with(s.span, message, Some((there, note)));
            }
        }
    }

    /// The operator of the next loop around that reduces a variable, unless one between has a
    /// private one.
    fn reduced_around(&self, v: VarId, around: &Around) -> Option<(Reduction, Span)> {
        for l in around.loops.iter().rev() {
            let found = reductions(l.directive).into_iter();
            let mut found = found.filter(|(_, s, _)| variable(s) == Some(v));
            if let Some((op, _, at)) = found.next() {
                return Some((op, at));
            }
            let mut private = clauses(l.directive, |k| match k {
                ClauseKind::Private(vars) => Some(vars),
                _ => None,
            });
            if private.any(|(vars, _)| vars.iter().any(|s| variable(s) == Some(v))) {
                return None;
            }
        }
        None
    }

    /// Gangs are combined at the end of a construct, where a routine has none.
    fn orphan(&mut self, d: &Directive, at: Span, around: &Around) {
        let gangs = of(d).iter().any(|l| matches!(l.level, Level::Gang(_)));
        if gangs && matches!(around.home, Home::Routine(_)) {
            let message = "`reduction` cannot stand on a `gang` loop of a routine: gangs are \
                           combined at the end of a construct only";
            self.error(at, message);
        }
    }

    /// Whether the operator goes with the variable's type.
    pub(super) fn reduced_types(&mut self, d: &Directive) {
        for (op, s, _) in reductions(d) {
            let Some(e) = &s.base.expr else { continue };
            let mut ty = &e.ty;
            for _ in &s.dims {
                match ty.element() {
                    Some(of) => ty = of,
                    None => break,
                }
            }
            while let Type::Array(a) = ty {
                ty = &a.of;
            }
            let bits = matches!(op, Reduction::BitAnd | Reduction::BitOr | Reduction::BitXor);
            let name = s.base.text.trim();
            let wrong = match ty {
                Type::Pointer(_) => Some("a pointer".to_owned()),
                Type::Float(_) if bits => {
                    Some(format!("`{}`", crate::types::spell(&self.unit.records, ty)))
                }
                _ => None,
            };
            if let Some(found) = wrong {
                let op = spelling(op);
                let message = format!("`{name}` is {found}, which `{op}` cannot reduce");
                self.error(s.span, message);
            } else if variable(s).is_some_and(|v| self.unit.var(v).is_const) {
                let message = format!("`{name}` is const, and a reduction changes it");
                self.error(s.span, message);
            }
        }
    }
}
