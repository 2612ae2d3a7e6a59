//! How often the arrays of regions are copied, and why.
//!
//! A region copies its arrays each time it runs, unless a data construct around holds
//! them. For each array of each region the loops around are looked at from the inside
//! out: as long as nothing in a loop touches the array on the host, a data construct
//! around that loop would make the copies once. The first thing that stands against it is
//! what the author is told. This looks at the text alone: what other functions do to
//! memory that they were given, and pointers that other functions have, are not followed.

mod library;
mod loops;
mod touch;
mod words;

use terrace_c::directive::{ClauseKind, DataKind, Directive, DirectiveKind, Section};
use terrace_c::hir::{Function, Span, Stmt, StmtKind, Unit};
use terrace_c::region::Region;
use terrace_ir::diag::DiagLoc;
use terrace_passes::region::notes::{ArrayNote, CopyKind, CopyNote, Movement, Reason, RegionNotes};

use crate::c::visit::children;
use loops::Loop;
use touch::{Alias, Array, Touch, What, aliases, touches};

/// Adds to the notes of regions why their arrays are copied so often; gives what to do
/// about it for each function, by its name.
pub fn tell(unit: &Unit, all: &[Region], notes: &mut [RegionNotes]) -> Vec<(String, CopyNote)> {
    let mut advice = Vec::new();
    for (index, f) in unit.functions.iter().enumerate() {
        let own: Vec<&Region> = all.iter().filter(|r| r.function == index).collect();
        if own.is_empty() {
            continue;
        }
        let mut t = Teller {
            unit,
            function: f,
            aliases: aliases(f),
            device: Vec::new(),
            regions: own.iter().map(|r| r.span).collect(),
            uses: Vec::new(),
        };
        for r in &own {
            let on_device = |n: &&RegionNotes| n.name == r.name && n.declined.is_none();
            if notes.iter().any(|n| on_device(&n) && !n.kernels.is_empty()) {
                t.device.push(r.span);
            }
        }
        for r in own {
            if !t.device.contains(&r.span) {
                continue;
            }
            if let Some(n) = notes.iter_mut().find(|n| n.name == r.name) {
                n.copies = t.region(r, &n.arrays);
            }
        }
        let name = || f.name.clone();
        advice.extend(t.advice().into_iter().map(|c| (name(), c)));
    }
    advice
}

/// One function.
struct Teller<'u> {
    unit: &'u Unit,
    function: &'u Function,
    aliases: Vec<Alias>,
    /// The statements that run on the device.
    device: Vec<Span>,
    /// Those of all regions.
    regions: Vec<Span>,
    uses: Vec<Use<'u>>,
}

/// An array that a region copies, and how far out that could be done.
struct Use<'u> {
    region: Span,
    note: ArrayNote,
    array: Array,
    is_pointer: bool,
    /// The loops around the region in which nothing touches it on the host, the
    /// innermost first.
    free: Vec<&'u Stmt>,
    /// How often the region runs in the outermost of them.
    times: Option<u64>,
}

fn contains(outer: Span, inner: Span) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

impl<'u> Teller<'u> {
    fn loc(&self, span: Span) -> DiagLoc {
        self.unit.source.loc(span.start as usize)
    }

