//! The text around a region's statement.

use terrace_c::directive::{DataKind, Directive};
use terrace_c::region::{CaptureKind, ON_DEVICE};
use terrace_passes::region::Work;
use terrace_passes::region::presume::Condition;

use super::super::Rewriter;
use super::super::clauses::{self, OnHost};
use super::super::preamble::DeclaredRegion;
use super::arrays::Arrays;
use super::call_maps::{compares, computed_slots};
use super::copies::Copies;
use super::scalars::any_present;
use super::slices::Slices;
use super::slots::{Range, Slot};
use super::stays::ASKED;
use super::tables;
use super::words::{self, Layout};
use crate::c::plan::{ArrayExtent, Iterations, Pays, RegionPlan};
use crate::c::work;

/// Names of the variables of one call.
pub(super) struct Names {
    pub target: String,
    fell: String,
    pub maps: String,
    pub scalars: String,
    pub words: String,
    pub queue: String,
    /// How many operations the call does, and when its time began to count.
    work: String,
    began: String,
    /// Which iterations run, and the ends of them for the statement.
    slice: String,
    ends: [String; 2],
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
            work: name("n"),
            began: name("b"),
            slice: name("s"),
            ends: [name("i"), name("e")],
            present: format!("__terrace_p{n}_"),
            old: format!("__terrace_o{n}_"),
        }
    }
}

/// What is known of one call before its text is written.
pub(super) struct Call<'a> {
    pub index: usize,
    pub plan: &'a RegionPlan,
    pub d: Option<&'a Directive>,
    pub arrays: &'a Arrays,
    pub names: Names,
    pub layout: Layout,
    place: String,
    /// Captures whose extents the function computes, in order, once for two words: one with a table
    /// of rows stands once more for the dimension of the rows.
    pub computed: Vec<usize>,
    /// Captures that are only compared, by maps behind those of the arrays: scalars that a
    /// pointer may reach.
    pub reached: Vec<usize>,
    pays: Option<Pays>,
    /// The function of the extents is called.
    asks: bool,
    /// Whether arrays overlap has to be looked at.
    compares: bool,
    /// Whether rows that lie where pointers say lie apart has to be looked at.
    looks: bool,
    /// Whether the device has all that is touched has to be looked at.
    strays: bool,
    /// In C: how many operations the call does.
    work: Option<String>,
    /// In C: the region is not worth the call.
    stays: Option<String>,
    /// Whether the program measures if the statement is quicker; whether it hardly will be.
    trial: Option<bool>,
    /// The program does that with some iterations of the outermost loop at a time.
    slices: Option<Slices>,
    /// In C: the first iteration of that loop and the one behind the last, where the code takes them.
    whole: Option<[String; 2]>,
}

