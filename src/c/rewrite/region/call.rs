//! The text around a region's statement.

use terrace_c::directive::{DataKind, Directive};
use terrace_c::region::{Capture, CaptureKind, ON_DEVICE};
use terrace_passes::region::Work;

use super::super::Rewriter;
use super::super::clauses::{self, OnHost};
use super::super::lvalue::Path;
use super::super::maps::{set, set_as};
use super::super::section::{Memory, plain};
use super::arrays::{Arrays, Range, Slot};
use super::copies::Copies;
use super::objects::Objects;
use super::scalars::{any_present, of_scalar};
use super::stays::ASKED;
use super::words::{self, Layout};

/// Names of the variables of one call.
pub(super) struct Names {
    pub target: String,
    fell: String,
    maps: String,
    pub scalars: String,
    words: String,
    queue: String,
    /// With a number behind: whether a scalar is on the device, and its host's value.
    pub present: String,
    pub old: String,
}

impl Names {
    fn new(n: usize) -> Names {
        let name = |letter: &str| format!("__terrace_{letter}{n}");
        Names {
            target: name("t"),
            fell: name("f"),
            maps: name("m"),
            scalars: name("v"),
            words: name("w"),
            queue: name("q"),
            present: format!("__terrace_p{n}_"),
            old: format!("__terrace_o{n}_"),
        }
    }
}

