//! The form of a region that launches kernels, and the kernels as PTX.

use super::{CompileOptions, Extent, located, names, noalias, resources};
use crate::dialects::gpu::{LaunchOp, ModuleOp};
use crate::dialects::{affine, scf};
use crate::ir::diag::Diagnostic;
use crate::ir::{Context, Op, OpKind};
use crate::passes::pipeline::{self, GpuPipelineOptions, Pipeline, StageName};
use crate::passes::region::cost::Nests;
use crate::passes::region::map;
use crate::passes::region::notes::{Construct, RegionNotes};
use crate::passes::region::parallelize::Options;
use crate::run::join_ptx;
use crate::run::numerics::Contract;
use crate::shown::Passes;
use crate::targets::gpu_to_ptx::{
    GpuOptions, KernelInfo, ParamKind, PassDump, WIDEST_ACCESS, check_launches, compile,
};
use crate::targets::native::{GpuImage, ImageKernel, ImageParam};

/// A module and the region's function in it.
pub(super) type Copy = (Op, Op);

/// The whole way of a region to kernels, on an architecture; `rules` are those of its loops.
pub(super) fn pipeline_of(options: &CompileOptions, rules: &Options, products: bool) -> Pipeline {
    pipeline::region_gpu(&GpuPipelineOptions {
        arch: options.arch.clone(),
        fast_math: options.numerics.fast_math(),
        algebra: options.numerics.algebra,
        contract: products && options.numerics.contract != Contract::Off,
        tf32: options.numerics.tf32,
        reassociate: rules.reassociate,
        order: rules.schedule,
        ..GpuPipelineOptions::default()
    })
}

