//! Loops that run statements in the order of a schedule.
//!
//! Each statement has a domain (its instances, by the values of its iterators) and a
//! schedule (a time, which is a vector, for each instance). [`scan`] gives loops that
//! run every instance of every statement once, in the lexicographic order of times;
//! [`emit`] writes them as `affine.for`, `affine.if` and `affine.apply`; [`reschedule`]
//! puts them in the place of loops of a program.
//!
//! From the outermost dimension of time inwards, the statements' polyhedra are projected
//! on the dimensions so far and cut into disjoint pieces that follow each other along the
//! dimension; each piece becomes a loop from the greatest of its lower to the least of
//! its upper bounds, by the stride that the instances have. A dimension that can have one
//! value only makes no loop. Behind the dimensions of time the statement's own iterators
//! are scanned in the same way, so that they come out as expressions of the loops' variables
//! and no inverse of the schedule is needed.
//!
//! F. Quilleré, S. Rajopadhye, D. Wilde, "Generation of efficient nested loops from
//! polyhedra", 2000. C. Bastoul, "Code generation in the polyhedral model is easier than
//! you think", 2004. T. Grosser, S. Verdoolaege, A. Cohen, "Polyhedral AST generation is
//! more than scanning polyhedra", 2015.

mod disjoint;
mod emit;
mod expr;
mod guard;
mod parameters;
mod part;
mod reschedule;
mod scan;
mod system;
#[cfg(test)]
mod tests;
mod times;
mod tree;

use std::fmt;

use terrace_presburger::{Conjunct, Relation, Set};

pub use reschedule::{Body, Joined, reschedule};
pub use tree::Node;

/// A statement to be scanned.
#[derive(Clone, Debug)]
pub struct Scheduled {
    /// The values of its iterators, over the parameters.
    pub domain: Set,
    /// From iterators to time, which has as many dimensions for all statements.
    pub schedule: Relation,
    /// Dimensions of time along which instances may run at once. A loop that all
    /// statements in it allow that for is parallel.
    pub parallel: Vec<usize>,
}

/// How to scan.
#[derive(Clone, Debug)]
pub struct Options {
    /// What holds of the parameters.
    pub context: Option<Conjunct>,
    /// Dimensions of time to be scanned by one loop where that can be done, even if
    /// statements share only a part of it; conditions inside tell them apart. Elsewhere
    /// the loop is cut into pieces that need no conditions. Loops over tiles are best
    /// kept whole.
    pub whole: Vec<bool>,
    /// How many pieces the result may have.
    pub max_pieces: usize,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            context: None,
            whole: Vec::new(),
            max_pieces: 10_000,
        }
    }
}

impl Options {
    fn is_whole(&self, dimension: usize) -> bool {
        self.whole.get(dimension).copied().unwrap_or(false)
    }
}

/// Why there are no loops for a schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScanError {
    /// The number of parameters, iterators or times is not what it should be.
    Shape {
        statement: usize,
        what: &'static str,
        found: usize,
        expected: usize,
    },
    /// A loop would have no lower, or no upper, bound.
    Unbounded {
        statement: usize,
        dimension: usize,
        below: bool,
    },
    /// It could not be shown that each instance has one time.
    Twice { statement: usize, iterators: usize },
    /// An existentially quantified variable that no expression stands for.
    Quantifier { statement: usize },
    /// Times that are no linear functions of the iterators, quotients by numbers and
    /// remainders included.
    Times { statement: usize },
    /// A coefficient needs more than 64 bits.
    Overflow,
    /// More pieces than the options allow.
    TooLarge { pieces: usize },
    /// A question about the sets was given up.
    Unknown(terrace_presburger::Unknown),
}

impl fmt::Display for ScanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ScanError::Shape {
                statement,
                what,
                found,
                expected,
            } => write!(
                f,
                "statement {statement} has {found} {what}, expected {expected}"
            ),
            ScanError::Unbounded {
                statement,
                dimension,
                below,
            } => write!(
                f,
                "dimension {dimension} of the schedule has no {} bound for statement {statement}",
                if *below { "lower" } else { "upper" }
            ),
            ScanError::Twice {
                statement,
                iterators,
            } => write!(
                f,
                "the schedule gives some of the instances of statement {statement}, which has \
                 {iterators} iterators, more than one time"
            ),
            ScanError::Quantifier { statement } => write!(
                f,
                "the domain or schedule of statement {statement} has existentially quantified \
                 variables that affine expressions cannot stand for"
            ),
            ScanError::Times { statement } => {
                write!(f, "the times of statement {statement} are not affine")
            }
            ScanError::Overflow => {
                f.write_str("a coefficient of the generated loops needs more than 64 bits")
            }
            ScanError::TooLarge { pieces } => {
                write!(f, "the generated program has more than {pieces} pieces")
            }
            ScanError::Unknown(u) => u.fmt(f),
        }
    }
}

impl std::error::Error for ScanError {}

impl From<terrace_presburger::Unknown> for ScanError {
    fn from(u: terrace_presburger::Unknown) -> ScanError {
        ScanError::Unknown(u)
    }
}

/// The loops that run all instances in the order of their times. Instances of the same
/// time run in the order of the statements, those of one statement in any order.
///
/// # Errors
///
/// [`ScanError`].
pub fn scan(
    params: usize,
    statements: &[Scheduled],
    options: &Options,
) -> Result<Vec<Node>, ScanError> {
    let times = statements.first().map_or(0, |s| s.schedule.space().outputs);
    let mut iterators = 0;
    let mut disjoint = Vec::new();
    for (at, s) in statements.iter().enumerate() {
        let (d, t) = (s.domain.space(), s.schedule.space());
        let shape = |what, found, expected| match found == expected {
            true => Ok(()),
            false => Err(ScanError::Shape {
                statement: at,
                what,
                found,
                expected,
            }),
        };
        shape("parameters in its domain", d.params, params)?;
        shape("inputs in its domain", d.inputs, 0)?;
        shape("parameters in its schedule", t.params, params)?;
        shape("inputs in its schedule", t.inputs, d.outputs)?;
        shape("dimensions of time", t.outputs, times)?;
        iterators = iterators.max(d.outputs);
        disjoint.push(Scheduled {
            domain: disjoint::disjoint(&s.domain),
            ..s.clone()
        });
    }
    let layout = part::Layout {
        params,
        times,
        dims: times + iterators,
    };
    let mut known = system::System::new(layout.columns());
    if let Some(context) = &options.context {
        let found = context.space().columns();
        if found != params || context.locals() != 0 {
            return Err(ScanError::Shape {
                statement: 0,
                what: "columns in the context",
                found: found + context.locals(),
                expected: params,
            });
        }
        let to: Vec<usize> = (0..params).collect();
        for row in context.equalities() {
            known.add_equality(system::placed(row, &to, layout.columns()));
        }
        for row in context.inequalities() {
            known.add_inequality(system::placed(row, &to, layout.columns()));
        }
    }
    let parts = part::parts(layout, &disjoint)?;
    scan::Scanner::new(layout, &parts, options).scan(&known)
}
