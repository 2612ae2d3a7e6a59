//! `tile-distribute-nests`: a nest that no block can do on tiles becomes several, of which blocks
//! can do some.
//!
//! ```text
//! affine.parallel (%i) {                    affine.parallel (%i) { %s = fold of row %i; keep %s }
//!   %s = fold of row %i                =>   affine.parallel (%i) { a running value along row %i }
//!   a running value along row %i            affine.parallel (%i, %j) { element (%i, %j), with %s }
//!   elements of row %i, with %s
//! }
//! ```
//!
//! What an iteration of the parallel loops does is cut at the loop that tiles do not have, or, where
//! it is none of them alone, behind the first. The parts are cut further as long as that helps. Then
//! each is mapped by what it is: a fold has blocks, elements have a thread each, and a running value
//! is scanned.
//!
//! It pays where what is left apart goes along many elements: then threads that lie side by side
//! read what does. A value that goes from part to part costs a store and a load for each iteration of
//! the parallel loops.

use super::from_affine::{in_shape, takes};
use super::parts::{goes_along_columns, has_several_loops, is_worth_it, parts};
use crate::analysis::directive::is_free;
use crate::gpu::map::band::band_of;
use crate::gpu::map::{mapper_of, nests};
use crate::gpu::map_scans::map_band;
use crate::loops::distribute_nest::distribute_nest;
use crate::loops::single_iteration::promote_parallel_if_single_iteration;
use crate::transform::affine_parallel_boxes::make_box;
use terrace_dialects::affine::ParallelOp;
use terrace_dialects::func;
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::pass::{
    OptionInfo, OptionKind, Pass, PassContext, PassInfo, PassResult, StatisticInfo,
};
use terrace_ir::{Context, Op, OpKind};
use terrace_machine::Arch;

/// `tile-distribute-nests`.
pub static INFO: PassInfo = PassInfo {
    name: "tile-distribute-nests",
    title: "TileDistributeNests",
    summary: "Take apart what a block cannot do as a whole",
    description: "Takes nests of affine.parallel ops that hold several loops and that tile-from-affine would refuse. Each becomes several nests, one behind the other: what goes from one to another is kept in arrays. Those that hold a running value become scans. Loops of one iteration become their bodies.",
    anchor: Some(func::FuncOp::NAME),
    options: &[
        OptionInfo::new(
            "arch",
            OptionKind::Str,
            "sm_80",
            "The architecture that kernels are for",
        ),
        OptionInfo::flag(
            "reassociate",
            "Sums and products of floats may be computed in any order",
        ),
    ],
    statistics: &[StatisticInfo::new(
        "num-nests",
        "Number of nests that were taken apart",
    )],
    make: |o| {
        let arch: Arch = o.str("arch").parse()?;
        Ok(Box::new(DistributeNests {
            sm: u32::from(arch.sm),
            any_order: o.bool("reassociate"),
        }))
    },
};

struct DistributeNests {
    sm: u32,
    any_order: bool,
}

impl Pass for DistributeNests {
    fn run(&mut self, ctx: &mut PassContext, function: Op) -> PassResult {
        let open = |ctx: &Context, p: &ParallelOp| {
            mapper_of(ctx, p.op()).is_none() && is_free(ctx, p.op())
        };
        let mut all = nests(ctx, function);
        all.retain(|p| open(ctx, p));
        // A loop of one iteration is no axis, neither of tiles nor of a grid.
        for p in all
            .iter()
            .flat_map(|p| p.op().find_all::<ParallelOp>(ctx))
            .collect::<Vec<_>>()
        {
            promote_parallel_if_single_iteration(ctx, p);
        }
        let mut all = nests(ctx, function);
        all.retain(|p| open(ctx, p));
        for p in all {
            if self.take_apart(ctx, p) {
                ctx.count("num-nests", 1);
            }
        }
        Ok(())
    }
}

impl DistributeNests {
    /// Whether the nest was taken apart.
    fn take_apart(&self, ctx: &mut Context, p: ParallelOp) -> bool {
        if !has_several_loops(ctx, &band_of(ctx, p)) {
            return false;
        }
        // Only what is taken apart gets the shape in which tiles read nests.
        let copy = clone_op(ctx, p.op(), &mut IrMapping::new());
        copy.insert_before(ctx, p.op());
        in_shape(ctx, copy);
        let Some(nests) = copy
            .cast::<ParallelOp>(ctx)
            .and_then(|c| self.apart(ctx, c))
        else {
            copy.erase(ctx);
            return false;
        };
        p.op().erase(ctx);
        for nest in nests {
            if !self.take_apart(ctx, nest) {
                make_box(ctx, nest);
                let band = band_of(ctx, nest);
                map_band(ctx, &band, self.sm, self.any_order);
            }
        }
        true
    }

    /// The parts of a nest that no block can do on tiles; `None`, and nothing changed, where one can,
    /// or nothing is gained.
    fn apart(&self, ctx: &mut Context, p: ParallelOp) -> Option<Vec<ParallelOp>> {
        let band = band_of(ctx, p);
        if !is_worth_it(ctx, &band) || goes_along_columns(ctx, &band) {
            return None;
        }
        let failure = takes(ctx, p, self.any_order).err()?;
        let parts = parts(ctx, &band, failure.op)?;
        distribute_nest(ctx, &band, &parts)
    }
}
