//! What the functions of a declaration give: folds, effects, errors.

use crate::attr::Attr;
use crate::loc::Loc;
use crate::value::Value;

/// The outcome of folding.
pub enum Fold {
    /// Nothing to fold.
    No,
    /// The op changed in place.
    InPlace,
    /// Each result is this attribute (a constant) or existing value.
    Results(Vec<FoldResult>),
}

impl Fold {
    /// A constant as the only result.
    pub fn attr(a: Attr) -> Fold {
        Fold::Results(vec![FoldResult::Attr(a)])
    }
    /// An existing value as the only result.
    pub fn value(v: Value) -> Fold {
        Fold::Results(vec![FoldResult::Value(v)])
    }
    /// `Some` constant as the only result, else nothing.
    pub fn maybe(a: Option<Attr>) -> Fold {
        a.map_or(Fold::No, Fold::attr)
    }
}

/// What stands for one result of a folded op.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FoldResult {
    /// A constant of the result's type.
    Attr(Attr),
    /// A value that is there already.
    Value(Value),
}

/// What is done to memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EffectKind {
    /// Loads from it.
    Read,
    /// Stores to it.
    Write,
    /// Makes it.
    Alloc,
    /// Ends its life.
    Free,
}

/// One memory effect; `on` is the memref touched, or `None` for memory unnamed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Effect {
    /// What is done.
    pub kind: EffectKind,
    /// The memref touched; `None` if any memory may be.
    pub on: Option<Value>,
}

/// What is wrong with an op, found by its verifier.
#[derive(Debug, Clone)]
pub struct Invalid {
    /// Where, if not at the op.
    pub loc: Option<Loc>,
    /// Without the prefix.
    pub message: String,
    /// Put `'NAME' op ` in front.
    pub prefix: bool,
    /// Further places, each with what it has to do with the error.
    pub notes: Vec<(Loc, String)>,
}

impl Invalid {
    /// A message without the `'NAME' op ` prefix.
    pub fn plain(message: impl Into<String>) -> Self {
        Invalid {
            loc: None,
            message: message.into(),
            prefix: false,
            notes: Vec::new(),
        }
    }
    /// The same, reported at `loc` rather than at the op.
    pub fn at(mut self, loc: Loc) -> Self {
        self.loc = Some(loc);
        self
    }
    /// The same with one more note.
    pub fn note(mut self, loc: Loc, message: impl Into<String>) -> Self {
        self.notes.push((loc, message.into()));
        self
    }
}

impl<S: Into<String>> From<S> for Invalid {
    fn from(message: S) -> Self {
        Invalid {
            loc: None,
            message: message.into(),
            prefix: true,
            notes: Vec::new(),
        }
    }
}

/// What verifiers return.
pub type Verified = Result<(), Invalid>;
