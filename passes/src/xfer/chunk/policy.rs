//! Which launches are worth splitting, along which dimension of the grid.
//!
//! A piece costs a launch and two copies more, some tens of microseconds, and short copies are
//! slower. From pinned memory copies in, kernels and copies out run at once: with a kernel that
//! does little a call takes 0.6 of the time in 8 pieces (H200, 512 MiB in and out). Memory that
//! is not pinned the host copies itself, whose memory both directions share, so a kernel that
//! looks at each element a few times gains little (26.3 ms in one, 22.3 in 4 pieces); one
//! that computes for as long as a copy takes does.

use super::find::{Site, Transfer};
use super::rows::{Edge, Why, touched_below, written_from};
use crate::analysis::captured::is_inside;
use crate::xfer::narrow::expand::expand;
use terrace_dialects::gpu::LaunchOp;
use terrace_dialects::scf;
use terrace_dialects::xfer::is_pinned;
use terrace_ir::{Context, Op, OpKind};

/// What is asked of a launch.
#[derive(Debug, Clone, Copy)]
pub struct Policy {
    /// Pieces.
    pub chunks: i64,
    /// Bytes of the copies that are split, in both directions together.
    pub min_bytes: i64,
    /// Whether kernels are split that do little for each element, also where the memory
    /// is not pinned.
    pub short_kernels: bool,
    /// Whether copies of memory that is not pinned are split.
    pub pageable: bool,
}

/// A copy that is split, at the edges of the pieces' blocks.
#[derive(Debug, Clone)]
pub struct Split {
    pub transfer: Transfer,
    pub edge: Edge,
}

/// What is to be done.
#[derive(Debug, Clone)]
pub struct Chunking {
    pub launch: LaunchOp,
    /// The launch that pieces are made of, which is not one of the program's.
    pub kernel: LaunchOp,
    /// The dimension of the grid: 0 for x.
    pub dim: usize,
    pub ins: Vec<Split>,
    pub outs: Vec<Split>,
    pub policy: Policy,
}

/// How a launch is best split.
///
/// # Errors
/// Why it is not.
pub fn plan(
    ctx: &Context,
    function: Op,
    site: Site,
    kernel: LaunchOp,
    policy: Policy,
) -> Result<Chunking, Why> {
    let pinned = |t: &Transfer| is_pinned(ctx, t.host.ty(ctx));
    let mut site = site;
    if !policy.pageable {
        site.ins.retain(pinned);
        site.outs.retain(pinned);
        if site.ins.is_empty() && site.outs.is_empty() {
            return Err("none of its arrays is in pinned memory");
        }
    }
    let all_pinned = site.ins.iter().chain(&site.outs).all(pinned);
    if !all_pinned && !policy.short_kernels && !is_long(ctx, kernel) {
        return Err("the kernel is short");
    }
    let mut best: Result<Chunking, Why> = Err("its grid has one block");
    for dim in 0..3 {
        let blocks = expand(ctx, kernel.grid_size(ctx)[dim]).as_constant();
        if blocks.is_some_and(|n| n < policy.chunks) {
            if blocks.is_some_and(|n| n > 1) && best.is_err() {
                best = Err("it has fewer blocks than pieces");
            }
            continue;
        }
        let new = along(ctx, function, &site, kernel, dim, policy);
        let count = |p: &Chunking| p.ins.len() + p.outs.len();
        best = match (best, new) {
            (Ok(a), Ok(b)) => Ok(if count(&b) > count(&a) { b } else { a }),
            (Ok(a), Err(_)) => Ok(a),
            (Err(_), new) => new,
        };
    }
    best
}

/// What can be split along a dimension of the grid.
fn along(
    ctx: &Context,
    function: Op,
    site: &Site,
    kernel: LaunchOp,
    dim: usize,
    policy: Policy,
) -> Result<Chunking, Why> {
    let mut why = "there are no copies right before it and right after it";
    let mut ins: Vec<Split> = Vec::new();
    for t in &site.ins {
        match touched_below(ctx, function, kernel, dim, t) {
            Ok(edge) => ins.push(Split {
                transfer: t.clone(),
                edge,
            }),
            Err(w) => why = w,
        }
    }
    let mut outs = Vec::new();
    for t in &site.outs {
        match written_from(ctx, function, kernel, dim, t) {
            Ok(edge) => {
                // No further than it has come.
                let came = ins.iter().find(|i| i.transfer.is_of_same(t));
                match came.is_none_or(|i| edge.is_at_most(&i.edge)) {
                    true => outs.push(Split {
                        transfer: t.clone(),
                        edge,
                    }),
                    false => why = "rows would go out before they have come",
                }
            }
            Err(w) => why = w,
        }
    }
    let some = !ins.is_empty() || !outs.is_empty();
    if !some {
        return Err(why);
    }
    Ok(Chunking {
        launch: site.launch,
        kernel,
        dim,
        ins,
        outs,
        policy,
    })
}

/// Iterations of a loop that are many.
const MANY: u64 = 64;

/// Whether a thread does more than a few things: has a loop whose end is not its own, and
/// not known to be near.
fn is_long(ctx: &Context, launch: LaunchOp) -> bool {
    let many = |l: &scf::ForOp| {
        let end = l.upper_bound(ctx);
        let given = !is_inside(ctx, launch.op(), end) || ctx.constant_int(end).is_some();
        given && l.trip_count(ctx).is_none_or(|n| n >= MANY)
    };
    let loops = launch.op().find_all::<scf::ForOp>(ctx);
    loops.iter().any(many) || !launch.op().find_all::<scf::WhileOp>(ctx).is_empty()
}
