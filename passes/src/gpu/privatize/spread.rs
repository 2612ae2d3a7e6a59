//! Short loops in an iteration of the nest, their iterations side by side.
//!
//! A nest whose threads each go along a strip has such loops. Iteration after iteration each
//! would wait for what it loads before the next begins; op by op all loads are under way, and
//! those of neighbouring elements can be one.
//!
//! Legal where a loop does nothing to memory but read it and update arrays that have copies:
//! nothing else touches those, and updates may come in any order.

use super::policy::MAX_SHORT;
use super::update::Updates;
use crate::loops::build::index::constant;
use terrace_dialects::scf;
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::effects::own_effects;
use terrace_ir::opdef::EffectKind;
use terrace_ir::{Builder, Context, Op, OpKind};

/// The values of the counter of a loop that has few.
pub(super) fn few(ctx: &Context, l: scf::ForOp) -> Option<Vec<i64>> {
    let ends = [l.lower_bound(ctx), l.upper_bound(ctx), l.step(ctx)];
    let [lower, upper, step] = ends.map(|v| ctx.constant_int(v));
    let (lower, upper) = (lower?, upper?);
    let step = usize::try_from(step?).ok().filter(|s| *s > 0)?;
    let length = upper.checked_sub(lower)?;
    let most = MAX_SHORT.checked_mul(i64::try_from(step).ok()?)?;
    (length <= most).then(|| (lower..upper).step_by(step).collect())
}

/// Replaces those loops in `root`; gives what is there then.
pub(super) fn spread(ctx: &mut Context, updates: &Updates, root: Op) -> Vec<Op> {
    let mut there = vec![root];
    for op in root.post_order(ctx) {
        let Some(l) = op.cast::<scf::ForOp>(ctx) else {
            continue;
        };
        let Some(counters) = few(ctx, l).filter(|_| may_be_spread(ctx, updates, l)) else {
            continue;
        };
        let mut body = l.body(ctx).ops(ctx);
        body.pop();
        let iv = l.induction_var(ctx);
        let b = &mut Builder::before(ctx, op);
        let mut maps: Vec<IrMapping> = Vec::new();
        for n in counters {
            let mut map = IrMapping::new();
            map.map(iv, constant(b, n));
            maps.push(map);
        }
        let mut copies = Vec::new();
        for o in body {
            for map in &mut maps {
                let copy = clone_op(b.ctx, o, map);
                copies.push(b.insert(copy));
            }
        }
        op.erase(b.ctx);
        if op == root {
            there = copies;
        }
    }
    there
}

fn may_be_spread(ctx: &Context, updates: &Updates, l: scf::ForOp) -> bool {
    let reads = |o: &Op| {
        own_effects(ctx, *o).is_some_and(|all| all.iter().all(|e| e.kind == EffectKind::Read))
    };
    l.op().num_results(ctx) == 0
        && l.induction_var(ctx).ty(ctx).is_index(ctx)
        && (l.body(ctx).ops(ctx).iter())
            .all(|o| o.num_regions(ctx) == 0 && (updates.of(ctx, *o).is_some() || reads(o)))
}