impl Call<'_> {
    /// How many maps there are.
    pub fn maps(&self) -> usize {
        self.arrays.slots.len() + self.reached.len()
    }

    /// Whether the device may have the region's data, though the statement runs.
    fn may_fall(&self) -> bool {
        let presumes = !self.plan.presumed.is_empty();
        self.arrays.gpu && (self.compares || self.strays || self.asks || presumes)
    }

    /// The region leaves the device, and the statement runs instead, which is to find the
    /// data that is there.
    fn fall(&self) -> String {
        let (t, fell) = (&self.names.target, &self.names.fell);
        match self.may_fall() {
            true => format!("{{ if ({t} == 2) {fell} = 1; {t} = 0; }}"),
            false => format!("{t} = 0;"),
        }
    }

    /// Whether something does not hold that the region's code presumes of the words that it is
    /// called with.
    fn presumptions_fail(&self) -> Option<String> {
        let value = |i: &usize| {
            let word = format!("{}[{}]", self.names.words, self.layout.first[*i]);
            words::unpack(&self.plan.region.captures[*i].ty, &word)
        };
        // Products of three numbers of 32 bits, times a number, fit 128.
        let one = |p: &Condition| {
            let mut sum = p.constant.to_string();
            let wide = match p.has_products() {
                true => "__terrace_wide",
                false => "long long",
            };
            for (product, times) in &p.terms {
                sum.push_str(&format!(" + ({wide}){times}LL"));
                for i in product {
                    sum.push_str(&format!(" * ({wide})({})", value(i)));
                }
            }
            format!("{sum} < 0")
        };
        let all: Vec<String> = self.plan.presumed.iter().map(one).collect();
        (!all.is_empty()).then(|| all.join(" || "))
    }

    /// How many words the call needs.
    fn words(&self) -> usize {
        let mut behind = match self.pays {
            Some(_) => Work::NUMBERS,
            None => 0,
        };
        if self.asks {
            // The function writes all its results.
            behind = behind.max(4 * self.computed.len());
            behind = behind.max(self.plan.last_result.map_or(0, |k| k + 1));
        }
        let ends = match self.plan.iterations {
            Iterations::All => 0,
            Iterations::Between | Iterations::InParts => 2,
        };
        let len = self.layout.len + ends;
        len.max(self.layout.results + behind).max(1)
    }

    /// The variable of where the region runs, and those that are used behind it.
    fn choose(&self, out: &mut String) {
        let t = &self.names.target;
        out.push('{');
        if let Some(work) = &self.work {
            out.push_str(&format!(" double {} = {work};", self.names.work));
        }
        out.push_str(&format!(" int {t} = {};", target_of(self)));
        let tried = format!("{t} == 1");
        let symbol = &self.plan.symbol;
        match (self.trial.map(i32::from), &self.slices) {
            (Some(sure), Some(slices)) => {
                let (s, from, end) = (&self.names.slice, &slices.from, &slices.end);
                let work = match self.work {
                    Some(_) => &self.names.work,
                    None => "0",
                };
                // What is found to be wrong in one part is looked at anew for the next.
                let all = format!("{t}_all");
                out.push_str(&format!(
                    " const int {all} = {t}; struct __terrace_slice {s} = {{ {from}, {end}, \
                     {end}, 0, {work}, 0, 0, 0 }}; do {{ {t} = {all}; if ({tried}) \
                     {t} = terrace_slice(&terrace_{symbol}_trials, &{s}, {sure});"
                ));
            }
            (Some(sure), None) => {
                let (n, b) = (&self.names.work, &self.names.began);
                out.push_str(&format!(
                    " __terrace_word {b} = 0; if ({tried}) \
                     {t} = terrace_try(&terrace_{symbol}_trials, {n}, {sure}, &{b});"
                ));
            }
            (None, _) => {}
        }
        if self.may_fall() {
            out.push_str(&format!(" int {} = 0;", self.names.fell));
        }
        if self.maps() > 0 {
            let (m, n) = (&self.names.maps, self.maps());
            out.push_str(&format!(" struct __terrace_map {m}[{n}];"));
        }
        match (self.arrays.gpu, self.arrays.cpu) {
            (false, _) => out.push_str(&format!(" if ({t} == 2) {t} = 0;")),
            (_, false) => out.push_str(&format!(" if ({t} == 1) {t} = 0;")),
            _ => {}
        }
    }
}

