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
            write!(f, "{}:{}:{} ", self.file, self.line, self.column)?;
        }
        write!(
            f,
            "in {}: `{}` (line {} of the PTX text)",
            self.function, self.text, self.ptx_line
        )
    }
}

impl Site {
    /// What two findings must share to be one: the place in the source, where there
    /// is one, or else in the PTX text.
    fn place(&self) -> (&str, &str, u32, u16) {
        match self.line {
            0 => (&self.function, "", self.ptx_line, 0),
            line => (&self.function, &self.file, line, self.column),
        }
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
    /// Every kind.
    pub const ALL: [FindingKind; 10] = [
        FindingKind::OutOfBounds,
        FindingKind::Misaligned,
        FindingKind::Uninitialized,
        FindingKind::UninitializedRegister,
        FindingKind::Race,
        FindingKind::BarrierDivergence,
        FindingKind::Deadlock,
        FindingKind::WarpDivergence,
        FindingKind::Trap,
        FindingKind::TooLong,
    ];

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
    /// By how many instructions of the place in the source.
    pub instructions: u64,
}

/// In the manner of `compute-sanitizer`: what, where, who.
impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const MARK: &str = "=========";
        let [bx, by, bz] = self.block;
        let [tx, ty, tz] = self.thread;
        write!(f, "{MARK} {}: {}", self.kind.name(), self.message)?;
        write!(f, "\n{MARK}     at {}", self.site)?;
        if let Some(other) = &self.other {
            write!(f, "\n{MARK}     and at {other}")?;
        }
        write!(
            f,
            "\n{MARK}     by thread ({tx},{ty},{tz}) in block ({bx},{by},{bz})"
        )?;
        match (self.count, self.instructions) {
            (1, _) => Ok(()),
            (n, 1) => write!(f, ", {n} times in all"),
            (n, i) => write!(f, ", {n} times in all, by {i} instructions there"),
        }
    }
}

/// Most different findings that are kept.
const MAX: usize = 100;

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
        } else if found.len() < MAX {
            found.insert(key, make());
        }
    }

    /// All of them, by their place in the text. What the instructions of one place in
    /// the source have in common is one finding: the first one's.
    pub fn finish(self) -> Vec<Finding> {
        let found = self.found.into_inner();
        let found = found.unwrap_or_else(PoisonError::into_inner);
        let mut all: Vec<Finding> = found.into_values().collect();
        all.sort_by(|a, b| {
            (a.site.ptx_line, a.kind, &a.message).cmp(&(b.site.ptx_line, b.kind, &b.message))
        });
        let mut folded: Vec<Finding> = Vec::new();
        for finding in all {
            let same = folded.iter_mut().find(|f| {
                f.kind == finding.kind
                    && f.site.place() == finding.site.place()
                    && f.other.as_ref().map(Site::place) == finding.other.as_ref().map(Site::place)
            });
            match same {
                Some(first) => {
                    first.count += finding.count;
                    first.instructions += 1;
                }
                None => folded.push(finding),
            }
        }
        folded
    }
}
