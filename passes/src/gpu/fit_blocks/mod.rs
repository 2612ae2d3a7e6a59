//! `gpu-fit-blocks`: the host computes the shape of a launch's blocks from the extents of its
//! loops, where these are known only when the program runs.
//!
//! ```text
//! %g = ceildiv(%n, 32)                      %x = n < 128 ? n : 32 (and so on along y and z)
//!                                      =>   %g = ceildiv(%n, %x)
//! gpu.launch blocks(%g, ...) threads(32, 4, 2)   gpu.launch blocks(%g, ...) threads(%x, %y, %z)
//! ```
//!
//! Blocks of a fixed shape leave most lanes idle where rows are short: of 32 along rows of two
//! elements 30. `map-parallel-to-gpu` marks the launches whose blocks nobody asked for
//! (`gpu.extents`). Up to here they have the shape for long loops, since whatever reasons about
//! threads wants constants.
//!
//! Legal since a thread of a marked launch knows which iterations are its own by nothing but
//! `block id * block size + thread id`, and leaves out those that there are not.
//!
//! | file | what |
//! | --- | --- |
//! | `shape` | which shape |

pub(crate) mod shape;

use crate::gpu::map_parallel::divide_up;
use shape::{Host, shape};
use terrace_dialects::arith;
use terrace_dialects::attributes::{GPU_EXTENTS, NVVM_MAXNTID};
use terrace_dialects::{func, gpu};
use terrace_ir::pass::{Pass, PassContext, PassInfo, PassResult, StatisticInfo};
use terrace_ir::{Builder, Context, Op, OpKind, Value};

pub static INFO: PassInfo = PassInfo {
    name: "gpu-fit-blocks",
    title: "GpuFitBlocks",
    summary: "Compute shapes of blocks from the extents of loops where a program runs",
    description: "Launches that map-parallel-to-gpu has marked, of loops with extents that are not constant, get blocks of at most as many threads as they had, in a shape that leaves few lanes idle.",
    anchor: Some(func::FuncOp::NAME),
    statistics: &[StatisticInfo::new(
        "num-launches",
        "Number of launches whose blocks are fitted",
    )],
    make: |_| Ok(Box::new(FitBlocks)),
    ..PassInfo::EMPTY
};

/// In `gpu.extents`, an extent that is no constant.
pub(crate) const UNKNOWN: i64 = -1;

struct FitBlocks;

impl Pass for FitBlocks {
    fn run(&mut self, ctx: &mut PassContext, function: Op) -> PassResult {
        let mut fitted = 0;
        for l in function.find_all::<gpu::LaunchOp>(ctx) {
            let Some(extents) = l.op().remove_attr(ctx, GPU_EXTENTS) else {
                continue;
            };
            let extents = extents.as_i64_array(ctx).unwrap_or_default();
            if let Some(plan) = Plan::of(ctx, l, &extents) {
                plan.apply(ctx);
                fitted += 1;
            }
        }
        ctx.count("num-launches", fitted);
        Ok(())
    }
}

/// How many iterations there are along an axis.
#[derive(Debug, Clone, Copy)]
enum Extent {
    Known(i64),
    At(Value),
}

/// A launch that can have blocks of any shape.
struct Plan {
    launch: gpu::LaunchOp,
    extents: [Extent; 3],
    /// The shape for long loops.
    wanted: [i64; 3],
    /// The most blocks that there are along each axis, where threads go round.
    most: [Option<Value>; 3],
    /// The numbers of a thread's first iterations.
    firsts: [Vec<Value>; 3],
}

impl Plan {
    fn of(ctx: &Context, launch: gpu::LaunchOp, known: &[i64]) -> Option<Plan> {
        let mut plan = Plan {
            launch,
            extents: [Extent::Known(1); 3],
            wanted: [1; 3],
            most: [None; 3],
            firsts: Default::default(),
        };
        let (grid, block) = (launch.grid_size(ctx), launch.block_size(ctx));
        for d in 0..3 {
            let size = ctx.constant_int(block[d]).filter(|n| *n > 0)?;
            plan.wanted[d] = size;
            let n = *known.get(d)?;
            if n == UNKNOWN {
                let (extent, most) = extent(ctx, grid[d], size)?;
                (plan.extents[d], plan.most[d]) = (Extent::At(extent), most);
            } else {
                // Where they are pieces of a grid they are no longer what was mapped.
                let blocks = ctx.constant_int(grid[d])?;
                if blocks != (n + size - 1) / size {
                    return None;
                }
                plan.extents[d] = Extent::Known(n);
            }
            plan.firsts[d] = firsts(ctx, launch, d)?;
        }
        Some(plan)
    }