impl<'p> Rewriter<'p> {
    /// What stands before and behind the statement.
    pub(super) fn call(
        &mut self,
        index: usize,
        d: Option<&Directive>,
        arrays: &Arrays,
        copies: &Copies,
    ) -> (String, String) {
        let c = self.prepare(index, d, arrays);
        self.preamble.regions.push(DeclaredRegion {
            symbol: c.plan.symbol.clone(),
            extents: c.asks,
            trials: c.trial.is_some(),
        });
        let mut out = String::new();
        c.choose(&mut out);
        out.push_str(&format!(" if ({}) {{", c.names.target));
        self.call_variables(&c, &mut out);
        self.scalars_in(index, arrays, &c.names, &c.place, &mut out);
        self.arguments(&c, &mut out);
        for k in 0..arrays.shared_scalars.len() {
            self.restore(index, arrays, k, &c.names, &mut out);
        }
        let mut checks = 0;
        let mut check = |failed: Option<String>, out: &mut String| {
            if let Some(failed) = failed {
                out.push_str(&format!(" if ({failed}) {} else {{", c.fall()));
                checks += 1;
            }
        };
        let (t, m, w) = (&c.names.target, &c.names.maps, &c.names.words);
        self.preamble.wide |= c.plan.presumed.iter().any(Condition::has_products);
        check(c.presumptions_fail(), &mut out);
        let extents = format!("terrace_{}_extents({w})", c.plan.symbol);
        check(c.asks.then_some(extents), &mut out);
        if c.asks {
            c.hulls(&mut out);
        }
        c.fill_maps(&mut out);
        let (may_stay, on_host) = self.host_code(index, arrays);
        for (i, class) in may_stay.iter().enumerate() {
            if let Some(class) = class {
                out.push_str(&format!(
                    " if ({t} == 2) __terrace_defer(&{m}[{i}], {class});"
                ));
            }
        }
        if let Some(p) = c.pays {
            self.estimate(&c, p, &mut out);
        }
        let overlap = format!("terrace_overlap({m}, {})", c.maps());
        check(c.compares.then_some(overlap), &mut out);
        let meet = c.looks.then(|| c.rows_meet(&mut out));
        check(meet, &mut out);
        let strays = format!("{t} == 2 && terrace_strays({m}, {})", arrays.slots.len());
        check(c.strays.then_some(strays), &mut out);
        if !on_host.is_empty() {
            out.push_str(&format!(" if ({t} != 2) {{ {on_host}; }}"));
        }
        self.run(&c, &mut out);
        out.push_str(&" }".repeat(checks + usize::from(c.pays.is_some())));
        let close = on_host_of(&c, copies, &on_host, &mut out);
        if let Some(slices) = &c.slices {
            let [from, to] = &c.names.ends;
            let header = slices.header(from, to);
            for (span, text) in [slices.first, slices.goes_on].into_iter().zip(header) {
                self.instead_of_expression(span, &text);
            }
        }
        (out, close)
    }

