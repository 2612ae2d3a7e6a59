//! `map-parallel-to-gpu`: each outermost parallel loop nest becomes a `gpu.launch`,
//! its iterations threads.
//!
//! Legal because iterations of `scf.parallel` may run in any order. Parallel loops
//! perfectly nested in one another make one nest. The innermost loop runs along x,
//! the next along y, the third along z; further ones and parallel loops inside the
//! body run one iteration after another in each thread. Nests with results stay on
//! the host, since a reduction across threads is not made here.
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

use super::stencils::block_of;
use crate::loops::sequentialize::sequentialize;
use terrace_dialects::arith::{self, CmpIPredicate};
use terrace_dialects::attributes::{GPU_NEST, XFER_ON_HOST};
use terrace_dialects::func;
use terrace_dialects::{gpu, scf};
use terrace_ir::affine::AffineExpr;
use terrace_ir::effects::is_pure;
use terrace_ir::pass::{
    OptionInfo, OptionKind, Pass, PassContext, PassInfo, PassResult, StatisticInfo,
};
use terrace_ir::{Block, Builder, Context, InsertPoint, Op, OpKind, Value};

pub static INFO: PassInfo = PassInfo {
    name: "map-parallel-to-gpu",
    title: "MapParallelToGpu",
    summary: "Turn outermost scf.parallel nests into gpu.launch",
    description: "Maps the loops of each outermost parallel nest to the x, y and z dimensions of a launch, the innermost to x.",
    anchor: Some(func::FuncOp::NAME),
    options: &[OptionInfo {
        name: "block-sizes",
        kind: OptionKind::UIntList,
        default: "",
        doc: "Threads of a block along x, y, z; by default 256, 32x8 or 32x4x2 for 1, 2 or 3 mapped loops",
    }],
    statistics: &[StatisticInfo {
        name: "num-launches",
        doc: "Number of launches made",
    }],
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
        Ok(Box::new(MapParallel {
            sizes: sizes.iter().map(|s| *s as i64).collect(),
        }))
    },
};

struct MapParallel {
    sizes: Vec<i64>,
}

impl Pass for MapParallel {
    fn run(&mut self, ctx: &mut PassContext, op: Op) -> PassResult {
        let launches = map(ctx, op, &self.sizes);
        ctx.count("num-launches", launches);
        Ok(())
    }
}

/// Maps the outermost parallel nests in `root`, but for those with results and those that
/// are kept on the host; the number of launches. `sizes` of a block along x, y, z, where
/// they are not the default.
pub(crate) fn map(ctx: &mut Context, root: Op, sizes: &[i64]) -> u64 {
    let mut launches = 0;
    for p in outermost(ctx, root) {
        if p.op().num_results(ctx) == 0 && p.op().attr(ctx, XFER_ON_HOST).is_none() {
            map_nest(ctx, p, sizes);
            launches += 1;
        }
    }
    launches
}

