//! Functions of regions made into one object file: for the host's threads, and for a
//! GPU.
//!
//! Each region is compiled apart from the others, with the functions and globals it
//! uses, so that what one of them cannot do leaves the others alone. Its two forms come
//! from the same function: the CPU's runs all of it, the GPU's only launches kernels.

mod clause_limits;
mod estimated;
mod extents;
mod forms;
mod gpu;
mod names;
mod noalias;
mod object;
mod resources;
mod symbol;
mod versions;

pub use estimated::{Estimated, fits, would_take};
pub use extents::Extent;
pub use symbol::region_symbol;
pub use versions::CompiledVersion;

use crate::c::costs::CostRequest;
use crate::c::schedule::ScheduleInput;
use crate::instruments::Instruments;
use crate::ir::diag::{DiagLoc, Diagnostic};
use crate::ir::{Context, Loc, Op};
use crate::passes::region::Overwritten;
use crate::passes::region::notes::RegionNotes;
use crate::progress::step;
use crate::run::numerics::Numerics;
use crate::targets::gpu_to_ptx::PassDump;
use crate::targets::machine::Cores;
use crate::targets::native::Listing;
use forms::Forms;
use object::Rejected;
use terrace_c::directive::Target;

/// How to compile the regions of a file.
#[derive(Debug, Clone)]
pub struct CompileOptions {
    /// The oldest architecture that PTX is made for.
    pub arch: String,
    /// Newer ones, oldest first, for which what they do better is made once more.
    pub newer: Vec<String>,
    /// Whether forms for the GPU are wanted at all.
    pub gpu: bool,
    /// Use all instructions of this machine's processor.
    pub this_cpu: bool,
    /// The file as the user names it.
    pub source: String,
    /// Keep the forms as text.
    pub texts: bool,
    /// Keep the host's code as text.
    pub listing: bool,
    /// Sums of floats may be computed in any order in all regions.
    pub reassociate: bool,
    /// How exactly GPU code computes with floats.
    pub numerics: Numerics,
    /// The bits of index arithmetic in kernels: 64 or 32.
    pub index_bitwidth: u32,
    /// Subnormal numbers are zero in code for the cores.
    pub flush_subnormals: bool,
    /// The C compiler computes with floats as the text says, operation by operation.
    pub exact_statements: bool,
    /// The cores that loops are made fast for.
    pub cores: Cores,
    /// Keep the text of kernels after each pass of the machine form's optimiser.
    pub dump_passes: bool,
    /// Find out what kernels need of a multiprocessor, with the assembler if it is here.
    pub resources: bool,
    /// Ask the cost model about kernels.
    pub costs: Option<CostRequest>,
    /// What shows the passes.
    pub instruments: Instruments,
}

impl Default for CompileOptions {
    fn default() -> Self {
        CompileOptions {
            arch: "sm_90".into(),
            newer: Vec::new(),
            gpu: true,
            this_cpu: false,
            source: String::new(),
            texts: false,
            listing: false,
            dump_passes: false,
            reassociate: false,
            numerics: Numerics::default(),
            index_bitwidth: 64,
            flush_subnormals: false,
            exact_statements: false,
            cores: Cores::default(),
            resources: false,
            costs: None,
            instruments: Instruments::default(),
        }
    }
}

/// A region to compile.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RegionInput {
    /// The function's symbol in the module, `main.region0`.
    pub function: String,
    /// As [`region_symbol`] makes it.
    pub symbol: String,
    pub place: DiagLoc,
    /// No directive asks for it: its work is estimated.
    pub found: bool,
    /// Some iterations of its outermost loop could run at a time, as far as its statement goes.
    pub slices: bool,
    /// Where a directive asks for it to run.
    pub target: Option<Target>,
    /// What directives ask to be done to its loops.
    pub schedules: Vec<ScheduleInput>,
    /// Sizes of its arrays' dimensions and values of its arguments that the cost model is
    /// told, in place of those of [`CostRequest::sizes`].
    pub sizes: Vec<(String, i64)>,
}

