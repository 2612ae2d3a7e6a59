//! Regions whose form for the GPU has kernels of matrix products.
//!
//! The products are looked for in the loops as written; the CPU's form has them as loops.
//! Their kernels are other ones on other architectures, everything else is not: what
//! decides whether a region has several versions is found here.

use super::passes::Passes;
use super::{CompileOptions, RegionInput, extract};
use crate::ir::{Context, Op};
use crate::passes::gpu::contraction::{self, Wanted, map_contractions};
use crate::passes::region::parallelize::Options;
use crate::run::numerics::Contract;
use crate::targets::machine::Arch;
use std::convert::Infallible;
use terrace_c::directive::Target;

/// A module and the region's function in it.
pub(super) type Copy = (Op, Op);

/// Copies of a region in which matrix products are kernels, and the other loops parallel.
#[derive(Default)]
pub(super) struct Copies {
    /// For the oldest architecture; none where it has no such kernels.
    pub first: Option<Copy>,
    /// For newer ones, oldest first, each different from the one before.
    pub newer: Vec<(String, Copy)>,
}

/// The copies of the region's function that there are: none where there is no product.
pub(super) fn copies_with_kernels(
    ctx: &mut Context,
    part: Op,
    region: &RegionInput,
    rules: &Options,
    options: &CompileOptions,
) -> Copies {
    let mut copies = Copies::default();
    let (oldest, newer) = match &region.target {
        Some(Target::Host | Target::Cpu) => return copies,
        Some(Target::Arch(arch)) => (arch, &[][..]),
        _ => (&options.arch, &options.newer[..]),
    };
    if !options.gpu || !region.schedules.is_empty() || options.numerics.contract == Contract::Off {
        return copies;
    }
    let mut before = None;
    for (i, arch) in std::iter::once(oldest).chain(newer).enumerate() {
        let wanted = arch.parse::<Arch>().ok().map(|a| Wanted {
            sm: u32::from(a.sm),
            tf32: options.numerics.tf32,
            reassociate: rules.reassociate,
        });
        let passes = Passes::over(&region.function, options).of(format!("for gpu {arch}"));
        let made = wanted.and_then(|w| with_products(ctx, part, region, w, &passes));
        let Some(copy) = made else {
            continue;
        };
        let text = Some(ctx.op_text(copy.0));
        if text == before {
            erase(ctx, copy.0);
            continue;
        }
        before = text;
        // What is said of the loops is said of them as written.
        passes.parallelize(ctx, copy.1, rules);
        match i {
            0 => copies.first = Some(copy),
            _ => copies.newer.push((arch.clone(), copy)),
        }
    }
    copies
}

/// A copy with the products as kernels; none where there are none.
fn with_products(
    ctx: &mut Context,
    part: Op,
    region: &RegionInput,
    wanted: Wanted,
    passes: &Passes,
) -> Option<Copy> {
    let (copy, function) = extract::alone(ctx, part, &region.function)?;
    let Ok(found) = passes.call(ctx, (&contraction::INFO, function), |ctx| {
        Ok::<_, Infallible>(map_contractions(ctx, function, wanted, false))
    });
    if found == 0 {
        erase(ctx, copy);
        return None;
    }
    Some((copy, function))
}

fn erase(ctx: &mut Context, module: Op) {
    module.drop_all_references(ctx);
    module.erase(ctx);
}
