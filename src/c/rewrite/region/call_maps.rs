//! The maps of a region's call: which memory of each array the device is to have.

use terrace_c::directive::DataKind;
use terrace_c::region::Capture;

use super::super::clauses;
use super::super::lvalue::Path;
use super::super::maps::{set, set_as};
use super::super::section::{Memory, plain};
use super::arrays::Arrays;
use super::call::Call;
use super::objects::Objects;
use super::slots::{Range, Slot};
use super::tables;
use crate::c::plan::RegionPlan;

/// How many of these have variables of computed extents.
pub(super) fn computed_slots(slots: &[Slot]) -> usize {
    let is = |s: &&Slot| matches!(s.range, Range::Extents { .. });
    slots.iter().filter(is).count()
}

/// Whether the region's code is only right where arrays do not overlap, and that
/// has to be looked at.
pub(super) fn compares(plan: &RegionPlan, arrays: &Arrays) -> bool {
    let open = plan
        .region
        .captures
        .iter()
        .filter_map(|c| c.array())
        .any(|a| a.is_pointer && !a.restrict)
        || plan.region.captures.iter().any(is_behind);
    let written = arrays.slots.iter().any(|s| s.written)
        || plan
            .region
            .captures
            .iter()
            .any(|c| c.written && (c.addressed || tables::address(c).is_some()));
    plan.check_alias && open && written
}

/// Whether the array is a member of what a pointer points to.
fn is_behind(c: &Capture) -> bool {
    c.array().is_some() && Path::of(plain(&c.lvalue)).is_some_and(|p| p.is_behind())
}

impl Call<'_> {
    /// The least and greatest subscripts of arrays whose extents were computed, and those
    /// that are surely in the array.
    pub fn hulls(&self, out: &mut String) {
        let mut number = 0;
        for s in &self.arrays.slots {
            let Range::Extents { captures, .. } = &s.range else {
                continue;
            };
            for c in captures {
                let Some(k) = self.computed.iter().position(|x| x == c) else {
                    continue;
                };
                // What is touched, and behind that of all arrays what is sure.
                let touched = self.layout.results + 2 * k;
                let sure = touched + 2 * self.computed.len();
                let (m, w) = (&self.names.maps, &self.names.words);
                out.push_str(&format!(
                    " __terrace_hull(&{m}l{number}, &{m}h{number}, &{w}[{touched}]); \
                     __terrace_hull(&{m}s{number}, &{m}e{number}, &{w}[{sure}]);"
                ));
            }
            number += 1;
        }
    }

    /// The statements that fill all maps.
    pub fn fill_maps(&self, out: &mut String) {
        let (slots, captures) = (&self.arrays.slots, &self.plan.region.captures);
        let scalar = |i: usize| Path::of(plain(&captures[i].lvalue));
        let parts: Vec<Path> = (slots.iter().filter_map(Slot::object))
            .chain(self.reached.iter().filter_map(|&i| scalar(i)))
            .collect();
        let objects = Objects::of(&parts);
        for (i, s) in slots.iter().enumerate() {
            out.push(' ');
            out.push_str(&self.fill(i, s.flags() | objects.flag(s.object().as_ref())));
        }
        for (k, &i) in self.reached.iter().enumerate() {
            let c = &captures[i];
            let map = format!("{}[{}]", self.names.maps, slots.len() + k);
            let flags = u32::from(c.written) | objects.flag(scalar(i).as_ref());
            let scalar = Memory::of_variable(&c.text);
            out.push(' ');
            out.push_str(&set(&map, &scalar, DataKind::Present, flags, &c.text));
        }
    }

    /// The statement that fills the map of slot `i`.
    fn fill(&self, i: usize, flags: u32) -> String {
        let (s, m) = (&self.arrays.slots[i], &self.names.maps);
        let map = format!("{m}[{i}]");
        let kind = clauses::code(s.kind);
        let mut loose = String::new();
        let memory = match &s.range {
            Range::Memory(memory) => memory.clone(),
            Range::Same(outer) => {
                return format!("__terrace_same(&{map}, &{outer}, {kind}, {flags});");
            }
            Range::Extents { base, .. } => {
                let k = computed_slots(&self.arrays.slots[..i]);
                let (low, high) = (format!("{m}l{k}"), format!("{m}h{k}"));
                let each = format!("(long)sizeof({base}[0])");
                if s.may_be_loose() {
                    // On the host the section is where it is.
                    loose = format!(
                        " if ({} == 2) __terrace_loose(&{map}, {base}, {each}, {low}, {high}, \
                         {m}s{k}, {m}e{k});",
                        self.names.target
                    );
                }
                let first = format!("{low} * {each}");
                Memory::contiguous(base.clone(), first, format!("({high} - {low}) * {each}"))
            }
            Range::Address(base) => {
                Memory::contiguous(base.clone(), "0".to_string(), "0".to_string())
            }
        };
        let Some(result) = s.test else {
            return set_as(&map, &memory, kind, flags, &s.name) + &loose;
        };
        let word = format!("{}[{}]", self.names.words, self.layout.results + result);
        let kind = format!("{word} ? {kind} : {}", clauses::code(DataKind::Copy));
        // What is surely written is in the array.
        let loose = match loose.is_empty() {
            true => loose,
            false => format!(" if (!{word}){loose}"),
        };
        set_as(&map, &memory, &kind, flags, &s.name) + &loose
    }
}