/// What became of a region.
#[derive(Debug, Clone, Default)]
pub struct CompiledRegion {
    pub function: String,
    pub symbol: String,
    /// What is known about its loops and kernels.
    pub notes: RegionNotes,
    /// What is wrong with its directives; then there is no code at all.
    pub errors: Vec<Diagnostic>,
    /// Where its directives contradict the analysis.
    pub warnings: Vec<Diagnostic>,
    /// Why there is no code of terrace's own for the CPU; empty if there is.
    pub no_cpu: Vec<Diagnostic>,
    /// Why there is no form for the GPU; empty if there is or none was wanted.
    pub no_gpu: Vec<Diagnostic>,
    pub cpu: bool,
    /// Only cores have code for it: its loops run in order, and cores make their rows side by side, or
    /// its rows lie where pointers say.
    pub for_cores: bool,
    /// Only threads make the code for the CPU quicker than the statement.
    pub only_threads: bool,
    /// Of a region that was found whose code can be run some iterations of the outermost loop at a
    /// time: which argument each result is the next value of. The code takes two more words behind
    /// those of the results, the first iteration that it runs and the one behind the last.
    pub slices: Option<Vec<usize>>,
    /// That code has no loop around that one, so that parts cost no more than all of them at once.
    pub in_parts: bool,
    /// Of a region that was found: that code and the C statement give the same bits.
    pub same_bits: bool,
    pub gpu: bool,
    /// Of each argument of the function. Where one is computed the object file has the
    /// function `int terrace_R_extents(unsigned long long *words)`: it takes the words
    /// of the arguments and behind them writes, for each array whose extent is computed,
    /// the least outermost subscript that is touched and the greatest plus one; behind those
    /// of all arrays the same of the subscripts that are surely in the array.
    pub extents: Vec<Extent>,
    /// Of each argument whose extent is computed and begins at 0: how many elements of
    /// the outermost dimension, in the names of the source.
    pub extent_words: Vec<Option<String>>,
    /// Of each argument: an access of which nothing tells whether it happens, in the names
    /// of the source, where that is so of all.
    pub extent_unsure: Vec<Option<String>>,
    /// Arrays of which the region may leave nothing of what was in the part that is
    /// copied. Where the program has to find that out, the function of the extents writes
    /// one more word: as its results are numbered, 1 where nothing is left, else 0.
    pub overwritten: Vec<Overwritten>,
    /// Of a region that may stay on the host: one that was found, or whose directives
    /// leave the choice. The object file has the function `int
    /// terrace_R_estimate(unsigned long long *words)`, which writes the numbers of
    /// [`crate::passes::region::Work`], as `f64`, behind the arguments.
    pub estimate: Option<Estimated>,
    /// The text of its kernels.
    pub ptx: String,
    /// What runs on newer devices, where that is something else.
    pub versions: Vec<CompiledVersion>,
    /// With [`CompileOptions::dump_passes`].
    pub dumps: Vec<PassDump>,
    /// Its loops after the schedules of directives, if there are any, as MLIR, with
    /// [`CompileOptions::texts`].
    pub scheduled_mlir: String,
    /// Both forms as MLIR, with [`CompileOptions::texts`].
    pub cpu_mlir: String,
    pub gpu_mlir: String,
    /// The host's code of both, with [`CompileOptions::listing`].
    pub cpu_listing: Listing,
    pub gpu_listing: Listing,
}

/// All regions of a file.
#[derive(Debug, Clone, Default)]
pub struct CompiledRegions {
    /// A relocatable object file with a `struct terrace_region` for each region.
    pub object: Vec<u8>,
    pub regions: Vec<CompiledRegion>,
}

/// Compile the functions of regions in `module`, which stays as it is.
///
/// # Errors
///
/// Where there is no object file at all: terrace has no code generator for this
/// machine. What a single region cannot have is said in the region.
pub fn compile_regions(
    ctx: &mut Context,
    module: Op,
    regions: &[RegionInput],
    options: &CompileOptions,
) -> Result<CompiledRegions, Vec<Diagnostic>> {
    let forms = regions.iter().enumerate().map(|(i, r)| {
        let _step = step(|| format!("region {} of {}", i + 1, regions.len()));
        Forms::of(ctx, module, r, options)
    });
    let mut forms: Vec<Forms> = forms.collect();
    let _step = step(|| "machine code".to_string());
    // What does not become machine code shows only then. It is left out, and all
    // others are written again: that is rare, and an object file cannot be mended.
    loop {
        let written = || object::write(ctx, regions, &forms, options);
        match options.instruments.time("Machine code", written) {
            Ok((object, listings)) => {
                for (f, [cpu, gpu]) in forms.iter_mut().zip(listings) {
                    (f.made.cpu_listing, f.made.gpu_listing) = (cpu, gpu);
                }
                let regions = forms.into_iter().map(|f| f.made).collect();
                return Ok(CompiledRegions { object, regions });
            }
            Err(Rejected::File(m)) => {
                return Err(vec![Diagnostic::error(DiagLoc::Unknown, m)]);
            }
            Err(Rejected::Cpu(i, why)) => {
                forms[i].cpu = None;
                forms[i].made.cpu = false;
                forms[i].made.no_cpu = why;
            }
            Err(Rejected::Extents(i, why)) => {
                forms[i].extents = None;
                let why = why.first().map_or("", |d| d.message.as_str());
                let all = std::mem::take(&mut forms[i].made.extents);
                forms[i].made.extents = extents::without(all, why);
                forms[i].made.overwritten.retain(|o| o.result.is_none());
            }
            // What cannot be asked does not pay.
            Err(Rejected::Estimate(i)) => {
                forms[i].estimate = None;
                forms[i].made.estimate = Some(Estimated::default());
            }
            Err(Rejected::Gpu(i, why)) => {
                forms[i].gpu = None;
                forms[i].made.gpu = false;
                forms[i].made.no_gpu = why;
                versions::clear(&mut forms[i]);
            }
            Err(Rejected::Version(i, j)) => versions::without(&mut forms[i], j),
        }
    }
}

/// Errors of a target at the places of their ops.
fn located(ctx: &Context, errors: Vec<(Loc, String)>) -> Vec<Diagnostic> {
    let at = |(loc, m)| Diagnostic::error(ctx.diag_loc(loc), m);
    errors.into_iter().map(at).collect()
}

#[cfg(test)]
mod tests;