/// Turn `part`, which holds the region's `function` with its loops mapped, into host code that
/// launches kernels, by the rest of its pipeline. The cost model is asked about the `nests`.
/// Gives the kernels in no particular order, and the dumps that were asked for.
///
/// # Errors
///
/// What in the region has no form for the GPU, with its place.
pub(super) fn form(
    ctx: &mut Context,
    (part, function): Copy,
    (pipeline, nests): (&Pipeline, Option<Nests>),
    notes: &mut RegionNotes,
    extents: &[Extent],
    options: &CompileOptions,
    passes: &Passes,
) -> Result<(GpuImage, Vec<PassDump>), Vec<Diagnostic>> {
    // Where the choice is terrace's a single thread of a GPU is none.
    if notes.construct == Construct::Auto
        && notes.num_parallel() == 0
        && !is_parallel(ctx, function)
    {
        let m = "there is no loop whose iterations may run in any order";
        return Err(vec![Diagnostic::remark(notes.place.clone(), m)]);
    }
    // The stage of launches, by a call: it tells of each kernel.
    let mapped = passes.call(ctx, (&map::INFO, function), |ctx| {
        map::map_region(ctx, function)
    });
    match mapped {
        Ok(kernels) => notes.kernels = kernels,
        Err(_) => return Err(ctx.take_diagnostics()),
    }
    if let (Some(nests), Some(costs)) = (nests, &options.costs)
        && let Ok(machine) = costs.machine(&options.arch)
    {
        nests.tell(&mut notes.kernels, &machine, costs.model);
    }
    noalias::mark(ctx, function, notes, extents);
    passes.run(ctx, part, &pipeline.behind(StageName::Launches))?;
    let mut ptx = GpuOptions {
        arch: options.arch.clone(),
        loc_lines: true,
        index_bitwidth: options.index_bitwidth,
        also_aligned: Some(WIDEST_ACCESS),
        dump_passes: options.dump_passes,
        ..GpuOptions::default()
    };
    options.numerics.tell(&mut ptx);
    let mut image = GpuImage::default();
    let mut texts = Vec::new();
    let mut dumps = Vec::new();
    // Kernels by what the notes and what the text call them.
    let mut entries: Vec<(String, String)> = Vec::new();
    let mut errors = match check_launches(ctx, part, &options.arch) {
        Ok(()) => Vec::new(),
        Err(e) => located(ctx, e),
    };
    let names = names::of_kernels(ctx, part);
    for m in part.find_all::<ModuleOp>(ctx) {
        match passes.time("PTX", || compile(ctx, m.op(), &ptx)) {
            Ok(binary) => {
                for k in &binary.kernels {
                    let note = notes.kernels.iter_mut().find(|n| n.name == k.name);
                    if let Some(n) = note {
                        n.shared_bytes = Some(k.shared_bytes);
                        entries.push((n.name.clone(), k.entry.clone()));
                    }
                    let key = (m.name(ctx).to_string(), k.name.clone());
                    let names = names.get(&key).map_or(&[][..], Vec::as_slice);
                    image.kernels.push(kernel(k, names));
                }
                texts.push(binary.ptx);
                dumps.extend(binary.dumps);
            }
            Err(e) => errors.extend(located(ctx, e)),
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    // What touches no memory is done in front of kernels, and there may be none.
    if texts.is_empty() && notes.construct == Construct::Auto {
        let m = "there is nothing in it for a GPU to do";
        return Err(vec![Diagnostic::remark(notes.place.clone(), m)]);
    }
    image.ptx = join_ptx(&texts);
    if options.resources {
        resources::tell(&mut notes.kernels, &entries, &image.ptx, &options.arch);
    }
    Ok((image, dumps))
}

/// Whether a loop was made parallel, or a kernel.
fn is_parallel(ctx: &Context, function: Op) -> bool {
    let all = function.pre_order(ctx).into_iter();
    let mut names = all.map(|o| o.name(ctx));
    names.any(|n| {
        matches!(
            n,
            affine::ParallelOp::NAME | scf::ParallelOp::NAME | LaunchOp::NAME
        )
    })
}

/// What the runtime is told of a kernel, whose arguments the program calls `names`.
fn kernel(k: &KernelInfo, names: &[Option<String>]) -> ImageKernel {
    let least = k.any.as_ref().map_or(&k.alignments, |any| &any.alignments);
    let params = (k.params.iter().zip(&k.alignments).zip(least))
        .map(|((p, align), fallback_align)| ImageParam {
            name: named(p, names),
            bytes: bytes(p),
            align: *align,
            fallback_align: *fallback_align,
        })
        .collect();
    // There a layout is of a parameter, not of an argument.
    let pointer = |arg: usize| {
        let mut all = k.params.iter();
        all.position(|p| *p == ParamKind::Pointer { arg })
            .unwrap_or(arg)
    };
    let indices = k.indices.clone().map(|mut indices| {
        for l in &mut indices.layouts {
            l.arg = pointer(l.arg);
        }
        indices.words()
    });
    ImageKernel {
        name: k.entry.clone(),
        params,
        fallback: k.any.as_ref().map(|any| any.entry.clone()),
        indices: indices.unwrap_or_default(),
        cooperative: k.cooperative,
    }
}

fn named(p: &ParamKind, names: &[Option<String>]) -> Option<String> {
    match p {
        ParamKind::Pointer { arg } | ParamKind::Scalar { arg, .. } => {
            names.get(*arg).cloned().flatten()
        }
        _ => None,
    }
}

fn bytes(p: &ParamKind) -> u32 {
    match p {
        ParamKind::Scalar { ty, .. } => ty.bytes(),
        _ => 8,
    }
}

/// The image with its kernels by the numbers that the host side uses.
pub(super) fn in_order(
    image: &GpuImage,
    launched: &[(String, String)],
) -> Result<GpuImage, String> {
    let mut kernels = Vec::new();
    for (module, name) in launched {
        let found = image.kernels.iter().find(|k| k.name == *name);
        kernels.push(
            found
                .cloned()
                .ok_or_else(|| format!("a fault of terrace's own: no kernel @{module}::@{name}"))?,
        );
    }
    Ok(GpuImage {
        ptx: image.ptx.clone(),
        kernels,
    })
}
