//! The C text that the system's compiler gets: the preprocessed text with calls of the
//! runtime in place of directives and regions.
//!
//! A region's statement S becomes
//!
//! ```c
//! { int t = terrace_target(&terrace_R);
//!   if (t) { data clauses; terrace_run(&terrace_R, t, words, queue); }
//!   if (!t) { S } }
//! ```
//!
//! (where the region may stay on the host `terrace_could` stands for `terrace_target`, and
//! `terrace_pays` is asked in front of the clauses), and S itself is left as it stands, byte for byte, so that labels, static variables
//! and the compiler's messages are what they were. Only the header of a loop of which some iterations
//! run at a time is another (`region/slices.rs`). Variables that the construct, or a loop
//! directive in it, has copies of its own of are declared again in a block around the
//! statement (`region/copies.rs`). A region for which no device has code stands between
//! `terrace_host_begin` and `terrace_host_end`. All text of ours is on lines of its
//! own, between line markers that keep places and warnings as they are
//! (`markers`); it is C89 with GNU's extensions, which gcc and clang take in every
//! mode.

mod clauses;
mod data;
mod declare;
mod device;
mod edits;
mod host_data;
pub(in crate::c) mod jumps;
mod loop_pragmas;
mod lvalue;
mod maps;
mod markers;
mod preamble;
mod region;
mod section;
mod standalone;
#[cfg(test)]
mod tests;
mod walk;

use std::collections::HashSet;

use terrace_c::directive::{Directive, DirectiveKind};
use terrace_c::hir::{DirectiveId, Span, Unit, VarId};
use terrace_ir::diag::{DiagLoc, Diagnostic};
use terrace_passes::region::notes::{ArrayNote, Reason};

use crate::c::host::{Around, HostCode, HostRegion};
use crate::c::plan::RegionPlan;
pub(crate) use clauses::name as clause_name;
use edits::Edits;
use maps::Frame;
use markers::Markers;
use preamble::Preamble;
pub(crate) use region::CLAUSE_WOULD_SAY;
use region::copies::Shadows;
pub(in crate::c) use region::runs_in_slices;

/// A unit's text, and what was decided about its regions while writing it.
#[derive(Debug, Clone, Default)]
pub struct Rewritten {
    pub text: String,
    /// For each region how its arrays get to the device.
    pub arrays: Vec<Vec<ArrayNote>>,
    /// For each region why it stays C on the GPU, if it does though there is a form
    /// for the GPU: nothing says how much of an array it may touch. Only regions that
    /// no construct asks for; for the others that is an error.
    pub declined: Vec<Option<Reason>>,
}

/// The text of a unit with its regions and directives as C, and what is worth telling of it.
///
/// A compute construct without a plan stays C, without its directive. The constructs of the
/// directives `left` have no plan because there is no code for them: they find what a device
/// has in the program's memory.
///
/// # Errors
/// Directives that ask for what cannot be done, all of them.
pub fn rewrite_with_notes(
    unit: &Unit,
    regions: &[RegionPlan],
    left: &[DirectiveId],
    around: Around,
) -> Result<Rewritten, Vec<Diagnostic>> {
    let mut r = Rewriter {
        host: HostCode::of(unit, &host_regions(unit, regions), around),
        unit,
        plans: regions,
        left,
        placed: vec![false; regions.len()],
        markers: Markers::new(unit.source.text()),
        edits: Edits::default(),
        errors: Vec::new(),
        preamble: Preamble::default(),
        constructs: 0,
        copies: 0,
        frames: Vec::new(),
        declared: HashSet::new(),
        shadows: Vec::new(),
        mentioned: mentioned(unit),
        met: HashSet::new(),
        handled: HashSet::new(),
        arrays: vec![Vec::new(); regions.len()],
        declined: vec![None; regions.len()],
    };
    r.file_directives();
    r.host_openings();
    for f in &unit.functions {
        r.function(f);
    }
    r.rest();
    r.host_closings();
    r.finish()
}

/// The regions whose arrays may stay on a device, as far as their directives say.
fn host_regions<'a>(unit: &Unit, plans: &'a [RegionPlan]) -> Vec<HostRegion<'a>> {
    let each = plans.iter().map(|p| {
        let d = p.region.directive.map(|id| unit.directive(id));
        HostRegion {
            region: &p.region,
            may_leave: p.gpu && !d.is_some_and(clauses::is_async),
        }
    });
    each.collect()
}

