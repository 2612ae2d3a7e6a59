//! Which nests other mappers take: found by letting them.
//!
//! Matrix products are kernels by now. Reductions and stencils are found in what is left
//! of the loops below the affine dialect, so a copy of the function is lowered and handed to
//! their passes, and what became of each nest is read from it.

use crate::analysis::loop_like::is_in_loop;
use crate::gpu::stencils::block_of;
use crate::loops::mapper::{TILE, mapper_of};
use terrace_dialects::affine::ParallelOp;
use terrace_dialects::attributes::{GPU_COARSENED, GPU_FIT, GPU_NEST, GPU_ROWS, XFER_ON_HOST};
use terrace_dialects::func;
use terrace_dialects::{gpu, scf};
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::pass::{ParsedOptions, PassManager, PassOutput};
use terrace_ir::{Context, Op, OpKind};

/// What becomes of a nest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Taken {
    /// The ordinary mapper takes it.
    No,
    /// It stays on the host, or goes.
    Gone,
    Reduction,
    Stencil {
        rows: i64,
        block: [i64; 3],
        fit: bool,
    },
}

/// The passes between parallel loops and `map-parallel-to-gpu`, by name: some of them stand
/// above this one.
const PASSES: [&str; 8] = [
    "lower-affine",
    "canonicalize",
    "cse",
    "loop-invariant-code-motion",
    KEEP_ON_HOST,
    "gpu-map-reductions",
    "gpu-map-stencils",
    "gpu-coarsen-threads",
];

const KEEP_ON_HOST: &str = "xfer-keep-on-host";

/// Nothing is shown.
struct Quiet;

impl PassOutput for Quiet {
    fn show(&mut self, _: &str) {}
    fn save(&mut self, _: &std::path::Path, _: &str) -> Result<(), String> {
        Err("nothing is written here".into())
    }
}

/// What becomes of each of the nests in `function` if it is left as it is.
pub(crate) fn taken(ctx: &mut Context, function: Op, nests: &[Op]) -> Vec<Taken> {
    taken_by(ctx, function, nests, &PASSES, false)
}

/// What would become of a nest in `function` as far as it lies with the nest: without the
/// others, and not on the host.
pub(crate) fn taken_alone(ctx: &mut Context, function: Op, nest: Op) -> Taken {
    let passes: Vec<&str> = (PASSES.into_iter())
        .filter(|p| *p != KEEP_ON_HOST)
        .collect();
    let all = taken_by(ctx, function, &[nest], &passes, true);
    all.into_iter().next().unwrap_or(Taken::Gone)
}

fn taken_by(
    ctx: &mut Context,
    function: Op,
    nests: &[Op],
    passes: &[&str],
    alone: bool,
) -> Vec<Taken> {
    for (i, nest) in nests.iter().enumerate() {
        let number = ctx.i64_attr(i as i64);
        nest.set_attr(ctx, GPU_NEST, number);
    }
    let copy = clone_op(ctx, function, &mut IrMapping::new());
    copy.insert_after(ctx, function);
    let name = format!("{}.mapped", function.symbol_name(ctx).unwrap_or_default());
    copy.set_attr(ctx, "sym_name", ctx.string_attr(&name));
    let earlier = ctx.take_diagnostics();
    if alone {
        let others = super::nests(ctx, copy).into_iter().map(|p| p.op());
        for other in others
            .filter(|o| o.attr(ctx, GPU_NEST).is_none())
            .collect::<Vec<_>>()
        {
            other.erase(ctx);
        }
    }
    if !may_stay(ctx, copy) {
        // None of the passes looks at what is on tiles, and there may be much of it.
        for p in copy.find_all::<scf::ParallelOp>(ctx) {
            if mapper_of(ctx, p.op()) == Some(TILE) {
                p.op().erase(ctx);
            }
        }
    }
    let done = run(ctx, copy, passes);
    ctx.take_diagnostics();
    ctx.restore_diagnostics(earlier);
    let mut out = vec![Taken::Gone; nests.len()];
    for op in copy.pre_order(ctx) {
        let number = op
            .int_attr(ctx, GPU_NEST)
            .and_then(|n| usize::try_from(n).ok());
        let Some(place) = number.and_then(|n| out.get_mut(n)) else {
            continue;
        };
        if op.isa::<gpu::LaunchOp>(ctx) {
            *place = Taken::Reduction;
        } else if op.isa::<scf::ParallelOp>(ctx) && *place == Taken::Gone {
            *place = match block_of(ctx, op) {
                _ if op.attr(ctx, XFER_ON_HOST).is_some() => continue,
                // `gpu-coarsen-threads` has it, and no step says so.
                _ if op.attr(ctx, GPU_COARSENED).is_some() => continue,
                Some(block) => Taken::Stencil {
                    rows: op.int_attr(ctx, GPU_ROWS).unwrap_or(1),
                    block,
                    fit: op.attr(ctx, GPU_FIT).is_some(),
                },
                None => Taken::No,
            };
        }
    }
    copy.erase(ctx);
    for nest in nests {
        nest.remove_attr(ctx, GPU_NEST);
    }
    match done {
        true => out,
        // What cannot be lowered is left to those who say why.
        false => vec![Taken::Gone; nests.len()],
    }
}

/// Whether a nest may stay on the host, where copies for all nests are weighed: one that runs again
/// and again.
fn may_stay(ctx: &Context, function: Op) -> bool {
    let mut any = false;
    function.walk(ctx, &mut |o| {
        let parallel = o.isa::<ParallelOp>(ctx) || o.isa::<scf::ParallelOp>(ctx);
        any |= parallel && is_in_loop(ctx, o);
    });
    any
}

fn run(ctx: &mut Context, function: Op, passes: &[&str]) -> bool {
    let mut pm = PassManager::new(func::FuncOp::NAME);
    // What they make of a copy is looked at and goes.
    pm.verify_each = cfg!(debug_assertions);
    for name in passes {
        let Some(info) = crate::pass(name) else {
            return false;
        };
        let added = ParsedOptions::defaults(info.options).and_then(|o| pm.root.add(info, o));
        if added.is_err() {
            return false;
        }
    }
    pm.run(ctx, function, &mut Quiet).is_ok()
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_pass_is_known_by_its_name() {
        for name in super::PASSES {
            assert!(crate::pass(name).is_some(), "{name}");
        }
    }
}
