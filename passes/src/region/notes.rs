//! What is known about an offloaded region, for its author: loops, kernels, arrays.
//!
//! Data without IR: filled in by the passes that decide, shown by whoever talks to the
//! user. Texts are clauses in the words of the source, without a full stop. Places
//! are those of the original file.

use super::cost::Origin;
use super::cost::note::KernelCost;
use super::presume::Condition;
use super::sentences::same_line;
pub use crate::analysis::directive::Construct;
pub use crate::analysis::reason::Reason;
pub use crate::gpu::launch_note::{AccessNote, MappedLoop, MappedTo, ReductionNote};

use terrace_ir::diag::DiagLoc;

/// Everything known about one region.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RegionNotes {
    /// The function of the region: `main.region1`.
    pub name: String,
    /// What made it a region.
    pub construct: Construct,
    /// Where it begins in the source.
    pub place: DiagLoc,
    /// Where the directives stand of the constructs that were joined to it, if that is how it
    /// was made.
    pub joined: Vec<DiagLoc>,
    /// All loops as the source has them, in its order, also where nothing changed.
    pub loops: Vec<LoopNote>,
    /// The kernels for the oldest architecture that code is made for, as their launches stand
    /// in the host code. They may be there though there is no code: [`RegionNotes::declined`].
    pub kernels: Vec<KernelNote>,
    /// What newer devices run instead, oldest first.
    pub versions: Vec<VersionNote>,
    /// What it touches, by array.
    pub arrays: Vec<ArrayNote>,
    /// Pairs of arrays that are taken to be different memory, by name; the runtime
    /// checks it where the source does not promise it.
    pub assumed_distinct: Vec<(String, String)>,
    /// Those of them that may also be the same memory from the first byte to the
    /// last.
    pub may_coincide: Vec<(String, String)>,
    /// What is presumed of sizes; the call looks whether it holds.
    pub presumed: Vec<Condition>,
    /// How often arrays are copied, and why.
    pub copies: Vec<CopyNote>,
    /// What the automatic scheduler did to the loops, or why nothing.
    pub schedule: Option<String>,
    /// What a schedule of the author did, step by step, each at its loop.
    pub steps: Vec<Reason>,
    /// Where a directive asks for it to run, in words.
    pub target: Option<String>,
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

    /// Whether threads of the kernels each run all iterations of a loop with clauses, though these may
    /// run in any order: the loops are those that were written, all kernels say which of them their
    /// threads share, and none names this one.
    pub fn is_in_each_thread(&self, l: &LoopNote) -> bool {
        let combines = |k: &KernelNote| matches!(k.origin, Origin::Other);
        let names = |k: &KernelNote| {
            let mut all = k.loops.iter();
            all.any(|m| m.variable == l.variable && same_line(&m.place, &l.place))
        };
        let mut kernels = self.kernels.iter().filter(|k| !combines(k)).peekable();
        self.schedule.is_none()
            && !l.clauses.is_empty()
            && kernels.peek().is_some()
            && matches!(l.verdict, Verdict::Parallel(_))
            && kernels.all(|k| !k.loops.is_empty() && !names(k))
    }
}

/// The kernels of an architecture and newer ones.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct VersionNote {
    /// `sm_90`.
    pub arch: String,
    /// All kernels of this version, as their launches stand in its host code.
    pub kernels: Vec<KernelNote>,
}

/// One loop of the source.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LoopNote {
    /// Where it stands in the source.
    pub place: DiagLoc,
    /// The counter, as the source calls it; empty for a loop without one.
    pub variable: String,
    /// Loops of the region around it.
    pub depth: usize,
    /// Bounds and step are affine in the counters around and in values that do not
    /// change.
    pub affine: bool,
    /// In what order its iterations run, and why.
    pub verdict: Verdict,
    /// What its iterations combine.
    pub reductions: Vec<ReductionNote>,
    /// What it combines and where the order of the iterations can decide which zero or NaN it is. The
    /// loop runs again in order where the result does not tell.
    pub checked: Vec<String>,
    /// Variables and arrays of which every iteration has its own.
    pub privatised: Vec<String>,
    /// Clauses of the directive on the loop that were followed: `gang(32)`.
    pub clauses: Vec<String>,
    /// What the author should look at.
    pub warnings: Vec<Reason>,
    /// A schedule asks for it to be parallel: the number of the step ([`OFFLOAD_PARALLEL`](terrace_dialects::attributes::OFFLOAD_PARALLEL)).
    pub asked: Option<i64>,
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
    /// No dependence was found that a loop carries.
    Analysis,
    /// The author says so; the analysis does not, or was not asked.
    Directive,
}