    fn prepare<'a>(
        &mut self,
        index: usize,
        d: Option<&'a Directive>,
        arrays: &'a Arrays,
    ) -> Call<'a>
    where
        'p: 'a,
    {
        let plans = self.plans;
        let plan = &plans[index];
        let names = Names::new(self.number());
        let captures = &plan.region.captures;
        let may_overlap = compares(plan, arrays);
        let looks = tables::look(captures, arrays);
        let is_reached = |i: &usize| {
            let c = &captures[*i];
            (may_overlap || looks) && c.kind == CaptureKind::Scalar && c.addressed
        };
        let reached: Vec<usize> = (0..captures.len()).filter(is_reached).collect();
        let asks = |s: &Slot| match &s.range {
            Range::Extents { captures, .. } => !captures.is_empty() || s.test.is_some(),
            _ => s.test.is_some(),
        };
        let extents = plan.extents.iter().enumerate();
        let computed = extents.filter(|(_, e)| **e == ArrayExtent::Computed);
        let computed = computed.flat_map(|(i, _)| vec![i; tables::dimensions(&captures[i])]);
        let computed: Vec<usize> = computed.collect();
        let is_free = d.is_none() && !plan.names_target;
        let work = match is_free {
            true => work::work(self.unit, &plan.region),
            false => None,
        };
        let slices = match plan.iterations {
            Iterations::All => None,
            Iterations::Between | Iterations::InParts => Slices::of(self.unit, &plan.region),
        };
        let whole = slices.as_ref().map(|s| [s.from.clone(), s.end.clone()]);
        let in_parts = plan.iterations == Iterations::InParts;
        let slices = slices.filter(|_| is_free && in_parts && plan.trial.is_some());
        Call {
            index,
            plan,
            d,
            arrays,
            layout: Layout::new(&plan.region),
            place: self.place(d.map_or(plan.region.span, |d| d.span)),
            pays: self.pays(index, d, arrays),
            asks: looks && !computed.is_empty() || arrays.slots.iter().any(asks),
            computed,
            compares: may_overlap && arrays.slots.len() + reached.len() > 1,
            looks,
            strays: arrays.gpu && arrays.slots.iter().any(Slot::may_be_loose),
            trial: plan.trial.filter(|_| work.is_some() || slices.is_some()),
            stays: match is_free {
                true => {
                    let short = work.as_ref().map(|_| {
                        let limit = work::SHORT;
                        format!("{} < {limit:?}", names.work)
                    });
                    // What can be tried within the call is not foretold.
                    let alone = plan.only_threads && slices.is_none();
                    let alone = alone.then(|| "terrace_one_core".to_string());
                    let tests: Vec<String> = alone.into_iter().chain(short).collect();
                    (!tests.is_empty()).then(|| tests.join(" || "))
                }
                false => None,
            },
            work,
            slices,
            whole,
            names,
            reached,
        }
    }

    /// The variables of the call, and what it waits for.
    fn call_variables(&self, c: &Call, out: &mut String) {
        let (names, w, q) = (&c.names, &c.names.words, &c.names.queue);
        out.push_str(&format!(" __terrace_word {w}[{}];", c.words()));
        self.scalar_variables(c.index, c.arrays, names, out);
        let queue = c.d.map_or("-1".to_string(), clauses::queue);
        out.push_str(&format!(" long {q} = {queue};"));
        for i in 0..computed_slots(&c.arrays.slots) {
            out.push_str(&format!(
                " long {0}l{i} = 0, {0}h{i} = 0, {0}s{i} = 0, {0}e{i} = 0;",
                names.maps
            ));
        }
        let Some(d) = c.d else { return };
        let waits = clauses::waits(d);
        if !waits.is_empty() {
            out.push(' ');
            out.push_str(waits.trim_end());
        }
        if let Some(any) = any_present(c.arrays, names).filter(|_| clauses::is_async(d)) {
            out.push_str(&format!(" if ({any}) terrace_wait({q});"));
        }
    }

    /// Whether the region is worth a device, which is known but for what `pays` asks.
    fn estimate(&mut self, c: &Call, pays: Pays, out: &mut String) {
        let symbol = &c.plan.symbol;
        let estimate = match pays.known {
            2 => {
                self.preamble.estimates.push(symbol.clone());
                format!("terrace_{symbol}_estimate")
            }
            _ => "0".to_string(),
        };
        let maps = match c.maps() {
            0 => "0",
            _ => c.names.maps.as_str(),
        };
        // On the cores nothing is asked. What is on the device alone the host would not find.
        let t = &c.names.target;
        let stays = match any_present(c.arrays, &c.names) {
            Some(any) => format!("{t} == 2 && !({any}) && "),
            None => format!("{t} == 2 && "),
        };
        out.push_str(&format!(
            " if ({stays}!terrace_pays(&terrace_{symbol}, {}, {estimate}, {}, {}, {maps}, {})) \
             {} = 0; else {{",
            pays.known + if pays.asked { ASKED } else { 0 },
            c.names.words,
            c.layout.results,
            c.arrays.slots.len(),
            t,
        ));
    }

    /// Words that are known before the memory is: scalars and sizes.
    fn arguments(&self, call: &Call, out: &mut String) {
        let (names, layout) = (&call.names, &call.layout);
        for (i, c) in call.plan.region.captures.iter().enumerate() {
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

    /// Data to the device, the call, and results and data back.
    fn run(&self, call: &Call, out: &mut String) {
        let Call {
            index,
            plan,
            arrays,
            names,
            layout,
            place,
            ..
        } = call;
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
            let at = layout.first[i];
            if let Some(table) = tables::address(c) {
                out.push_str(&format!(" {w}[{at}] = (__terrace_word){table};"));
            }
            let (Some(array), Some(slot)) = (c.array(), arrays.slot_of[i]) else {
                continue;
            };
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
        if let Some(whole) = &call.whole {
            let ends = match &call.slices {
                Some(_) => ["from", "to"].map(|end| format!("{}.{end}", names.slice)),
                None => whole.clone(),
            };
            for (k, end) in ends.iter().enumerate() {
                let at = layout.len + k;
                out.push_str(&format!(" {w}[{at}] = (__terrace_word)({end});"));
            }
        }
        out.push_str(&format!(
            " terrace_run(&terrace_{}, {t}, {w}, {q});",
            plan.symbol
        ));
        self.scalars_found(*index, arrays, names, out);
        for (k, &i) in region.results.iter().enumerate() {
            let c = &region.captures[i];
            let word = format!("{w}[{}]", layout.results + k);
            out.push_str(&format!(" {} = {};", c.text, words::unpack(&c.ty, &word)));
        }
        self.scalars_out(*index, arrays, names, place, out);
        if n > 0 && (arrays.gpu || always) {
            out.push_str(&format!(
                " if ({on}) terrace_data_exit({m}, {n}, {q}, {place});"
            ));
        }
    }
}

/// Where the region runs: 0 for the statement.
fn target_of(c: &Call) -> String {
    // Where it may stay on the host the device is not started for the question.
    let ask = match c.pays {
        Some(_) => "terrace_could",
        None => "terrace_target",
    };
    let target = format!("{ask}(&terrace_{})", c.plan.symbol);
    if let Some(stays) = &c.stays {
        // A test of a statement that is hardly longer than the test: its code goes straight on.
        return format!("__builtin_expect(({stays}) && !terrace_runs_short, 1) ? 0 : {target}");
    }
    let target = match c.d.map(clauses::on_host) {
        Some(OnHost::If(cond)) => format!("{cond} ? 0 : {target}"),
        _ => target,
    };
    match c.d.and_then(clauses::condition) {
        Some(cond) => format!("{cond} ? ({target}) : 0"),
        None => target,
    }
}

/// The statement's own surroundings: what stands before it, where the region's code did not
/// run, and what behind it.
fn on_host_of(c: &Call, copies: &Copies, says: &str, out: &mut String) -> String {
    // Its code is aligned and laid out as in a program without regions.
    out.push_str(&format!(
        " }} if (__builtin_expect(!{}, 1)) {{",
        c.names.target
    ));
    if let Some(waits) = c.d.map(clauses::host_waits).filter(|w| !w.is_empty()) {
        out.push_str(&format!(" {waits}"));
    }
    if !says.is_empty() {
        out.push_str(&format!(" {says};"));
    }
    let (fell, place) = (&c.names.fell, &c.place);
    if c.may_fall() {
        out.push_str(&format!(" if ({fell}) terrace_host_begin(0, {place});"));
    }
    out.push_str(&copies.open());
    if c.slices.is_some() {
        let ([from, to], s) = (&c.names.ends, &c.names.slice);
        out.push_str(&format!(" const long {from} = {s}.from, {to} = {s}.to;"));
    }
    let mut close = copies.close() + "}";
    if c.may_fall() {
        close.push_str(&format!(" if ({fell}) terrace_host_end();"));
    }
    let (symbol, names) = (&c.plan.symbol, &c.names);
    if c.slices.is_some() {
        let (s, t) = (&names.slice, &names.target);
        close.push_str(&format!(
            " if ({s}.began) terrace_sliced(&terrace_{symbol}_trials, &{s}, {t}); }} while \
             (({s}.from = {s}.to) < {s}.end);"
        ));
    } else if c.trial.is_some() {
        let (n, b, t) = (&names.work, &names.began, &names.target);
        close.push_str(&format!(
            " if ({b}) terrace_tried(&terrace_{symbol}_trials, {n}, {b}, {t});"
        ));
    }
    close + " }"
}