impl Rewriter<'_> {
    /// What stands before and behind the statement.
    pub(super) fn call(
        &mut self,
        index: usize,
        d: Option<&Directive>,
        arrays: &Arrays,
        copies: &Copies,
    ) -> (String, String) {
        let plan = &self.plans[index];
        let region = &plan.region;
        let names = Names::new(self.number());
        let place = self.place(d.map_or(region.span, |d| d.span));
        let (t, q) = (&names.target, &names.queue);
        let extents: Vec<usize> = arrays
            .slots
            .iter()
            .flat_map(|s| match &s.range {
                Range::Extents { captures, .. } => captures.as_slice(),
                _ => &[],
            })
            .copied()
            .collect();
        let last_test = arrays.slots.iter().filter_map(|s| s.test).max();
        let asks = !extents.is_empty() || last_test.is_some();
        self.preamble.regions.push((plan.symbol.clone(), asks));

        // The maps behind those of the arrays are only compared: scalars that a pointer
        // may reach.
        let reached: Vec<usize> = match self.compares(index, arrays) {
            true => (0..region.captures.len())
                .filter(|&i| {
                    let c = &region.captures[i];
                    c.kind == CaptureKind::Scalar && c.addressed
                })
                .collect(),
            false => Vec::new(),
        };
        let compared = arrays.slots.len() + reached.len();
        let compare = self.compares(index, arrays) && compared > 1;
        let strays = arrays.gpu && arrays.slots.iter().any(Slot::may_be_loose);

        let mut out = format!("{{ int {t} = {};", self.target_of(index, d, arrays));
        // Whether the device has the region's data, though the statement runs.
        let falls = arrays.gpu && (compare || strays || asks);
        if falls {
            out.push_str(&format!(" int {} = 0;", names.fell));
        }
        if compared > 0 {
            out.push_str(&format!(
                " struct __terrace_map {}[{compared}];",
                names.maps
            ));
        }
        match (arrays.gpu, arrays.cpu) {
            (false, _) => out.push_str(&format!(" if ({t} == 2) {t} = 0;")),
            (_, false) => out.push_str(&format!(" if ({t} == 1) {t} = 0;")),
            _ => {}
        }
        out.push_str(&format!(" if ({t}) {{"));

        let layout = Layout::new(region);
        let computed = self.computed(index);
        // The function writes all its results.
        let overwritten = self.plans[index].overwritten.iter().flatten();
        let tests = overwritten.filter_map(|o| o.result).max();
        let results = (4 * computed.len()).max(tests.map_or(0, |k| k + 1));
        let len = match asks {
            true => layout.len.max(layout.results + results),
            false => layout.len,
        };
        let pays = self.pays(index, d, arrays);
        let numbers = if pays.is_some() { Work::NUMBERS } else { 0 };
        let len = len.max(layout.results + numbers);
        out.push_str(&format!(" __terrace_word {}[{}];", names.words, len.max(1)));
        self.scalar_variables(index, arrays, &names, &mut out);
        let queue = d.map_or("-1".to_string(), clauses::queue);
        out.push_str(&format!(" long {q} = {queue};"));
        for i in 0..extents_slots(arrays) {
            out.push_str(&format!(
                " long {0}l{i} = 0, {0}h{i} = 0, {0}s{i} = 0, {0}e{i} = 0;",
                names.maps
            ));
        }
        if let Some(d) = d {
            let waits = clauses::waits(d);
            if !waits.is_empty() {
                out.push(' ');
                out.push_str(waits.trim_end());
            }
            if let Some(any) = any_present(arrays, &names).filter(|_| clauses::is_async(d)) {
                out.push_str(&format!(" if ({any}) terrace_wait({q});"));
            }
        }
        self.scalars_in(index, arrays, &names, &place, &mut out);
        self.arguments(index, &names, &layout, &mut out);
        for k in 0..arrays.shared_scalars.len() {
            self.restore(index, arrays, k, &names, &mut out);
        }
        if asks {
            out.push_str(&format!(
                " if (terrace_{}_extents({})) {} else {{",
                plan.symbol,
                names.words,
                fall(falls, &names)
            ));
            self.hulls(arrays, &names, &layout, &computed, &mut out);
        }
        let scalar = |i: usize| Path::of(plain(&region.captures[i].lvalue));
        let parts: Vec<Path> = (arrays.slots.iter().filter_map(Slot::object))
            .chain(reached.iter().filter_map(|&i| scalar(i)))
            .collect();
        let objects = Objects::of(&parts);
        for (i, s) in arrays.slots.iter().enumerate() {
            out.push(' ');
            let map = format!("{}[{i}]", names.maps);
            let flags = s.flags() | objects.flag(s.object().as_ref());
            out.push_str(&fill(&map, s, flags, &names, &layout, arrays, i));
        }
        for (k, &i) in reached.iter().enumerate() {
            let c = &region.captures[i];
            let map = format!("{}[{}]", names.maps, arrays.slots.len() + k);
            let flags = u32::from(c.written) | objects.flag(scalar(i).as_ref());
            out.push(' ');
            out.push_str(&set(
                &map,
                &of_scalar(&c.text),
                DataKind::Present,
                flags,
                &c.text,
            ));
        }
        if let Some(p) = pays {
            let estimate = match p.known {
                2 => {
                    let symbol = self.plans[index].symbol.clone();
                    let name = format!("terrace_{symbol}_estimate");
                    self.preamble.estimates.push(symbol);
                    name
                }
                _ => "0".to_string(),
            };
            let maps = if compared > 0 {
                names.maps.as_str()
            } else {
                "0"
            };
            // What is on the device alone the host would not find.
            let stays = match any_present(arrays, &names) {
                Some(any) => format!("!({any}) && "),
                None => String::new(),
            };
            out.push_str(&format!(
                " if ({stays}!terrace_pays(&terrace_{}, {}, {estimate}, {}, {}, {maps}, {})) {t} = 0; \
                 else {{",
                self.plans[index].symbol,
                p.known + if p.asked { ASKED } else { 0 },
                names.words,
                layout.results,
                arrays.slots.len()
            ));
        }
        if compare {
            out.push_str(&format!(
                " if (terrace_overlap({}, {compared})) {} else {{",
                names.maps,
                fall(falls, &names)
            ));
        }
        if strays {
            out.push_str(&format!(
                " if ({t} == 2 && terrace_strays({}, {})) {} else {{",
                names.maps,
                arrays.slots.len(),
                fall(falls, &names)
            ));
        }
        self.run(index, arrays, &names, &layout, &place, &mut out);
        if strays {
            out.push_str(" }");
        }
        if compare {
            out.push_str(" }");
        }
        if pays.is_some() {
            out.push_str(" }");
        }
        if asks {
            out.push_str(" }");
        }
        out.push_str(&format!(" }} if (!{t}) {{"));
        let mut close = copies.close();
        if let Some(waits) = d.map(clauses::host_waits).filter(|w| !w.is_empty()) {
            out.push_str(&format!(" {waits}"));
        }
        if falls {
            out.push_str(&format!(
                " if ({}) terrace_host_begin(0, {place});",
                names.fell
            ));
        }
        out.push_str(&copies.open());
        if falls {
            close.push_str(&format!("}} if ({}) terrace_host_end(); }}", names.fell));
        } else {
            close.push_str("} }");
        }
        (out, close)
    }

    /// Whether the region's code is only right where arrays do not overlap, and that
    /// has to be looked at.
    fn compares(&self, index: usize, arrays: &Arrays) -> bool {
        let plan = &self.plans[index];
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
                .any(|c| c.written && c.addressed);
        plan.check_alias && open && written
    }

    /// Captures whose extents the function computes, in order: two words each.
    fn computed(&self, index: usize) -> Vec<usize> {
        let extents = &self.plans[index].extents;
        (0..extents.len())
            .filter(|&i| extents[i] == crate::c::plan::ArrayExtent::Computed)
            .collect()
    }

    /// Where the region runs: 0 for the statement.
    fn target_of(&self, index: usize, d: Option<&Directive>, arrays: &Arrays) -> String {
        // Where it may stay on the host the device is not started for the question.
        let ask = match self.pays(index, d, arrays) {
            Some(_) => "terrace_could",
            None => "terrace_target",
        };
        let target = format!("{ask}(&terrace_{})", self.plans[index].symbol);
        let target = match d.map(clauses::on_host) {
            Some(OnHost::If(cond)) => format!("{cond} ? 0 : {target}"),
            _ => target,
        };
        match d.and_then(clauses::condition) {
            Some(cond) => format!("{cond} ? ({target}) : 0"),
            None => target,
        }
    }

    /// Words that are known before the memory is: scalars and sizes.
    fn arguments(&self, index: usize, names: &Names, layout: &Layout, out: &mut String) {
        for (i, c) in self.plans[index].region.captures.iter().enumerate() {
            let at = layout.first[i];
            let value = match c.kind {
                CaptureKind::Scalar if c.text == ON_DEVICE => {
                    format!("(__terrace_word)({} == 2)", names.target)
                }
                CaptureKind::Scalar if c.read => words::pack(&c.ty, &c.text),
                // Whoever only writes it must not be told that it is read.
                CaptureKind::Scalar | CaptureKind::Array(_) => "0".to_string(),
            };
            out.push_str(&format!(" {}[{at}] = {value};", names.words));
            for (k, size) in words::sizes(c).into_iter().enumerate() {
                let size = size.unwrap_or_else(|| "0".to_string());
                out.push_str(&format!(" {}[{}] = {size};", names.words, at + 1 + k));
            }
        }
    }

    /// The least and greatest subscripts of arrays whose extents were computed, and those
    /// that are surely in the array.
    fn hulls(
        &self,
        arrays: &Arrays,
        names: &Names,
        layout: &Layout,
        computed: &[usize],
        out: &mut String,
    ) {
        let mut number = 0;
        for s in &arrays.slots {
            let Range::Extents { captures, .. } = &s.range else {
                continue;
            };
            for c in captures {
                let Some(k) = computed.iter().position(|x| x == c) else {
                    continue;
                };
                // What is touched, and behind that of all arrays what is sure.
                let touched = layout.results + 2 * k;
                let sure = touched + 2 * computed.len();
                let (m, w) = (&names.maps, &names.words);
                out.push_str(&format!(
                    " __terrace_hull(&{m}l{number}, &{m}h{number}, &{w}[{touched}]); \
                     __terrace_hull(&{m}s{number}, &{m}e{number}, &{w}[{sure}]);"
                ));
            }
            number += 1;
        }
    }

    /// Data to the device, the call, and results and data back.
    fn run(
        &self,
        index: usize,
        arrays: &Arrays,
        names: &Names,
        layout: &Layout,
        place: &str,
        out: &mut String,
    ) {
        let plan = &self.plans[index];
        let region = &plan.region;
        let (t, m, w, q) = (&names.target, &names.maps, &names.words, &names.queue);
        let n = arrays.slots.len();
        // Code for the host's cores has copies of its own, too.
        let own = |s: &Slot| s.kind == DataKind::Firstprivate;
        let always = arrays.slots.iter().any(own);
        let on = match always {
            true => t.clone(),
            false => format!("{t} == 2"),
        };
        if n > 0 && (arrays.gpu || always) {
            out.push_str(&format!(
                " if ({on}) terrace_data_enter({m}, {n}, {q}, {place});"
            ));
        }
        for (i, c) in region.captures.iter().enumerate() {
            let (Some(array), Some(slot)) = (c.array(), arrays.slot_of[i]) else {
                continue;
            };
            let at = layout.first[i];
            let address = &array.address;
            out.push_str(&format!(
                " {w}[{at}] = __terrace_at(&{m}[{slot}], {address});"
            ));
            for (k, size) in words::sizes(c).into_iter().enumerate() {
                if size.is_none() {
                    let each = format!("sizeof(({})[0])", self.lvalue_text(c));
                    out.push_str(&format!(
                        " {w}[{}] = __terrace_size(&{m}[{slot}], {address}, {each});",
                        at + 1 + k
                    ));
                }
            }
        }
        out.push_str(&format!(
            " terrace_run(&terrace_{}, {t}, {w}, {q});",
            plan.symbol
        ));
        self.scalars_found(index, arrays, names, out);
        for (k, &i) in region.results.iter().enumerate() {
            let c = &region.captures[i];
            let word = format!("{w}[{}]", layout.results + k);
            out.push_str(&format!(" {} = {};", c.text, words::unpack(&c.ty, &word)));
        }
        self.scalars_out(index, arrays, names, place, out);
        if n > 0 && (arrays.gpu || always) {
            out.push_str(&format!(
                " if ({on}) terrace_data_exit({m}, {n}, {q}, {place});"
            ));
        }
    }
}