/// A unit on its way.
struct Rewriter<'a> {
    unit: &'a Unit,
    plans: &'a [RegionPlan],
    /// Constructs without a plan, for which there is no code.
    left: &'a [DirectiveId],
    /// Which plans have got their text.
    placed: Vec<bool>,
    markers: Markers<'a>,
    edits: Edits,
    errors: Vec<Diagnostic>,
    preamble: Preamble,
    /// How many constructs have names of their own in the text.
    constructs: usize,
    /// The same of blocks with copies of their own.
    copies: usize,
    /// The data of constructs and `declare` directives around, outermost first.
    frames: Vec<Frame>,
    /// Variables that `declare` at file scope has on the device.
    declared: HashSet<VarId>,
    /// Of the compute constructs around.
    shadows: Vec<Shadows>,
    /// Variables that data clauses name, or members of, anywhere.
    mentioned: HashSet<VarId>,
    /// Directives of statements that were walked over.
    met: HashSet<DirectiveId>,
    /// Pragmas that are taken care of, by where they start.
    handled: HashSet<u32>,
    arrays: Vec<Vec<ArrayNote>>,
    declined: Vec<Option<Reason>>,
    /// What the program's own code says of the arrays of regions.
    host: HostCode,
}

impl<'a> Rewriter<'a> {
    /// What goes in front of statements, and of all that is done to regions there.
    fn host_openings(&mut self) {
        for (at, before_pragmas, text) in std::mem::take(&mut self.host.openings) {
            let at = match before_pragmas {
                true => self.begin(at),
                false => at,
            };
            self.within(at, &text);
        }
    }

    /// What goes behind expressions.
    fn host_closings(&mut self) {
        for (at, text) in std::mem::take(&mut self.host.closings) {
            self.edits.insert(at as usize, text);
        }
    }

    /// A number for the names of a construct.
    fn number(&mut self) -> usize {
        self.constructs += 1;
        self.constructs
    }

    /// What the names of the copies of a construct begin with.
    fn copy_names(&mut self) -> String {
        self.copies += 1;
        format!("__terrace_c{}_", self.copies)
    }

