//! Regions whose form for the GPU has kernels of matrix products.
//!
//! The products are looked for in the loops as written; the CPU's form has them as loops.

use super::{CompileOptions, RegionInput, extract};
use crate::ir::{Context, Op};
use crate::passes::gpu::contraction::{map_contractions, sm_of};
use crate::passes::offload::parallelize::{Options, parallelize};
use crate::run::numerics::Contract;
use terrace_c::directive::Target;

/// A copy of the region's function in which matrix products are kernels, and the other
/// loops parallel; none where there is no product, or where the author says how loops are
/// to run.
pub(super) fn copy_with_kernels(
    ctx: &mut Context,
    part: Op,
    region: &RegionInput,
    rules: &Options,
    options: &CompileOptions,
) -> Option<(Op, Op)> {
    let arch = match &region.target {
        Some(Target::Host | Target::Cpu) => return None,
        Some(Target::Arch(arch)) => arch,
        _ => &options.arch,
    };
    let wanted =
        options.gpu && region.schedules.is_empty() && options.numerics.contract != Contract::Off;
    let sm = sm_of(arch).filter(|_| wanted)?;
    let (copy, function) = extract::alone(ctx, part, &region.function)?;
    let all = function.pre_order(ctx);
    let directed = all.iter().any(|o| o.attr(ctx, "acc.loop").is_some());
    if directed || map_contractions(ctx, function, sm, false) == 0 {
        copy.drop_all_references(ctx);
        copy.erase(ctx);
        return None;
    }
    // What is said of the loops is said of them as written.
    parallelize(ctx, function, rules);
    Some((copy, function))
}
