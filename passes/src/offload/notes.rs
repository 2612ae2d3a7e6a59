//! What is known about an offloaded region, for its author: loops, kernels, arrays.
//!
//! Data without IR: filled in by the passes that decide, shown by whoever talks to the
//! user. Texts are clauses in the words of the source, without a full stop. Places
//! are those of the original file.

use std::fmt;

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

/// Everything known about one region.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RegionNotes {
    /// The function of the region: `main.region1`.
    pub name: String,
    pub construct: Construct,
    pub place: DiagLoc,
    /// All loops as the source has them, in its order, also where nothing changed.
    pub loops: Vec<LoopNote>,
    pub kernels: Vec<KernelNote>,
    pub arrays: Vec<ArrayNote>,
    /// Pairs of arrays that are taken to be different memory, by name; the runtime
    /// checks it where the source does not promise it.
    pub assumed_distinct: Vec<(String, String)>,
    /// What the automatic scheduler did to the loops, or why nothing.
    pub schedule: Option<String>,
    /// Why the region stays on the host.
    pub declined: Option<Reason>,
    /// Why it does where its data is not on the device already, though it has kernels.
    pub stays: Option<String>,
}

impl RegionNotes {
    /// The loops whose iterations may run in any order.
    pub fn num_parallel(&self) -> usize {
        let parallel = |l: &&LoopNote| matches!(l.verdict, Verdict::Parallel(_));
        self.loops.iter().filter(parallel).count()
    }
}

/// What made a statement a region.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Construct {
    Parallel,
    Kernels,
    Serial,
    /// `scop`, `terrace offload`, or found by the analysis.
    #[default]
    Auto,
}

impl Construct {
    pub fn name(self) -> &'static str {
        match self {
            Construct::Parallel => "parallel",
            Construct::Kernels => "kernels",
            Construct::Serial => "serial",
            Construct::Auto => "auto",
        }
    }

    pub fn parse(s: &str) -> Option<Construct> {
        Some(match s {
            "parallel" => Construct::Parallel,
            "kernels" => Construct::Kernels,
            "serial" => Construct::Serial,
            "auto" => Construct::Auto,
            _ => return None,
        })
    }
}

/// One loop of the source.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LoopNote {
    pub place: DiagLoc,
    /// The counter, as the source calls it; empty for a loop without one.
    pub variable: String,
    /// Loops of the region around it.
    pub depth: usize,
    /// Bounds and step are affine in the counters around and in values that do not
    /// change.
    pub affine: bool,
    pub verdict: Verdict,
    pub reductions: Vec<ReductionNote>,
    /// Variables and arrays of which every iteration has its own.
    pub privatised: Vec<String>,
    /// Clauses of the directive on the loop that were followed: `gang(32)`.
    pub clauses: Vec<String>,
    /// What the author should look at.
    pub warnings: Vec<Reason>,
}

/// In what order the iterations of a loop run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Any.
    Parallel(Because),
    /// As written: a later iteration needs an earlier one.
    Sequential(Vec<DependenceNote>),
    /// As written: a directive asks for it.
    Directive(String),
    /// As written: it is not known whether iterations depend on each other.
    Unknown(Vec<Reason>),
}

impl Default for Verdict {
    fn default() -> Verdict {
        Verdict::Unknown(Vec::new())
    }
}

/// How it is known that iterations may run in any order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Because {
    Analysis,
    /// The author says so; the analysis does not, or was not asked.
    Directive,
}

/// A dependence that a loop carries.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DependenceNote {
    pub kind: DependenceKind,
    /// The array or variable.
    pub array: String,
    /// The access that has to come first, as text (`the write of A[i][j]`).
    pub from: Reason,
    /// The access that has to come after it.
    pub to: Reason,
    /// How far apart the iterations are, in words: `1 iteration`, `N iterations`.
    pub distance: String,
    /// In words too: `each iteration needs what the one before wrote`.
    pub meaning: String,
}

