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
//! | `prepare` | its loops in the shape in which they are read |
//! | `normalize` | conditions on what loops carry |
//! | `guards` | conditions around loops |
//! | `selected` | what loops carry, combined or left as it is |
//! | `conditions` | conditions in it |
//! | `expressions` | loop variables and what is affine in them |
//! | `policy` | which loops are dimensions of tiles, of which size, in which layout |
//! | `subscripts` | subscripts over the dimensions of tiles |
//! | `stays` | which sizes are faster as they are |
//! | `versions` | which sizes and alignments have tiles of their own |
//! | `translate` | the block's code |
//! | `protect` | ops that run for more elements than in the program |
//! | `accesses` | what it loads and stores |
//! | `stream` | loops that are gone through in pieces |
//! | `split` | iterations that several blocks share |
//! | `whole` | what all iterations combine |
//! | `memory` | what of memory is in registers |

mod accesses;
mod conditions;
mod expressions;
mod find;
mod guards;
mod memory;
mod normalize;
mod policy;
mod prepare;
mod protect;
mod selected;
mod split;
mod stays;
mod stream;
mod subscripts;
mod translate;
mod versions;
mod whole;

use crate::analysis::directive::is_free;
use crate::gpu::map::band::band_of;
use crate::gpu::map::{Taken, launched, mapper_of, nests, taken};
use crate::transform::cse;
use find::Nest;
pub(super) use find::coefficient;
use policy::Plan;
use terrace_dialects::affine::{ForOp, ParallelOp};
use terrace_dialects::func;
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::pass::{OptionInfo, Pass, PassContext, PassInfo, PassResult, StatisticInfo};
use terrace_ir::{Context, Op, OpKind};
use whole::Whole;

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
pub(super) struct MatchFailure {
    pub op: Op,
    why: &'static str,
}

impl MatchFailure {
    fn new(op: Op, why: &'static str) -> MatchFailure {
        MatchFailure { op, why }
    }
}

/// What becomes of a nest, in the shape in which nests are read. It is brought into that shape only
/// if something becomes of it: the other mappers have their own ways with conditions and loops.
///
/// # Errors
///
/// What of the nest no block can do on tiles.
fn planned(
    ctx: &mut Context,
    p: ParallelOp,
    any_order: bool,
) -> Result<(Nest, Plan), MatchFailure> {
    let root = p.op();
    let as_read = !normalize::any(ctx, root)
        && !selected::any(ctx, root)
        && !guards::any(ctx, root)
        && !prepare::is_needed(ctx, root);
    if as_read {
        return plan(ctx, p, any_order);
    }
    let trial = clone_op(ctx, p.op(), &mut IrMapping::new());
    trial.insert_after(ctx, p.op());
    in_shape(ctx, trial);
    let Some(copy) = trial.cast::<ParallelOp>(ctx) else {
        return Err(MatchFailure::new(p.op(), "is no nest"));
    };
    match plan(ctx, copy, any_order) {
        Ok(planned) => {
            p.op().erase(ctx);
            Ok(planned)
        }
        Err(f) => {
            let op = original(ctx, p, copy, f.op);
            trial.erase(ctx);
            Err(MatchFailure::new(op, f.why))
        }
    }
}

/// Brings a nest into the shape in which nests are read.
pub(super) fn in_shape(ctx: &mut Context, root: Op) {
    // What a condition compares and what it chooses is seen to be the same value.
    cse::merge_in(ctx, root);
    normalize::normalize(ctx, root);
    selected::combine_always(ctx, root);
    guards::sink(ctx, root);
    prepare::prepare(ctx, root);
}

/// The loop of an iteration of `p` that stands where `op` does in its copy; all of `p` where `op`
/// is in no loop of an iteration.
fn original(ctx: &Context, p: ParallelOp, copy: ParallelOp, op: Op) -> Op {
    let loops = |p: ParallelOp| -> Vec<Op> {
        let body = band_of(ctx, p).last().map_or(p.body(ctx), |l| l.body(ctx));
        let mut all = body.ops(ctx);
        all.retain(|o| o.isa::<ForOp>(ctx) || o.isa::<ParallelOp>(ctx));
        all
    };
    let at = loops(copy)
        .iter()
        .position(|l| *l == op || l.is_ancestor_of(ctx, op));
    at.and_then(|i| loops(p).get(i).copied()).unwrap_or(p.op())
}

/// Whether a loop does nothing but combine values, so that a block could share its iterations.
pub(super) fn is_fold(ctx: &Context, l: ForOp) -> bool {
    find::combines(ctx, l)
}