    fn directive(&self, id: DirectiveId) -> &'a Directive {
        self.unit.directive(id)
    }

    fn loc(&self, span: Span) -> DiagLoc {
        self.unit.source.loc(span.start as usize)
    }

    fn error(&mut self, span: Span, message: impl Into<String>) {
        let mut d = Diagnostic::error(self.loc(span), message);
        let text = self.unit.text(span);
        d.underline = text.lines().next().map_or(0, str::len) as u32;
        self.errors.push(d);
    }

    /// File and line of a span as two C arguments.
    fn place(&self, span: Span) -> String {
        let p = self.unit.source.locate(span.start as usize);
        format!("{}, {}", c_string(&p.file), p.line)
    }

    /// `code` takes the place of a directive's line.
    fn instead_of(&mut self, d: &Directive, code: &str) {
        let (start, end) = (d.span.start as usize, d.span.end as usize);
        if self.handled.insert(d.span.start) {
            let text = self.markers.instead_of(start, end, code);
            self.edits.replace(start, end, text);
            self.preamble.used = true;
        }
    }

    /// Where a construct begins whose directive or statement begins at `at`.
    fn begin(&self, at: u32) -> u32 {
        let source = &self.unit.source;
        loop_pragmas::begin(source.text(), source.pragmas(), at)
    }

    /// `code`, which opens a construct, takes the place of its directive's line, or goes
    /// before pragmas of others that stand above it and want its loop.
    fn open_at(&mut self, d: &Directive, code: &str) {
        let at = self.begin(d.span.start);
        if at == d.span.start {
            self.instead_of(d, code);
        } else if !self.handled.contains(&d.span.start) {
            self.within(at, code);
            self.remove(d);
        }
    }

    /// The directive needs no code.
    fn remove(&mut self, d: &Directive) {
        if self.handled.insert(d.span.start) {
            let lines = markers::blank(self.unit.text(d.span));
            self.edits
                .replace(d.span.start as usize, d.span.end as usize, lines);
        }
    }

    /// `code` goes into the text before the byte `at`.
    fn within(&mut self, at: u32, code: &str) {
        let text = self.markers.within(at as usize, code);
        self.edits.insert(at as usize, text);
        self.preamble.used = true;
    }

    /// `code` takes the place of an expression; what follows keeps its line and column.
    fn instead_of_expression(&mut self, span: Span, code: &str) {
        let text = self.markers.within(span.end as usize, code);
        self.edits
            .replace(span.start as usize, span.end as usize, text);
    }

    /// Brackets that close a construct, behind a statement.
    fn close(&mut self, at: u32, brackets: &str) {
        let rest = self.unit.source.text().get(at as usize..);
        let line = rest.and_then(|r| r.lines().next()).unwrap_or_default();
        match line.trim().is_empty() {
            true => self.edits.insert(at as usize, format!(" {brackets}")),
            // Columns of what follows stay.
            false => self.within(at, brackets),
        }
    }

    /// Removes every pragma of ours that is left.
    fn rest(&mut self) {
        let unit = self.unit;
        for (i, d) in unit.directives.iter().enumerate() {
            let compute = matches!(d.kind, DirectiveKind::Compute { .. } | DirectiveKind::Scop);
            let missed = match compute {
                true => !self.met.contains(&DirectiveId(i as u32)),
                false => acts(&d.kind) && !self.handled.contains(&d.span.start),
            };
            if missed {
                self.error(
                    d.span,
                    "this directive stands in a part of the program that is not understood, so \
                     it cannot be followed",
                );
            }
        }
        for p in unit.source.pragmas() {
            if loop_pragmas::is_ours(&p.text) && !self.handled.contains(&p.span.start) {
                let lines = markers::blank(unit.text(p.span));
                self.edits
                    .replace(p.span.start as usize, p.span.end as usize, lines);
            }
        }
    }

    fn finish(mut self) -> Result<Rewritten, Vec<Diagnostic>> {
        for (plan, placed) in self.plans.iter().zip(std::mem::take(&mut self.placed)) {
            if !placed {
                let message = format!(
                    "the region `{}` is not a statement of its function",
                    plan.region.name
                );
                self.error(plan.region.span, message);
            }
        }
        if !self.errors.is_empty() {
            return Err(self.errors);
        }
        let declarations = self.preamble.text();
        let mut edits = std::mem::take(&mut self.edits);
        if !declarations.is_empty() {
            let head = self.markers.head();
            let text = self.markers.within(head, &declarations);
            // Before whatever replaces the first line.
            let mut first = Edits::default();
            first.insert(head, text);
            first.append(edits);
            edits = first;
        }
        match edits.apply(self.unit.source.text()) {
            Ok(text) => Ok(Rewritten {
                text,
                arrays: self.arrays,
                declined: self.declined,
            }),
            Err(c) => {
                let place = self.unit.source.loc(c.second.0);
                let other = self.unit.source.loc(c.first.0);
                let message = "a fault of terrace's own: two changes of the same text";
                let note = "a fault of terrace's own: the other change";
                Err(vec![
                    Diagnostic::error(place, message).with_note(other, note),
                ])
            }
        }
    }
}

/// The variables that data clauses of a unit name, or members of which they do.
fn mentioned(unit: &Unit) -> HashSet<VarId> {
    let data = unit.directives.iter().flat_map(Directive::data);
    let root = |s| section::path(s).map(|p| p.root());
    data.filter_map(|(_, s)| root(s)).collect()
}

/// Whether leaving a directive out changes what the program does.
fn acts(kind: &DirectiveKind) -> bool {
    matches!(
        kind,
        DirectiveKind::Data
            | DirectiveKind::EnterData
            | DirectiveKind::ExitData
            | DirectiveKind::HostData
            | DirectiveKind::Update
            | DirectiveKind::Wait(_)
            | DirectiveKind::Declare
            | DirectiveKind::Init
            | DirectiveKind::Shutdown
            | DirectiveKind::Set
    )
}

/// A string as a literal of C.
fn c_string(s: &str) -> String {
    let mut out = String::from("\"");
    for b in s.bytes() {
        match b {
            b'"' | b'\\' => out.extend(['\\', b as char]),
            // `??/` is a backslash in some modes.
            b'?' => out.push_str("\\?"),
            0x20..=0x7e => out.push(b as char),
            // Three digits end an octal escape whatever follows.
            _ => out.push_str(&format!("\\{b:03o}")),
        }
    }
    out.push('"');
    out
}
