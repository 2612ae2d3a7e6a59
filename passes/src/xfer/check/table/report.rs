//! What is said of a mistake with the table of present arrays.

use super::super::report::Incoherence;
use super::super::trail::What;
use super::state::{Act, Known, State, Wrong};
use terrace_dialects::xfer::Side;
use terrace_ir::{Loc, Op, Value};

/// What is wrong with an op; the array is not named yet, since each function has its own
/// name for it.
#[derive(Debug, Clone)]
pub struct Finding {
    pub op: Op,
    pub why: Wrong,
    pub words: Words,
    pub path: Vec<(Loc, String)>,
}

/// A message around the name of an array.
#[derive(Debug, Clone)]
pub struct Words {
    before: String,
    behind: String,
}

impl Words {
    pub fn with(&self, array: &str) -> String {
        format!("{}{array}{}", self.before, self.behind)
    }

    pub fn new(before: &str, behind: impl Into<String>) -> Words {
        Words {
            before: before.into(),
            behind: behind.into(),
        }
    }
}

impl Words {
    /// With more behind them.
    pub fn and(mut self, more: &str) -> Words {
        self.behind.push_str(more);
        self
    }

    /// Of a call, what the function does that is called.
    pub fn by_function(self) -> Words {
        Words {
            before: format!("calls a function that {}", self.before),
            behind: self.behind,
        }
    }
}

impl Finding {
    pub fn incoherence(self, array: Value, words: &str) -> Incoherence {
        Incoherence {
            op: self.op,
            array,
            message: self.words.with(words),
            path: self.path,
        }
    }
}

/// The message for an act that is wrong.
pub fn message(act: &Act, why: Wrong) -> Words {
    let copies = |act: &Act| match act {
        Act::Enter { .. } => Some(Side::Device),
        Act::Exit { .. } => Some(Side::Host),
        Act::Update { to, .. } => Some(*to),
        _ => None,
    };
    let stale = |side: Side| format!(" on the {}, where it may be stale", side.word());
    const UNSET: &str = "which was given no values of it, and where nothing was written since";
    match (why, copies(act)) {
        (Wrong::Stale(side), Some(to)) => Words::new(
            "copies ",
            format!(
                " to the {} from the {}, where it may be stale",
                to.word(),
                side.word()
            ),
        ),
        (Wrong::Stale(side), None) => Words::new("reads ", stale(side)),
        (Wrong::Unset, Some(_)) => {
            Words::new("copies ", format!(" to the host from the device, {UNSET}"))
        }
        (Wrong::Unset, None) => Words::new("reads ", format!(" on the device, {UNSET}")),
        (Wrong::MaybeUnset, Some(_)) => Words::new(
            "copies ",
            " to the host from the device, which was given no values of it, and where only some may have been written",
        ),
        (Wrong::MaybeUnset, None) => Words::new(
            "reads ",
            " on the device, which was given no values of it, and where only some may have been written",
        ),
        (Wrong::Absent, _) => match act {
            Act::Update { .. } => Words::new(
                "needs ",
                " to be on the device, where it may not be; with 'if_present' it is left alone then",
            ),
            _ => Words::new("needs ", " to be on the device, where it may not be"),
        },
        (Wrong::Partly, _) => Words::new(
            "is about elements of ",
            " of which only some are on the device; use the same section there and here, or one that contains this one",
        ),
        (Wrong::Gone, _) => Words::new("uses a buffer of ", " that may have left the device"),
        (Wrong::Held, _) => Words::new("frees ", ", which may still be on the device"),
        (Wrong::Freed, _) => Words::new("uses ", ", which may have been freed"),
        (Wrong::Rest(side), _) => Words::new(
            "writes ",
            format!(
                " on the {0}, where the rest of it may be stale; copy it to the {0} before, or discard it where all of it is written",
                side.word()
            ),
        ),
        (Wrong::WhichPart, _) => Words::new(
            "cannot be checked: only the run can tell which elements of ",
            " it is about",
        ),
        (Wrong::WhatItDoes, _) => Words::new(
            "cannot be checked: only the run can tell what it does to ",
            " and the table of present arrays",
        ),
        (Wrong::TooManyWays, _) => Words::new(
            "cannot be checked: on too many ways that lead here ",
            " is on the device as on no other",
        ),
        (Wrong::UnderWay, Some(to)) => match act {
            Act::Exit { .. } => Words::new("takes ", " off the device"),
            _ => Words::new(
                "copies ",
                format!(" to the {} from the {}", to.word(), to.other().word()),
            ),
        },
        (Wrong::UnderWay, None) => Words::new("uses ", " on the device"),
        (Wrong::Left, _) => Words::new(
            "returns while ",
            ", which the caller sees, may be stale on the host",
        ),
    }
}

/// The kind of step that led to a mistake.
pub fn is_cause(why: Wrong, what: What) -> bool {
    match why {
        Wrong::Stale(side) | Wrong::Rest(side) => what == What::Wrote(side.other()),
        Wrong::Left => what == What::Wrote(Side::Device),
        Wrong::Unset | Wrong::MaybeUnset | Wrong::Partly | Wrong::Held => what == What::Entered,
        Wrong::Absent | Wrong::Gone => what == What::LeftDevice,
        Wrong::Freed => what == What::FreedArray,
        Wrong::UnderWay => what == What::Started,
        Wrong::WhichPart | Wrong::WhatItDoes | Wrong::TooManyWays => false,
    }
}

/// What there is to say of the change of a state.
pub fn happened(from: &State, to: &State) -> Option<What> {
    if from == to {
        return None;
    }
    let (State::Known(a), State::Known(b)) = (from, to) else {
        return Some(match to {
            State::Freed => What::FreedArray,
            State::Unknown => What::Copied,
            State::Known(_) => What::Allocated,
        });
    };
    let staler = |side: Side| {
        let before = a.content.stale(side);
        let now = b.content.stale(side);
        now.iter().any(|s| !before.iter().any(|o| o.has(*s)))
    };
    let spans = |k: &Known| k.entries.iter().map(|e| e.span).collect::<Vec<_>>();
    let (before, after) = (spans(a), spans(b));
    Some(match () {
        () if staler(Side::Host) => What::Wrote(Side::Device),
        () if staler(Side::Device) => What::Wrote(Side::Host),
        () if before.iter().any(|s| !after.contains(s)) => What::LeftDevice,
        () if after.iter().any(|s| !before.contains(s)) => What::Entered,
        () if a.content != b.content => What::Copied,
        () => What::Counted,
    })
}
