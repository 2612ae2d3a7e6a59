//! How the arrays of a region get to the device: data clauses of its construct, data
//! that is there already, and what is decided where nobody says (OpenACC 3.1, 2.6).

use terrace_c::directive::{ClauseKind, DataKind, Directive};
use terrace_c::region::{Capture, CapturedArray};

use super::super::lvalue::{self, Path};
use super::super::section::plain;
use super::super::{Rewriter, maps};
use super::implicit::without_extents;
use super::overwritten;
use super::scalars::SharedScalar;
use super::slots::{Range, Slot, covers, from_frame, note};
use crate::c::plan::RegionPlan;

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
                Some(array) if array.anywhere || array.tables.is_some() => {}
                Some(array) => {
                    let slot = match self.existing(&mut a, c, array) {
                        Some(slot) => slot,
                        None => {
                            let slot = self.implicit(plan, i, array, default, &mut unknown);
                            a.slots.push(slot);
                            a.slots.len() - 1
                        }
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
        unknown.extend(a.slots.iter_mut().filter_map(|s| without_extents(plan, s)));
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
        let (stay, _) = self.host_code(index, &a);
        self.say_why_not(index, &mut a);
        let named = a.slots.iter().zip(stay);
        self.arrays[index] = named
            .filter(|(s, _)| s.more & maps::ROWS == 0 && s.kind != DataKind::Attach)
            .map(|(s, class)| note(s, class.is_some() && !self.is_unsure(index, s)))
            .collect();
        Some(a)
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
}
