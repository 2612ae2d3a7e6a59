//! Gangs, workers and vectors of loops in one another (2.9.2 to 2.9.4).

use super::{Around, Home, Rules};
use crate::directive::{Arg, ClauseKind, Compute, Directive, DirectiveKind};
use crate::hir::Span;
use crate::sema::constant::{Value, fold};

/// What shares out a loop's iterations, from the inside out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    Seq,
    Vector,
    Worker,
    /// The dimension, from 1.
    Gang(u8),
}

impl Level {
    /// As a clause.
    pub fn name(self) -> String {
        match self {
            Level::Seq => "seq".to_owned(),
            Level::Vector => "vector".to_owned(),
            Level::Worker => "worker".to_owned(),
            Level::Gang(1) => "gang".to_owned(),
            Level::Gang(n) => format!("gang(dim:{n})"),
        }
    }
}

/// A level, and the clause that says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LevelAt {
    pub level: Level,
    pub at: Span,
}

/// The levels that a directive names.
pub(super) fn of(d: &Directive) -> Vec<LevelAt> {
    let mut found = Vec::new();
    for c in &d.clauses {
        let level = match &c.kind {
            ClauseKind::Gang { dim, .. } => Level::Gang(dimension(dim.as_ref())),
            ClauseKind::Worker(_) => Level::Worker,
            ClauseKind::Vector(_) => Level::Vector,
            ClauseKind::Seq => Level::Seq,
            _ => continue,
        };
        found.push(LevelAt { level, at: c.span });
    }
    found
}

/// The dimension of gangs; 1 where nothing says it, or what is said is wrong.
fn dimension(dim: Option<&Arg>) -> u8 {
    let value = dim.and_then(value);
    value
        .and_then(|n| u8::try_from(n).ok())
        .filter(|n| (1..=3).contains(n))
        .unwrap_or(1)
}

/// The constant that an argument is.
pub(super) fn value(a: &Arg) -> Option<i128> {
    match fold(a.expr.as_ref()?)? {
        Value::Int(n) => Some(n),
        Value::Float(_) => None,
    }
}

impl Rules<'_> {
    /// The levels of a loop beside those of the loops around it, and of the routine it is in.
    pub(super) fn levels(&mut self, d: &Directive, around: &Around) {
        for LevelAt { level, at } in of(d) {
            if level == Level::Seq {
                continue;
            }
            let outer = around.loops.iter().flat_map(|l| &l.levels);
            let outer = outer
                .filter(|o| o.level != Level::Seq)
                .min_by_key(|o| o.level);
            let (inner, from) = (level.name(), around.from);
            if let Some(o) = outer.filter(|o| level >= o.level) {
                let name = o.level.name();
                let message = format!(
                    "a `{inner}` loop cannot stand in a `{name}` loop: from the outside in the \
                     order is gang, worker, vector, each once"
                );
                let note = format!("the `{name}` loop around it is here");
                self.error_with(at, message, Some((o.at, note)));
            } else if let Home::Routine(most) = around.home
                && level > most
            {
                let most = most.name();
                let message = format!(
                    "a `{inner}` loop cannot stand in a `{most}` routine, whose callers leave \
                     no {inner} for it"
                );
                let note = "the routine's directive is here".to_owned();
                self.error_with(at, message, from.map(|f| (f, note)));
            }
        }
        self.counts(d, around);
    }

    /// Numbers in the brackets of levels are for `kernels` (2.9.2 to 2.9.4).
    fn counts(&mut self, d: &Directive, around: &Around) {
        let construct = self.construct_around(d, around);
        let construct = construct.and_then(|c| match c.kind {
            DirectiveKind::Compute { construct, .. } => Some((construct, c)),
            _ => None,
        });
        for c in &d.clauses {
            let (name, says, arg) = match &c.kind {
                ClauseKind::Gang { num: Some(n), .. } => ("gang", "num_gangs", n),
                ClauseKind::Worker(Some(n)) => ("worker", "num_workers", n),
                ClauseKind::Vector(Some(n)) => ("vector", "vector_length", n),
                _ => continue,
            };
            let why = match construct {
                None if around.home == Home::Host => continue,
                None => "in a routine, whose caller says how many there are".to_owned(),
                Some((Compute::Parallel, _)) => {
                    format!("under `parallel`, whose `{says}` says how many there are")
                }
                Some((Compute::Serial, _)) => "under `serial`, which has one of each".to_owned(),
                Some((_, k)) if sets(k, says) => {
                    format!("under `kernels` with `{says}`, which says how many there are")
                }
                Some(_) => continue,
            };
            let message = format!("`{name}` takes no number {why}");
            self.error(arg.span, message);
        }
    }

    /// The compute construct that a loop belongs to.
    fn construct_around<'d>(&self, d: &'d Directive, around: &Around) -> Option<&'d Directive>
    where
        Self: 'd,
    {
        if matches!(d.kind, DirectiveKind::Compute { .. }) {
            return Some(d);
        }
        let from = around.from.filter(|_| around.home == Home::Construct)?;
        self.unit.directives.iter().find(|c| c.span == from)
    }
}

/// Whether a construct has this clause of sizes.
fn sets(d: &Directive, name: &str) -> bool {
    d.clauses.iter().any(|c| {
        matches!(
            (&c.kind, name),
            (ClauseKind::NumGangs(_), "num_gangs")
                | (ClauseKind::NumWorkers(_), "num_workers")
                | (ClauseKind::VectorLength(_), "vector_length")
        )
    })
}