/// The parallel loops inside `root` that no other parallel loop or launch holds.
pub(crate) fn outermost(ctx: &Context, root: Op) -> Vec<scf::ParallelOp> {
    let mut out = Vec::new();
    let mut work = vec![root];
    while let Some(op) = work.pop() {
        for b in op.regions(ctx).iter().flat_map(|r| r.blocks(ctx)) {
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

/// One loop of a nest.
#[derive(Clone, Copy)]
struct Loop {
    iv: Value,
    lower: Value,
    upper: Value,
    step: Value,
}

/// The loops of `p` and of the parallel loops nested in it with nothing but pure ops
/// between, outer first, and the innermost body. The pure ops move into that body:
/// they are computed again in each inner iteration, which then is a thread.
fn band(ctx: &mut Context, p: scf::ParallelOp) -> (Vec<Loop>, Block) {
    let mut loops = Vec::new();
    let mut between: Vec<Op> = Vec::new();
    let mut p = p;
    let innermost = loop {
        let bounds = p
            .lower_bounds(ctx)
            .into_iter()
            .zip(p.upper_bounds(ctx))
            .zip(p.steps(ctx));
        for (iv, ((lower, upper), step)) in p.induction_vars(ctx).into_iter().zip(bounds) {
            loops.push(Loop {
                iv,
                lower,
                upper,
                step,
            });
        }
        let body = p.body(ctx);
        match only_nested(ctx, body) {
            Some((inner, pure)) => {
                between.extend(pure);
                p = inner;
            }
            None => break body,
        }
    };
    // The last goes to the front first, so that their order stays.
    for op in between.into_iter().rev() {
        op.unlink(ctx);
        innermost.push_front(ctx, op);
    }
    (loops, innermost)
}

/// The parallel loop that is all there is in `body` besides pure ops in front of it,
/// if its bounds do not depend on the body.
fn only_nested(ctx: &Context, body: Block) -> Option<(scf::ParallelOp, Vec<Op>)> {
    let mut ops = body.ops(ctx);
    ops.pop()?;
    let inner = ops.pop()?.cast::<scf::ParallelOp>(ctx)?;
    let outside = |v: &Value| v.block(ctx) != Some(body);
    let ok = inner.op().num_results(ctx) == 0
        && inner.op().operands(ctx).iter().all(outside)
        && ops.iter().all(|o| is_pure(ctx, *o));
    ok.then_some((inner, ops))
}

/// Blocks along y and z that a grid may have (CUDA C++ Programming Guide, Technical
/// Specifications per Compute Capability). Longer loops go round.
const MAX_BLOCKS_YZ: i64 = 65535;

fn map_nest(ctx: &mut Context, p: scf::ParallelOp, sizes: &[i64]) {
    let (wanted, number) = (block_of(ctx, p.op()), p.op().attr(ctx, GPU_NEST));
    let (loops, body) = band(ctx, p);
    let mapped = loops.len().min(3);
    let (outer, inner) = loops.split_at(loops.len() - mapped);
    let default: &[i64] = match mapped {
        1 => &[256],
        2 => &[32, 8],
        _ => &[32, 4, 2],
    };
    let default = wanted.as_ref().map_or(default, |w| &w[..]);
    let size = |d: usize| sizes.get(d).or(default.get(d)).copied().unwrap_or(1);
    let mut b = Builder::before(ctx, p.op());
    let one = arith::constant_index(&mut b, 1);
    let (mut grid, mut block) = ([one; 3], [one; 3]);
    let mut trips = Vec::new();
    // x is the innermost loop.
    for (d, l) in inner.iter().rev().enumerate() {
        let trip = trip_count(&mut b, l);
        trips.push(trip);
        block[d] = arith::constant_index(&mut b, size(d));
        let blocks = divide_up(&mut b, trip, block[d]);
        grid[d] = blocks;
        if d > 0 {
            let most = arith::constant_index(&mut b, MAX_BLOCKS_YZ);
            let index = b.ctx.index();
            grid[d] = b.value::<arith::MinSIOp>(&[blocks, most], index, &[]);
        }
    }
    let (launch, entry) = gpu::LaunchOp::build(&mut b, grid, block, &[], &[]);
    if let Some(number) = number {
        launch.op().set_attr(b.ctx, GPU_NEST, number);
    }
    let (bids, tids) = (launch.block_ids(b.ctx), launch.thread_ids(b.ctx));
    let (grids, blocks) = (launch.grid_size_args(b.ctx), launch.block_size_args(b.ctx));
    b.at = InsertPoint::End(entry);
    b.op::<gpu::TerminatorOp>(&[], &[], &[]);
    let mut at = InsertPoint::Start(entry);
    let index = b.ctx.index();
    // Along z and y a thread goes round with the size of the grid as its stride, in
    // loops outside the guard for x.
    for (d, l) in inner.iter().rev().enumerate().rev() {
        b.at = at;
        let base = b.value::<arith::MulIOp>(&[bids[d], blocks[d]], index, &[]);
        let first = b.value::<arith::AddIOp>(&[base, tids[d]], index, &[]);
        let k = if d == 0 {
            let inside = arith::CmpIOp::build(&mut b, CmpIPredicate::Slt, first, trips[0]);
            let s = b.state::<scf::IfOp>().operands(&[inside]).regions(2);
            let guard = b.create(s);
            let then = guard.region(b.ctx, 0).add_block(b.ctx, &[]);
            end_with_yield(&mut b, then);
            at = InsertPoint::Start(then);
            first
        } else {
            let stride = b.value::<arith::MulIOp>(&[grids[d], blocks[d]], index, &[]);
            let (inner_block, iv) = open_for(&mut b, first, trips[d], stride);
            at = InsertPoint::Start(inner_block);
            iv
        };
        b.at = at;
        let scaled = b.value::<arith::MulIOp>(&[k, l.step], index, &[]);
        let iv = b.value::<arith::AddIOp>(&[l.lower, scaled], index, &[]);
        l.iv.replace_all_uses(b.ctx, iv);
        at = b.at;
    }
    b.at = at;
    for l in outer {
        let (block, iv) = open_for(&mut b, l.lower, l.upper, l.step);
        l.iv.replace_all_uses(b.ctx, iv);
        b.at = InsertPoint::Start(block);
    }
    // The body goes where the innermost loop's code is, without its terminator.
    let place = b.at;
    let ctx = b.ctx;
    for op in body.ops(ctx) {
        if op.isa::<scf::ReduceOp>(ctx) {
            op.erase(ctx);
        }
    }
    let mut last = place;
    for op in body.ops(ctx) {
        op.unlink(ctx);
        match last {
            InsertPoint::After(m) => op.insert_after(ctx, m),
            InsertPoint::Start(blk) => blk.push_front(ctx, op),
            _ => unreachable!("the place is behind an op or at the start of a block"),
        }
        last = InsertPoint::After(op);
    }
    p.op().erase(ctx);
    sequentialize_inside(ctx, launch.op());
}

fn end_with_yield(b: &mut Builder, block: Block) {
    b.with_point(InsertPoint::End(block), |b| {
        b.op::<scf::YieldOp>(&[], &[], &[]);
    });
}

/// An `scf.for` without carried values; its body holds only the terminator.
fn open_for(b: &mut Builder, lower: Value, upper: Value, step: Value) -> (Block, Value) {
    let s = b
        .state::<scf::ForOp>()
        .operands(&[lower, upper, step])
        .regions(1);
    let op = b.create(s);
    let index = b.ctx.index();
    let block = op.region(b.ctx, 0).add_block(b.ctx, &[index]);
    end_with_yield(b, block);
    (block, block.arg(b.ctx, 0))
}

/// `max(0, upper - lower) ceildiv step`.
fn trip_count(b: &mut Builder, l: &Loop) -> Value {
    let index = b.ctx.index();
    let length = b.value::<arith::SubIOp>(&[l.upper, l.lower], index, &[]);
    let zero = arith::constant_index(b, 0);
    let length = b.value::<arith::MaxSIOp>(&[length, zero], index, &[]);
    divide_up(b, length, l.step)
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
