//! `map-parallel-to-gpu`: each outermost parallel loop nest becomes a `gpu.launch`, its
//! iterations threads; one with results becomes two, which combine in a fixed order.
//!
//! Legal because iterations of `scf.parallel` may run in any order. What directives say of
//! gangs, workers and vectors is obeyed. Parallel loops inside a body run one iteration after
//! another in each thread.
//!
//! ```text
//! scf.parallel (%i) = (%l) to (%u) step (%s) {    gpu.launch blocks(...) threads(...) {
//!   body(%i)                                  =>    %k = block id * block size + thread id
//! }                                                 scf.if %k < trip count {
//!                                                     %i = %l + %k * %s
//!                                                     body(%i)
//!                                                   }
//!                                                 }
//! ```
//!
//! | file | what |
//! | --- | --- |
//! | `band` | the loops that threads are made of |
//! | `extremes` | bounds of bounds that depend on other loops |
//! | `nest`, `reduce` | grids of threads, and those that combine values |
//! | `reduce_steps` | the same in loops of the host |
//! | `shape` | threads of a block |
//! | `accesses` | strides along loops |
//! | `note`, `words` | what is said of a launch |

mod accesses;
mod band;
mod extremes;
mod nest;
mod note;
mod reduce;
mod reduce_steps;
pub(crate) mod shape;
mod words;

pub(super) use band::Band;
pub(super) use nest::split as iteration_numbers;
pub(crate) use words::{given_blocks, name_of};

use crate::analysis::directive::Sizes;
use crate::loops::sequentialize::{forall_to_parallel, sequentialize};
use terrace_dialects::arith;
use terrace_dialects::attributes::{GPU_NEST, XFER_ON_HOST};
use terrace_dialects::{func, gpu, scf};
use terrace_ir::affine::AffineExpr;
use terrace_ir::pass::{
    OptionInfo, OptionKind, Pass, PassContext, PassInfo, PassResult, StatisticInfo,
};
use terrace_ir::{Block, Builder, Context, InsertPoint, Loc, Op, OpKind, Type, Value};

pub static INFO: PassInfo = PassInfo {
    name: "map-parallel-to-gpu",
    title: "MapParallelToGpu",
    summary: "Turn outermost scf.parallel nests into gpu.launch",
    description: "Maps the loops of each outermost parallel nest to the x, y and z dimensions of a launch. Along x runs the loop along which accesses are closest together, or the innermost where a mapping was chosen before. A nest with results becomes two launches, of which the second combines what the blocks of the first leave.",
    anchor: Some(func::FuncOp::NAME),
    options: &[
        OptionInfo::new(
            "block-sizes",
            OptionKind::UIntList,
            "",
            "Threads of a block along x, y, z, the innermost loop along x; by default 256, 32x8 or 32x4x2 for 1, 2 or 3 mapped loops, fewer where they are short",
        ),
        OptionInfo::flag(
            "notes",
            "Leave on each launch what can be said of its loops and accesses",
        ),
    ],
    statistics: &[StatisticInfo::new(
        "num-launches",
        "Number of launches made",
    )],
    make: |o| {
        let sizes = o.uints("block-sizes");
        if sizes.len() > 3 {
            return Err(format!(
                "block-sizes has {} sizes, expected at most 3",
                sizes.len()
            ));
        }
        if let Some(s) = sizes.iter().find(|s| **s == 0 || **s > 1024) {
            return Err(format!(
                "block size {s} is out of range, expected 1 to 1024"
            ));
        }
        let threads: u64 = sizes.iter().product();
        if threads > 1024 {
            return Err(format!(
                "a block of {threads} threads is too large, expected at most 1024"
            ));
        }
        Ok(Box::new(MapParallel(Options {
            sizes: sizes.iter().map(|s| *s as i64).collect(),
            notes: o.bool("notes"),
        })))
    },
};

/// How nests are mapped.
#[derive(Debug, Clone, Default)]
pub(crate) struct Options {
    /// Threads of a block along x, y, z, where they are not the default.
    pub sizes: Vec<i64>,
    /// Launches get notes.
    pub notes: bool,
}

struct MapParallel(Options);

impl Pass for MapParallel {
    fn run(&mut self, ctx: &mut PassContext, op: Op) -> PassResult {
        let launches = map(ctx, op, &self.0);
        ctx.count("num-launches", launches);
        Ok(())
    }
}

/// Maps the outermost parallel nests in `root`, but for those that are kept on the host and
/// those that have no form on a device ([`refusal`]); the number of launches.
pub(crate) fn map(ctx: &mut Context, root: Op, options: &Options) -> u64 {
    for f in root.find_all::<scf::ForallOp>(ctx) {
        let inside = f.op().parent_of::<gpu::LaunchOp>(ctx).is_some();
        if !inside {
            // One with shared outputs stays: tensors are not the device's.
            let _ = forall_to_parallel(ctx, f);
        }
    }
    let mut launches = 0;
    // What a reduction may be depends on the launches beside it.
    let (nests, reductions): (Vec<_>, Vec<_>) =
        (outermost(ctx, root).into_iter()).partition(|p| p.op().num_results(ctx) == 0);
    for p in nests.into_iter().chain(reductions) {
        if p.op().attr(ctx, XFER_ON_HOST).is_none() && refusal(ctx, p).is_none() {
            launches += map_nest(ctx, root, p, options).len() as u64;
        }
    }
    launches
}