/// What the two accesses of a dependence do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DependenceKind {
    /// Written, then read.
    #[default]
    Flow,
    /// Read, then written.
    Anti,
    /// Written twice.
    Output,
    /// A variable that every iteration takes from the one before.
    Scalar,
}

impl DependenceKind {
    pub fn name(self) -> &'static str {
        match self {
            DependenceKind::Flow => "flow",
            DependenceKind::Anti => "anti",
            DependenceKind::Output => "output",
            DependenceKind::Scalar => "scalar",
        }
    }
}

/// Values of all iterations combined into one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReductionNote {
    /// The variable, or the array of which each element is one.
    pub variable: String,
    /// `sum`, `product`, `minimum`, `maximum`, `and`, `or`, `xor`.
    pub operation: String,
    /// The order of the operations shows in the result: a sum or product of floats.
    pub reordered: bool,
}

/// One kernel of a region.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct KernelNote {
    pub name: String,
    pub place: DiagLoc,
    /// The outermost loop first.
    pub loops: Vec<MappedLoop>,
    /// Threads of a block along x, y, z.
    pub block: [u32; 3],
    /// Blocks along x, y, z, as text in the names of the source: `(n + 255) / 256`.
    pub grid: [String; 3],
    /// As the assembler reports, where it has been asked.
    pub registers: Option<u32>,
    pub shared_bytes: Option<u64>,
    pub local_bytes: Option<u64>,
    /// Of the threads that a multiprocessor can hold, in percent.
    pub occupancy: Option<f64>,
    pub accesses: Vec<AccessNote>,
    pub reductions: Vec<ReductionNote>,
    /// Anything else, as clauses: `cached [18x6x6] of p in shared memory`.
    pub remarks: Vec<String>,
}

/// What runs the iterations of a loop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MappedLoop {
    pub place: DiagLoc,
    pub variable: String,
    pub to: MappedTo,
}

/// See [`MappedLoop`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MappedTo {
    /// Threads of blocks along an axis, 0 for x.
    Axis(u8),
    /// Blocks along an axis.
    Blocks(u8),
    /// Threads of one block along an axis.
    Threads(u8),
    /// One thread, one after another.
    Sequential,
}

impl fmt::Display for MappedTo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let axis = |a: &u8| match a {
            0 => 'x',
            1 => 'y',
            _ => 'z',
        };
        match self {
            MappedTo::Axis(a) => write!(f, "{}", axis(a)),
            MappedTo::Blocks(a) => write!(f, "blocks {}", axis(a)),
            MappedTo::Threads(a) => write!(f, "threads {}", axis(a)),
            MappedTo::Sequential => f.write_str("sequential"),
        }
    }
}

/// How the threads of a warp reach memory in one access.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AccessNote {
    pub array: String,
    /// As the source has it: `A[i][k]`.
    pub text: String,
    pub place: DiagLoc,
    pub writes: bool,
    /// Elements from one thread to the next along x; `None` where that varies.
    pub stride: Option<i64>,
    /// Sectors of 32 bytes that a warp asks for at once, if known.
    pub sectors: Option<u32>,
    /// The least sectors that these elements fit in.
    pub ideal: Option<u32>,
}

/// One array of a region.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ArrayNote {
    pub name: String,
    /// The bytes that the region may touch, as text in the names of the source.
    pub bytes: String,
    pub movement: Movement,
    /// Why it moves so: `a copy clause`, `only read here`.
    pub why: String,
}

/// What is copied between host and device for an array.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Movement {
    In,
    Out,
    #[default]
    Both,
    /// Only room on the device.
    Create,
    /// It is there already.
    Present,
}

impl Movement {
    pub fn name(self) -> &'static str {
        match self {
            Movement::In => "copyin",
            Movement::Out => "copyout",
            Movement::Both => "copy",
            Movement::Create => "create",
            Movement::Present => "present",
        }
    }
}
