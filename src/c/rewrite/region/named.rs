//! Arrays that the clauses of a region's own construct name.

use terrace_c::directive::{DataKind, Directive, Section};
use terrace_c::region::Capture;

use super::super::section::{self, Problem};
use super::super::{Rewriter, clauses, maps};
use super::arrays::Arrays;
use super::bytes;
use super::slots::{Range, Slot, both, same_object, same_range};
use crate::c::plan::RegionPlan;

impl Rewriter<'_> {
    /// One slot for each variable of the construct's own clauses that is no scalar.
    pub(super) fn own_clauses(&mut self, d: &Directive, plan: &RegionPlan, a: &mut Arrays) {
        for (kind, s) in clauses::private_copies(d).chain(d.data()) {
            self.own_clause(kind, s, plan, a);
        }
    }

    fn own_clause(&mut self, kind: DataKind, s: &Section, plan: &RegionPlan, a: &mut Arrays) {
        let text = s.base.text.trim().to_string();
        let path = section::path(s).filter(|_| !maps::is_of_pointers(kind));
        let points = section::points(s);
        // Most scalars are passed by value; only that they are there is asked for.
        let in_memory = |c: &Capture| c.array().is_some() && same_object(c, path.as_ref(), points);
        let in_memory = plan.region.captures.iter().any(in_memory);
        if section::is_scalar(s) && !in_memory && kind != DataKind::Present {
            return;
        }
        let range = match section::memory(self.unit, s, kind) {
            Ok(memory) => Range::Memory(memory),
            // `copy(p)`: what the region touches of it.
            Err(Problem::Shapeless) if in_memory => Range::Extents {
                captures: Vec::new(),
                base: format!("({text})"),
            },
            // A clause for what the region does not use.
            Err(Problem::Shapeless) => return,
            Err(problem) => return self.section_error(s, kind, problem),
        };
        let gaps = matches!(&range, Range::Memory(m) if m.gaps);
        let zero = match &range {
            Range::Memory(memory) => self.zero(s, memory, kind) != 0,
            _ => s.modifiers.iter().any(|m| m == "zero"),
        };
        let kind = match kind {
            DataKind::Copyout if gaps => DataKind::Copy,
            kind => kind,
        };
        // Named twice it is still one array.
        let same = a.slots.iter_mut().find(|s| {
            path.is_some() && s.path == path && s.points == points && same_range(&s.range, &range)
        });
        if let Some(same) = same
            && let Some(both) = both(same.kind, kind)
        {
            same.kind = both;
            same.zero |= zero;
            return;
        }
        let more = maps::modifiers(s, kind);
        let behind = match &range {
            Range::Memory(memory) => maps::behind(memory, kind, more),
            _ => Vec::new(),
        };
        let row_of_pointers = matches!(&range, Range::Memory(m) if m.is_row(&text));
        let why = format!("the {} clause of the directive", clauses::name(kind));
        a.slots.push(Slot {
            zero,
            more,
            path: path.filter(|_| !row_of_pointers),
            points,
            bytes: bytes::of_section(self.unit, s).unwrap_or_default(),
            section: self.section_text(s),
            ..Slot::new(kind, text.clone(), range, why.clone())
        });
        for (memory, kind, more) in behind {
            a.slots.push(Slot {
                zero: zero && kind != DataKind::Attach,
                more,
                ..Slot::new(kind, text.clone(), Range::Memory(memory), why.clone())
            });
        }
    }

    /// A section as written; empty for all of a variable.
    fn section_text(&self, s: &Section) -> String {
        match s.dims.is_empty() {
            true => String::new(),
            false => self.unit.text(s.span).trim().to_string(),
        }
    }
}