    /// The statements around a region, the innermost first.
    fn around(&self, region: &Region) -> Vec<&'u Stmt> {
        let f: &'u Function = self.function;
        let mut path: Vec<&'u Stmt> = Vec::new();
        let mut at = Some(&f.body);
        while let Some(s) = at {
            path.push(s);
            let is_region = region.directive.is_some_and(|d| s.directives.contains(&d));
            if is_region || s.span == region.span {
                break;
            }
            let inner = children(s);
            at = inner.into_iter().find(|c| contains(c.span, region.span));
        }
        path.reverse();
        path
    }

    /// What the host does in a loop or another statement.
    fn host(&self, s: &Stmt) -> Vec<Touch> {
        let skip = |s: &Stmt| self.device.iter().any(|d| contains(*d, s.span));
        touches(s, &skip)
    }

    fn region(&mut self, r: &Region, arrays: &[ArrayNote]) -> Vec<CopyNote> {
        let around = self.around(r);
        let mut out = Vec::new();
        for note in arrays {
            let capture = r.captures.iter().find(|c| {
                c.array().is_some() && c.text.split("[]").next() == Some(note.name.as_str())
            });
            let Some((c, array)) = capture.and_then(|c| Some((c, Array::of(&c.lvalue)?))) else {
                continue;
            };
            let held = self.held(&around, &array);
            if let Some((text, place)) = held {
                out.push(CopyNote {
                    arrays: vec![note.name.clone()],
                    kind: CopyKind::Held,
                    around: place,
                    text,
                    ..CopyNote::default()
                });
                continue;
            }
            let moves = matches!(note.movement, Movement::In | Movement::Out | Movement::Both);
            if !moves {
                continue;
            }
            let mut u = Use {
                region: r.span,
                note: note.clone(),
                array,
                is_pointer: c.array().is_some_and(|a| a.is_pointer),
                free: Vec::new(),
                times: Some(1),
            };
            for s in around.iter().filter(|s| s.span != r.span) {
                let Some(l) = Loop::of(self.unit, s) else {
                    continue;
                };
                let reasons = self.against(&u.array, s, u.note.stays);
                if reasons.is_empty() {
                    u.free.push(s);
                    u.times = u.times.zip(l.trips).and_then(|(a, b)| a.checked_mul(b));
                    continue;
                }
                if u.free.is_empty() {
                    out.push(words::needed(self.unit, &u.note, &l, reasons));
                }
                break;
            }
            // What stays by itself needs no data construct.
            if !note.stays {
                self.uses.push(u);
            }
        }
        out
    }

    /// What already keeps an array on the device, and where that is said.
    fn held(&self, around: &[&Stmt], array: &Array) -> Option<(String, DiagLoc)> {
        let names = |d: &Directive| -> Option<DataKind> {
            d.clauses.iter().find_map(|c| match &c.kind {
                ClauseKind::Data { kind, vars } => {
                    let own = |s: &Section| {
                        let of = s.base.expr.as_ref().and_then(Array::of);
                        of.is_some_and(|a| a.meets(array))
                    };
                    vars.iter().any(own).then_some(*kind)
                }
                _ => None,
            })
        };
        for s in around {
            for id in s.directives.iter().rev() {
                let d = self.unit.directive(*id);
                if d.kind == DirectiveKind::Data
                    && let Some(kind) = names(d)
                {
                    let place = self.loc(d.span);
                    return Some((words::held_by_construct(&place, kind), place));
                }
            }
        }
        let others = self.unit.directives.iter();
        let mut others =
            others.filter(|d| matches!(d.kind, DirectiveKind::EnterData | DirectiveKind::Declare));
        others.find_map(|d| {
            names(d)?;
            let place = self.loc(d.span);
            let text = words::held_by_directive(&place, d.kind == DirectiveKind::Declare);
            Some((text, place))
        })
    }

    /// What in a loop needs an array on the host, or might.
    fn against(&self, array: &Array, s: &Stmt, stays: bool) -> Vec<Reason> {
        let declared = self.unit.var(array.var).span;
        if contains(s.span, declared) {
            let text = words::declared_inside(&self.unit.var(array.var).name);
            return vec![Reason::new(self.loc(declared), text)];
        }
        let body = loops::repeated(s).into_iter();
        let mut all: Vec<Touch> = body.flat_map(|s| self.host(s)).collect();
        let head = loops::conditions(s).into_iter();
        all.extend(head.flat_map(touch::of_expression));
        // No clause has to name what stays.
        all.retain(|t| !stays || !matches!(t.what, What::Moves(_)));
        self.reasons(array, &all)
    }

    /// Those of these that are about an array.
    fn reasons(&self, array: &Array, all: &[Touch]) -> Vec<Reason> {
        let mut out: Vec<Reason> = Vec::new();
        for t in all {
            // A call that is given the array need not find it by its name.
            let given = |o: &Touch| {
                let to = matches!(&o.what, What::Passes(a, ..) if a.meets(array));
                to && o.span == t.span
            };
            if matches!(t.what, What::Calls(_)) && all.iter().any(given) {
                continue;
            }
            let Some(text) = words::against(self.unit, &self.aliases, array, &t.what) else {
                continue;
            };
            let text = match self.regions.iter().any(|r| contains(*r, t.span)) {
                true => text.replacen("the host ", "a region that stays on the host ", 1),
                false => text,
            };
            let r = Reason::new(self.loc(t.span), text);
            // A statement that reads the array several times is one reason.
            if !out.contains(&r) {
                out.push(r);
            }
        }
        out
    }

    /// What to write so that less is copied.
    fn advice(&self) -> Vec<CopyNote> {
        let mut out = Vec::new();
        let mut loops: Vec<&Stmt> = Vec::new();
        for u in &self.uses {
            if let Some(l) = u.free.last()
                && !loops.iter().any(|o| o.span == l.span)
            {
                loops.push(l);
            }
        }
        loops.sort_by_key(|l| l.span.start);
        for s in loops {
            let uses = self.uses.iter();
            let uses: Vec<&Use> = uses
                .filter(|u| u.free.last().is_some_and(|l| l.span == s.span))
                .collect();
            if let Some(l) = Loop::of(self.unit, s) {
                out.push(words::around_loop(self.unit, s, &l, &uses));
            }
        }
        self.in_a_row(&self.function.body, &mut out);
        out
    }

    /// Regions one after another in a block that copy the same arrays.
    fn in_a_row(&self, s: &Stmt, out: &mut Vec<CopyNote>) {
        if let StmtKind::Block(list) = &s.kind {
            self.in_block(list, out);
        }
        for c in children(s) {
            if !self.device.iter().any(|d| contains(*d, c.span)) {
                self.in_a_row(c, out);
            }
        }
    }

    fn in_block(&self, list: &[Stmt], out: &mut Vec<CopyNote>) {
        let is_region = |s: &Stmt| self.device.contains(&s.span);
        // The arrays that could stay, each with the regions by their place in the list.
        let mut found: Vec<(Vec<usize>, Vec<&Use>)> = Vec::new();
        let mut done: Vec<&Array> = Vec::new();
        for u in &self.uses {
            let here = list.iter().position(|s| s.span == u.region);
            if here.is_none() || !u.free.is_empty() || done.contains(&&u.array) {
                continue;
            }
            done.push(&u.array);
            let mut run: Vec<usize> = Vec::new();
            let mut uses: Vec<&Use> = Vec::new();
            for (i, s) in list.iter().enumerate() {
                let own = self
                    .uses
                    .iter()
                    .find(|o| o.region == s.span && o.array == u.array);
                if let (true, Some(o)) = (is_region(s), own) {
                    run.push(i);
                    uses.push(o);
                    continue;
                }
                let against = self.reasons(&u.array, &self.host(s));
                if against.is_empty() && !leaves(s) {
                    continue;
                }
                if run.len() > 1 {
                    found.push((std::mem::take(&mut run), std::mem::take(&mut uses)));
                }
                run.clear();
                uses.clear();
            }
            if run.len() > 1 {
                found.push((run, uses));
            }
        }
        // One construct for all arrays of the same regions.
        let mut told: Vec<Vec<usize>> = Vec::new();
        for (run, _) in &found {
            if told.contains(run) {
                continue;
            }
            told.push(run.clone());
            let same = found.iter().filter(|(r, _)| r == run);
            let uses: Vec<&Use> = same.flat_map(|(_, u)| u.iter().copied()).collect();
            let ends = run.first().zip(run.last());
            if let Some((first, last)) = ends {
                let around = &list[*first..=*last];
                out.extend(words::around_regions(self.unit, around, run.len(), &uses));
            }
        }
    }
}

/// Whether a data construct must not go round a statement.
fn leaves(s: &Stmt) -> bool {
    loops::return_in(s).is_some() || matches!(s.kind, StmtKind::Label(..))
}
