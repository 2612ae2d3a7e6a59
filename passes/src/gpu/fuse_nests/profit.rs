//! Whether one nest is faster than two, by the cost model.
//!
//! Nests are asked about as `gpu-map` maps them. Launches of neighbouring nests queue up, so
//! each costs what it costs there. Of arrays that fit the L2 cache together, the second nest finds
//! there what the first left, and the first what the launches before it left; memory is then
//! no term of either side.

use super::build::Fused;
use crate::gpu::map::{Taken, search_nest, taken_alone};
use crate::gpu::model::{
    Cost, Mapping, Model, Nest, Options, QUEUED_LAUNCH_US, TermKind, TileKind, predict, read,
};
use crate::gpu::stencils::MIN_THREADS;
use rustc_hash::FxHashMap;
use terrace_dialects::affine::{Access, AccessKind, ParallelOp};
use terrace_dialects::memref;
use terrace_ir::{Context, Op, OpKind};
use terrace_machine::Machine;

/// The part of the time of two nests that one may take.
const MARGIN: f64 = 0.99;
/// The same of stencils that are none afterwards, since the model knows less about how well
/// caches keep neighbours.
const STENCIL_MARGIN: f64 = 0.85;
/// By how many microseconds it has to be faster.
const MIN_GAIN_US: f64 = 0.3;
/// Registers that the values may take which are loaded in straight code; with more, threads
/// keep some of them in memory.
const MAX_REGISTERS: u32 = 96;

/// What is asked, and of what.
pub struct Policy<'a> {
    pub machine: &'a Machine,
    pub read: &'a Options,
}

/// What a nest becomes, and its time.
pub struct Gain {
    pub taken: Taken,
    /// In words.
    pub words: String,
}

impl Policy<'_> {
    /// Weighs a fused nest, which stands beside the two that it is of.
    ///
    /// # Errors
    ///
    /// Why the two are better, in words.
    pub fn weigh(
        &self,
        ctx: &mut Context,
        function: Op,
        of: [(ParallelOp, &Taken); 2],
        fused: &Fused,
    ) -> Result<Gain, String> {
        let taken = taken_alone(ctx, function, fused.fused.op());
        let stencils = of.iter().filter(|(_, t)| is_stencil(t)).count();
        let margin = match &taken {
            Taken::No if stencils > 0 => STENCIL_MARGIN,
            Taken::No | Taken::Stencil { .. } => MARGIN,
            _ => return Err("together another mapper has them".into()),
        };
        let [a, b] = of.map(|(p, _)| registers(ctx, p.op()));
        let together = registers(ctx, fused.fused.op());
        if together > MAX_REGISTERS.max(a).max(b) {
            return Err(format!(
                "together they load values for {together} registers at once, and more than \
                 {MAX_REGISTERS} may spill"
            ));
        }
        let (nest, cost) = self.cost(ctx, fused.fused, &taken)?;
        let warm = bytes(&nest) <= self.machine.l2_bytes as f64;
        let us = |cost: &Cost| queued(cost, warm);
        let mut parts = Vec::new();
        for (p, taken) in of {
            parts.push(us(&self.cost(ctx, p, taken)?.1));
        }
        let mut pieces = vec![us(&cost)];
        for p in fused.before.iter().chain(&fused.after) {
            pieces.push(us(&self.cost(ctx, *p, &Taken::No)?.1));
        }
        let (before, after): (f64, f64) = (parts.iter().sum(), pieces.iter().sum());
        let words = format!("{} us in place of {}", sum(&pieces), sum(&parts));
        match after < (margin * before).min(before - MIN_GAIN_US) {
            true => Ok(Gain { taken, words }),
            false => Err(format!("it would take {words}")),
        }
    }

    /// A nest as `gpu-map` would map it.
    fn cost(&self, ctx: &Context, p: ParallelOp, taken: &Taken) -> Result<(Nest, Cost), String> {
        let unread = |why: String| format!("the cost model has no time: {why}");
        let mut nest = read(ctx, p, self.read).map_err(|r| unread(r.message))?;
        if let Taken::Stencil { rows, block, .. } = taken {
            let level = nest.parallel.len().checked_sub(2);
            // With fewer iterations the host takes the form of one row.
            let trips = |l: &usize| nest.loops[*l].constant_trips();
            let iterations = (nest.parallel.iter())
                .try_fold(1i64, |n, l| n.checked_mul(trips(l)?))
                .unwrap_or(i64::MAX);
            let several = *rows > 1 && iterations / *rows >= MIN_THREADS;
            if let (Some(level), true) = (level, several) {
                let along = nest.parallel[level];
                nest.tile(along, *rows, TileKind::Blocked).map_err(unread)?;
            }
            let mapping = Mapping {
                axes: nest.parallel.iter().rev().take(3).copied().collect(),
                block: block.map(|n| n.clamp(1, 1024) as u32),
            };
            let cost = predict(&nest, &mapping, self.machine).map_err(unread)?;
            return Ok((nest, cost));
        }
        let found = search_nest(ctx, p, self.read, self.machine, Model::Exact, false);
        let found = found.map_err(unread)?;
        let chosen = found.better().next().unwrap_or(&found.ordinary);
        let cost = chosen.cost.clone();
        Ok((nest, cost))
    }
}

fn is_stencil(taken: &Taken) -> bool {
    matches!(taken, Taken::Stencil { .. })
}

/// Microseconds of a launch among others.
fn queued(cost: &Cost, warm: bool) -> f64 {
    let counts = |kind| kind != TermKind::Launch && !(warm && kind == TermKind::Memory);
    QUEUED_LAUNCH_US + cost.smooth_of(counts)
}

/// `3.1 + 2.9`.
fn sum(all: &[f64]) -> String {
    let all: Vec<String> = all.iter().map(|us| format!("{us:.1}")).collect();
    all.join(" + ")
}

/// Bytes of all arrays of a nest.
fn bytes(nest: &Nest) -> f64 {
    let mut of: FxHashMap<usize, f64> = FxHashMap::default();
    for a in &nest.arrays {
        let most = of.entry(a.memory).or_default();
        *most = most.max(a.bytes());
    }
    of.values().sum()
}

/// Registers that the values take which one block of ops loads.
fn registers(ctx: &Context, nest: Op) -> u32 {
    let mut of = FxHashMap::default();
    for op in nest.pre_order(ctx) {
        let access = Access::of(ctx, op).map(|a| a.kind);
        let loads = access == Some(AccessKind::Read) || op.name(ctx) == memref::LoadOp::NAME;
        if let (true, Some(block)) = (loads, op.block(ctx)) {
            let ty = op.result(ctx, 0).ty(ctx);
            let bits = ty.element_or_self(ctx).bit_width(ctx).unwrap_or(64);
            let elements = ty.num_elements(ctx).unwrap_or(1);
            let elements = u32::try_from(elements).unwrap_or(u32::MAX);
            let sum: &mut u32 = of.entry(block).or_default();
            *sum = sum.saturating_add(bits.div_ceil(32).saturating_mul(elements));
        }
    }
    of.into_values().max().unwrap_or(0)
}
