//! `tile-to-threads`: blocks on tiles become launches, whose threads hold a part of each tile.
//!
//! ```text
//! scf.parallel (%i) = ... {                            gpu.launch blocks(%i) threads(32) {
//!   %x = tile.load %A[%i, d0] {tile.layout =             %j = %t * 4
//!     "<[128], reg = [4 @ (1)], lane = [32 @ (4)]>"} =>  %v = vector.load %A[%i, %j]
//!   %y = arith.mulf %x, %x                               %y0 = arith.mulf %v[0], %v[0] ...
//!   %s = tile.reduce addf %y, %zero axes [0]             %s = %y0 + ..., then by shuffles
//! } {gpu.mapper = "tile", gpu.block = [32, 1, 1]}      }
//! ```
//!
//! What the attribute `tile.layout` says of a tile decides which thread has which of its elements
//! in which register. Elementwise ops work register by register, since all their tiles have one
//! layout. Tiles that change threads do so by a buffer of the block. What all elements share is
//! computed by all threads; what stores it one thread does.
//!
//! There is a barrier wherever a thread may touch an element that another one has written, or
//! write one that another has touched. Two accesses with the same subscripts and layout are by the
//! same threads.
//!
//! | file | what |
//! | --- | --- |
//! | `launch` | the grid, and the block's threads |
//! | `body` | op by op |
//! | `registers` | what a thread has of a tile |
//! | `place` | the coordinates of what it has |
//! | `access` | loads and stores |
//! | `conditions` | which of them a thread makes |
//! | `reduce` | folds within a thread, a warp and the block |
//! | `convert` | tiles that change threads |
//! | `spread` | tiles that others are copies of |
//! | `hazards` | barriers |

mod access;
mod body;
mod conditions;
mod convert;
mod hazards;
mod launch;
mod limits;
mod place;
mod reduce;
mod registers;
mod spread;

use crate::gpu::map_parallel::outermost;
use crate::loops::mapper::{TILE, mapper_of};
use terrace_dialects::func;
use terrace_ir::Op;
use terrace_ir::OpKind;
use terrace_ir::pass::{Pass, PassContext, PassFailed, PassInfo, PassResult, StatisticInfo};

/// `tile-to-threads`.
pub static INFO: PassInfo = PassInfo {
    name: "tile-to-threads",
    title: "TileToThreads",
    summary: "Make launches of blocks on tiles, by the layouts of the tiles",
    description: "Makes a gpu.launch of each outermost scf.parallel whose mapper is `tile`: a block for each iteration, whose threads hold the tiles in registers as the attribute tile.layout says.",
    anchor: Some(func::FuncOp::NAME),
    statistics: &[StatisticInfo::new(
        "num-launches",
        "Number of launches made",
    )],
    make: |_| Ok(Box::new(ToThreads)),
    ..PassInfo::EMPTY
};

struct ToThreads;

/// What a tile op asks for that threads cannot do.
#[derive(Debug, Clone)]
struct Unable {
    op: Op,
    why: String,
}

impl Unable {
    fn new(op: Op, why: impl Into<String>) -> Unable {
        let why = why.into();
        Unable { op, why }
    }
}

impl Pass for ToThreads {
    fn run(&mut self, ctx: &mut PassContext, function: Op) -> PassResult {
        let mut failed = false;
        for p in outermost(ctx, function) {
            if mapper_of(ctx, p.op()) != Some(TILE) {
                continue;
            }
            match launch::launch(ctx, p) {
                Ok(()) => ctx.count("num-launches", 1),
                Err(e) => {
                    e.op.error(ctx, e.why);
                    failed = true;
                }
            }
        }
        match failed {
            true => Err(PassFailed),
            false => Ok(()),
        }
    }
}
