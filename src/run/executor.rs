//! A program made ready for one target.

use super::bind::Value;
use super::entry::Entry;
use crate::ir::diag::Diagnostic;
use crate::ir::text::parser::{Source, parse};
use crate::ir::verify::verify;
use crate::ir::{Context, Op};
use crate::passes::gpu::model::{Model, choice::AT_HAND};
use crate::runtime::dtype::Scalar;
use crate::runtime::profile::Profile;

/// What calls an entry function on some target.
pub trait Executor {
    /// Call the entry function. Arrays among the arguments are changed in place.
    ///
    /// # Errors
    ///
    /// Arguments that do not fit the function's type: all of them. Else what went wrong
    /// while the program ran, with its place in the source.
    fn call(&mut self, args: &mut [Value]) -> Result<Vec<Scalar>, Vec<Diagnostic>>;

    /// What happened in the last call, and the steps before it since this was last asked.
    fn take_profile(&mut self) -> Profile;

    /// Where it runs, for the report: `cpu, 2 threads`.
    fn place(&self) -> String;

    /// What else there is to say before it runs.
    fn note(&self) -> Option<&str> {
        None
    }
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

/// What comes behind either pipeline where accesses of the host are checked.
pub const HOIST_CHECKS: &str = "builtin.module(func.func(memref-hoist-bounds-checks))";

/// What turns a program into one with kernels and transfers around them.
pub const GPU_PIPELINE: &str = "builtin.module(\
    func.func(xfer-mark-dead-on-entry,gpu-map-contractions{mark-overwritten=true},gpu-map-scans{mark-overwritten=true},gpu-time-tile,affine-ping-pong,offload-parallelize{reassociate=false reductions=false},affine-unite-nests,affine-delay-updates,gpu-map-contractions{delayed=true},xfer-mark-overwritten,affine-parallel-boxes,offload-registers{rotate=false}),gpu-fuse-nests,func.func(affine-raise-memref-copy),gpu-map,lower-affine,canonicalize,cse,\
    loop-invariant-code-motion,\
    func.func(xfer-keep-on-host,gpu-map-reductions,gpu-map-stencils,gpu-jam-threads,map-parallel-to-gpu),xfer-lower-data,\
    func.func(xfer-offload-fragments,gpu-persistent-kernels),xfer-insert,xfer-optimize,func.func(xfer-narrow,xfer-chunk{chunks=8 pageable=false}),xfer-check{trust-table=true},xfer-lower-mirrors,\
    func.func(xfer-forward-copies,xfer-hoist-allocations,xfer-overlap),xfer-check{trust-table=true},func.func(xfer-pad-rows),\
    gpu-launch-sink-index-computations,gpu-kernel-outlining{unique-kernel-names=true},gpu-merge-identical-kernels,gpu-count-work,gpu-infer-kernel-promises,gpu-reciprocal-roots,expand-math-for-gpu,\
    canonicalize,cse,loop-invariant-code-motion,canonicalize,cse)";

/// What [`GPU_PIPELINE`] is told of a program and its machine.
#[derive(Debug, Clone, Copy, Default)]
pub struct GpuWishes<'a> {
    /// The architecture.
    pub arch: &'a str,
    /// The program's context has a description of the machine under the name [`AT_HAND`].
    pub described: bool,
    /// What mappings are compared by.
    pub model: Model,
    /// Products and sums may be rounded once; otherwise no matrix products are looked for.
    pub contract: bool,
    /// Factors of products of `f32` may be rounded to `tf32`.
    pub tf32: bool,
    /// Sums of matrix products, and of scans, may be computed in any order.
    pub reassociate: bool,
    /// Sizes and numbers that the program is thought to be called with.
    pub sizes: &'a [(String, i64)],
    /// Schedules in the module are to be done.
    pub apply: bool,
    /// What is chosen is to be left in the module as schedules.
    pub write: bool,
    /// Mappings that are left on their steps.
    pub candidates: usize,
}

/// [`GPU_PIPELINE`] for a machine, in two parts: to where it is decided what becomes of each
/// nest of loops, and the rest.
pub fn gpu_pipelines(wishes: &GpuWishes) -> [String; 2] {
    const PRODUCTS: &str = "gpu-map-contractions{mark-overwritten=true}";
    const DELAYED: &str = "gpu-map-contractions{delayed=true}";
    const SCANS: &str = "gpu-map-scans{mark-overwritten=true}";
    const RAISE: &str = "func.func(affine-raise-memref-copy)";
    const MAP: &str = "gpu-fuse-nests,func.func(affine-raise-memref-copy),gpu-map,";
    let write = if wishes.write { " schedule=true" } else { "" };
    let (front, back) = GPU_PIPELINE.split_once(MAP).unwrap_or((GPU_PIPELINE, ""));
    let order = if wishes.reassociate {
        " reassociate=true"
    } else {
        ""
    };
    let products = |pass: &str, write: &str| match wishes.contract {
        true => {
            let tf32 = if wishes.tf32 { " tf32=true" } else { "" };
            pass.replace('}', &format!(" arch={}{tf32}{order}{write}}}", wishes.arch)) + ","
        }
        false => String::new(),
    };
    let tiles = format!("gpu-time-tile{{arch={}}}", wishes.arch);
    let scans = SCANS.replace('}', &format!(" arch={}{order}}}", wishes.arch));
    let mut front = front
        .replacen(SCANS, &scans, 1)
        .replacen("gpu-time-tile", &tiles, 1);
    for (pass, write) in [(PRODUCTS, write), (DELAYED, "")] {
        front = front.replacen(&format!("{pass},"), &products(pass, write), 1);
    }
    if wishes.apply {
        let begin = "builtin.module(";
        front = front.replacen(begin, &format!("{begin}apply-schedule{{stage=source}},"), 1);
        front.push_str("apply-schedule{stage=parallel},");
    }
    let sizes: Vec<String> = (wishes.sizes.iter())
        .map(|(name, n)| format!("{name}:{n}"))
        .collect();
    let sizes = match sizes.is_empty() {
        true => String::new(),
        false => format!(" sizes={}", sizes.join(",")),
    };
    let candidates = match wishes.candidates {
        0 => String::new(),
        n => format!(" candidates={n}"),
    };
    let machine = match wishes.described {
        true => format!("machine-file={AT_HAND}"),
        false => format!("machine={}", wishes.arch),
    };
    let model = match wishes.model {
        Model::Exact => String::new(),
        other => format!(" cost-model={}", other.name()),
    };
    let fuse = format!("gpu-fuse-nests{{{machine}{sizes}{write}}}");
    let map = format!("{fuse},{RAISE},gpu-map{{{machine}{model}{sizes}{write}{candidates}}})");
    const JAM: &str = "gpu-jam-threads";
    let back = back.replacen(JAM, &format!("{JAM}{{{machine}}}"), 1);
    [front + &map, format!("builtin.module({back}")]
}
