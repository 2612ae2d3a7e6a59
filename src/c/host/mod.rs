//! The program's own code around regions, so that their arrays can stay on a device.
//!
//! A region that nobody tells otherwise copies its arrays to the device and back. Between two
//! regions that is for nothing where the program does not use the arrays. Here is found what
//! the program's own code uses. In front of each statement that may use an array of a region
//! it then says so (`terrace_host_uses`), and the runtime copies what is not the same there
//! (`runtime/src/program/resident`). So the copies are where the program needs them on
//! each path that it takes: in front of a loop, behind it, in a branch, or nowhere.
//!
//! What can be said is said of whole functions. One that is *followed* has regions, or calls
//! functions that have. It says what its statements use and in front of which of its calls all
//! has to be given up, because nobody says what happens there. Where it returns to somebody who
//! does not go on saying it, all is given up, too. In all other functions there is nothing on
//! the device but what clauses put there, and nothing in them changes.
//!
//! | file | what |
//! | --- | --- |
//! | `classes` | which memory pointers may lead to |
//! | `library` | what functions of the C library do |
//! | `effects` | what statements and functions use |
//! | `follow` | the functions that are followed, and what is said in them |
//! | `text` | how it is said in C |

mod classes;
mod effects;
mod follow;
mod library;
mod text;

use std::collections::{HashMap, HashSet};

use terrace_c::hir::{Expr, ExprKind, Function, Span, Stmt, StmtKind, Unit};
use terrace_c::region::Region;

use super::visit::{children, expressions};
use classes::{Classes, Known};
use effects::{Summary, Walk};

/// A region as the program's code meets it.
#[derive(Debug, Clone, Copy)]
pub struct HostRegion<'a> {
    pub region: &'a Region,
    /// Its arrays may be left on the device: it runs there, and is waited for.
    pub may_leave: bool,
}

/// What is known of the program beside the file.
#[derive(Debug, Clone, Copy, Default)]
pub struct Around {
    /// No other file is part of the program.
    pub whole: bool,
    /// Functions of a shared library may be others' when the program runs.
    pub interposed: bool,
    /// The compiler follows OpenMP's pragmas.
    pub openmp: bool,
}

/// What is said in a unit's functions.
#[derive(Debug, Default)]
pub struct HostCode {
    /// Text that goes before a byte, in front of all that is done to the regions there, and
    /// whether it may go before pragmas of others.
    pub openings: Vec<(u32, bool, String)>,
    /// Text that goes before a byte, behind an expression.
    pub closings: Vec<(u32, String)>,
    /// Statements in whose place a block stands that one of the openings begins. They are told apart by
    /// their addresses in the unit, since several may have one span.
    blocks: HashSet<*const Stmt>,
    /// By the spans of their statements.
    pub regions: HashMap<Span, RegionCode>,
    /// Functions with regions that are not followed, and why.
    pub reasons: HashMap<String, String>,
}

/// What is said of a region.
#[derive(Debug, Default, Clone)]
pub struct RegionCode {
    /// In front of its statement, where that runs on the host.
    pub on_host: String,
    /// Of each capture the number of the class of its array, where that may stay on the
    /// device.
    pub classes: Vec<Option<usize>>,
}

impl HostCode {
    /// Whether one of the openings begins a block that ends behind this statement.
    pub fn is_block(&self, s: &Stmt) -> bool {
        self.blocks.contains(&std::ptr::from_ref(s))
    }

    pub fn of(unit: &Unit, regions: &[HostRegion], around: Around) -> HostCode {
        if !regions.iter().any(|r| r.may_leave) {
            return HostCode::default();
        }
        let mut reasons = HashMap::new();
        let mut functions: HashMap<&str, &Function> = HashMap::new();
        let own = |f: &&Function| !library::is_of_header(unit, f);
        for f in unit.functions.iter().filter(own) {
            match not_understood(unit, f, around) {
                None => {
                    functions.insert(&f.name, f);
                }
                Some(why) => {
                    reasons.insert(f.name.clone(), why);
                }
            }
        }
        let known = Known {
            unit,
            others: unit
                .functions
                .iter()
                .filter(own)
                .any(|f| !functions.contains_key(&*f.name) && matters(unit, f)),
            functions: &functions,
            whole: around.whole,
            replaced: around.interposed || has_weak(unit),
        };
        let mut classes = Classes::of(&known);
        let summaries = summaries(&known, &mut classes, regions);
        let mut code = follow::all(&known, &mut classes, &summaries, regions);
        code.reasons = reasons;
        code
    }
}

/// Why a function's code cannot be followed.
fn not_understood(unit: &Unit, f: &Function, around: Around) -> Option<String> {
    let mut why = None;
    let mut statements: Vec<&Stmt> = vec![&f.body];
    while let Some(s) = statements.pop() {
        if let StmtKind::Unsupported(reason) = &s.kind {
            why = Some(reason.clone());
        }
        statements.extend(children(s));
    }
    expressions(&f.body, |e: &Expr| match &e.kind {
        ExprKind::Unsupported(reason) => why = Some(reason.clone()),
        ExprKind::Call { function, .. } if library::returns_again(function) => {
            why = Some(format!(
                "a call of `{function}`, which returns more than once"
            ));
        }
        _ => {}
    });
    let omp = unit.source.pragmas().iter().any(|p| {
        let inside = f.span.start <= p.span.start && p.span.end <= f.span.end;
        inside && p.text.split_whitespace().next() == Some("omp")
    });
    if omp && around.openmp {
        why = Some("an OpenMP directive, whose threads run beside each other".to_string());
    }
    why
}

/// Whether a function may give way to another file's.
fn has_weak(unit: &Unit) -> bool {
    let text = unit.source.text();
    let names = [
        "((weak",
        "((__weak__",
        "#pragma weak",
        ", weak",
        ", __weak__",
    ];
    names.iter().any(|n| text.contains(n))
}

/// Whether a function may run: not one of a header that nobody names.
fn matters(unit: &Unit, f: &Function) -> bool {
    let hidden = f.is_static || f.is_inline;
    if !hidden || unit.source.is_main(f.span.start as usize) {
        return true;
    }
    let mut named = false;
    for g in unit.functions.iter().filter(|g| g.name != f.name) {
        expressions(&g.body, |e| {
            named |= match &e.kind {
                ExprKind::Call { function, .. } | ExprKind::Function(function) => {
                    *function == f.name
                }
                _ => false,
            };
        });
    }
    named
}

/// What each function that is understood does.
fn summaries<'a>(
    known: &Known<'a>,
    classes: &mut Classes,
    regions: &[HostRegion],
) -> HashMap<&'a str, Summary> {
    let mut all: HashMap<&str, Summary> = HashMap::new();
    for (name, f) in known.functions {
        let index = known.unit.functions.iter().position(|g| g.name == f.name);
        let has = |r: &&HostRegion| r.may_leave && Some(r.region.function) == index;
        let own = regions.iter().any(|r| has(&r)) || follow::has_directives(known.unit, &f.body);
        let follows = own;
        all.insert(
            name,
            Summary {
                follows,
                ..Summary::default()
            },
        );
    }
    loop {
        let mut changed = false;
        for (name, f) in known.functions {
            let mut walk = Walk::new(known, classes, &all);
            walk.statement(&f.body);
            let found = walk.found;
            let before = all.get(name).cloned().unwrap_or_default();
            let now = found.summary(known, before.follows || found.follows > 0);
            if now != before {
                all.insert(name, now);
                changed = true;
            }
        }
        if !changed {
            return all;
        }
    }
}
