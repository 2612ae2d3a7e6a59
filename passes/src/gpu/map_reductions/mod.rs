//! `gpu-map-reductions`: parallel loops whose threads each go along a row or a column of
//! a matrix, with the matrix brought in ahead of them.
//!
//! ```text
//! scf.parallel (%i) = (%c0) to (%n) step (%c1) {
//!   scf.for %j = %c0 to %m step %c1 {
//!     y[%i] = y[%i] + A[%i, %j] * x[%j]
//!   }
//! }
//! ```
//!
//! One thread a row loads elements that are a row apart from those of its neighbours, and
//! one thread a column is too few threads to keep the memory busy. Here one warp of a block
//! has 32 iterations of `%i`, and goes along `%j` in tiles. Two other warps copy tiles of
//! what the loop loads to workgroup memory in the background, several ahead, their lanes
//! along whatever is contiguous; from there each thread takes its elements one after another. So every sum keeps its order, and what a program computes stays the
//! same to the last bit, while as many bytes are under way as workgroup memory holds (the
//! latency of the memory times its bandwidth: J. D. C. Little, "A proof for the queuing
//! formula L = λW", 1961). Elements that are accumulated in memory stay in a register
//! while the loop runs. What a loop stores along its row waits in a tile, too, which the warps that
//! copy bring to its array while the next one is filled.
//!
//! | file | what |
//! | --- | --- |
//! | `plan` | which loops: what is loaded how, what stays in registers |
//! | `stores` | which stores wait in tiles |
//! | `extent` | how long a loop is at most, where that differs from thread to thread |
//! | `policy` | sizes of tiles, how many, and for which numbers of iterations |
//! | `emit` | the kernel |

mod emit;
mod extent;
mod plan;
mod policy;
mod stores;

use crate::analysis::directive::is_free;
use crate::analysis::source;
use emit::emit;
pub(crate) use plan::{ReductionKernel, Way, plan};
pub(crate) use policy::{BLOCK, THREADS, tiles_of};
use policy::{When, when};
use terrace_dialects::attributes::{GPU_AHEAD, GPU_MAPPER, GPU_NEST, GPU_NOTE, XFER_ON_HOST};
use terrace_dialects::func;

use super::map::{REDUCTION, mapper_of};
use super::map_parallel::outermost;
use terrace_dialects::{arith, gpu, scf};
use terrace_ir::pass::{Pass, PassContext, PassInfo, PassResult, StatisticInfo};
use terrace_ir::{Builder, Context, InsertPoint, Op, OpKind, Type, Value};

pub static INFO: PassInfo = PassInfo {
    name: "gpu-map-reductions",
    title: "GpuMapReductions",
    summary: "Turn parallel loops along rows and columns of matrices into kernels that copy ahead",
    description: "Makes a gpu.launch of each outermost scf.parallel over one counter in which loops go along rows or columns of arrays: blocks with one warp of them, tiles of the arrays copied to workgroup memory ahead of the iterations that use them, and tiles of what is stored copied back behind them. Every sum keeps its order. Loops that turn out to be short when the program runs stay parallel loops.",
    anchor: Some(func::FuncOp::NAME),
    statistics: &[StatisticInfo::new(
        "num-launches",
        "Number of launches made",
    )],
    make: |_| Ok(Box::new(MapReductions)),
    ..PassInfo::EMPTY
};

struct MapReductions;

impl Pass for MapReductions {
    fn run(&mut self, ctx: &mut PassContext, op: Op) -> PassResult {
        let mut launches = 0;
        for p in outermost(ctx, op) {
            if p.op().attr(ctx, XFER_ON_HOST).is_some() {
                continue;
            }
            let wanted = match mapper_of(ctx, p.op()) {
                Some(REDUCTION) => true,
                Some(_) => continue,
                None if !is_free(ctx, p.op()) => continue,
                None => false,
            };
            p.op().remove_attr(ctx, GPU_MAPPER);
            let made = plan(ctx, p).is_some_and(|plan| replace(ctx, &plan));
            if wanted && !made {
                let m = "is to be mapped as a reduction along rows or columns, but no loop in it \
                         is one that is long enough for that";
                return ctx.fail(p.op(), m);
            }
            launches += u64::from(made);
        }
        ctx.count("num-launches", launches);
        Ok(())
    }
}

