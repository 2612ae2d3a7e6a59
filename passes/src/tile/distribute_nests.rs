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
//! the parallel loops. Where memory is adjacent along the parallel loops, threads that go along
//! columns read side by side, too: these are taken apart where they do not fill the machine.

use super::from_affine::{in_shape, takes};
use super::parts::{goes_along_columns, has_several_loops, is_worth_it, parts};
use crate::analysis::directive::is_free;
use crate::gpu::map::band::band_of;
use crate::gpu::map::{mapper_of, nests};
use crate::gpu::map_scans::map_band;
use crate::loops::build::index::{constant, less};
use crate::loops::distribute_nest::{distribute_nest, iterations};
use crate::loops::single_iteration::promote_parallel_if_single_iteration;
use crate::transform::affine_parallel_boxes::make_box;
use terrace_dialects::affine::ParallelOp;
use terrace_dialects::{func, scf};
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::pass::{
    OptionInfo, OptionKind, Pass, PassContext, PassInfo, PassResult, StatisticInfo,
};
use terrace_ir::{Builder, Context, InsertPoint, Op, OpKind};
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
            if self.by_number(ctx, p) {
                ctx.count("num-nests", 1);
            }
        }
        Ok(())
    }
}

/// Threads that fill a machine where each goes along a column.
const MANY_COLUMNS: i64 = 128 * 1024;

impl DistributeNests {
    /// Whether the nest was taken apart, or is where the program finds few columns when it runs: where
    /// threads that each go along one fill the machine, it stays as it is.
    fn by_number(&self, ctx: &mut Context, p: ParallelOp) -> bool {
        let band = band_of(ctx, p);
        if !goes_along_columns(ctx, &band) {
            return self.take_apart(ctx, p);
        }
        let b = &mut Builder::before(ctx, p.op());
        let Some(columns) = iterations(b, &band) else {
            return false;
        };
        if let Some(n) = b.ctx.constant_int(columns) {
            return n < MANY_COLUMNS && self.take_apart(ctx, p);
        }
        let many = constant(b, MANY_COLUMNS);
        let few = less(b, columns, many);
        let (choice, then, otherwise) = scf::IfOp::build(b, few, &[], true);
        for block in [Some(then), otherwise].into_iter().flatten() {
            b.with_point(InsertPoint::End(block), |b| scf::YieldOp::build(b, &[]));
        }
        let copy = clone_op(ctx, p.op(), &mut IrMapping::new());
        if let Some(end) = then.last_op(ctx) {
            copy.insert_before(ctx, end);
        }
        let apart = (copy.cast::<ParallelOp>(ctx)).is_some_and(|c| self.take_apart(ctx, c));
        match otherwise.and_then(|o| o.last_op(ctx)).filter(|_| apart) {
            Some(end) => p.op().move_before(ctx, end),
            None => choice.op().erase(ctx),
        }
        apart
    }

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
        if !is_worth_it(ctx, &band) {
            return None;
        }
        let failure = takes(ctx, p, self.any_order).err()?;
        let parts = parts(ctx, &band, failure.op)?;
        distribute_nest(ctx, &band, &parts)
    }
}
