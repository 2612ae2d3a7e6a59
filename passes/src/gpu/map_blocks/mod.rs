//! `gpu-map-blocks`: parallel loops each of whose iterations is the work of a whole block.
//!
//! ```text
//! scf.parallel (%i) = ... {                      // gang       gpu.launch blocks(%i) threads(128) {
//!   %s = scf.parallel (%j) = ... reduce(addf) {  // vector       %p = scf.for %j = %tid ... step 128
//!     A[%i, %j]                                                  %s = the sum of all %p
//!   }                                                        =>  if %tid == 0 { S[%i] = %s }
//!   S[%i] = %s                                                   scf.for %j = %tid ... step 128 {
//!   scf.parallel (%j) = ... {                    // vector         B[%i, %j] = A[%i, %j] / %s
//!     B[%i, %j] = A[%i, %j] / %s                                 }
//!   }                                                          }
//! }
//! ```
//!
//! Directives say so: a loop is `gang`, and loops within it are `vector` or `worker` (OpenACC
//! 3.3, 2.5.3: a gang executes what stands between such loops once). What only computes, or
//! reads, all threads of the block do alike; what writes one thread does; the iterations of the
//! parallel loops inside are divided among the threads. Arrays that an iteration of the outer loop
//! has for itself are in workgroup memory.
//!
//! Legal because all threads of a block come to the same barriers: conditions and bounds around
//! them are computed from what all threads read alike. There is a barrier wherever a thread may
//! touch an element that another one has written, or write one that another has touched.
//!
//! | file | what |
//! | --- | --- |
//! | `find` | which loops, and whether they can be mapped so |
//! | `body` | what which thread does |
//! | `touched` | where barriers are needed |
//! | `combined` | what iterations combine, by way of memory |
//!
//! `gpu/combine.rs` has how all threads of a block combine a value.

mod body;
mod combined;
mod find;
mod touched;

use super::map_parallel::{divide_up, outermost};
use crate::analysis::directive::Sizes;
use crate::loops::build::index::{add, constant, div, max, min, mul, rem, sub};
use body::Body;
use find::{BlockNest, Level, find};
use terrace_dialects::attributes::{GPU_NEST, GPU_NOTE};
use terrace_dialects::{func, gpu, scf};
use terrace_ir::pass::{Pass, PassContext, PassInfo, PassResult, StatisticInfo};
use terrace_ir::{Builder, Context, InsertPoint, Op, OpKind, Value};

pub static INFO: PassInfo = PassInfo {
    name: "gpu-map-blocks",
    title: "GpuMapBlocks",
    summary: "Give each iteration of a gang loop to a block, whose threads share the loops in it",
    description: "Makes a gpu.launch of each outermost scf.parallel whose directive says gang, or in which loops are vector or worker: one block for each iteration, with barriers between what its threads do together.",
    anchor: Some(func::FuncOp::NAME),
    statistics: &[StatisticInfo::new(
        "num-launches",
        "Number of launches made",
    )],
    make: |_| Ok(Box::new(MapBlocks)),
    ..PassInfo::EMPTY
};

struct MapBlocks;

impl Pass for MapBlocks {
    fn run(&mut self, ctx: &mut PassContext, function: Op) -> PassResult {
        let sizes = Sizes::of_function(ctx, function);
        for p in outermost(ctx, function) {
            let mut found = find(ctx, p, sizes);
            if found.is_some() && p.op().num_results(ctx) > 0 {
                let rows = combined::through_memory(ctx, p);
                found = rows.and_then(|rows| find(ctx, rows, sizes));
            }
            if let Some(nest) = found {
                launch(ctx, &nest);
                ctx.count("num-launches", 1);
            }
        }
        Ok(())
    }
}

/// The number of iterations of a loop, at least 0.
fn trips(b: &mut Builder, l: &Level) -> Value {
    let length = sub(b, l.upper, l.lower);
    let zero = constant(b, 0);
    let length = match b.ctx.constant_int(length) {
        Some(n) => constant(b, n.max(0)),
        None => max(b, length, zero),
    };
    divide_up(b, length, l.step)
}

/// The counters of loops in iteration number `k` of all of them together, the last fastest.
fn counters(b: &mut Builder, levels: &[Level], trips: &[Value], k: Value) -> Vec<Value> {
    let mut rest = k;
    let mut all = Vec::new();
    for (i, (l, n)) in levels.iter().zip(trips).enumerate().rev() {
        let own = match i {
            0 => rest,
            _ => {
                let own = rem(b, rest, *n);
                rest = div(b, rest, *n);
                own
            }
        };
        let own = match b.ctx.constant_int(l.step) {
            Some(1) => own,
            _ => mul(b, own, l.step),
        };
        all.push(add(b, l.lower, own));
    }
    all.reverse();
    all
}

fn product(b: &mut Builder, values: &[Value]) -> Value {
    let one = constant(b, 1);
    let all = values.iter().copied();
    all.reduce(|x, y| mul(b, x, y)).unwrap_or(one)
}

/// Puts the launch in the place of the loop.
fn launch(ctx: &mut Context, nest: &BlockNest) {
    let root = nest.root.op();
    let b = &mut Builder::before(ctx, root);
    let counts: Vec<Value> = nest.levels.iter().map(|l| trips(b, l)).collect();
    let total = product(b, &counts);
    let blocks = match nest.gangs {
        Some(n) => {
            let gangs = constant(b, n);
            min(b, total, gangs)
        }
        None => total,
    };
    let (one, threads) = (constant(b, 1), constant(b, nest.threads));
    let (launch, entry) = gpu::LaunchOp::build(
        b,
        [blocks, one, one],
        [threads, one, one],
        &nest.shared,
        &[],
    );
    if let Some(number) = root.attr(b.ctx, GPU_NEST) {
        launch.op().set_attr(b.ctx, GPU_NEST, number);
    }
    let words = b.ctx.string_attr(&nest.words(b.ctx));
    launch.op().set_attr(b.ctx, GPU_NOTE, words);
    let (block, thread) = (launch.block_ids(b.ctx)[0], launch.thread_ids(b.ctx)[0]);
    let buffers = launch.workgroup_attributions(b.ctx);
    b.at = InsertPoint::End(entry);
    b.op::<gpu::TerminatorOp>(&[], &[], &[]);
    b.at = InsertPoint::Start(entry);
    let mut number = block;
    if nest.gangs.is_some() {
        // Gangs take turns; from the operand, as reductions do.
        let (_, turn) = scf::ForOp::build(b, block, total, blocks, &[]);
        b.with_point(InsertPoint::End(turn), |b| {
            scf::YieldOp::build(b, &[]);
        });
        number = turn.arg(b.ctx, 0);
        b.at = InsertPoint::Start(turn);
    }
    let Some(place) = b.block() else { return };
    let ivs = counters(b, &nest.levels, &counts, number);
    for (l, iv) in nest.levels.iter().zip(ivs) {
        l.iv.replace_all_uses(b.ctx, iv);
    }
    let ctx = &mut *b.ctx;
    let end = place.last_op(ctx);
    for op in nest.between.iter().chain(&nest.ops) {
        op.unlink(ctx);
        match end {
            Some(end) => op.insert_before(ctx, end),
            None => place.push_back(ctx, *op),
        }
    }
    Body::new(ctx, nest, thread, &buffers).all(ctx, place, nest.gangs.is_some());
    root.erase(ctx);
}