    fn apply(self, ctx: &mut Context) {
        let launch = self.launch;
        let mut b = Builder::before(ctx, launch.op());
        let extents = self.extents.map(|e| match e {
            Extent::Known(n) => arith::constant_index(&mut b, n),
            Extent::At(v) => v,
        });
        let sizes = shape(&mut Host(&mut b), extents, self.wanted);
        let index = b.ctx.index();
        let start = launch.async_dependencies(b.ctx).len();
        for d in 0..3 {
            let mut blocks = divide_up(&mut b, extents[d], sizes[d]);
            if let Some(most) = self.most[d] {
                blocks = b.value::<arith::MinSIOp>(&[blocks, most], index, &[]);
            }
            launch.op().set_operand(b.ctx, start + d, blocks);
            launch.op().set_operand(b.ctx, start + 3 + d, sizes[d]);
        }
        let wanted = self.wanted.map(|n| n as i32);
        let most = b.ctx.i32_array(&wanted);
        launch.op().set_attr(b.ctx, NVVM_MAXNTID, most);
        let (body, loc) = (launch.body(b.ctx), launch.op().loc(b.ctx));
        let mut b = Builder::at_start(b.ctx, body, loc);
        for (d, old) in self
            .firsts
            .iter()
            .enumerate()
            .filter(|(_, f)| !f.is_empty())
        {
            let (block, thread) = (launch.block_ids(b.ctx)[d], launch.thread_ids(b.ctx)[d]);
            let size = launch.block_size_args(b.ctx)[d];
            let base = b.value::<arith::MulIOp>(&[block, size], index, &[]);
            let first = b.value::<arith::AddIOp>(&[base, thread], index, &[]);
            let own = first.def_op();
            for v in old {
                v.replace_uses_if(b.ctx, first, |u| Some(u.op) != own);
            }
        }
    }
}

/// The iterations of which a grid has so many blocks of `size`, and how many blocks it has at
/// most: `min(ceildiv(n, size), most)`.
fn extent(ctx: &Context, blocks: Value, size: i64) -> Option<(Value, Option<Value>)> {
    let (mut blocks, mut most) = (blocks, None);
    if let Some(min) = blocks.def_op().filter(|o| o.isa::<arith::MinSIOp>(ctx)) {
        let is_constant = |v: Value| ctx.constant_int(v).is_some();
        if is_constant(min.operand(ctx, 1)) {
            (blocks, most) = (min.operand(ctx, 0), Some(min.operand(ctx, 1)));
        }
    }
    if size == 1 {
        return Some((blocks, most));
    }
    let divided = (blocks.def_op()).filter(|o| o.isa::<arith::CeilDivSIOp>(ctx))?;
    let same = ctx.constant_int(divided.operand(ctx, 1)) == Some(size);
    same.then(|| (divided.operand(ctx, 0), most))
}

/// The values that are `block id * block size + thread id` along an axis; `None` where something
/// else depends on how iterations are divided among blocks. An id that is 0 may be missing.
fn firsts(ctx: &Context, launch: gpu::LaunchOp, d: usize) -> Option<Vec<Value>> {
    let (block, thread) = (launch.block_ids(ctx)[d], launch.thread_ids(ctx)[d]);
    let (grid, size) = (
        launch.grid_size_args(ctx)[d],
        launch.block_size_args(ctx)[d],
    );
    let product = |op: &Op, a: Value, b: Value| {
        let v = op.operands(ctx);
        op.isa::<arith::MulIOp>(ctx) && (v == [a, b] || v == [b, a])
    };
    if !grid.users(ctx).iter().all(|o| product(o, grid, size)) {
        return None;
    }
    let bases = block.users(ctx);
    if !bases.iter().all(|o| product(o, block, size)) {
        return None;
    }
    let known = |o: &Op| product(o, grid, size) || product(o, block, size);
    if !size.users(ctx).iter().all(known) {
        return None;
    }
    let bases: Vec<Value> = bases.iter().map(|o| o.result(ctx, 0)).collect();
    let threads = thread.users(ctx);
    if bases.is_empty() {
        return Some(match threads.is_empty() {
            true => Vec::new(),
            false => vec![thread],
        });
    }
    if threads.is_empty() {
        return Some(bases);
    }
    let sum = |o: &Op| {
        let v = o.operands(ctx);
        let is = |a: Value, b: Value| a == thread && bases.contains(&b);
        o.isa::<arith::AddIOp>(ctx) && (is(v[0], v[1]) || is(v[1], v[0]))
    };
    let ends = |v: &Value| v.users(ctx).iter().all(sum);
    (threads.iter().all(sum) && bases.iter().all(ends))
        .then(|| threads.iter().map(|o| o.result(ctx, 0)).collect())
}
