//! Which arrays of a region may stay on the device behind it.

use terrace_c::directive::DataKind;

use super::super::{Rewriter, maps};
use super::arrays::Arrays;
use super::slots::{Range, Slot};

impl Slot {
    /// Whether no clause of the author's says what becomes of it.
    fn is_placed_freely(&self) -> bool {
        let copied = matches!(
            self.kind,
            DataKind::Copy | DataKind::Copyin | DataKind::Copyout
        );
        let known = matches!(self.range, Range::Memory(_) | Range::Extents { .. });
        self.implicit && copied && known && !self.zero && self.more & maps::ROWS == 0
    }
}

impl Rewriter<'_> {
    /// Whether only the run tells if a section reaches beyond its array, so that it may not stay.
    pub(super) fn is_unsure(&self, plan: usize, s: &Slot) -> bool {
        let unsure = &self.plans[plan].extent_unsure;
        let computed = match &s.range {
            Range::Extents { captures, .. } => &captures[..],
            _ => &[],
        };
        let mut computed = computed.iter();
        s.more & maps::LOOSE != 0 || computed.any(|c| matches!(unsure.get(*c), Some(Some(_))))
    }

    /// Tells of arrays that could stay if the function's own code were understood.
    pub(super) fn say_why_not(&self, plan: usize, arrays: &mut Arrays) {
        let function = self.plans[plan].region.function;
        let name = self.unit.functions.get(function).map(|f| &f.name);
        let Some(reason) = name.and_then(|n| self.host.reasons.get(n)) else {
            return;
        };
        for s in arrays.slots.iter_mut().filter(|s| s.is_placed_freely()) {
            s.why
                .push_str(&format!("; each time, as the function has {reason}"));
        }
    }

    /// Of each slot the number of the class of its array, where that may stay; and what is said in
    /// front of the statement where that runs on the host.
    pub(super) fn host_code(&self, plan: usize, arrays: &Arrays) -> (Vec<Option<usize>>, String) {
        let Some(code) = self.host.regions.get(&self.plans[plan].region.span) else {
            return (vec![None; arrays.slots.len()], String::new());
        };
        let of_slot = |(i, slot): (usize, &Slot)| {
            let captures = arrays.slot_of.iter().enumerate();
            let mine = captures.filter(|(_, s)| **s == Some(i)).map(|(c, _)| c);
            let mut classes = mine.map(|c| code.classes.get(c).copied().flatten());
            let first = classes.next().flatten()?;
            let same = classes.all(|c| c == Some(first));
            (same && arrays.gpu && slot.is_placed_freely()).then_some(first)
        };
        let all = arrays.slots.iter().enumerate().map(of_slot).collect();
        (all, code.on_host.clone())
    }
}
