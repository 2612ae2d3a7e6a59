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
use terrace_dialects::affine::ParallelOp;
use terrace_dialects::func;
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
    description: "Takes nests of affine.parallel ops that hold several loops and that tile-from-affine would refuse. Each becomes several nests, one behind the other: what goes from one to another is kept in arrays. Those that hold a running value become scans.",
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
        // A loop of one iteration is no axis, neither of tiles nor of a grid.
        for p in function.find_all::<ParallelOp>(ctx) {
            if is_free(ctx, p.op()) {
                promote_parallel_if_single_iteration(ctx, p);
            }
        }
        for p in nests(ctx, function) {
            if mapper_of(ctx, p.op()).is_none() && is_free(ctx, p.op()) && self.take_apart(ctx, p) {
                ctx.count("num-nests", 1);
            }
        }
        Ok(())
    }
}

impl DistributeNests {
    /// Whether the nest was taken apart.
    fn take_apart(&self, ctx: &mut Context, p: ParallelOp) -> bool {
        let band = band_of(ctx, p);
        if !has_several_loops(ctx, &band) {
            return false;
        }
        in_shape(ctx, p.op());
        let band = band_of(ctx, p);
        if !is_worth_it(ctx, &band) {
            return false;
        }
        if goes_along_columns(ctx, &band) {
            return false;
        }
        let Err(failure) = takes(ctx, p, self.any_order) else {
            return false;
        };
        let Some(parts) = parts(ctx, &band, failure.op) else {
            return false;
        };
        let Some(nests) = distribute_nest(ctx, &band, &parts) else {
            return false;
        };
        for nest in nests {
            if !self.take_apart(ctx, nest) {
                let band = band_of(ctx, nest);
                map_band(ctx, &band, self.sm, self.any_order);
            }
        }
        true
    }
}
