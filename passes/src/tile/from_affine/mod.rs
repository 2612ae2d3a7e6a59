//! `tile-from-affine`: what an iteration of parallel loops does becomes what a block does on
//! tiles.
//!
//! ```text
//! affine.parallel (%i) = (0) to (%m) {          affine.parallel (%i) = (0) to (%m) {
//!   %s = affine.for %j iter_args(%t) {            %x = tile.load %A[%i, d0] limits [%n]
//!     %a = affine.load %A[%i, %j]                 %s = tile.reduce addf %x, %zero axes [0] limits [%n]
//!     affine.yield %t + %a                   =>   %b = vector.broadcast %s
//!   }                                             %q = arith.divf %x, %b
//!   affine.for %j {                               tile.store %q, %B[%i, d0] limits [%n]
//!     %a = affine.load %A[%i, %j]               } {gpu.mapper = "tile", gpu.block = [256, 1, 1]}
//!     affine.store %a / %s, %B[%i, %j]
//!   }
//! }
//! ```
//!
//! It goes by the roles of loops. A parallel loop is of the grid, or a dimension of tiles where
//! memory is adjacent along it. A loop inside is a dimension of tiles where its iterations depend
//! on each other by sums and extrema alone. What is loaded or stored at the same subscripts by
//! several of these loops stays in registers. A row that is too long for a block's registers is
//! gone through piece by piece, in each of the loops anew.
//!
//! Legal because all iterations that share a tile may run in any order. So may all statements of
//! one loop, each for all iterations at once, as the loop carries no dependence.
//!
//! | file | what |
//! | --- | --- |
//! | `find` | what a nest is made of |
//! | `normalize` | conditions on what loops carry |
//! | `conditions` | conditions in it |
//! | `expressions` | loop variables and what is affine in them |
//! | `policy` | which loops are dimensions of tiles, of which size, in which layout |
//! | `subscripts` | subscripts over the dimensions of tiles |
//! | `versions` | which sizes and alignments have tiles of their own |
//! | `translate` | the block's code |
//! | `protect` | ops that run for more elements than in the program |
//! | `accesses` | what it loads and stores |
//! | `stream` | loops that are gone through in pieces |
//! | `split` | iterations that several blocks share |
//! | `memory` | what of memory is in registers |

mod accesses;
mod conditions;
mod expressions;
mod find;
mod memory;
mod normalize;
mod policy;
mod protect;
mod split;
mod stream;
mod subscripts;
mod translate;
mod versions;

use crate::analysis::directive::is_free;
use crate::gpu::map::{Taken, mapper_of, nests, taken};
use find::Nest;
use terrace_dialects::affine::ParallelOp;
use terrace_dialects::func;
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::pass::{OptionInfo, Pass, PassContext, PassInfo, PassResult, StatisticInfo};
use terrace_ir::{Context, Op, OpKind};

/// `tile-from-affine`.
pub static INFO: PassInfo = PassInfo {
    name: "tile-from-affine",
    title: "TileFromAffine",
    summary: "Make of parallel loops what blocks do on tiles",
    description: "Takes nests of affine.parallel ops whose iterations go along rows by sums, extrema and elementwise code, and nests that read along one dimension and write along another. Each becomes an affine.parallel of blocks whose bodies are ops of the tile dialect.",
    anchor: Some(func::FuncOp::NAME),
    options: &[
        OptionInfo::flag(
            "reassociate",
            "Sums and products of floats may be computed in any order",
        ),
        OptionInfo::flag(
            "notes",
            "Say of each nest why it is not done on tiles, as remarks",
        ),
    ],
    statistics: &[StatisticInfo::new(
        "num-nests",
        "Number of nests that became tiles",
    )],
    make: |o| {
        Ok(Box::new(FromAffine {
            any_order: o.bool("reassociate"),
            notes: o.bool("notes"),
        }))
    },
};

struct FromAffine {
    any_order: bool,
    notes: bool,
}

/// Why a nest is not done on tiles: what of it, and what it does.
#[derive(Debug, Clone, Copy)]
struct MatchFailure {
    op: Op,
    why: &'static str,
}

impl MatchFailure {
    fn new(op: Op, why: &'static str) -> MatchFailure {
        MatchFailure { op, why }
    }
}

/// Whether a nest could be done on tiles if its conditions were not on what loops carry. Only then
/// they are changed: the other mappers have their own ways with them.
fn would_do(ctx: &mut Context, p: ParallelOp, any_order: bool) -> bool {
    let trial = clone_op(ctx, p.op(), &mut IrMapping::new());
    trial.insert_after(ctx, p.op());
    normalize::normalize(ctx, trial);
    let read = (trial.cast::<ParallelOp>(ctx)).map(|p| Nest::read(ctx, p, any_order));
    let ok = matches!(read, Some(Ok(n)) if policy::choose(ctx, &n).is_ok());
    trial.erase(ctx);
    ok
}

impl Pass for FromAffine {
    fn run(&mut self, ctx: &mut PassContext, function: Op) -> PassResult {
        let mut all = nests(ctx, function);
        all.retain(|p| mapper_of(ctx, p.op()).is_none() && is_free(ctx, p.op()));
        let mut found = Vec::new();
        for p in all {
            if normalize::any(ctx, p.op()) && would_do(ctx, p, self.any_order) {
                normalize::normalize(ctx, p.op());
            }
            let plan = Nest::read(ctx, p, self.any_order).and_then(|n| {
                let plan = policy::choose(ctx, &n)?;
                Ok((n, plan))
            });
            match plan {
                Ok(plan) => found.push(plan),
                Err(f) if self.notes => {
                    f.op.remark(ctx, format!("not on tiles: the nest around it {}", f.why));
                }
                Err(_) => {}
            }
        }
        if found.is_empty() {
            return Ok(());
        }
        let roots: Vec<Op> = found.iter().map(|(n, _)| n.root.op()).collect();
        let taken = taken(ctx, function, &roots);
        for ((nest, plan), taken) in found.into_iter().zip(taken) {
            // Rows that one loop combines have a mapper that brings them in ahead.
            let left = taken == Taken::Reduction && plan.is_one_fold(&nest);
            if !left && matches!(taken, Taken::No | Taken::Reduction) {
                match versions::emit(ctx, &nest, &plan, taken == Taken::Reduction) {
                    Some(()) => ctx.count("num-nests", 1),
                    None if self.notes => {
                        let why =
                            "not on tiles: has subscripts or conditions that tiles do not have";
                        nest.root.op().remark(ctx, why);
                    }
                    None => {}
                }
            }
        }
        Ok(())
    }
}
