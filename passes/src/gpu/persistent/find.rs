//! Which loops of the host can be one kernel.

use super::touched::touched;
use crate::analysis::movable::{can_move, divides_integers};
use crate::gpu::match_failure::{MatchFailure, no_match, no_match_at_all};
use terrace_dialects::attributes::GPU_ROWS;
use terrace_dialects::memref;
use terrace_dialects::{gpu, scf, xfer};
use terrace_ir::effects::is_memory_effect_free;
use terrace_ir::{Block, Context, Op, OpKind};

/// The deepest nesting that is looked into.
const MAX_DEPTH: usize = 64;

/// What the launches of a loop ask of the threads that run them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Asks {
    /// Threads of the largest block.
    pub threads: i64,
    /// A thread does several rows of a stencil, for which a block of very many has too few
    /// registers.
    pub rows: Option<Op>,
}

/// Whether `l` does nothing but launch kernels that can run one after another in one kernel.
///
/// # Errors
///
/// The first op that prevents it, and why.
pub(super) fn check(ctx: &Context, l: scf::ForOp) -> Result<Asks, MatchFailure> {
    let all = l.op().find_all::<gpu::LaunchOp>(ctx);
    if all.is_empty() {
        return no_match_at_all(l.op(), "nothing is launched");
    }
    if l.op().num_results(ctx) > 0 {
        return no_match(l.op(), "the host needs its results");
    }
    in_loop(ctx, l, 0)?;
    let threads = |l: &gpu::LaunchOp| block_sizes(ctx, *l).map(|sizes| sizes.iter().product());
    let mut ops = l.op().pre_order(ctx).into_iter();
    Ok(Asks {
        threads: all.iter().filter_map(threads).max().unwrap_or(1),
        rows: ops.find(|o| o.attr(ctx, GPU_ROWS).is_some()),
    })
}

fn in_loop(ctx: &Context, l: scf::ForOp, depth: usize) -> Result<(), MatchFailure> {
    if l.is_unsigned(ctx) {
        return no_match(l.op(), "its bounds compare as unsigned numbers");
    }
    block(ctx, l.body(ctx), depth)
}

fn block(ctx: &Context, block: Block, depth: usize) -> Result<(), MatchFailure> {
    if depth > MAX_DEPTH {
        return no_match_at_all(block.ops(ctx)[0], "nested too deep");
    }
    for op in block.ops(ctx) {
        if op.is_terminator(ctx) || op.isa::<xfer::DiscardOp>(ctx) {
            continue;
        }
        if let Some(l) = op.cast::<gpu::LaunchOp>(ctx) {
            launch(ctx, l)?;
        } else if let Some(l) = op.cast::<scf::ForOp>(ctx) {
            in_loop(ctx, l, depth + 1)?;
        } else if let Some(i) = op.cast::<scf::IfOp>(ctx) {
            self::block(ctx, i.then_block(ctx), depth + 1)?;
            if let Some(other) = i.else_block(ctx) {
                self::block(ctx, other, depth + 1)?;
            }
        } else if op.num_regions(ctx) > 0
            || !is_memory_effect_free(ctx, op)
            || !(can_move(ctx, op) || is_division(ctx, op))
        {
            let name = op.name(ctx);
            return no_match(op, format!("the host does '{name}' between launches"));
        }
    }
    Ok(())
}

/// Whether an op divides whole numbers, which is no less defined in a kernel: it stands under the
/// same loops and conditions.
fn is_division(ctx: &Context, op: Op) -> bool {
    divides_integers(ctx, op)
        && op
            .results(ctx)
            .iter()
            .all(|v| v.ty(ctx).is_int_or_index(ctx))
}

/// Whether a launch can be part of a kernel with others.
pub(crate) fn can_share(ctx: &Context, l: gpu::LaunchOp) -> bool {
    launch(ctx, l).is_ok()
}

/// Whether the threads of a launch may run in any order.
fn launch(ctx: &Context, l: gpu::LaunchOp) -> Result<(), MatchFailure> {
    let op = l.op();
    if l.async_token(ctx).is_some() || !l.async_dependencies(ctx).is_empty() {
        return no_match(op, "a launch is asynchronous");
    }
    let buffers = l.workgroup_attributions(ctx).len() + l.private_attributions(ctx).len();
    if buffers > 0 || l.dynamic_shared_memory(ctx).is_some() || l.has_clusters(ctx) {
        return no_match(op, "blocks of a launch have memory of their own");
    }
    if op.region(ctx, 0).blocks(ctx).len() != 1 {
        return no_match(op, "a launch's body branches");
    }
    if block_sizes(ctx, l).is_none() {
        return no_match(op, "a launch's block has no constant size");
    }
    for o in op.pre_order(ctx).into_iter().skip(1) {
        let of_threads = matches!(o.dialect(ctx), "gpu" | "nvgpu");
        if of_threads && !o.isa::<gpu::TerminatorOp>(ctx) {
            let name = o.name(ctx);
            return no_match(o, format!("threads of a launch work together by '{name}'"));
        }
        if o.name(ctx) == memref::AllocaOp::NAME {
            return no_match(o, "a thread has memory of its own");
        }
    }
    touched(ctx, l).map(|_| ())
}

/// The threads of a block along x, y, z, where they are constants that a block can have.
pub(super) fn block_sizes(ctx: &Context, l: gpu::LaunchOp) -> Option<[i64; 3]> {
    let mut sizes = [0; 3];
    for (s, v) in sizes.iter_mut().zip(l.block_size(ctx)) {
        *s = ctx.constant_int(v).filter(|n| (1..=1024).contains(n))?;
    }
    Some(sizes)
}

/// Along which of x, y, z a launch has more than one thread, as far as constants tell.
pub(super) fn used(ctx: &Context, l: gpu::LaunchOp) -> [bool; 3] {
    let one = |v| ctx.constant_int(v) == Some(1);
    let (grid, block) = (l.grid_size(ctx), l.block_size(ctx));
    std::array::from_fn(|d| !one(grid[d]) || !one(block[d]))
}

/// What `op` holds that launches.
pub(super) fn launches(ctx: &Context, op: Op) -> Vec<gpu::LaunchOp> {
    match op.cast::<gpu::LaunchOp>(ctx) {
        Some(l) => vec![l],
        None => op.find_all::<gpu::LaunchOp>(ctx),
    }
}
