//! Regions that several compute constructs were joined to.

use terrace_c::hir::{DirectiveId, Span, Unit};
use terrace_c::lower::Merged;

use crate::ir::diag::DiagLoc;

/// What was joined in a unit.
#[derive(Debug)]
pub struct Joined(pub Vec<Merged>);

impl Joined {
    pub fn ids(&self) -> impl Iterator<Item = DirectiveId> {
        self.0.iter().map(|m| m.directive)
    }

    /// Where the constructs stand that became the region of a directive.
    pub fn places(&self, unit: &Unit, region: Option<DirectiveId>) -> Vec<DiagLoc> {
        let of = self.0.iter().find(|m| Some(m.directive) == region);
        let spans = of.map_or(&[][..], |m| &m.constructs);
        let place = |s: &Span| unit.source.loc(s.start as usize);
        spans.iter().map(place).collect()
    }

    /// Adds the statements of those among `failed` to what stays `apart`; whether there were
    /// any.
    pub fn any_apart(
        &self,
        failed: impl Iterator<Item = DirectiveId>,
        apart: &mut Vec<Span>,
    ) -> bool {
        let before = apart.len();
        for id in failed {
            let joined = self.0.iter().find(|m| m.directive == id);
            apart.extend(joined.map(|m| m.span));
        }
        apart.len() > before
    }
}
