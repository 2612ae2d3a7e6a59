//! How the arrays of a region get to the device: data clauses of its construct, data
//! that is there already, and what is decided where nobody says (OpenACC 3.1, 2.6).

use terrace_c::directive::{ClauseKind, Compute, DataKind, Directive, Section};
use terrace_c::region::{Capture, CapturedArray, Size};
use terrace_passes::region::notes::Reason;

use super::super::lvalue::{self, Path};
use super::super::maps::{self, IMPLICIT, WRITTEN, ZERO};
use super::super::section::{self, Memory, Problem, plain};
use super::super::{Rewriter, clauses};
use super::scalars::SharedScalar;
use super::slots::{both, covers, from_frame, note, same_object, same_range};
use super::{bytes, overwritten};
use crate::c::plan::{ArrayExtent, RegionPlan};

/// Everything that a region's call says of data.
pub struct Arrays {
    pub slots: Vec<Slot>,
    /// For each capture that is an array, the index of its slot.
    pub slot_of: Vec<Option<usize>>,
    /// Scalars that may be on the device: their value is taken from there and put there.
    pub shared_scalars: Vec<SharedScalar>,
    pub gpu: bool,
    pub cpu: bool,
}

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

/// What is told of a section that may reach beyond its array, and why.
fn loosely(s: &Slot, why: &str) -> String {
    let back = match s.kind {
        DataKind::Copyin => "",
        _ => ", and only what changed is copied back",
    };
    format!(
        "; {why}, so that only what can be read is copied{back}: {}({}[0:n]) would say how large \
         it is",
        clauses::name(s.kind),
        s.name
    )
}

/// An array of which nothing says how much is touched.
struct Unknown {
    name: String,
    text: String,
    reason: String,
}

