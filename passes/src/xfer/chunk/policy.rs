//! Which launches are worth splitting, along which dimension of the grid.
//!
//! A piece costs a launch and two copies more, some tens of microseconds. What is gained is
//! what runs beside a copy: the copies in the other direction, and the kernel. So copies
//! must be long, and either both directions be split, or the kernel do more than to look
//! at each element a few times.

use super::find::{Site, Transfer};
use super::rows::{Edge, Why, touched_below, written_from};
use crate::xfer::narrow::linear::expand;
use terrace_dialects::gpu::LaunchOp;
use terrace_dialects::scf;
use terrace_ir::{Context, Op, OpKind};

/// What is asked of a launch.
#[derive(Debug, Clone, Copy)]
pub struct Policy {
    /// Pieces.
    pub chunks: i64,
    /// Bytes of the copies that are split, in each direction; for a kernel with loops in
    /// both together.
    pub min_bytes: i64,
}

/// A copy that is split, at the edges of the pieces' blocks.
#[derive(Debug, Clone)]
pub struct Split {
    pub transfer: Transfer,
    pub edge: Edge,
}

/// What is to be done.
#[derive(Debug, Clone)]
pub struct Plan {
    pub launch: LaunchOp,
    /// The launch that pieces are made of, which is not one of the program's.
    pub kernel: LaunchOp,
    /// The dimension of the grid: 0 for x.
    pub dim: usize,
    pub ins: Vec<Split>,
    pub outs: Vec<Split>,
    pub policy: Policy,
    /// Whether the bytes count together.
    pub together: bool,
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
) -> Result<Plan, Why> {
    let mut best: Result<Plan, Why> = Err("its grid has one block");
    for dim in 0..3 {
        let blocks = expand(ctx, kernel.grid_size(ctx)[dim]).as_constant();
        if blocks.is_some_and(|n| n < policy.chunks) {
            if blocks.is_some_and(|n| n > 1) && best.is_err() {
                best = Err("it has fewer blocks than pieces");
            }
            continue;
        }
        let new = along(ctx, function, &site, kernel, dim, policy);
        let count = |p: &Plan| p.ins.len() + p.outs.len();
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
) -> Result<Plan, Why> {
    let together = has_loops(ctx, kernel);
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
    let both = !ins.is_empty() && !outs.is_empty();
    let some = !ins.is_empty() || !outs.is_empty();
    if !some {
        return Err(why);
    }
    if !both && !together {
        return Err("only copies in one direction could be split, and the kernel is short");
    }
    Ok(Plan {
        launch: site.launch,
        kernel,
        dim,
        ins,
        outs,
        policy,
        together,
    })
}

/// Whether a thread does more than a few things.
fn has_loops(ctx: &Context, launch: LaunchOp) -> bool {
    let is_loop = |o: &Op| o.isa::<scf::ForOp>(ctx) || o.isa::<scf::WhileOp>(ctx);
    launch.op().pre_order(ctx).iter().any(is_loop)
}
