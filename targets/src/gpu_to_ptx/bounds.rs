//! What a kernel promises and asks about its launches, from its attributes.
//!
//! | attribute | PTX |
//! | --- | --- |
//! | `known_block_size = array<i32: x, y, z>` | `.maxntid` |
//! | `known_grid_size = array<i32: x, y, z>` | nothing: the optimiser knows ranges by it |
//! | `nvvm.maxntid = array<i32: x, y, z>` | `.maxntid` |
//! | `nvvm.reqntid = array<i32: x, y, z>` | `.reqntid` |
//! | `nvvm.minctasm = 2 : i32` | `.minnctapersm` |
//! | `nvvm.maxnreg = 64 : i32` | `.maxnreg` |
//!
//! Sizes may be left out from the end: they are 1. The names are those of upstream's
//! NVVM dialect. That the machine can do it is checked here, so that messages name the
//! attributes; the checker of the machine form looks again.

use crate::machine::{Arch, Machine, Request, occupancy};
use crate::ptx::LaunchBounds;
use terrace_dialects::attributes::NVVM_MAXNREG;
use terrace_dialects::gpu;
use terrace_ir::{Context, Op};

/// The bounds, and what is wrong with them. A bound that is wrong is left out.
pub(super) fn launch_bounds(
    ctx: &Context,
    op: Op,
    machine: &Machine,
    arch: Arch,
) -> (LaunchBounds, Vec<String>) {
    let mut errors = Vec::new();
    let mut sizes = |name: &str| {
        let attr = op.attr(ctx, name)?;
        match attr.as_i64_array(ctx).as_deref().and_then(three) {
            Some(sizes) => match block_fits(sizes, machine) {
                Ok(block) => Some(block),
                Err(limit) => {
                    let [x, y, z] = sizes;
                    errors.push(format!(
                        "found a block of {x} x {y} x {z} threads in '{name}', expected {limit} on {arch}"
                    ));
                    None
                }
            },
            None => {
                errors.push(format!(
                    "found '{}' as '{name}', expected one to three sizes, such as array<i32: 256, 1, 1>",
                    ctx.attr_text(attr)
                ));
                None
            }
        }
    };
    let known = (op.cast::<gpu::FuncOp>(ctx)).and_then(|_| sizes("known_block_size"));
    let most = sizes("nvvm.maxntid");
    let required = sizes("nvvm.reqntid");
    let mut number = |name: &str, most: u32, what: &str| {
        let attr = op.attr(ctx, name)?;
        let found = attr.as_i64(ctx);
        match found.and_then(|n| u32::try_from(n).ok()) {
            Some(n) if (1..=most).contains(&n) => Some(n),
            _ => {
                let found = ctx.attr_text(attr);
                errors.push(format!(
                    "found '{found}' as '{name}', expected 1 to {most} {what} on {arch}"
                ));
                None
            }
        }
    };
    let blocks = number(
        "nvvm.minctasm",
        machine.max_blocks_per_sm,
        "blocks on a multiprocessor",
    );
    let registers = number(
        NVVM_MAXNREG,
        machine.max_registers_per_thread,
        "registers a thread",
    );
    for (name, bound, exact) in [
        ("nvvm.maxntid", most, false),
        ("nvvm.reqntid", required, true),
    ] {
        if let (Some(known), Some(bound)) = (known, bound)
            && (threads(known) > threads(bound) || exact && known != bound)
        {
            let [x, y, z] = known;
            let [a, b, c] = bound;
            errors.push(format!(
                "found a known block size of {x} x {y} x {z}, expected it to fit '{name}', which is {a} x {b} x {c}"
            ));
        }
    }
    let bounds = LaunchBounds {
        // PTX has one or the other.
        max_threads: match required {
            Some(_) => None,
            None => most.or(known),
        },
        required_threads: required,
        min_blocks_per_sm: blocks,
        max_registers: registers,
        grid: known_grid(ctx, op, machine, arch, &mut errors),
    };
    errors.extend(demand(&bounds, machine, arch));
    (bounds, errors)
}

