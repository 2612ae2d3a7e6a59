//! What the cost model says of a kernel, as data.

use terrace_ir::diag::DiagLoc;

/// What is known of a kernel's cost.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum KernelCost {
    /// Nobody asked.
    #[default]
    NotAsked,
    /// The model has an answer.
    Of(Box<CostNote>),
    /// It depends on these, which are not known: arguments (`n`) and dimensions (`m.1`).
    Wants(Vec<String>),
    /// Why the model has no answer, as a clause.
    Unknown(String),
}

/// What a kernel costs under its mapping.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CostNote {
    /// The machine: `sm_90`, and which part.
    pub arch: String,
    /// The name of that part.
    pub part: String,
    /// The loops along x, y and z.
    pub axes: Vec<String>,
    /// Threads of a block, and blocks, along x, y, z.
    pub block: [u32; 3],
    /// Blocks along x, y, z.
    pub grid: [u64; 3],
    /// Iterations of a loop that a thread does at once, where they are several.
    pub rows: Option<(String, i64)>,
    /// Of a matrix product, what a block computes.
    pub tile: Option<TileNote>,
    /// The rows and columns of the blocks that are run in place of these, at these sizes.
    pub not_run: Option<[i64; 2]>,
    /// How often it is launched.
    pub launches: f64,
    /// Microseconds of one launch: those of the term that binds.
    pub us: f64,
    /// All accesses were counted, and none was estimated.
    pub exact: bool,
    /// Of a thread: what the assembler is taken to aim at.
    pub registers: u32,
    /// Warps that a multiprocessor holds at a time.
    pub warps_per_sm: u32,
    /// Blocks over those that run at once.
    pub waves: f64,
    /// Between the L2 cache and multiprocessors, and between it and device memory, in a
    /// launch.
    pub l2_sectors: f64,
    /// Bytes between the L2 cache and device memory, in a launch.
    pub memory_bytes: f64,
    /// What each access asks for.
    pub accesses: Vec<AccessCost>,
    /// The times of the parts of the machine.
    pub terms: Vec<TermNote>,
    /// Cache lines that all threads read, where the model is the table.
    pub table_lines: Option<f64>,
    /// What makes it an estimate, beside what accesses say themselves.
    pub estimated: Vec<String>,
}

impl CostNote {
    /// The term that binds.
    pub fn binding(&self) -> Option<&TermNote> {
        self.terms.iter().find(|t| t.binds)
    }
}

/// The part of a matrix product that a block computes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TileNote {
    /// The counters of rows, columns, and of what is added up.
    pub rows: String,
    /// The counter of columns.
    pub cols: String,
    /// The counter of what is added up.
    pub depth: String,
    /// Rows and columns of a tile, and how many tiles there are along both.
    pub size: [i64; 2],
    /// How many tiles there are along rows and columns.
    pub tiles: [i64; 2],
    /// How much of the sum is in workgroup memory at a time, and so many of these.
    pub slab: i64,
    /// So many of these make the sum.
    pub slabs: i64,
}

/// What the warps of a launch ask for in an access.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AccessCost {
    /// As the source calls it.
    pub array: String,
    /// As the source has it: `A[i][k]`.
    pub text: String,
    /// Where it stands in the source.
    pub place: DiagLoc,
    /// It is a store.
    pub writes: bool,
    /// Of warps.
    pub requests: f64,
    /// Of 32 bytes.
    pub sectors: f64,
    /// Of 128 bytes.
    pub lines: f64,
    /// That threads ask for.
    pub bytes: f64,
    /// Counted, not estimated.
    pub exact: bool,
    /// Lines that a thread reads each time, where the model is the table.
    pub table_lines: Option<f64>,
}

/// The time of one part of the machine.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TermNote {
    /// The part of the machine.
    pub name: &'static str,
    /// Microseconds of one launch.
    pub us: f64,
    /// The amounts behind it, in words.
    pub what: String,
    /// It is the greatest.
    pub binds: bool,
}
