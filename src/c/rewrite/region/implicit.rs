//! What is decided of arrays that no clause names.

use terrace_c::directive::{Compute, DataKind};
use terrace_c::region::{Capture, CapturedArray, Size};
use terrace_passes::region::notes::Reason;

use super::super::lvalue::Path;
use super::super::section::{Memory, plain};
use super::super::{Rewriter, clauses, maps};
use super::arrays::Arrays;
use super::bytes;
use super::slots::{Range, Slot};
use crate::c::plan::{ArrayExtent, RegionPlan};

/// An array of which nothing says how much is touched.
pub struct Unknown {
    name: String,
    text: String,
    reason: String,
}

impl Unknown {
    fn of(s: &Slot, extent: Option<&ArrayExtent>) -> Unknown {
        Unknown {
            name: s.name.clone(),
            text: clauses::name(s.kind).to_string(),
            reason: match extent {
                Some(ArrayExtent::Unknown(reason)) => reason.clone(),
                _ => "nothing says how large it is".to_string(),
            },
        }
    }
}

/// Leaves a slot only the address where the extents of some of its captures are not
/// computed.
pub fn without_extents(plan: &RegionPlan, s: &mut Slot) -> Option<Unknown> {
    let Range::Extents { captures, base } = &s.range else {
        return None;
    };
    let mut extents = captures.iter().map(|i| plan.extents.get(*i));
    let unknown = extents.find(|e| *e != Some(&ArrayExtent::Computed))?;
    let address = Range::Address(base.clone());
    let unknown = Unknown::of(s, unknown);
    s.range = address;
    Some(unknown)
}

/// How what is told of a section ends that a clause could give.
pub const CLAUSE_WOULD_SAY: &str = "would say how large it is";

/// What is told of a section that may reach beyond its array, and why.
fn loosely(s: &Slot, why: &str) -> String {
    let back = match s.kind {
        DataKind::Copyin => "",
        _ => ", and only what changed is copied back",
    };
    format!(
        "; {why}, so that only what can be read is copied{back}: {}({}[0:n]) {CLAUSE_WOULD_SAY}",
        clauses::name(s.kind),
        s.name
    )
}

impl Rewriter<'_> {
    /// A new slot where no clause says anything.
    pub(super) fn implicit(
        &self,
        plan: &RegionPlan,
        i: usize,
        array: &CapturedArray,
        default: Option<bool>,
        unknown: &mut Vec<Unknown>,
    ) -> Slot {
        let c = &plan.region.captures[i];
        let lvalue = self.lvalue_text(c);
        // Pointers that nobody attached mean nothing there.
        let present = default == Some(false) || array.pointers;
        let kind = match present {
            true => DataKind::Present,
            false if c.written && !array.is_const => DataKind::Copy,
            false => DataKind::Copyin,
        };
        let why = match (present, c.written, c.read) {
            _ if array.pointers => "its pointers have to be on the device with what they point to",
            (true, ..) => "default(present)",
            (_, true, true) => "read and written here",
            (_, true, false) => "written here",
            _ => "only read here",
        };
        let address = Range::Address(format!("({lvalue})"));
        let mut slot = Slot {
            implicit: true,
            path: Path::of(plain(&c.lvalue)),
            points: c.lvalue.ty.is_pointer(),
            ..Slot::new(kind, lvalue, address, why.to_string())
        };
        match self.sized(&mut slot, plan, i, array) {
            Some(range) => slot.range = range,
            None => unknown.push(Unknown::of(&slot, plan.extents.get(i))),
        }
        slot
    }

    /// The memory of an array that no clause names, with what is told of its size; `None`
    /// where nothing says it.
    fn sized(
        &self,
        slot: &mut Slot,
        plan: &RegionPlan,
        i: usize,
        array: &CapturedArray,
    ) -> Option<Range> {
        let (c, lvalue) = (&plan.region.captures[i], slot.name.clone());
        let present = slot.kind == DataKind::Present;
        let base = format!("({lvalue})");
        let from_first = |bytes| Memory::contiguous(base.clone(), "0".to_string(), bytes);
        let n = match (array.sizes.first(), plan.extents.get(i)) {
            (Some(Size::Const(_) | Size::Text(_)), _) if !array.is_pointer => {
                let bytes = bytes::of_type(self.unit, &c.ty);
                slot.bytes = bytes.unwrap_or_else(|| format!("sizeof({lvalue})"));
                return Some(Range::Memory(Memory::of_variable(&lvalue)));
            }
            (_, Some(ArrayExtent::Computed)) => {
                if let Some(n) = plan.extent_words.get(i).cloned().flatten() {
                    (slot.bytes, slot.section) = self.elements(c, &lvalue, &n);
                }
                let unsure = plan.extent_unsure.get(i).cloned().flatten();
                if let (Some(element), false) = (unsure, present) {
                    let why = format!("whether {element} is used, only memory tells");
                    slot.why.push_str(&loosely(slot, &why));
                }
                let captures = Vec::new();
                return Some(Range::Extents { captures, base });
            }
            (Some(Size::Const(n)), _) => n.to_string(),
            (Some(Size::Text(n)), _) => n.clone(),
            (Some(Size::Declared(n)), _) => {
                // Callers need not keep to it.
                if !present {
                    slot.more |= maps::LOOSE;
                    let why = loosely(slot, "callers may pass less than is declared");
                    slot.why.push_str(&why);
                }
                n.clone()
            }
            // Finding it takes no more than its address.
            _ if present => return Some(Range::Memory(from_first("1".to_string()))),
            _ => return None,
        };
        (slot.bytes, slot.section) = self.elements(c, &lvalue, &n);
        let bytes = format!("(long)({n}) * (long)sizeof(({lvalue})[0])");
        Some(Range::Memory(from_first(bytes)))
    }

    /// What is told of the first `n` elements of an array.
    fn elements(&self, c: &Capture, lvalue: &str, n: &str) -> (String, String) {
        let bytes = bytes::of_elements(self.unit, &c.ty, n).unwrap_or_default();
        (bytes, format!("{lvalue}[0:{n}]"))
    }

    /// What to do when it is not known how much of an array a region may touch.
    pub(super) fn resolve_unknown(&mut self, index: usize, a: &mut Arrays, unknown: Vec<Unknown>) {
        let plan = &self.plans[index];
        if unknown.is_empty() {
            return;
        }
        let span = plan.region.span;
        // Neither the comparison of addresses nor a copy can do without.
        a.cpu &= !plan.check_alias;
        if !a.gpu {
            return;
        }
        if plan.region.construct == Compute::Auto && !plan.wants_gpu {
            a.gpu = false;
            self.declined[index] = unknown.first().map(|u| {
                let text = format!(
                    "it is not known how much of {} the region may touch: {}",
                    u.name, u.reason
                );
                Reason::new(self.loc(span), text)
            });
            return;
        }
        let at = plan
            .region
            .directive
            .map_or(span, |id| self.unit.directive(id).span);
        for u in unknown {
            let message = format!(
                "it is not known how much of `{0}` this region may touch: {1}; add {2}({0}[0:n]) \
                 with its number of elements",
                u.name, u.reason, u.text
            );
            self.error(at, message);
        }
    }
}