fn known_grid(
    ctx: &Context,
    op: Op,
    machine: &Machine,
    arch: Arch,
    errors: &mut Vec<String>,
) -> Option<[u32; 3]> {
    let attr = op.attr(ctx, "known_grid_size")?;
    let sizes = three(&attr.as_i64_array(ctx)?)?;
    if grid_fits(sizes, machine) {
        return Some(sizes.map(|n| u32::try_from(n).unwrap_or(u32::MAX)));
    }
    let ([x, y, z], [a, b, c]) = (sizes, machine.max_grid);
    errors.push(format!(
        "found a grid of {x} x {y} x {z} blocks in 'known_grid_size', expected at most {a} x {b} x {c} on {arch}"
    ));
    None
}

/// Whether a grid has blocks, and no more than the machine takes.
pub(super) fn grid_fits(grid: [i64; 3], machine: &Machine) -> bool {
    (grid.iter().zip(machine.max_grid)).all(|(n, most)| (1..=i64::from(most)).contains(n))
}

fn three(sizes: &[i64]) -> Option<[i64; 3]> {
    match *sizes {
        [x] => Some([x, 1, 1]),
        [x, y] => Some([x, y, 1]),
        [x, y, z] => Some([x, y, z]),
        _ => None,
    }
}

fn threads([x, y, z]: [u32; 3]) -> u64 {
    u64::from(x) * u64::from(y) * u64::from(z)
}

/// The sizes of a block, or what they must be.
pub(super) fn block_fits(sizes: [i64; 3], machine: &Machine) -> Result<[u32; 3], String> {
    let [x, y, z] = machine.max_block;
    let fits = |(size, most): (i64, u32)| match u32::try_from(size) {
        Ok(n) if (1..=most).contains(&n) => Some(n),
        _ => None,
    };
    let [a, b, c] = sizes;
    let block = match (fits((a, x)), fits((b, y)), fits((c, z))) {
        (Some(a), Some(b), Some(c)) => Some([a, b, c]),
        _ => None,
    };
    let most = machine.max_threads_per_block;
    match block {
        Some(block) if threads(block) <= u64::from(most) => Ok(block),
        _ => Err(format!("at most {x} x {y} x {z} and {most} threads in all")),
    }
}

/// Whether the blocks that shall be on a multiprocessor at a time have room there.
fn demand(bounds: &LaunchBounds, machine: &Machine, arch: Arch) -> Option<String> {
    let Some(block) = bounds.required_threads.or(bounds.max_threads) else {
        return bounds.min_blocks_per_sm.map(|n| {
            format!(
                "found 'nvvm.minctasm' = {n} without a block size, expected 'known_block_size', 'nvvm.maxntid' or 'nvvm.reqntid' beside it"
            )
        });
    };
    let threads = u32::try_from(threads(block)).ok()?;
    let blocks = bounds.min_blocks_per_sm.unwrap_or(1);
    let all = u64::from(threads) * u64::from(blocks);
    if all > u64::from(machine.max_threads_per_sm) {
        return Some(format!(
            "found {blocks} blocks of {threads} threads, {all} in all, expected at most {} threads on a multiprocessor of {arch}",
            machine.max_threads_per_sm
        ));
    }
    let registers = bounds.max_registers?;
    let request = Request {
        threads_per_block: threads,
        registers_per_thread: registers,
        shared_per_block: 0,
    };
    let fit = occupancy(machine, request).map_or(0, |o| o.blocks_per_sm);
    (fit < blocks).then(|| {
        let needed = u64::from(registers) * all;
        let many = match blocks {
            1 => "1 block".to_string(),
            n => format!("{n} blocks"),
        };
        format!(
            "found {registers} registers a thread for {many} of {threads} threads, {needed} in all, expected at most the {} of a multiprocessor of {arch}, handed out by {} to each warp",
            machine.registers_per_sm, machine.register_granularity
        )
    })
}
