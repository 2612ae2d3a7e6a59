//! Arrays of which a region leaves nothing: they are not copied to the device, and not back
//! where nobody else uses them.

use terrace_c::directive::DataKind;
use terrace_c::hir::{ExprKind, StmtKind, Storage, Unit};
use terrace_c::region::{Capture, Region};
use terrace_c::types::Type;

use super::super::section::plain;
use super::arrays::Arrays;
use super::slots::{Range, Slot};
use crate::c::plan::{ArrayExtent, Overwrite, RegionPlan};
use crate::c::visit;

/// Changes what is decided for arrays of which nobody says anything.
pub(super) fn leave_out_copies(unit: &Unit, plan: &RegionPlan, a: &mut Arrays) {
    for (i, found) in plan.overwritten.iter().enumerate() {
        let (Some(found), Some(slot)) = (found, a.slot_of.get(i).copied().flatten()) else {
            continue;
        };
        let alone = a.slot_of.iter().filter(|s| **s == Some(slot)).count() == 1;
        let computed = plan.extents.get(i) == Some(&ArrayExtent::Computed);
        let s = &mut a.slots[slot];
        // What was asked about is what is copied.
        let same = match &s.range {
            Range::Extents { captures, .. } => computed && captures.as_slice() == [i],
            Range::Memory(memory) => !computed && !memory.gaps,
            Range::Same(_) | Range::Address(_) => false,
        };
        if alone && same && s.implicit && s.written && s.kind == DataKind::Copy {
            let own = is_used_here_alone(unit, &plan.region, &plan.region.captures[i]);
            decide(s, found, own);
        }
    }
}

fn decide(s: &mut Slot, found: &Overwrite, own: bool) {
    let (kind, use_) = match own {
        true => (DataKind::Create, ", and nothing else uses it"),
        false => (DataKind::Copyout, ""),
    };
    let otherwise = match own {
        true => "; elsewhere it is copied to the device and back",
        false => "; elsewhere it is copied to the device, too",
    };
    s.kind = kind;
    s.test = found.result;
    s.why = match found.words.as_deref() {
        Some("") => format!("all of it is written here before it is read{use_}"),
        Some(words) => {
            format!("where {words}, all of it is written here before it is read{use_}{otherwise}")
        }
        None => format!(
            "where all of it is written here before it is read{use_}, as the sizes tell when it \
             runs{otherwise}"
        ),
    };
}

/// Whether the array is a variable of the region's function that only the region uses.
fn is_used_here_alone(unit: &Unit, region: &Region, c: &Capture) -> bool {
    let object = plain(&c.lvalue);
    let (ExprKind::Var(v), Type::Array(_)) = (&object.kind, &object.ty) else {
        return false;
    };
    let v = *v;
    let var = unit.var(v);
    if var.storage != Storage::Local || var.address_taken {
        return false;
    }
    let span = region.span;
    let mut functions = unit.functions.iter();
    let Some(f) = functions.find(|f| f.span.start <= span.start && span.end <= f.span.end) else {
        return false;
    };
    let mut alone = true;
    visit::expressions(&f.body, |e| {
        let inside = span.start <= e.span.start && e.span.end <= span.end;
        alone &= match &e.kind {
            ExprKind::Var(other) => inside || *other != v,
            ExprKind::Unsupported(_) => false,
            _ => true,
        };
    });
    let mut stack = vec![&f.body];
    while let Some(s) = stack.pop() {
        alone &= !matches!(s.kind, StmtKind::Unsupported(_));
        stack.extend(visit::children(s));
    }
    alone
}
