//! What is wrong with a kernel, found while it ran.

use rustc_hash::FxHashMap;
use std::fmt;
use std::sync::{Mutex, PoisonError};

/// Where an instruction stands.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Site {
    pub function: String,
    /// Line of the PTX text, from 1.
    pub ptx_line: u32,
    /// The instruction's text.
    pub text: String,
    /// The source file, line and column that `.loc` gives; line 0 if none.
    pub file: String,
    pub line: u32,
    pub column: u16,
}

impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.line > 0 {
            write!(f, "{}:{}:{}", self.file, self.line, self.column)?;
        } else {
            write!(f, "line {} of the PTX text", self.ptx_line)?;
        }
        write!(f, " (in {}: `{}`)", self.function, self.text)
    }
}

/// What is wrong.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FindingKind {
    /// An access that does not lie in one allocation.
    OutOfBounds,
    /// An access at an address that its size does not divide.
    Misaligned,
    /// A read of memory that nobody wrote.
    Uninitialized,
    /// A read of a register that the thread did not write.
    UninitializedRegister,
    /// Two accesses, one of them a write, that nothing orders.
    Race,
    /// An access to the destination of an asynchronous copy, or a write to its source,
    /// while it runs.
    CopyInFlight,
    /// A barrier that some threads of a warp reach and others do not.
    BarrierDivergence,
    /// Threads that wait for others for ever.
    Deadlock,
    /// A shuffle, vote or warp barrier without all of the lanes it names.
    WarpDivergence,
    /// `trap`, or a call or branch that leads nowhere.
    Trap,
    /// More instructions than the launch allows.
    TooLong,
}

impl FindingKind {
    /// What it is called.
    pub const fn name(self) -> &'static str {
        match self {
            FindingKind::OutOfBounds => "out-of-bounds access",
            FindingKind::Misaligned => "misaligned access",
            FindingKind::Uninitialized => "uninitialised read",
            FindingKind::UninitializedRegister => "read of an uninitialised register",
            FindingKind::Race => "race",
            FindingKind::CopyInFlight => "access during an asynchronous copy",
            FindingKind::BarrierDivergence => "divergent barrier",
            FindingKind::Deadlock => "deadlock",
            FindingKind::WarpDivergence => "divergent warp operation",
            FindingKind::Trap => "trap",
            FindingKind::TooLong => "too many instructions",
        }
    }

    /// Whether the kernel cannot be run on after it.
    pub const fn is_fatal(self) -> bool {
        matches!(
            self,
            FindingKind::Deadlock | FindingKind::Trap | FindingKind::TooLong
        )
    }
}

/// One thing that is wrong, as the first thread met it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    pub kind: FindingKind,
    /// What happened, with the numbers.
    pub message: String,
    pub site: Site,
    /// The other access of a race, or the other place where threads wait.
    pub other: Option<Site>,
    /// The block, x y z.
    pub block: [u32; 3],
    /// The thread in its block, x y z.
    pub thread: [u32; 3],
    /// How often it was met.
    pub count: u64,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [bx, by, bz] = self.block;
        let [tx, ty, tz] = self.thread;
        write!(
            f,
            "{}: {}: {} by thread ({tx}, {ty}, {tz}) of block ({bx}, {by}, {bz})",
            self.site,
            self.kind.name(),
            self.message
        )?;
        if let Some(other) = &self.other {
            write!(f, "; the other is {other}")?;
        }
        if self.count > 1 {
            write!(f, " ({} times)", self.count)?;
        }
        Ok(())
    }
}

/// Most different findings that are kept.
const MOST: usize = 100;

/// Findings while they come in, from several host threads.
#[derive(Default)]
pub(crate) struct Findings {
    found: Mutex<FxHashMap<(FindingKind, u32, u32), Finding>>,
}

impl Findings {
    /// Notes a finding at instruction `at`, with another one at `other`; what it
    /// says is made up only the first time.
    pub fn note(&self, kind: FindingKind, at: u32, other: u32, make: impl FnOnce() -> Finding) {
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        // The same two instructions may meet either way round.
        let key = (kind, at.min(other), at.max(other));
        if let Some(finding) = found.get_mut(&key) {
            finding.count += 1;
        } else if found.len() < MOST {
            found.insert(key, make());
        }
    }

    /// All of them, by their place in the text.
    pub fn finish(self) -> Vec<Finding> {
        let found = self.found.into_inner();
        let found = found.unwrap_or_else(PoisonError::into_inner);
        let mut all: Vec<Finding> = found.into_values().collect();
        all.sort_by(|a, b| {
            (a.site.ptx_line, a.kind, &a.message).cmp(&(b.site.ptx_line, b.kind, &b.message))
        });
        all
    }
}
