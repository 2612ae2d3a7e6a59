//! What goes wrong while a program runs.

use std::fmt;
use terrace_ir::{Context, Loc, Op};

/// An error of an interpreted program: where, what, and how the program got there.
#[derive(Debug, Clone, PartialEq)]
pub struct InterpError {
    /// The location of the op that failed.
    pub loc: Loc,
    pub message: String,
    /// Further locations: facts about the error first (where a buffer was freed), then
    /// the calls that lead to the op, innermost first.
    pub trace: Vec<(Loc, String)>,
}

impl InterpError {
    pub(super) fn new(loc: Loc, message: impl Into<String>) -> Self {
        InterpError {
            loc,
            message: message.into(),
            trace: Vec::new(),
        }
    }

    /// The error and its trace as text, one line each, with file positions.
    pub fn render(&self, ctx: &Context) -> String {
        let place = |loc: Loc| match loc.file_pos(ctx) {
            Some((file, line, col)) => format!("{}:{line}:{col}: ", ctx.file_name(file)),
            None => String::new(),
        };
        let mut out = format!("{}error: {}", place(self.loc), self.message);
        for (loc, note) in &self.trace {
            out.push_str(&format!("\n{}note: {note}", place(*loc)));
        }
        out
    }
}

impl fmt::Display for InterpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for InterpError {}

/// What an op reports when it fails; the machine adds where.
#[derive(Debug, Clone)]
pub(super) struct Fault(Box<FaultData>);

#[derive(Debug, Clone)]
struct FaultData {
    message: String,
    notes: Vec<(Op, String)>,
    /// The op that failed, where it is not the one that was running.
    at: Option<Op>,
}

impl Fault {
    pub fn new(message: impl Into<String>) -> Fault {
        Fault(Box::new(FaultData {
            message: message.into(),
            notes: Vec::new(),
            at: None,
        }))
    }

    /// With another place that explains the error.
    pub fn note(mut self, at: Option<Op>, note: &str) -> Fault {
        self.0.notes.extend(at.map(|op| (op, note.to_string())));
        self
    }

    pub fn at(mut self, op: Op) -> Fault {
        self.0.at = Some(op);
        self
    }

    pub fn locate(self, ctx: &Context, running: Option<Op>) -> InterpError {
        let loc = self.0.at.or(running).map_or(Loc::Unknown, |op| op.loc(ctx));
        let trace = self
            .0
            .notes
            .into_iter()
            .map(|(op, n)| (op.loc(ctx), n))
            .collect();
        InterpError {
            loc,
            message: self.0.message,
            trace,
        }
    }
}

impl From<String> for Fault {
    fn from(message: String) -> Fault {
        Fault::new(message)
    }
}

impl From<&str> for Fault {
    fn from(message: &str) -> Fault {
        Fault::new(message)
    }
}

pub(super) type Run<T> = Result<T, Fault>;
