//! `terrace explain`: what became of each loop, and why.
//!
//! The passes leave notes, data without words ([`crate::passes::region::notes`]).
//! `sentences` finds the words, once for all formats; `text`, `html` and `json` show
//! them, `graph` draws what is related to what.

mod accesses;
pub mod command;
mod copies;
pub(crate) mod cost;
pub(crate) mod graph;
pub(crate) mod html;
pub(crate) mod json;
pub(crate) mod json_writer;
pub(crate) mod sentences;
mod sources;
#[cfg(test)]
mod tests;
pub(crate) mod text;

use terrace_c::hir::{Function, Span, Stmt, StmtKind, Unit};
use terrace_c::region::{Kept, Region};
use terrace_ir::diag::DiagLoc;
use terrace_passes::region::notes::{CopyNote, Reason, RegionNotes};
use terrace_passes::region::sentences::same_line;

use crate::c::visit::children;
pub(crate) use sources::Sources;

/// What is known about a C file, in the order of its text.
#[derive(Debug, Clone)]
pub(crate) struct Explanation {
    /// The file as the user names it.
    pub file: String,
    pub functions: Vec<FunctionNotes>,
    /// The lines that are quoted.
    pub sources: Sources,
}

/// One function.
#[derive(Debug, Clone, Default)]
pub(crate) struct FunctionNotes {
    pub name: String,
    pub place: DiagLoc,
    pub regions: Vec<RegionNotes>,
    /// Loops that belong to no region.
    pub host_loops: Vec<HostLoop>,
    /// What could not be translated.
    pub kept: Vec<Reason>,
    /// What would save copies.
    pub copies: Vec<CopyNote>,
}

/// A loop that is the system compiler's.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct HostLoop {
    pub place: DiagLoc,
    /// The counter, if the loop has one that is plain to see.
    pub variable: String,
    /// Loops of the function around it that are no region's either.
    pub depth: usize,
}

impl Explanation {
    /// From a unit and what its compilation left: `regions` in any order, of which
    /// `captured` were compiled. Functions that come from headers and
    /// have no region are not mentioned.
    pub fn new(
        file: &str,
        unit: &Unit,
        captured: &[Region],
        mut regions: Vec<RegionNotes>,
        kept: &[Kept],
    ) -> Explanation {
        accesses::quote(unit, &mut regions);
        let copies = copies::tell(unit, captured, &mut regions);
        let mut functions: Vec<FunctionNotes> = Vec::new();
        for f in &unit.functions {
            let mut notes = FunctionNotes {
                name: f.name.clone(),
                place: unit.source.loc(f.name_span.start as usize),
                ..FunctionNotes::default()
            };
            let own = |r: &&RegionNotes| {
                let name = r.name.rsplit_once(".region").map_or("", |(f, _)| f);
                name == f.name
            };
            notes.regions = regions.iter().filter(own).cloned().collect();
            if notes.regions.is_empty() && !unit.source.is_main(f.span.start as usize) {
                continue;
            }
            let own = kept.iter().filter(|k| k.function == f.name);
            notes.kept = own
                .map(|k| Reason::new(unit.source.loc(k.span.start as usize), k.reason.clone()))
                .collect();
            notes.host_loops = host_loops(unit, f, &notes.regions);
            let own = copies.iter().filter(|(name, _)| *name == f.name);
            notes.copies = own.map(|(_, c)| c.clone()).collect();
            functions.push(notes);
        }
        Explanation {
            file: file.to_string(),
            functions,
            sources: Sources::from_disk(),
        }
    }
}

/// The loops of a function that no region's notes are about.
fn host_loops(unit: &Unit, f: &Function, regions: &[RegionNotes]) -> Vec<HostLoop> {
    let noted: Vec<&DiagLoc> = regions
        .iter()
        .flat_map(|r| r.loops.iter().map(|l| &l.place))
        .collect();
    let mut found = Vec::new();
    let mut stack: Vec<(&Stmt, usize)> = vec![(&f.body, 0)];
    while let Some((s, depth)) = stack.pop() {
        let is_loop = matches!(
            s.kind,
            StmtKind::For { .. } | StmtKind::While { .. } | StmtKind::DoWhile { .. }
        );
        let place = unit.source.loc(s.span.start as usize);
        if is_loop && noted.iter().any(|p| same_line(p, &place)) {
            // What is in it belongs to the region too.
            continue;
        }
        if is_loop {
            found.push((
                s.span,
                HostLoop {
                    place,
                    variable: counter(unit, s),
                    depth,
                },
            ));
        }
        let inner = depth + usize::from(is_loop);
        stack.extend(children(s).into_iter().map(|c| (c, inner)));
    }
    found.sort_by_key(|(span, _): &(Span, _)| span.start);
    found.into_iter().map(|(_, l)| l).collect()
}

/// The variable that a `for` steps.
pub(crate) fn counter(unit: &Unit, s: &Stmt) -> String {
    use terrace_c::hir::ExprKind;
    let StmtKind::For {
        step: Some(step), ..
    } = &s.kind
    else {
        return String::new();
    };
    let target = match &step.kind {
        ExprKind::IncDec { target, .. }
        | ExprKind::Assign { target, .. }
        | ExprKind::CompoundAssign { target, .. } => target,
        _ => return String::new(),
    };
    match &target.kind {
        ExprKind::Var(v) => unit.var(*v).name.clone(),
        _ => String::new(),
    }
}

/// The line of a place; 0 if it has none.
pub(crate) fn line_of(place: &DiagLoc) -> u32 {
    match place {
        DiagLoc::Pos { line, .. } => *line,
        _ => 0,
    }
}

/// The file of a place.
pub(crate) fn file_of(place: &DiagLoc) -> &str {
    match place {
        DiagLoc::Pos { file, .. } => file,
        _ => "",
    }
}
