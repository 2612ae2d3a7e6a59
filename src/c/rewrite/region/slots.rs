//! What the slots of a region's arrays are compared by, and made of.

use terrace_c::directive::DataKind;
use terrace_c::hir::Expr;
use terrace_c::region::{Capture, CapturedArray};
use terrace_passes::region::notes::{ArrayNote, Movement};

use super::super::clauses;
use super::super::lvalue::Path;
use super::super::maps::FrameVar;
use super::super::section::plain;
use super::arrays::{Range, Slot};

/// Whether two ranges are written alike.
pub fn same_range(a: &Range, b: &Range) -> bool {
    match (a, b) {
        (Range::Memory(a), Range::Memory(b)) => {
            a.base == b.base && a.first == b.first && a.bytes == b.bytes
        }
        (Range::Extents { base: a, .. }, Range::Extents { base: b, .. }) => a == b,
        _ => false,
    }
}

/// The clause that does what two do.
pub fn both(a: DataKind, b: DataKind) -> Option<DataKind> {
    use DataKind::{Copy, Copyin, Copyout, Create};
    let moves = |k| matches!(k, Copy | Copyin | Copyout | Create);
    match (a, b) {
        _ if !moves(a) || !moves(b) => None,
        (a, b) if a == b => Some(a),
        (Create, other) | (other, Create) => Some(other),
        _ => Some(Copy),
    }
}

/// A slot for a variable of data around.
pub fn from_frame(map: String, var: &FrameVar, kind: DataKind) -> Slot {
    Slot {
        kind,
        written: false,
        implicit: true,
        zero: false,
        test: None,
        more: 0,
        name: var.text.clone(),
        range: Range::Same(map),
        path: var.path.clone(),
        points: var.points,
        why: format!(
            "it is in the {} clause of a data directive around",
            clauses::name(var.kind)
        ),
        bytes: String::new(),
        section: String::new(),
    }
}

/// Whether a clause's variable is the array of a capture, or the pointer to it.
pub fn same_object(c: &Capture, path: Option<&Path>, points: bool) -> bool {
    let own: &Expr = plain(&c.lvalue);
    path.is_some() && Path::of(own).as_ref() == path && own.ty.is_pointer() == points
}

/// Whether the memory of a clause's variable holds the array of a capture.
pub fn covers(
    c: &Capture,
    array: &CapturedArray,
    path: Option<&Path>,
    clause: Option<&Path>,
    points: bool,
) -> bool {
    let (Some(path), Some(clause)) = (path, clause) else {
        return false;
    };
    if array.is_pointer || c.lvalue.ty.is_pointer() {
        return path == clause;
    }
    path.is_part_of(clause, points)
}

/// What to tell of a slot.
pub fn note(s: &Slot) -> ArrayNote {
    let movement = match s.kind {
        DataKind::Firstprivate => Movement::In,
        DataKind::Copyin => Movement::In,
        DataKind::Copyout => Movement::Out,
        DataKind::Create => Movement::Create,
        DataKind::Present | DataKind::NoCreate | DataKind::Deviceptr => Movement::Present,
        _ => Movement::Both,
    };
    ArrayNote {
        name: s.name.clone(),
        bytes: s.bytes.clone(),
        section: s.section.clone(),
        movement: match s.range {
            Range::Same(_) => Movement::Present,
            _ => movement,
        },
        why: s.why.clone(),
        overwritten: s.implicit && matches!(s.kind, DataKind::Copyout | DataKind::Create),
    }
}
