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

use super::from_affine::{in_shape, is_fold, takes};
use crate::analysis::directive::is_free;
use crate::gpu::map::band::band_of;
use crate::gpu::map::{mapper_of, nests};
use crate::gpu::map_scans::map_band;
use crate::loops::distribute_nest::distribute_nest;
use terrace_dialects::affine::{ForOp, ParallelOp};
use terrace_dialects::func;
use terrace_ir::effects::is_pure;
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

/// Loops with fewer iterations are left to one thread.
const MIN_EXTENT: i64 = 16;

impl Pass for DistributeNests {
    fn run(&mut self, ctx: &mut PassContext, function: Op) -> PassResult {
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

/// What an op of an iteration is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    /// Iterations of its own that do not depend on each other.
    Elements,
    /// A loop that combines values and does nothing else.
    Fold,
    /// Any other loop.
    InOrder,
    /// No loop.
    Single,
}

fn role(ctx: &Context, op: Op) -> Role {
    if let Some(p) = op.cast::<ParallelOp>(ctx) {
        return match p.op().num_results(ctx) {
            0 => Role::Elements,
            _ => Role::Fold,
        };
    }
    if let Some(l) = op.cast::<ForOp>(ctx) {
        return match is_fold(ctx, l) {
            true => Role::Fold,
            false => Role::InOrder,
        };
    }
    match op.num_regions(ctx) {
        0 => Role::Single,
        _ if op.pre_order(ctx).iter().any(|o| is_loop(ctx, *o)) => Role::InOrder,
        _ => Role::Single,
    }
}

fn is_loop(ctx: &Context, op: Op) -> bool {
    op.isa::<ParallelOp>(ctx) || op.isa::<ForOp>(ctx)
}

/// Whether a loop has few iterations, as far as that is known.
fn is_short(ctx: &Context, op: Op) -> bool {
    let extent = |lower: Option<i64>, upper: Option<i64>| Some(upper? - lower?);
    let extents: Vec<Option<i64>> = if let Some(p) = op.cast::<ParallelOp>(ctx) {
        let side = |i| {
            let lower = p.lower_map_of(ctx, i).single_constant();
            extent(lower, p.upper_map_of(ctx, i).single_constant())
        };
        (0..p.num_loops(ctx)).map(side).collect()
    } else if let Some(l) = op.cast::<ForOp>(ctx) {
        let lower = l.lower_map(ctx).single_constant();
        vec![extent(lower, l.upper_map(ctx).single_constant())]
    } else {
        return true;
    };
    let all: Option<i64> = extents.into_iter().product();
    all.is_some_and(|n| n < MIN_EXTENT)
}

fn has_several_loops(ctx: &Context, band: &[ParallelOp]) -> bool {
    let ops = band.last().map_or(Vec::new(), |p| p.body(ctx).ops(ctx));
    ops.iter()
        .filter(|o| role(ctx, **o) != Role::Single)
        .count()
        > 1
}

/// Whether one of the loops that iterations hold is one that several threads can go along.
fn is_worth_it(ctx: &Context, band: &[ParallelOp]) -> bool {
    let ops = band.last().map_or(Vec::new(), |p| p.body(ctx).ops(ctx));
    let roles: Vec<(Role, Op)> = ops.iter().map(|o| (role(ctx, *o), *o)).collect();
    let together =
        |(r, o): &(Role, Op)| matches!(r, Role::Elements | Role::Fold) && !is_short(ctx, *o);
    roles.iter().any(together)
}

/// The parts of what an iteration does: cut around the loop that holds `failing`, or behind the
/// first loop where none does. `None` where nothing is gained.
fn parts(ctx: &Context, band: &[ParallelOp], failing: Op) -> Option<Vec<Vec<Op>>> {
    let body = band.last()?.body(ctx);
    let mut ops = body.ops(ctx);
    ops.pop();
    ops.retain(|o| !is_pure(ctx, *o));
    let roles: Vec<Role> = ops.iter().map(|o| role(ctx, *o)).collect();
    let loops: Vec<usize> = (0..ops.len())
        .filter(|i| roles[*i] != Role::Single)
        .collect();
    let own = failing.ancestor_in(ctx, body);
    let at = own.and_then(|o| ops.iter().position(|p| *p == o));
    let at = match at {
        Some(i) if roles[i] != Role::Single => i,
        _ => loops[0],
    };
    // What stands in front of the first loop goes with it, what stands behind one with that one; but
    // nothing with elements, which would no longer be a thread each.
    let begin = match loops.iter().any(|i| *i < at) {
        true => at,
        false => 0,
    };
    let next = loops.iter().copied().find(|i| *i > at).unwrap_or(ops.len());
    let end = match roles[at] {
        Role::Elements => at + 1,
        _ => next,
    };
    let cuts = [&ops[..begin], &ops[begin..end], &ops[end..]];
    let parts: Vec<Vec<Op>> = (cuts.into_iter().filter(|c| !c.is_empty()))
        .map(<[Op]>::to_vec)
        .collect();
    (parts.len() > 1).then_some(parts)
}
