//! The third answer.

use std::fmt;

/// Why a question has no answer: it may be either way, and whoever asked must take
/// the way that is safe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unknown {
    /// The search for an integer point, or for a quantifier-free form, was given up.
    OverBudget {
        /// What was looked for.
        what: &'static str,
        /// How many steps were spent on it.
        steps: u64,
    },
    /// There are points, but no least (or greatest) value of this dimension.
    Unbounded {
        /// The number of the dimension among the outputs.
        output: usize,
    },
}

impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unknown::OverBudget { what, steps } => {
                write!(f, "{what} was given up after {steps} steps")
            }
            Unknown::Unbounded { output } => {
                write!(f, "dimension {output} is not bounded")
            }
        }
    }
}

impl std::error::Error for Unknown {}
