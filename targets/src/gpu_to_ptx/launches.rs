//! Launches against what the machine allows, as far as their sizes are constants.

use super::KernelInfo;
use super::bounds::{block_fits, grid_fits};
use crate::machine;
use crate::ptx::machine::Arch;
use terrace_dialects::gpu::LaunchFuncOp;
use terrace_ir::{Context, Loc, Op, OpKind, Value};

/// What is wrong with the launches under `root`, each with its place: sizes of blocks
/// and grids, and dynamic shared memory, that no launch on the architecture can have.
///
/// # Errors
///
/// All that is wrong, or that the architecture is unknown.
pub fn check_launches(ctx: &Context, root: Op, arch: &str) -> Result<(), Vec<(Loc, String)>> {
    let name = |e: String| vec![(root.loc(ctx), e)];
    let machine = machine::by_name(arch).map_err(name)?;
    let arch: Arch = arch.parse().map_err(name)?;
    let mut errors = Vec::new();
    for launch in root.find_all::<LaunchFuncOp>(ctx) {
        let kernel = launch.kernel_name(ctx).unwrap_or("");
        let loc = launch.op().loc(ctx);
        let mut wrong = |m: String| errors.push((loc, format!("the launch of '{kernel}': {m}")));
        let block = constants(ctx, launch.block_size(ctx));
        if let Err(limit) = block_fits(block.map(known), machine) {
            let text = sizes(block);
            wrong(format!(
                "found a block of {text} threads, expected {limit} on {arch}"
            ));
        }
        let grid = constants(ctx, launch.grid_size(ctx));
        if !grid_fits(grid.map(known), machine) {
            let [x, y, z] = machine.max_grid;
            let text = sizes(grid);
            wrong(format!(
                "found a grid of {text} blocks, expected at most {x} x {y} x {z} on {arch}"
            ));
        }
        let dynamic = launch.dynamic_shared_memory(ctx);
        let dynamic = dynamic.and_then(|v| ctx.constant_int(v));
        let most = machine.shared_per_block_opt_in;
        if let Some(bytes) = dynamic
            && !(0..=i64::from(most)).contains(&bytes)
        {
            wrong(format!(
                "found {bytes} bytes of dynamic workgroup (shared) memory, expected at most {most} on {arch}"
            ));
        }
    }
    match errors.is_empty() {
        true => Ok(()),
        false => Err(errors),
    }
}

/// The launches of a module's kernels whose dynamic shared memory does not fit beside
/// the static one. What does not even fit alone is [`check_launches`]' to report.
pub(super) fn check_shared(
    ctx: &Context,
    gpu_module: Op,
    kernels: &[KernelInfo],
    arch: &str,
) -> Vec<(Loc, String)> {
    let Ok(machine) = machine::by_name(arch) else {
        return Vec::new();
    };
    let most = u64::from(machine.shared_per_block_opt_in);
    let module_name = gpu_module.symbol_name(ctx);
    let mut root = gpu_module;
    while let Some(parent) = root.parent(ctx) {
        root = parent;
    }
    let mut errors = Vec::new();
    for launch in root.find_all::<LaunchFuncOp>(ctx) {
        let name = launch.kernel_name(ctx).unwrap_or("");
        let kernel = kernels.iter().find(|k| k.name == name);
        let (Some(kernel), true) = (kernel, launch.kernel_module_name(ctx) == module_name) else {
            continue;
        };
        let dynamic = launch.dynamic_shared_memory(ctx);
        let dynamic = dynamic.and_then(|v| ctx.constant_int(v));
        let dynamic = dynamic.and_then(|n| u64::try_from(n).ok());
        let Some(dynamic) = dynamic.filter(|n| *n <= most) else {
            continue;
        };
        if kernel.shared_bytes.saturating_add(dynamic) > most {
            let message = format!(
                "the launch of '{name}': found {dynamic} bytes of dynamic workgroup (shared) memory beside {} static ones of the kernel, expected at most {most} in all on {arch}",
                kernel.shared_bytes
            );
            errors.push((launch.op().loc(ctx), message));
        }
    }
    errors
}

fn constants(ctx: &Context, values: [Value; 3]) -> [Option<i64>; 3] {
    values.map(|v| ctx.constant_int(v))
}

/// What is not known is taken for the least: no launch at all is no error, as there is
/// none where a size is 0.
fn known(size: Option<i64>) -> i64 {
    match size {
        None | Some(0) => 1,
        Some(n) => n,
    }
}

fn sizes(sizes: [Option<i64>; 3]) -> String {
    let one = |s: Option<i64>| s.map_or("?".to_string(), |n| n.to_string());
    sizes.map(one).join(" x ")
}
