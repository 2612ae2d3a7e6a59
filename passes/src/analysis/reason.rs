//! Why, with the place: what is said to an author.

use terrace_ir::diag::DiagLoc;

/// A place and what is the matter there.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reason {
    pub place: DiagLoc,
    pub text: String,
}

impl Reason {
    pub fn new(place: DiagLoc, text: impl Into<String>) -> Reason {
        Reason {
            place,
            text: text.into(),
        }
    }
}
