//! The slots of a region's arrays: what they are made of, and compared by.

use terrace_c::directive::DataKind;
use terrace_c::hir::Expr;
use terrace_c::region::{Capture, CapturedArray};
use terrace_passes::region::notes::{ArrayNote, Movement};

use super::super::clauses;
use super::super::lvalue::Path;
use super::super::maps::{self, FrameVar, IMPLICIT, WRITTEN, ZERO};
use super::super::section::{Memory, plain};

/// One map of the region.
pub struct Slot {
    pub kind: DataKind,
    pub written: bool,
    pub implicit: bool,
    /// New data begins as zeros.
    pub zero: bool,
    /// Where it is to be copied out alone: the result of the function of the extents
    /// without which it is copied in too.
    pub test: Option<usize>,
    /// Other flags of the map.
    pub more: u32,
    pub name: String,
    pub range: Range,
    pub path: Option<Path>,
    pub points: bool,
    /// Whose words these are, for messages.
    pub why: String,
    pub bytes: String,
    pub section: String,
}

/// Which memory it is.
pub enum Range {
    Memory(Memory),
    /// What the map of a construct around says, by the map's text.
    Same(String),
    /// From the function of the extents: the captures, by index, and the pointer.
    Extents {
        captures: Vec<usize>,
        base: String,
    },
    /// Only the address is known: enough for code on the host.
    Address(String),
}

impl Slot {
    pub fn new(kind: DataKind, name: String, range: Range, why: String) -> Slot {
        Slot {
            kind,
            written: false,
            implicit: false,
            zero: false,
            test: None,
            more: 0,
            name,
            range,
            path: None,
            points: false,
            why,
            bytes: String::new(),
            section: String::new(),
        }
    }

    pub fn flags(&self) -> u32 {
        let written = if self.written { WRITTEN } else { 0 };
        let implicit = if self.implicit { IMPLICIT } else { 0 };
        written | implicit | self.more | if self.zero { ZERO } else { 0 }
    }

    /// The object that it is part of or all of, if its name tells.
    pub fn object(&self) -> Option<Path> {
        let data = self.more & maps::ROWS == 0 && self.kind != DataKind::Attach;
        self.path
            .as_ref()
            .filter(|_| data)
            .map(|p| p.object(self.points))
    }

    /// Whether it may turn out that some of what is copied is not in the array.
    pub fn may_be_loose(&self) -> bool {
        let copied = matches!(
            self.kind,
            DataKind::Copy | DataKind::Copyin | DataKind::Copyout
        );
        let computed = matches!(self.range, Range::Extents { .. });
        copied && (computed && !self.zero || self.more & maps::LOOSE != 0)
    }
}

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
    let why = format!(
        "it is in the {} clause of a data directive around",
        clauses::name(var.kind)
    );
    Slot {
        implicit: true,
        path: var.path.clone(),
        points: var.points,
        ..Slot::new(kind, var.text.clone(), Range::Same(map), why)
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
///
/// With `stays` it may stay on the device behind the region.
pub fn note(s: &Slot, stays: bool) -> ArrayNote {
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
        stays,
        overwritten: s.implicit && matches!(s.kind, DataKind::Copyout | DataKind::Create),
    }
}