/// The region leaves the device, and the statement runs instead, which is to find the data
/// that is there.
fn fall(falls: bool, names: &Names) -> String {
    let (t, fell) = (&names.target, &names.fell);
    match falls {
        true => format!("{{ if ({t} == 2) {fell} = 1; {t} = 0; }}"),
        false => format!("{t} = 0;"),
    }
}

fn extents_slots(arrays: &Arrays) -> usize {
    let is = |s: &&Slot| matches!(s.range, Range::Extents { .. });
    arrays.slots.iter().filter(is).count()
}

/// Whether the array is a member of what a pointer points to.
fn is_behind(c: &Capture) -> bool {
    c.array().is_some() && Path::of(plain(&c.lvalue)).is_some_and(|p| p.is_behind())
}

/// The statement that fills the map of slot `i`.
fn fill(
    map: &str,
    s: &Slot,
    flags: u32,
    names: &Names,
    layout: &Layout,
    arrays: &Arrays,
    i: usize,
) -> String {
    let memory = match &s.range {
        Range::Memory(memory) => memory.clone(),
        Range::Same(outer) => {
            let code = clauses::code(s.kind);
            return format!("__terrace_same(&{map}, &{outer}, {code}, {flags});");
        }
        Range::Extents { base, .. } => {
            let is = |s: &&Slot| matches!(s.range, Range::Extents { .. });
            let k = arrays.slots[..i].iter().filter(is).count();
            let (low, high) = (format!("{}l{k}", names.maps), format!("{}h{k}", names.maps));
            let each = format!("(long)sizeof({base}[0])");
            Memory {
                base: base.clone(),
                first: format!("{low} * {each}"),
                bytes: format!("({high} - {low}) * {each}"),
                gaps: false,
                rows: None,
                below: None,
                attach: None,
            }
        }
        Range::Address(base) => Memory {
            base: base.clone(),
            first: "0".to_string(),
            bytes: "0".to_string(),
            gaps: false,
            rows: None,
            below: None,
            attach: None,
        },
    };
    let kind = clauses::code(s.kind);
    let loose = match &s.range {
        Range::Extents { base, .. } if s.may_be_loose() => {
            let is = |s: &&Slot| matches!(s.range, Range::Extents { .. });
            let k = arrays.slots[..i].iter().filter(is).count();
            let m = &names.maps;
            // On the host the section is where it is.
            format!(
                " if ({} == 2) __terrace_loose(&{map}, {base}, (long)sizeof({base}[0]), {m}l{k}, \
                 {m}h{k}, {m}s{k}, {m}e{k});",
                names.target
            )
        }
        _ => String::new(),
    };
    match s.test {
        None => set_as(map, &memory, kind, flags, &s.name) + &loose,
        Some(result) => {
            let word = format!("{}[{}]", names.words, layout.results + result);
            let kind = format!("{word} ? {kind} : {}", clauses::code(DataKind::Copy));
            // What is surely written is in the array.
            let loose = match loose.is_empty() {
                true => loose,
                false => format!(" if (!{word}){loose}"),
            };
            set_as(map, &memory, &kind, flags, &s.name) + &loose
        }
    }
}
