//! Errors while compiled code runs: how they travel and what they say.
//!
//! A function returns a status, 0 or what went wrong: the kind in the low 8 bits and
//! above them one more than the number of the op in [`Sites`]. A status is all there
//! is, so threads need no place in common to report to, and the caller of a function
//! that failed hands it on.

use terrace_ir::{Context, Loc, Op};

/// What went wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Trap {
    DivisionByZero = 1,
    OutOfBounds = 2,
    Assert = 3,
    BadSize = 4,
    OutOfMemory = 5,
    BadStep = 6,
    Device = 7,
    Mismatch = 8,
    External = 9,
    NegativePower = 10,
}

impl Trap {
    fn from_code(code: i32) -> Option<Trap> {
        use Trap::*;
        [
            DivisionByZero,
            OutOfBounds,
            Assert,
            BadSize,
            OutOfMemory,
            BadStep,
            Device,
            Mismatch,
            External,
            NegativePower,
        ]
        .into_iter()
        .find(|t| *t as i32 == code)
    }

    fn text(self) -> &'static str {
        match self {
            Trap::DivisionByZero => "division by zero",
            Trap::OutOfBounds => "index out of bounds",
            Trap::Assert => "assertion failed",
            Trap::BadSize => "size is negative or too large to allocate",
            Trap::OutOfMemory => "out of memory",
            Trap::BadStep => "loop step is not positive",
            Trap::Device => "the device reported an error",
            Trap::Mismatch => "memref has not the sizes or strides that its type says",
            Trap::External => "the external function returned an error",
            Trap::NegativePower => "zero to a negative power",
        }
    }
}

/// An op that can fail while it runs.
#[derive(Debug, Clone)]
pub(super) struct Site {
    pub loc: Loc,
    pub name: String,
    /// What an assertion says.
    pub message: Option<String>,
}

/// The ops of a module that can fail, by number.
#[derive(Debug, Default)]
pub(super) struct Sites {
    pub list: Vec<Site>,
    ids: rustc_hash::FxHashMap<Op, u32>,
}

/// More ops than this cannot be told apart in a status.
const MAX_SITES: usize = (1 << 23) - 2;

impl Sites {
    /// From here on ops of another module are numbered, whose handles may be the same.
    pub fn next_module(&mut self) {
        self.ids.clear();
    }

    /// The number of `op`.
    pub fn id(&mut self, ctx: &Context, op: Op) -> Result<u32, String> {
        if let Some(id) = self.ids.get(&op) {
            return Ok(*id);
        }
        if self.list.len() >= MAX_SITES {
            return Err(format!(
                "is one of more than {MAX_SITES} ops that can fail; split the module"
            ));
        }
        let id = self.list.len() as u32;
        let message = match op.name(ctx) {
            "cf.assert" => op
                .attr(ctx, "msg")
                .and_then(|a| a.as_str_lossy(ctx))
                .map(|m| m.into_owned()),
            _ => None,
        };
        self.list.push(Site {
            loc: op.loc(ctx),
            name: op.name(ctx).to_string(),
            message,
        });
        self.ids.insert(op, id);
        Ok(id)
    }
}

/// The status of `trap` at op number `site`.
pub(super) fn status(trap: Trap, site: u32) -> i32 {
    ((site as i32 + 1) << 8) | trap as i32
}

/// Where and what a status other than 0 says.
pub(super) fn describe(sites: &[Site], status: i32) -> (Loc, String) {
    let site = usize::try_from((status >> 8) - 1)
        .ok()
        .and_then(|i| sites.get(i));
    match (site, Trap::from_code(status & 0xff)) {
        (Some(s), Some(t)) => {
            let text = s.message.as_deref().unwrap_or_else(|| t.text());
            (s.loc, format!("'{}' op {text}", s.name))
        }
        _ => (
            Loc::Unknown,
            format!("a callback returned the unknown status {status}"),
        ),
    }
}
