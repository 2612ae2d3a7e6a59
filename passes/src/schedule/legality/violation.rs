//! Why a step is not legal.

use crate::analysis::dependence::Reason;
use terrace_ir::Loc;

/// What forbids a step, in the words of the program.
#[derive(Debug, Clone)]
pub struct Violation {
    /// A clause that goes on after "is not legal: ".
    pub message: String,
    /// The places it is about.
    pub notes: Vec<(Loc, String)>,
}

impl Violation {
    pub fn new(message: impl Into<String>) -> Violation {
        Violation {
            message: message.into(),
            notes: Vec::new(),
        }
    }

    pub fn note(mut self, loc: Loc, message: impl Into<String>) -> Violation {
        self.notes.push((loc, message.into()));
        self
    }

    /// A violation that is only feared, for this reason.
    pub(super) fn because(self, doubt: Option<&Reason>) -> Violation {
        match doubt {
            Some(r) => self.note(r.loc, format!("this is to be feared because {}", r.message)),
            None => self,
        }
    }
}