/// Put a launch in the place of the loop, or beside it for numbers of iterations that
/// only the program knows. False where it would not pay.
fn replace(ctx: &mut Context, plan: &ReductionKernel) -> bool {
    let root = plan.root.op();
    let mut b = Builder::before(ctx, root);
    let index = b.ctx.index();
    let length = b.value::<arith::SubIOp>(&[plan.upper, plan.lower], index, &[]);
    let zero = arith::constant_index(&mut b, 0);
    let trips = b.value::<arith::MaxSIOp>(&[length, zero], index, &[]);
    match when(&mut b, plan, trips, &|_, _| true) {
        When::Never => return false,
        When::Always => launch(&mut b, plan, trips, false),
        When::If(condition) => {
            let (_, then, other) = scf::IfOp::build(&mut b, condition, &[], true);
            b.with_point(InsertPoint::End(then), |b| {
                launch(b, plan, trips, true);
                scf::YieldOp::build(b, &[]);
            });
            if let Some(other) = other {
                root.move_to_end(b.ctx, other);
                b.at = InsertPoint::End(other);
                scf::YieldOp::build(&mut b, &[]);
                return true;
            }
        }
    }
    root.erase(b.ctx);
    true
}

/// The launch, which runs `sometimes`, where there are enough iterations.
fn launch(b: &mut Builder, plan: &ReductionKernel, trips: Value, sometimes: bool) {
    let one = arith::constant_index(b, 1);
    let threads = arith::constant_index(b, policy::THREADS);
    let index = b.ctx.index();
    let blocks = b.value::<arith::CeilDivSIOp>(&[trips, threads], index, &[]);
    let threads = arith::constant_index(b, policy::BLOCK);
    let shared = shared(b.ctx, plan);
    let number = plan.root.op().attr(b.ctx, GPU_NEST);
    let (launch, entry) =
        gpu::LaunchOp::build(b, [blocks, one, one], [threads, one, one], &shared, &[]);
    if let Some(number) = number {
        launch.op().set_attr(b.ctx, GPU_NEST, number);
    }
    let mut words = words(b.ctx, plan);
    if sometimes {
        words += "; runs where the program finds that it pays, else the next kernel does";
    }
    let words = b.ctx.string_attr(&words);
    launch.op().set_attr(b.ctx, GPU_NOTE, words);
    let tiles = plan.tiles(b.ctx);
    let sizes = b
        .ctx
        .i64_array(&[tiles.columns, tiles.stages, tiles.shared_bytes]);
    launch.op().set_attr(b.ctx, GPU_AHEAD, sizes);
    b.with_point(InsertPoint::End(entry), |b| {
        emit(b, plan, launch, trips);
        b.op::<gpu::TerminatorOp>(&[], &[], &[]);
    });
    super::map_parallel::sequentialize_inside(b.ctx, launch.op());
}

/// What is copied how, as a clause.
fn words(ctx: &Context, plan: &ReductionKernel) -> String {
    let mut names: Vec<String> = Vec::new();
    for load in plan.loops.iter().flat_map(|l| &l.loads) {
        let name = source::array(ctx, load.memref);
        if !name.is_empty() && !names.contains(&name) {
            names.push(name);
        }
    }
    let arrays = match names.split_last() {
        None => "what it reads".to_string(),
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
    };
    let back = match plan.stores() {
        true => ", and copy what these store",
        false => "",
    };
    format!(
        "{} threads of a block copy {arrays} to shared memory in tiles of {} iterations, {} ahead \
         of the tile that the other {THREADS} use{back}; sums keep their order",
        policy::COPIERS,
        plan.columns,
        plan.stages - 1
    )
}

/// The types of the buffers that a launch for `plan` needs.
pub(crate) fn shared(ctx: &Context, plan: &ReductionKernel) -> Vec<Type> {
    let loaded = plan.pool.iter();
    let loaded = loaded.map(|t| t.buffer(ctx, plan.columns, plan.stages));
    let stored = plan.stored.iter();
    let stored = stored.map(|t| policy::stored_buffer(ctx, *t, plan.columns));
    loaded.chain(stored).collect()
}
