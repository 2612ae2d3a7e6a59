//! What OpenACC forbids, as far as the text of a file shows it.
//!
//! The directives are well formed by now, each by itself. Here they are seen together: loops in
//! one another, routines and their callers, and clauses beside the types of what they name.
//! References are to the OpenACC Application Programming Interface 3.3.

mod declares;
mod jumps;
mod levels;
mod nests;
mod numbers;
mod reductions;
mod routines;
mod sections;

use rustc_hash::FxHashMap;
use terrace_ir::diag::Diagnostic;

use crate::directive::{ClauseKind, Dialect, Directive, DirectiveKind, Section};
use crate::hir::{DirectiveId, Span, Stmt, StmtKind, Unit, VarId};
use crate::lower::walk;
use levels::{Level, LevelAt};
use routines::Routine;

/// All errors of a unit, in the order of the text.
pub(crate) fn check(unit: &Unit) -> Vec<Diagnostic> {
    let mut rules = Rules {
        unit,
        routines: FxHashMap::default(),
        found: Vec::new(),
    };
    rules.find_routines();
    for d in &unit.directives {
        rules.numbers(d);
        rules.sections(d);
        rules.lists(d);
    }
    rules.declares();
    for f in &unit.functions {
        let home = match rules.routines.get(&f.name) {
            Some(r) => Home::Routine(r.level),
            None => Home::Host,
        };
        let around = Around {
            home,
            from: rules.routines.get(&f.name).map(|r| r.at),
            loops: Vec::new(),
        };
        rules.statement(&f.body, &around);
        rules.jumps_into(&f.body);
    }
    rules.found.sort_by_key(|f| f.0);
    rules.found.into_iter().map(|f| f.1).collect()
}

struct Rules<'u> {
    unit: &'u Unit,
    /// By the function's name.
    routines: FxHashMap<String, Routine>,
    found: Vec<(u32, Diagnostic)>,
}

/// What the code around a statement runs as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Home {
    Host,
    /// A compute construct.
    Construct,
    /// A function with a `routine` directive of this level.
    Routine(Level),
}

/// What stands around a statement.
#[derive(Debug, Clone)]
struct Around<'u> {
    home: Home,
    /// The directive that makes it so.
    from: Option<Span>,
    /// Loops with directives within that, outermost first.
    loops: Vec<Loop<'u>>,
}

/// A loop with a directive.
#[derive(Debug, Clone)]
struct Loop<'u> {
    directive: &'u Directive,
    levels: Vec<LevelAt>,
}

impl<'u> Rules<'u> {
    fn statement(&mut self, s: &'u Stmt, around: &Around<'u>) {
        let mut inner: Option<Around<'u>> = None;
        for id in &s.directives {
            let d = self.unit.directive(*id);
            let around = inner.get_or_insert_with(|| around.clone());
            match d.kind {
                DirectiveKind::Compute { combined, .. } => {
                    self.construct(d, around);
                    *around = Around {
                        home: Home::Construct,
                        from: Some(d.span),
                        loops: Vec::new(),
                    };
                    if combined {
                        self.loop_directive(d, s, around);
                    }
                }
                DirectiveKind::Loop => self.loop_directive(d, s, around),
                _ => {}
            }
        }
        let around = inner.as_ref().unwrap_or(around);
        if let StmtKind::Directive(id) = &s.kind {
            self.stand_alone(*id, around);
        }
        if around.home != Home::Host {
            walk::own_exprs(s, &mut |e| self.call(e, around));
        }
        let mut inside = Vec::new();
        walk::children(s, &mut |c| inside.push(c));
        for c in inside {
            self.statement(c, around);
        }
    }

    /// A compute construct, which no other contains (2.5.5).
    fn construct(&mut self, d: &Directive, around: &Around) {
        if around.home == Home::Construct && d.dialect == Dialect::OpenAcc {
            let message = "a compute construct cannot stand in another: put the inner one's \
                           parallelism on a loop, by `acc loop`";
            let note = around.from.map(|f| (f, "the outer one is here".to_owned()));
            self.error_with(d.span, message, note);
        }
    }

    /// A `loop` directive, or the half of a combined one.
    fn loop_directive(&mut self, d: &'u Directive, s: &'u Stmt, around: &mut Around<'u>) {
        if d.dialect == Dialect::OpenAcc {
            self.levels(d, around);
            self.loop_reductions(d, around);
            self.nest(d, s);
            self.head(d, s);
            self.ways_out(d, s);
        }
        around.loops.push(Loop {
            directive: d,
            levels: levels::of(d),
        });
    }

    /// `cache` is for the body of a loop (2.10).
    fn stand_alone(&mut self, id: DirectiveId, around: &Around) {
        let d = self.unit.directive(id);
        if matches!(d.kind, DirectiveKind::Cache(_)) && around.home == Home::Host {
            self.error(
                d.span,
                "`acc cache` has to stand in a loop of a compute construct",
            );
        }
    }

    fn error(&mut self, at: Span, message: impl Into<String>) {
        self.error_with(at, message, None);
    }

    /// An error, with a note elsewhere.
    fn error_with(&mut self, at: Span, message: impl Into<String>, note: Option<(Span, String)>) {
        let source = &self.unit.source;
        if source.is_system(at.start as usize) {
            return;
        }
        let mut d = Diagnostic::error(source.loc(at.start as usize), message);
        let line = self.unit.text(at).lines().next().unwrap_or_default();
        d.underline = u32::try_from(line.trim_end().len()).unwrap_or(0);
        if let Some((there, message)) = note {
            d = d.with_note(source.loc(there.start as usize), message);
        }
        self.found.push((at.start, d));
    }
}

/// The variable that an entry of a clause is, or is a part of.
fn variable(s: &Section) -> Option<VarId> {
    crate::lower::clauses::variable(s)
}

/// The clauses of one kind, each with where it stands.
fn clauses<'d, T>(
    d: &'d Directive,
    of: impl Fn(&'d ClauseKind) -> Option<T>,
) -> impl Iterator<Item = (T, Span)> {
    d.clauses
        .iter()
        .filter_map(move |c| Some((of(&c.kind)?, c.span)))
}
