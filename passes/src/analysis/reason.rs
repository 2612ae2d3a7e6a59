//! Why, with the place: what is said to an author.

use terrace_ir::diag::DiagLoc;

/// A place and what is the matter there.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reason {
    /// Where it stands in the source.
    pub place: DiagLoc,
    /// What is there, as a clause.
    pub text: String,
}

impl Reason {
    /// The reason that lies at a place.
    pub fn new(place: DiagLoc, text: impl Into<String>) -> Reason {
        Reason {
            place,
            text: text.into(),
        }
    }
}
