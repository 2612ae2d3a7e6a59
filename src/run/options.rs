//! What a run is asked to do.

pub use super::dumps::DumpTo;
pub use super::numerics::{Contract, IndexBits, Numerics};
pub use super::schedule::ScheduleText;
pub use crate::calibrate::choice::MachineChoice;
pub use crate::instruments::{InstrumentOptions, Instruments};
pub use crate::passes::gpu::model::Model;
use crate::runtime::argspec::{ArgSpec, OutSpec};
use crate::runtime::support::c_functions::Libraries;
use crate::targets::machine::Cores;

/// Where a program runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// Machine code on the host, parallel loops over threads.
    Cpu,
    /// Kernels on an NVIDIA GPU, the rest on the host.
    Gpu,
    /// Kernels on the emulator, which judges them, the rest on the host.
    Emulator,
    /// The reference interpreter.
    Interp,
}

impl Target {
    /// From the command line: a name that [`Target::name`] gives.
    ///
    /// # Errors
    ///
    /// What was found and what there is.
    pub fn parse(s: &str) -> Result<Target, String> {
        match s {
            "cpu" => Ok(Target::Cpu),
            "gpu" => Ok(Target::Gpu),
            "emulator" => Ok(Target::Emulator),
            "interp" => Ok(Target::Interp),
            _ => Err(format!(
                "found `{s}`, expected cpu, gpu, emulator or interp"
            )),
        }
    }

    /// Its name on command lines and in messages.
    pub fn name(self) -> &'static str {
        match self {
            Target::Cpu => "cpu",
            Target::Gpu => "gpu",
            Target::Emulator => "emulator",
            Target::Interp => "interp",
        }
    }
}

/// A form of the program to print instead of running it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Emit {
    /// The IR that the target's code is made from.
    Mlir,
    /// The PTX of its kernels, as one module.
    Ptx,
    /// Cranelift IR.
    Clif,
    /// The host's machine code as assembly.
    Asm,
    /// The typed tree of a C file.
    Hir,
    /// What is done to its loops on a GPU.
    Schedule,
}

impl Emit {
    /// From the command line.
    ///
    /// # Errors
    ///
    /// What was found and what there is.
    pub fn parse(s: &str) -> Result<Emit, String> {
        match s {
            "mlir" => Ok(Emit::Mlir),
            "ptx" => Ok(Emit::Ptx),
            "clif" => Ok(Emit::Clif),
            "asm" => Ok(Emit::Asm),
            "hir" => Ok(Emit::Hir),
            "schedule" => Ok(Emit::Schedule),
            _ => Err(format!(
                "found `{s}`, expected mlir, ptx, clif, asm, hir or schedule"
            )),
        }
    }
}

/// Whether code of the host is stopped where it would use memory that is not its own. It is
/// unless someone promises that it does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BoundsChecks {
    off: bool,
}

impl BoundsChecks {
    /// No checks.
    ///
    /// # Safety
    ///
    /// The program, called with any arguments that it is going to be called with, accesses
    /// no element that an array does not have, makes no view beyond its source, frees
    /// memory once and does not use it afterwards, copies between arrays of equal sizes,
    /// and does not nest calls without end.
    pub unsafe fn off() -> BoundsChecks {
        BoundsChecks { off: true }
    }

    /// Whether code is stopped there.
    pub(crate) fn are_on(self) -> bool {
        !self.off
    }
}

/// How the host's cores run code, in [`Target::Cpu`] and beside kernels.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct CoreOptions {
    /// The number of threads; what `TERRACE_NUM_THREADS` says where none is given, else all cores.
    pub threads: Option<usize>,
    /// Each thread of the pool keeps to one core; what `TERRACE_PIN_THREADS` says where this
    /// does not say it. The calling thread stays where the system puts it.
    pub pin: Option<bool>,
    /// Subnormal numbers are zero in code that runs on [`Target::Cpu`]; what
    /// `TERRACE_FLUSH_SUBNORMALS` says where this does not say it.
    pub flush_subnormals: Option<bool>,
    /// The cores that loops are made fast for.
    pub machine: Cores,
}

/// Everything about a run but the program.
#[derive(Debug, Clone)]
pub struct RunOptions {
    /// Where it runs, or what the form is made for that is printed.
    pub target: Target,
    /// The function to call; the first public one where none is named.
    pub entry: Option<String>,
    /// Where functions of C are that the program calls.
    pub libraries: Libraries,
    /// Arguments by name or position. The others are those that the program suggests.
    pub args: Vec<ArgSpec>,
    /// Sizes for named dimensions, in place of those the program suggests.
    pub sizes: Vec<(String, usize)>,
    /// Arrays to write to files after the last call.
    pub outs: Vec<OutSpec>,
    /// Calls, each with the same arguments.
    pub repeat: usize,
    /// Compare with the reference interpreter.
    pub verify: bool,
    /// Whether code of the host is stopped at what is out of bounds.
    pub checks: BoundsChecks,
    /// The number of the device; what `TERRACE_DEVICE` says where none is given.
    pub device: Option<usize>,
    /// The GPU architecture for PTX where no device says it.
    pub arch: String,
    /// How the host's cores run code.
    pub cores: CoreOptions,
    /// How exactly GPU code computes with floats.
    pub numerics: Numerics,
    /// The bits of index arithmetic on a GPU: 64 or 32.
    pub index_bitwidth: u32,
    /// Show PTX after each pass of the machine form's optimiser, where PTX is printed.
    pub dump_passes: Option<DumpTo>,
    /// Put source lines between those of PTX that is printed.
    pub annotate: bool,
    /// What is shown of passes on standard error.
    pub instruments: Instruments,
    /// The machine that mappings are chosen for.
    pub machine: MachineChoice,
    /// What they are compared by, where that is said.
    pub cost_model: Option<Model>,
    /// What is to be done to loops on a GPU; what it does not name is chosen.
    pub schedule: Option<ScheduleText>,
    /// Where none is given, the one that `terrace tune` has kept is used.
    pub tuned: bool,
    /// Sizes (`arg0.1`) and numbers (`arg2`) that the entry function is thought to be called
    /// with, for choices that depend on them; filled in by [`super::run`] and
    /// [`super::emit`].
    pub known_sizes: Vec<(String, i64)>,
}

impl Default for RunOptions {
    fn default() -> Self {
        RunOptions {
            target: Target::Cpu,
            entry: None,
            libraries: Libraries::default(),
            args: Vec::new(),
            sizes: Vec::new(),
            outs: Vec::new(),
            repeat: 1,
            verify: false,
            checks: BoundsChecks::default(),
            device: None,
            arch: "sm_90".to_string(),
            cores: CoreOptions::default(),
            numerics: Numerics::default(),
            index_bitwidth: 64,
            dump_passes: None,
            annotate: false,
            instruments: Instruments::default(),
            machine: MachineChoice::default(),
            cost_model: None,
            schedule: None,
            tuned: true,
            known_sizes: Vec::new(),
        }
    }
}