/// Whether a nest in the shape in which nests are read would be done on tiles, as far as it can be
/// said before it is tried.
///
/// # Errors
///
/// What of it cannot.
pub(super) fn takes(ctx: &Context, p: ParallelOp, any_order: bool) -> Result<(), MatchFailure> {
    plan(ctx, p, any_order).map(|_| ())
}

/// What becomes of a nest in that shape.
fn plan(ctx: &Context, p: ParallelOp, any_order: bool) -> Result<(Nest, Plan), MatchFailure> {
    let nest = Nest::read(ctx, p, any_order)?;
    let plan = policy::choose(ctx, &nest)?;
    Ok((nest, plan))
}

impl Pass for FromAffine {
    fn run(&mut self, ctx: &mut PassContext, function: Op) -> PassResult {
        let is_open = |ctx: &Context, p: &ParallelOp| {
            mapper_of(ctx, p.op()).is_none() && is_free(ctx, p.op())
        };
        let mut wholes = launched(ctx, function);
        wholes.retain(|p| is_open(ctx, p) && Whole::is_worth_it(ctx, *p));
        if !wholes.is_empty() {
            let roots: Vec<Op> = wholes.iter().map(|p| p.op()).collect();
            let taken = taken(ctx, function, &roots);
            for (p, _) in wholes.iter().zip(taken).filter(|(_, t)| *t == Taken::No) {
                self.whole(ctx, *p);
            }
        }
        let mut all = nests(ctx, function);
        all.retain(|p| is_open(ctx, p));
        let found = self.plans(ctx, &all);
        if found.is_empty() {
            return Ok(());
        }
        let roots: Vec<Op> = found.iter().map(|(n, _)| n.root.op()).collect();
        let taken = taken(ctx, function, &roots);
        let mut parts = Vec::new();
        for ((nest, plan), taken) in found.into_iter().zip(taken) {
            let ahead = taken == Taken::Reduction;
            // Rows that one loop combines have a mapper that brings them in ahead, if they are many and
            // short.
            let plan = match ahead && plan.is_one_fold(&nest) {
                true if stays::is_many_short_rows(&nest) => None,
                true => policy::one_fold(ctx, &nest, false),
                false => Some(plan),
            };
            if let (Some(plan), Taken::No | Taken::Reduction) = (plan, taken) {
                parts.extend(self.emit(ctx, &nest, &plan, ahead));
            }
        }
        // Parts are of nests with long rows. No other mapper is asked about them: it would have to
        // look at all tiles.
        for (nest, plan) in self.plans(ctx, &parts) {
            let few = plan
                .is_one_fold(&nest)
                .then(|| policy::one_fold(ctx, &nest, true));
            self.emit(ctx, &nest, &few.flatten().unwrap_or(plan), false);
        }
        Ok(())
    }
}

impl FromAffine {
    /// Puts blocks that share the iterations in the place of a nest whose results are what all of
    /// them combine.
    fn whole(&self, ctx: &mut PassContext, p: ParallelOp) {
        let whole = Whole::write(ctx, p);
        let root = match planned(ctx, whole.root, true) {
            Ok((nest, _)) => {
                let plan = policy::one_fold(ctx, &nest, false);
                let made = plan.and_then(|plan| versions::emit(ctx, &nest, &plan, false));
                made.is_none().then_some(nest.root)
            }
            Err(_) => Some(whole.root),
        };
        match root {
            None => {
                ctx.count("num-nests", 1);
                whole.replace(ctx, p);
            }
            Some(root) => {
                root.op().erase(ctx);
                whole.erase(ctx);
            }
        }
    }

    /// What becomes of these nests.
    fn plans(&self, ctx: &mut PassContext, nests: &[ParallelOp]) -> Vec<(Nest, Plan)> {
        let mut found = Vec::new();
        for p in nests {
            match planned(ctx, *p, self.any_order) {
                Ok(plan) => found.push(plan),
                Err(f) if self.notes => {
                    f.op.remark(ctx, format!("not on tiles: the nest around it {}", f.why));
                }
                Err(_) => {}
            }
        }
        found
    }

    /// Puts what blocks do in the place of a nest; gives the nests that parts of it are now.
    fn emit(
        &self,
        ctx: &mut PassContext,
        nest: &Nest,
        plan: &Plan,
        ahead: bool,
    ) -> Vec<ParallelOp> {
        match versions::emit(ctx, nest, plan, ahead) {
            Some(parts) => {
                ctx.count("num-nests", 1);
                parts
            }
            None => {
                if self.notes {
                    let why = "not on tiles: has subscripts or conditions that tiles do not have";
                    nest.root.op().remark(ctx, why);
                }
                Vec::new()
            }
        }
    }
}
