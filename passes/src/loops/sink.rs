//! Parallel loops of a perfect nest outside, sequential ones inside.

use super::band::{carries_values, perfect_band};
use super::permute::permute;
use crate::analysis::pair::{Pair, common_loops, distances, pair, reads_and_writes, scoped_ivs};
use terrace_dialects::affine::{self, AccessKind, ForOp, LoadOp, StoreOp, YieldOp};
use terrace_dialects::scf;
use terrace_ir::effects::is_memory_effect_free;
use terrace_ir::{Context, OpKind};

/// The least and greatest distance of a dependence along each loop of a band.
type Distances = Vec<(Option<i64>, Option<i64>)>;

/// Move the loops of the perfect nest at `root` that carry no dependence outside those
/// that do, each in the order that they have, where all dependences allow that. Gives
/// the outermost loop.
pub fn sink_sequential(ctx: &mut Context, root: ForOp) -> ForOp {
    let band = perfect_band(ctx, root);
    if band.len() < 2 || carries_values(ctx, &band) || has_other_effects(ctx, root) {
        return root;
    }
    let Some(all) = dependences(ctx, &band) else {
        return root;
    };
    let parallel = |i: usize| all.iter().all(|d| d[i] == (Some(0), Some(0)));
    let (outside, inside): (Vec<usize>, Vec<usize>) = (0..band.len()).partition(|i| parallel(*i));
    let order = [outside, inside].concat();
    if order.is_sorted() || !all.iter().all(|d| stays_positive(d, &order)) {
        return root;
    }
    // What cannot be permuted stays.
    match permute(ctx, &band, &order) {
        Ok(new) => new.first().copied().unwrap_or(root),
        Err(_) => root,
    }
}

/// The distances of all dependences between accesses in a band; `None` where they are
/// not known.
fn dependences(ctx: &Context, band: &[ForOp]) -> Option<Vec<Distances>> {
    let root = *band.first()?;
    let accesses = reads_and_writes(ctx, root.op());
    let around = scoped_ivs(ctx, root.op()).len();
    let mut all = Vec::new();
    for x in &accesses {
        for y in &accesses {
            if x.kind != AccessKind::Write && y.kind != AccessKind::Write {
                continue;
            }
            if x.memref != y.memref {
                continue;
            }
            let n = scoped_ivs(ctx, x.op).len();
            let common = common_loops(ctx, x.op, y.op);
            for d in around + 1..=around + band.len() {
                match pair(ctx, x, y, d, false) {
                    Pair::Independent => {}
                    Pair::Unknown => return None,
                    Pair::Dependent(set) => {
                        let mut found = distances(&set, n, common);
                        found.drain(..around);
                        found.truncate(band.len());
                        all.push(found);
                    }
                }
            }
        }
    }
    Some(all)
}

/// Whether the first distance that is not zero, in this order, is positive.
fn stays_positive(d: &Distances, order: &[usize]) -> bool {
    for i in order {
        match d[*i].0 {
            Some(lower) if lower > 0 => return true,
            Some(0) => {}
            _ => return false,
        }
    }
    true
}

/// Whether something in a nest besides affine loads and stores touches memory, or two
/// memrefs may be the same memory.
fn has_other_effects(ctx: &Context, root: ForOp) -> bool {
    use crate::analysis::memory::{base, may_be_same};
    let ops = root.op().pre_order(ctx);
    let plain = ops.iter().all(|op| {
        op.isa::<ForOp>(ctx)
            || op.isa::<YieldOp>(ctx)
            || op.isa::<affine::IfOp>(ctx)
            || op.isa::<scf::IfOp>(ctx)
            || op.isa::<scf::YieldOp>(ctx)
            || op.isa::<LoadOp>(ctx)
            || op.isa::<StoreOp>(ctx)
            || is_memory_effect_free(ctx, *op)
    });
    let all = reads_and_writes(ctx, root.op());
    let aliases = all.iter().any(|x| {
        all.iter().any(|y| {
            x.memref != y.memref
                && x.kind == AccessKind::Write
                && may_be_same(ctx, base(ctx, x.memref), base(ctx, y.memref))
        })
    });
    !plain || aliases
}