/// A dependence that a loop carries.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DependenceNote {
    /// Which of the two accesses write.
    pub kind: DependenceKind,
    /// The array or variable.
    pub array: String,
    /// The access that has to come first, as text (`the write of A[i][j]`).
    pub from: Reason,
    /// The access that has to come after it.
    pub to: Reason,
    /// How far apart the iterations are, in words: `1 iteration`, `5 iterations`; empty
    /// where that is not known or means nothing.
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
    /// The word that reports say.
    pub fn name(self) -> &'static str {
        match self {
            DependenceKind::Flow => "flow",
            DependenceKind::Anti => "anti",
            DependenceKind::Output => "output",
            DependenceKind::Scalar => "scalar",
        }
    }
}

/// One kernel of a region.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct KernelNote {
    /// The symbol of its function: `main_region1_kernel0`, where 0 is its place in the list.
    pub name: String,
    /// Where its loops stand in the source.
    pub place: DiagLoc,
    /// The outermost loop first.
    pub loops: Vec<MappedLoop>,
    /// Threads of a block along x, y, z.
    pub block: [u32; 3],
    /// Blocks along x, y, z, as text in the names of the source: `(n + 255) / 256`.
    pub grid: [String; 3],
    /// Of one thread, as the assembler reports, where it has been asked.
    pub registers: Option<u32>,
    /// Why that is not known, where somebody wanted to know.
    pub registers_unknown: Option<String>,
    /// Bytes of registers that had no room and go through memory, stored and loaded.
    pub spill_bytes: Option<u64>,
    /// Of one block.
    pub shared_bytes: Option<u64>,
    /// The stack of one thread.
    pub local_bytes: Option<u64>,
    /// Of the threads that a multiprocessor can hold, in percent; with registers unknown
    /// the most that it can be.
    pub occupancy: Option<f64>,
    /// `None` where its registers are not known.
    pub resident: Option<ResidentNote>,
    /// What it was made of, for the cost model.
    pub origin: Origin,
    /// What that says of it.
    pub cost: KernelCost,
    /// How its threads reach memory.
    pub accesses: Vec<AccessNote>,
    /// What its threads combine.
    pub reductions: Vec<ReductionNote>,
    /// Anything else, as clauses: `one thread runs these statements one after another`.
    pub remarks: Vec<String>,
}

/// How many blocks of a kernel one multiprocessor holds at a time.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ResidentNote {
    /// The architecture: `sm_90`.
    pub arch: String,
    /// So many at a time.
    pub blocks: u32,
    /// As many as there are threads for.
    pub most: u32,
    /// What keeps it from more: `threads`, `blocks`, `registers` or `shared memory`.
    pub limit: String,
}

/// One array of a region.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ArrayNote {
    /// As the source calls it.
    pub name: String,
    /// The bytes that the region may touch, as text: a number, or a product in the names
    /// of the source; empty where that is not known.
    pub bytes: String,
    /// Which part of it, as a clause would say: `a[0:n]`; empty for all of it, or what is
    /// used of it.
    pub section: String,
    /// Which ways it is copied.
    pub movement: Movement,
    /// Why it moves so: `a copy clause`, `only read here`.
    pub why: String,
    /// It is not copied to the device because this region, and perhaps no other,
    /// overwrites it.
    pub overwritten: bool,
    /// It stays on the device until the program's own code needs it: it is copied where one of the two has
    /// not what it needs.
    pub stays: bool,
}

/// Why an array is copied as often as it is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CopyNote {
    /// The arrays.
    pub arrays: Vec<String>,
    /// Whether the copies can be helped.
    pub kind: CopyKind,
    /// The loop whose iterations copy, or the construct that holds the data.
    pub around: DiagLoc,
    /// How often, where that is constant.
    pub times: Option<u64>,
    /// What a person should know, as a clause in the names of the source.
    pub text: String,
    /// What there is against copying once.
    pub reasons: Vec<Reason>,
    /// The directive that would copy once, where one does.
    pub remedy: Option<Remedy>,
}

/// A directive that a person may put in.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Remedy {
    /// All of it: `#pragma acc data copy(a)`.
    pub directive: String,
    /// It stands in front of this line.
    pub before: DiagLoc,
    /// The last line of the statements that it is for, where they are several and need braces.
    pub through: Option<DiagLoc>,
    /// Arrays whose number of elements a person has to fill in for `SIZE`.
    pub sizes: Vec<String>,
}

/// See [`CopyNote`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CopyKind {
    /// Copied in each iteration of a loop, which cannot be helped: the host needs it.
    #[default]
    Needed,
    /// Copied again and again, and a data construct would make it once.
    Avoidable,
    /// Copied once, or not at all: something around holds it.
    Held,
}

impl CopyKind {
    /// The word that reports say.
    pub fn name(self) -> &'static str {
        match self {
            CopyKind::Needed => "needed",
            CopyKind::Avoidable => "avoidable",
            CopyKind::Held => "held",
        }
    }
}

/// What is copied between host and device for an array.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Movement {
    /// To the device, before.
    In,
    /// To the host, after.
    Out,
    /// To the device before, and to the host after.
    #[default]
    Both,
    /// Only room on the device.
    Create,
    /// It is there already.
    Present,
}

impl Movement {
    /// The clause that says so.
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
