//! `xfer-keep-on-host`: parallel loops of which a kernel would cost more in copies than it
//! gains stay on the host.
//!
//! Where a loop over steps holds parallel loops and other code that cannot move to the
//! device, arrays may have to go back and forth in each step. The pass tries: a copy of
//! the function gets kernels, fragments ([`fragments`](super::fragments)) and copies.
//! Where what is copied again from the second iteration on takes longer than the host
//! needs for the parallel loops, by the same estimate, these are marked, and
//! `map-parallel-to-gpu` leaves them alone. What is copied once never counts: whoever
//! asks for a device gets it.
//!
//! ```text
//! scf.for %t = ... {                 scf.for %t = ... {
//!   func.call @looks_at(%A)            func.call @looks_at(%A)
//!   scf.parallel ... { %A }      =>    scf.parallel ... { %A } {xfer.on_host}
//! }                                  }
//! ```

use super::fragments::cost::{Seconds, copied_again, parallel_on_host};
use super::fragments::offload_fragments;
use super::insert::{Scheme, insert};
use super::optimize::optimize;
use crate::analysis::loop_like::is_in_loop;
use crate::gpu::map_parallel::{Options, map};
use crate::loops::mapper::{TILE, mapper_of};
use terrace_dialects::attributes::XFER_ON_HOST;
use terrace_dialects::func;
use terrace_dialects::{gpu, scf, xfer};
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::pass::{Pass, PassContext, PassInfo, PassResult, StatisticInfo};
use terrace_ir::{Context, Op, OpKind};

pub static INFO: PassInfo = PassInfo {
    name: "xfer-keep-on-host",
    title: "XferKeepOnHost",
    summary: "Keep parallel loops on the host where copies would take longer than they",
    description: "Marks scf.parallel ops in loops whose arrays would be copied in each iteration for longer than the host needs for them.",
    anchor: Some(func::FuncOp::NAME),
    statistics: &[StatisticInfo::new(
        "num-kept",
        "Number of parallel loops that stay",
    )],
    make: |_| Ok(Box::new(KeepOnHost)),
    ..PassInfo::EMPTY
};

struct KeepOnHost;

impl Pass for KeepOnHost {
    fn run(&mut self, ctx: &mut PassContext, function: Op) -> PassResult {
        let mut given = false;
        function.walk(ctx, &mut |o| {
            given |= o.isa::<gpu::LaunchOp>(ctx) || o.isa::<gpu::LaunchFuncOp>(ctx);
            given |= o.dialect(ctx) == "xfer" && !o.isa::<xfer::DiscardOp>(ctx);
        });
        let regions = function.region(ctx, 0);
        if given || function.parent(ctx).is_none() || !regions.has_one_block(ctx) {
            return Ok(());
        }
        if !is_open(ctx, function) {
            return Ok(());
        }
        let loops = containers(ctx, function, |o| o.isa::<scf::ParallelOp>(ctx));
        let Some(copies) = trial(ctx, function, loops.len()) else {
            return Ok(());
        };
        let mut kept = 0;
        for (l, copies) in loops.into_iter().zip(copies) {
            let gained = parallel_on_host(ctx, function, l);
            if copies.common > gained.common && copies.large > gained.large {
                for p in l.find_all::<scf::ParallelOp>(ctx) {
                    if mapper_of(ctx, p.op()) == Some(TILE) {
                        // Only threads can run it.
                        continue;
                    }
                    let mark = ctx.unit();
                    p.op().set_attr(ctx, XFER_ON_HOST, mark);
                    kept += 1;
                }
            }
        }
        ctx.count("num-kept", kept);
        Ok(())
    }
}

/// Whether there is a choice: only what is copied again counts, which takes a loop around parallel
/// ones.
fn is_open(ctx: &Context, function: Op) -> bool {
    let all = function.find_all::<scf::ParallelOp>(ctx);
    all.iter().any(|p| is_in_loop(ctx, p.op()))
}

/// The ops of a function's entry block that hold, but are not, such ops.
fn containers(ctx: &Context, function: Op, is: impl Fn(Op) -> bool) -> Vec<Op> {
    let holds = |o: &Op| {
        let inside = o.pre_order(ctx);
        !is(*o) && inside.into_iter().any(&is)
    };
    let ops = function.body(ctx, 0).ops(ctx);
    ops.into_iter().filter(holds).collect()
}

/// What is copied again in each of the `n` loops, if kernels are made of all that is
/// parallel. `None` where that cannot be told.
fn trial(ctx: &mut Context, function: Op, n: usize) -> Option<Vec<Seconds>> {
    let copy = clone_op(ctx, function, &mut IrMapping::new());
    copy.insert_after(ctx, function);
    let name = format!("{}.kernels", function.symbol_name(ctx).unwrap_or_default());
    copy.set_attr(ctx, "sym_name", ctx.string_attr(&name));
    map(ctx, copy, &Options::default());
    offload_fragments(ctx, copy);
    let placed = insert(ctx, copy, Scheme::Kernel).is_ok() && optimize(ctx, copy).is_ok();
    let loops = containers(ctx, copy, |o| o.isa::<gpu::LaunchOp>(ctx));
    let out = (placed && loops.len() == n).then(|| copied_again(ctx, copy, &loops));
    copy.erase(ctx);
    out
}
