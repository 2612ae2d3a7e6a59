//! A program made ready for one target.

use super::bind::Value;
use super::entry::Entry;
use crate::ir::diag::Diagnostic;
use crate::ir::text::parser::{Source, parse};
use crate::ir::verify::verify;
use crate::ir::{Context, Op};
use crate::runtime::dtype::Scalar;
use crate::runtime::profile::Profile;

/// What calls an entry function on some target.
pub trait Executor {
    /// Call the entry function. Arrays among the arguments are changed in place.
    ///
    /// # Errors
    ///
    /// What went wrong while the program ran, with its place in the source.
    fn call(&mut self, args: &mut [Value]) -> Result<Vec<Scalar>, Vec<Diagnostic>>;

    /// What happened since the last time this was asked.
    fn take_profile(&mut self) -> Profile;

    /// Where it runs, for the report: `cpu, 2 threads`.
    fn place(&self) -> String;
}

/// A parsed and verified program.
pub struct Program {
    pub ctx: Context,
    pub module: Op,
}

impl Program {
    /// Parse and verify.
    ///
    /// # Errors
    ///
    /// Every error of the text.
    pub fn new(file_name: &str, text: &str) -> Result<Program, Vec<Diagnostic>> {
        let mut ctx = crate::dialects::context();
        // Registers of kernels are called what values are.
        ctx.config.keep_names = true;
        let module = parse(&mut ctx, &Source::new(file_name, text));
        match module {
            Some(module) if verify(&ctx, module) => Ok(Program { ctx, module }),
            _ => Err(ctx.take_diagnostics()),
        }
    }

    /// Run a pipeline over the program.
    ///
    /// # Errors
    ///
    /// What the passes report; an unknown pipeline is an error too.
    pub fn run_pipeline(&mut self, pipeline: &str) -> Result<(), Vec<Diagnostic>> {
        use crate::ir::diag::DiagLoc;
        use crate::ir::pass::PassManager;
        let mut pm = PassManager::parse(crate::pass_registry(), pipeline)
            .map_err(|m| vec![Diagnostic::error(DiagLoc::Unknown, m.trim_end())])?;
        match pm.run(&mut self.ctx, self.module, &mut Silent) {
            Ok(()) => Ok(()),
            Err(_) => Err(self.ctx.take_diagnostics()),
        }
    }

    pub fn entry(&self, name: Option<&str>) -> Result<Entry, String> {
        Entry::find(&self.ctx, self.module, name)
    }

    /// The program as text.
    pub fn text(&self) -> String {
        self.ctx.op_text(self.module)
    }
}

/// Passes have nothing to show here.
struct Silent;

impl crate::ir::pass::PassOutput for Silent {
    fn show(&mut self, _: &str) {}
    fn save(&mut self, _: &std::path::Path, _: &str) -> Result<(), String> {
        Err("nothing is written here".into())
    }
}

/// What turns a program into one that runs on the host, loops over threads.
pub const CPU_PIPELINE: &str = "builtin.module(xfer-lower-data{mode=host},\
    func.func(affine-parallelize),lower-affine,canonicalize,cse,\
    loop-invariant-code-motion,canonicalize,cse)";

/// What turns a program into one with kernels and transfers around them.
pub const GPU_PIPELINE: &str = "builtin.module(\
    func.func(xfer-mark-dead-on-entry,gpu-map-contractions{mark-overwritten=true},gpu-time-tile,offload-parallelize{reassociate=false reductions=false},xfer-mark-overwritten),lower-affine,canonicalize,cse,\
    loop-invariant-code-motion,\
    func.func(xfer-keep-on-host,gpu-map-reductions,gpu-map-stencils,map-parallel-to-gpu),xfer-lower-data,\
    func.func(xfer-offload-fragments),xfer-insert,xfer-optimize,func.func(xfer-narrow,xfer-chunk{chunks=8 pageable=false}),xfer-check{trust-table=true},xfer-lower-mirrors,\
    func.func(xfer-hoist-allocations,xfer-overlap),xfer-check{trust-table=true},\
    gpu-launch-sink-index-computations,gpu-kernel-outlining{unique-kernel-names=true},gpu-merge-identical-kernels,gpu-count-work,gpu-infer-kernel-promises,expand-math-for-gpu,\
    canonicalize,cse,loop-invariant-code-motion,canonicalize,cse)";

/// [`GPU_PIPELINE`] for a machine of that architecture; without one, where products and
/// sums must not be rounded once, no matrix products are looked for.
pub fn gpu_pipeline(arch: Option<&str>) -> String {
    const PASS: &str = "gpu-map-contractions{mark-overwritten=true}";
    match arch {
        Some(arch) => {
            let with = PASS.replace('}', &format!(" arch={arch}}}"));
            let tiles = format!("gpu-time-tile{{arch={arch}}}");
            GPU_PIPELINE
                .replacen(PASS, &with, 1)
                .replacen("gpu-time-tile", &tiles, 1)
        }
        None => GPU_PIPELINE.replacen(&format!("{PASS},"), "", 1),
    }
}