impl Rewriter<'_> {
    /// Decides about the arrays of a region; `None` after an error.
    pub(super) fn arrays_of(&mut self, index: usize, d: Option<&Directive>) -> Option<Arrays> {
        let plan = &self.plans[index];
        let mut a = Arrays {
            slots: Vec::new(),
            slot_of: vec![None; plan.region.captures.len()],
            shared_scalars: Vec::new(),
            gpu: plan.gpu,
            cpu: plan.cpu,
        };
        let errors = self.errors.len();
        if let Some(d) = d {
            self.own_clauses(d, plan, &mut a);
        }
        let default = d.and_then(|d| {
            d.clauses.iter().find_map(|c| match c.kind {
                ClauseKind::Default { none } => Some(none),
                _ => None,
            })
        });
        let mut unknown = Vec::new();
        for (i, c) in plan.region.captures.iter().enumerate() {
            match c.array() {
                // Where it lies is read from memory.
                Some(array) if array.anywhere => {}
                Some(array) => {
                    let slot = match self.existing(&mut a, c, array) {
                        Some(slot) => slot,
                        None => self.implicit(&mut a, plan, i, array, default, &mut unknown),
                    };
                    let s = &mut a.slots[slot];
                    s.written |= c.written && !array.is_const;
                    if s.written && s.implicit && s.kind == DataKind::Copyin {
                        s.kind = DataKind::Copy;
                    }
                    if let Range::Extents { captures, .. } = &mut s.range {
                        captures.push(i);
                    }
                    a.slot_of[i] = Some(slot);
                }
                None => {
                    a.shared_scalars
                        .extend(self.shared_scalar(&plan.region, d, i));
                }
            }
        }
        for s in &mut a.slots {
            let Range::Extents { captures, base } = &s.range else {
                continue;
            };
            let reason = captures.iter().find_map(|&i| match plan.extents.get(i) {
                Some(ArrayExtent::Computed) => None,
                Some(ArrayExtent::Unknown(reason)) => Some(reason.clone()),
                _ => Some("nothing says how large it is".to_string()),
            });
            if let Some(reason) = reason {
                unknown.push(Unknown {
                    name: s.name.clone(),
                    text: clauses::name(s.kind).to_string(),
                    reason,
                });
                s.range = Range::Address(base.clone());
            }
        }
        if default == Some(true) {
            self.uncovered(plan, &a, d);
        }
        self.resolve_unknown(index, &mut a, unknown);
        if self.errors.len() > errors {
            return None;
        }
        overwritten::leave_out_copies(self.unit, &self.plans[index], &mut a);
        for &(capture, group) in &self.plans[index].coincide {
            if group > maps::GROUPS {
                continue;
            }
            if let Some(slot) = a.slot_of.get(capture).copied().flatten() {
                a.slots[slot].more |= group << maps::GROUP;
            }
        }
        let named = a.slots.iter().filter(|s| s.more & maps::ROWS == 0);
        self.arrays[index] = named
            .filter(|s| s.kind != DataKind::Attach)
            .map(note)
            .collect();
        Some(a)
    }

    /// One slot for each variable of the construct's own clauses that is no scalar.
    fn own_clauses(&mut self, d: &Directive, plan: &RegionPlan, a: &mut Arrays) {
        for (kind, s) in clauses::private_copies(d).chain(clauses::data(d)) {
            let text = s.base.text.trim().to_string();
            let path = section::path(s).filter(|_| !maps::is_of_pointers(kind));
            let points = section::points(s);
            // Most scalars are passed by value; only that they are there is asked for.
            let captures = &plan.region.captures;
            let in_memory =
                |c: &Capture| c.array().is_some() && same_object(c, path.as_ref(), points);
            let by_value = section::is_scalar(s) && !captures.iter().any(in_memory);
            if by_value && kind != DataKind::Present {
                continue;
            }
            let range =
                match section::memory(self.unit, s, kind) {
                    Ok(memory) => Range::Memory(memory),
                    // `copy(p)`: what the region touches of it.
                    Err(Problem::Shapeless)
                        if plan.region.captures.iter().any(|c| {
                            c.array().is_some() && same_object(c, path.as_ref(), points)
                        }) =>
                    {
                        Range::Extents {
                            captures: Vec::new(),
                            base: format!("({text})"),
                        }
                    }
                    // A clause for what the region does not use.
                    Err(Problem::Shapeless) => continue,
                    Err(problem) => {
                        self.section_error(s, kind, problem);
                        continue;
                    }
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
                path.is_some()
                    && s.path == path
                    && s.points == points
                    && same_range(&s.range, &range)
            });
            if let Some(same) = same
                && let Some(both) = both(same.kind, kind)
            {
                same.kind = both;
                same.zero |= zero;
                continue;
            }
            let more = maps::modifiers(s, kind);
            let behind = match &range {
                Range::Memory(memory) => maps::behind(memory, kind, more),
                _ => Vec::new(),
            };
            let row_of_pointers = matches!(&range, Range::Memory(m) if m.is_row(&text));
            let why = format!("the {} clause of the directive", clauses::name(kind));
            a.slots.push(Slot {
                kind,
                written: false,
                implicit: false,
                zero,
                test: None,
                more,
                name: text.clone(),
                range,
                path: path.filter(|_| !row_of_pointers),
                points,
                why: why.clone(),
                bytes: bytes::of_section(self.unit, s).unwrap_or_default(),
                section: self.section_text(s),
            });
            for (memory, kind, more) in behind {
                a.slots.push(Slot {
                    kind,
                    written: false,
                    implicit: false,
                    zero: zero && kind != DataKind::Attach,
                    test: None,
                    more,
                    name: text.clone(),
                    range: Range::Memory(memory),
                    path: None,
                    points: false,
                    why: why.clone(),
                    bytes: String::new(),
                    section: String::new(),
                });
            }
        }
    }

    /// A section as written; empty for all of a variable.
    fn section_text(&self, s: &Section) -> String {
        match s.dims.is_empty() {
            true => String::new(),
            false => self.unit.text(s.span).trim().to_string(),
        }
    }

    /// A slot that covers the capture: one that is there, or that of data around.
    fn existing(&self, a: &mut Arrays, c: &Capture, array: &CapturedArray) -> Option<usize> {
        let path = Path::of(plain(&c.lvalue));
        let covers = |p: Option<&Path>, points: bool| covers(c, array, path.as_ref(), p, points);
        let own = a
            .slots
            .iter()
            .position(|s| covers(s.path.as_ref(), s.points));
        if own.is_some() {
            return own;
        }
        let (map, var) = self.frames.iter().rev().find_map(|f| {
            let i = f
                .vars
                .iter()
                .position(|v| covers(v.path.as_ref(), v.points));
            i.map(|i| (format!("{}[{i}]", f.maps), &f.vars[i]))
        })?;
        let kind = match var.kind {
            kind @ (DataKind::Present | DataKind::Deviceptr | DataKind::NoCreate) => kind,
            _ if c.written && !array.is_const => DataKind::Copy,
            _ => DataKind::Copyin,
        };
        a.slots.push(from_frame(map, var, kind));
        Some(a.slots.len() - 1)
    }

    /// A new slot where no clause says anything.
    fn implicit(
        &mut self,
        a: &mut Arrays,
        plan: &RegionPlan,
        i: usize,
        array: &CapturedArray,
        default: Option<bool>,
        unknown: &mut Vec<Unknown>,
    ) -> usize {
        let c = &plan.region.captures[i];
        let lvalue = self.lvalue_text(c);
        // Pointers that nobody attached mean nothing there.
        let present = default == Some(false) || array.pointers;
        let mut slot = Slot {
            kind: match present {
                true => DataKind::Present,
                false if c.written && !array.is_const => DataKind::Copy,
                false => DataKind::Copyin,
            },
            written: false,
            implicit: true,
            zero: false,
            test: None,
            more: 0,
            name: lvalue.clone(),
            range: Range::Address(format!("({lvalue})")),
            path: Path::of(plain(&c.lvalue)),
            points: c.lvalue.ty.is_pointer(),
            why: match (present, c.written, c.read) {
                _ if array.pointers => "its pointers have to be on the device with what they \
                                        point to"
                    .to_string(),
                (true, ..) => "default(present)".to_string(),
                (_, true, true) => "read and written here".to_string(),
                (_, true, false) => "written here".to_string(),
                _ => "only read here".to_string(),
            },
            bytes: String::new(),
            section: String::new(),
        };
        let sized = |n: &str| Memory {
            base: format!("({lvalue})"),
            first: "0".to_string(),
            bytes: format!("(long)({n}) * (long)sizeof(({lvalue})[0])"),
            gaps: false,
            rows: None,
            below: None,
            attach: None,
        };
        let extent = plan.extents.get(i).unwrap_or(&ArrayExtent::Scalar);
        slot.range = match (array.sizes.first(), extent) {
            (Some(Size::Const(_) | Size::Text(_)), _) if !array.is_pointer => {
                let bytes = bytes::of_type(self.unit, &c.ty);
                slot.bytes = bytes.unwrap_or_else(|| format!("sizeof({lvalue})"));
                Range::Memory(Memory {
                    base: format!("&({lvalue})"),
                    first: "0".to_string(),
                    bytes: format!("(long)sizeof({lvalue})"),
                    gaps: false,
                    rows: None,
                    below: None,
                    attach: None,
                })
            }
            (_, ArrayExtent::Computed) => {
                if let Some(n) = plan.extent_words.get(i).cloned().flatten() {
                    (slot.bytes, slot.section) = self.elements(c, &lvalue, &n);
                }
                let unsure = plan.extent_unsure.get(i).cloned().flatten();
                if let (Some(element), false) = (unsure, present) {
                    slot.why.push_str(&loosely(
                        &slot,
                        &format!("whether {element} is used, only memory tells"),
                    ));
                }
                Range::Extents {
                    captures: Vec::new(),
                    base: format!("({lvalue})"),
                }
            }
            (Some(Size::Const(n)), _) => {
                let n = n.to_string();
                (slot.bytes, slot.section) = self.elements(c, &lvalue, &n);
                Range::Memory(sized(&n))
            }
            (Some(Size::Text(n)), _) => {
                (slot.bytes, slot.section) = self.elements(c, &lvalue, n);
                Range::Memory(sized(n))
            }
            // Callers need not keep to it.
            (Some(Size::Declared(n)), _) => {
                (slot.bytes, slot.section) = self.elements(c, &lvalue, n);
                if !present {
                    slot.more |= maps::LOOSE;
                    slot.why
                        .push_str(&loosely(&slot, "callers may pass less than is declared"));
                }
                Range::Memory(sized(n))
            }
            // Finding it takes no more than its address.
            (_, _) if present => Range::Memory(Memory {
                bytes: "1".to_string(),
                ..sized("1")
            }),
            (_, extent) => {
                unknown.push(Unknown {
                    name: lvalue.clone(),
                    text: clauses::name(slot.kind).to_string(),
                    reason: match extent {
                        ArrayExtent::Unknown(reason) => reason.clone(),
                        _ => "nothing says how large it is".to_string(),
                    },
                });
                Range::Address(format!("({lvalue})"))
            }
        };
        a.slots.push(slot);
        a.slots.len() - 1
    }

    /// What is told of the first `n` elements of an array.
    fn elements(&self, c: &Capture, lvalue: &str, n: &str) -> (String, String) {
        let bytes = bytes::of_elements(self.unit, &c.ty, n).unwrap_or_default();
        (bytes, format!("{lvalue}[0:{n}]"))
    }

    /// The array, or the pointer to it, as C.
    pub(super) fn lvalue_text(&self, c: &Capture) -> String {
        let text = lvalue::text(self.unit, plain(&c.lvalue));
        text.unwrap_or_else(|| match c.text.split_once("[]") {
            Some((base, _)) => base.to_string(),
            None => c.text.clone(),
        })
    }

    /// Under `default(none)` every array must be in a clause.
    fn uncovered(&mut self, plan: &RegionPlan, a: &Arrays, d: Option<&Directive>) {
        let span = d.map_or(plan.region.span, |d| d.span);
        let names: Vec<String> = a
            .slots
            .iter()
            .filter(|s| s.implicit && !matches!(s.range, Range::Same(_)))
            .map(|s| s.name.clone())
            .collect();
        for name in names {
            let message = format!(
                "`{name}` is used in a region with default(none) and is in no data clause; write \
                 what becomes of it, such as copy({name})"
            );
            self.error(span, message);
        }
    }

    /// What to do when it is not known how much of an array a region may touch.
    fn resolve_unknown(&mut self, index: usize, a: &mut Arrays, unknown: Vec<Unknown>) {
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