/// Replaces `p`, which is in `function`, by launches.
pub(crate) fn map_nest(
    ctx: &mut Context,
    function: Op,
    p: scf::ParallelOp,
    options: &Options,
) -> Vec<gpu::LaunchOp> {
    let clauses = Sizes::of_function(ctx, function);
    let mut m = Mapper {
        ctx,
        function,
        clauses,
        options,
    };
    let band = m.band(p);
    for l in &band.levels {
        m.clauses = m.clauses.with_loop(m.ctx, l.op);
    }
    match band.results {
        0 => m.nest(&band),
        _ => m.reduction(&band),
    }
}

/// The loops of `p`, which is in `function`, that threads can be made of, with their numbers of
/// iterations computed in front of it; and that along which neighbouring threads go.
pub(super) fn band_along_x(ctx: &mut Context, function: Op, p: scf::ParallelOp) -> (Band, usize) {
    let mut m = Mapper {
        clauses: Sizes::of_function(ctx, function),
        ctx,
        function,
        options: &Options::default(),
    };
    let band = m.band(p);
    let trips = band.levels.iter().map(|l| m.ctx.constant_int(l.trips));
    let trips: Vec<Option<i64>> = trips.collect();
    let strides = accesses::strides(m.ctx, &band);
    let x = m.along_x(&band, &strides, &trips);
    (band, x)
}

/// What keeps a parallel loop from running on a device.
pub(crate) fn refusal(ctx: &Context, p: scf::ParallelOp) -> Option<String> {
    reduce::refusal(ctx, p)
}

/// The state of mapping one nest.
struct Mapper<'c> {
    ctx: &'c mut Context,
    /// The function that holds the nest.
    function: Op,
    /// What directives on it and around it say.
    clauses: Sizes,
    options: &'c Options,
}

impl Mapper<'_> {
    /// An empty launch in front of `root`, for its nest: the body has its arguments and no
    /// terminator yet.
    fn launch(
        &mut self,
        root: Op,
        grid: [Value; 3],
        block: [Value; 3],
        shared: &[Type],
    ) -> (gpu::LaunchOp, Block) {
        let mut b = Builder::before(self.ctx, root);
        let (launch, entry) = gpu::LaunchOp::build(&mut b, grid, block, shared, &[]);
        if let Some(number) = root.attr(b.ctx, GPU_NEST) {
            launch.op().set_attr(b.ctx, GPU_NEST, number);
        }
        (launch, entry)
    }
}

/// Ends a launch's body, in which parallel loops become loops of a thread.
fn terminate(ctx: &mut Context, launch: gpu::LaunchOp, entry: Block, loc: Loc) {
    let mut b = Builder::new(ctx, InsertPoint::End(entry), loc);
    b.op::<gpu::TerminatorOp>(&[], &[], &[]);
    sequentialize_inside(ctx, launch.op());
}

/// The parallel loops inside `root` that no other parallel loop or launch holds.
pub(crate) fn outermost(ctx: &Context, root: Op) -> Vec<scf::ParallelOp> {
    let mut out = Vec::new();
    let mut work = vec![root];
    while let Some(op) = work.pop() {
        for b in op.blocks(ctx) {
            for o in b.ops(ctx) {
                match o.cast::<scf::ParallelOp>(ctx) {
                    Some(p) => out.push(p),
                    None if o.isa::<gpu::LaunchOp>(ctx) => {}
                    None => work.push(o),
                }
            }
        }
    }
    out
}

/// `a ceildiv n` for `a >= 0` and `n > 0`, simplified where constant.
pub(crate) fn divide_up(b: &mut Builder, a: Value, n: Value) -> Value {
    if b.ctx.constant_int(n) == Some(1) {
        return a;
    }
    if let (Some(x), Some(y)) = (b.ctx.constant_int(a), b.ctx.constant_int(n))
        && let Some(v) = AffineExpr::constant(x).ceil_div(y).as_constant()
    {
        return arith::constant_index(b, v);
    }
    let index = b.ctx.index();
    b.value::<arith::CeilDivSIOp>(&[a, n], index, &[])
}

/// Make the parallel loops inside a kernel loops that run one iteration after another.
pub(super) fn sequentialize_inside(ctx: &mut Context, root: Op) {
    for op in root.post_order(ctx) {
        if let Some(p) = op.cast::<scf::ParallelOp>(ctx) {
            sequentialize(ctx, p);
        }
    }
}
