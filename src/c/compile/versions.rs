//! What a region's GPU code is on newer devices.

use super::forms::Forms;
use super::{CompileOptions, Extent, gpu};
use crate::ir::diag::Diagnostic;
use crate::ir::{Context, Op};
use crate::order::extract;
use crate::passes::analysis::same_regions::same_regions;
use crate::passes::pipeline::{Pipeline, StageName};
use crate::passes::region::cost::Nests;
use crate::passes::region::notes::{RegionNotes, VersionNote};
use crate::shown::Passes;
use crate::targets::gpu_to_ptx::PassDump;
use crate::targets::machine::{Arch, Variant};
use crate::targets::native::{FAMILY, GpuImage, RegionVersion, SPECIFIC};

/// A region's form for an architecture and newer ones.
#[derive(Debug, Clone, Default)]
pub struct CompiledVersion {
    /// `sm_90`.
    pub arch: String,
    /// The text of its kernels.
    pub ptx: String,
    /// As MLIR, with [`CompileOptions::texts`].
    pub gpu_mlir: String,
}

/// The form before it is put into the object file.
pub(super) struct Version {
    arch: Arch,
    pub part: Op,
    pub image: GpuImage,
}

impl Version {
    /// The symbol of its entry, in a region with this one.
    pub fn symbol(&self, region: &str) -> String {
        format!("terrace_{region}_gpu_{}", self.arch)
    }

    /// What the runtime is told of it.
    pub fn data(&self, symbol: String, image: GpuImage) -> RegionVersion {
        RegionVersion {
            sm: u32::from(self.arch.sm),
            flags: match self.arch.variant {
                Variant::Portable => 0,
                Variant::Specific => SPECIFIC,
                Variant::Family => FAMILY,
            },
            gpu: symbol,
            image: (!image.kernels.is_empty()).then_some(image),
        }
    }
}

/// A region's loops where each knows what runs its iterations on an architecture.
pub(super) struct Mapped {
    options: CompileOptions,
    pipeline: Pipeline,
    pub copy: gpu::Copy,
    /// What the cost model is to be asked about.
    nests: Option<Nests>,
}

impl Mapped {
    /// Their form, as [`gpu::form`] makes it.
    pub fn form(
        self,
        ctx: &mut Context,
        notes: &mut RegionNotes,
        extents: &[Extent],
        passes: &Passes,
    ) -> Result<(GpuImage, Vec<PassDump>), Vec<Diagnostic>> {
        let (rest, nests) = (self.pipeline.behind(StageName::Threads), self.nests);
        gpu::form(
            ctx,
            self.copy,
            (&rest, nests),
            notes,
            extents,
            &self.options,
            passes,
        )
    }
}

/// What a region's loops are on the oldest architecture, and on those newer ones, oldest
/// first, on which they are something else than on the one before.
///
/// # Errors
///
/// Why they cannot be had on the oldest one.
pub(super) fn of(
    ctx: &mut Context,
    written: gpu::Copy,
    options: &CompileOptions,
    passes: &Passes,
    pipeline_of: impl Fn(&CompileOptions) -> Pipeline,
) -> Result<Vec<Mapped>, Vec<Diagnostic>> {
    let mut all: Vec<Mapped> = Vec::new();
    let name = written.1.symbol_name(ctx).unwrap_or_default().to_string();
    for arch in std::iter::once(&options.arch).chain(&options.newer) {
        let Some(copy) = extract::alone(ctx, written.0, &name) else {
            continue;
        };
        let own = CompileOptions {
            arch: arch.clone(),
            ..options.clone()
        };
        let pipeline = pipeline_of(&own);
        let passes = passes.of(format!("for gpu {arch}"));
        let mapped = mapped(ctx, copy, (own, pipeline), &passes);
        // What there is to say of the loops is said of the form for all targets.
        ctx.take_diagnostics();
        let mapped = match mapped {
            Ok(mapped) => mapped,
            Err(why) if all.is_empty() => return Err(why),
            Err(_) => continue,
        };
        let same = |before: &Mapped| same_regions(ctx, before.copy.0, copy.0);
        if all.last().is_some_and(same) && !has_copies_of_newer_ones(ctx, copy.1) {
            copy.0.erase(ctx);
            continue;
        }
        all.push(mapped);
    }
    Ok(all)
}

fn mapped(
    ctx: &mut Context,
    copy: gpu::Copy,
    (options, pipeline): (CompileOptions, Pipeline),
    passes: &Passes,
) -> Result<Mapped, Vec<Diagnostic>> {
    passes.run(ctx, copy.0, &pipeline.through(StageName::Mapping))?;
    // The cost model reads nests while they are affine.
    let sizes = options.costs.as_ref().map(|c| &c.sizes);
    let nests = sizes.map(|sizes| Nests::read(ctx, copy.1, sizes));
    let rest = pipeline.behind(StageName::Mapping);
    passes.run(ctx, copy.0, &rest.through(StageName::Threads))?;
    Ok(Mapped {
        options,
        pipeline,
        copy,
        nests,
    })
}

/// Whether something in it is another instruction on newer architectures: copies in the
/// background, which older ones do while they wait.
fn has_copies_of_newer_ones(ctx: &Context, function: Op) -> bool {
    let mut all = function.pre_order(ctx).into_iter();
    all.any(|o| o.dialect(ctx) == "nvgpu")
}

/// Compile the kernels for newer architectures, of a region of which `notes` says what was
/// known before the GPU's form. Of one that cannot be had there is the older version.
pub(super) fn add(
    ctx: &mut Context,
    f: &mut Forms,
    notes: &RegionNotes,
    newer: impl Iterator<Item = Mapped>,
    passes: &Passes,
) {
    for mapped in newer {
        let Ok(arch) = mapped.options.arch.parse::<Arch>() else {
            continue;
        };
        let (name, texts) = (mapped.options.arch.clone(), mapped.options.texts);
        let part = mapped.copy.0;
        let mut notes = notes.clone();
        let passes = passes.of(format!("for gpu {name}"));
        let Ok((image, _)) = mapped.form(ctx, &mut notes, &f.made.extents, &passes) else {
            continue;
        };
        f.made.notes.versions.push(VersionNote {
            arch: name.clone(),
            kernels: notes.kernels,
        });
        f.made.versions.push(CompiledVersion {
            arch: name,
            ptx: image.ptx.clone(),
            gpu_mlir: match texts {
                true => ctx.op_text(part),
                false => String::new(),
            },
        });
        f.versions.push(Version { arch, part, image });
    }
}

/// Leave out one that did not become machine code.
pub(super) fn without(f: &mut Forms, at: usize) {
    f.versions.remove(at);
    f.made.versions.remove(at);
    f.made.notes.versions.remove(at);
}

/// Leave out all: there is no form for the GPU.
pub(super) fn clear(f: &mut Forms) {
    f.versions.clear();
    f.made.versions.clear();
    f.made.notes.versions.clear();
}
