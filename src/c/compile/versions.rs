//! What a region's GPU code is on newer devices.

use super::forms::Forms;
use super::passes::Passes;
use super::{CompileOptions, gpu, products};
use crate::ir::{Context, Op};
use crate::passes::region::notes::{RegionNotes, VersionNote};
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

/// Compile the copies for newer architectures, of a region of which `notes` says what was
/// known before the GPU's form. Of one that cannot be had there is the older version.
pub(super) fn add(
    ctx: &mut Context,
    f: &mut Forms,
    notes: &RegionNotes,
    newer: Vec<(String, products::Copy)>,
    options: &CompileOptions,
    passes: &Passes,
) {
    for (name, copy) in newer {
        let Ok(arch) = name.parse::<Arch>() else {
            continue;
        };
        let own = CompileOptions {
            arch: name.clone(),
            ..options.clone()
        };
        let mut notes = notes.clone();
        let passes = passes.of(format!("for gpu {name}"));
        let made = gpu::form(ctx, copy, &mut notes, &f.made.extents, &own, &passes);
        let Ok((image, _)) = made else {
            continue;
        };
        f.made.notes.versions.push(VersionNote {
            arch: name.clone(),
            kernels: notes.kernels,
        });
        f.made.versions.push(CompiledVersion {
            arch: name,
            ptx: image.ptx.clone(),
            gpu_mlir: match options.texts {
                true => ctx.op_text(copy.0),
                false => String::new(),
            },
        });
        f.versions.push(Version {
            arch,
            part: copy.0,
            image,
        });
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
