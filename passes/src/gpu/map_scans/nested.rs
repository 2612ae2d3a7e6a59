//! Values that several loops carry, one inside the other: one loop over all iterations carries them
//! in the same order, and may be a scan.

use super::scan;
use crate::loops::coalesce::coalesce;
use terrace_dialects::affine::{self, ForOp};
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::{Context, Op, OpKind};

/// Makes one loop of those that carry a value together, where it is a scan then.
pub fn coalesce_scans(ctx: &mut Context, function: Op, reassociate: bool) {
    let mut done: Vec<Op> = Vec::new();
    for l in function.find_all::<ForOp>(ctx) {
        if done.contains(&l.op()) {
            continue;
        }
        let band = carried_through(ctx, l);
        done.extend(band.iter().map(|l| l.op()));
        if band.len() < 2 {
            continue;
        }
        let copy = clone_op(ctx, l.op(), &mut IrMapping::new());
        copy.insert_before(ctx, l.op());
        let one = (copy.cast::<ForOp>(ctx))
            .map(|c| carried_through(ctx, c))
            .and_then(|band| coalesce(ctx, &band).ok());
        match one.filter(|one| scan(ctx, *one, reassociate).is_ok()) {
            Some(one) => {
                let results = one.op().results(ctx);
                l.op().replace(ctx, &results);
            }
            None => copy.erase(ctx),
        }
    }
}

/// `l` and the loops inside of it, each of which is all that the one before holds and hands its one
/// value on.
fn carried_through(ctx: &Context, l: ForOp) -> Vec<ForOp> {
    let mut band = vec![l];
    loop {
        let last = band[band.len() - 1];
        let [inner, end] = last.body(ctx).ops(ctx)[..] else {
            return band;
        };
        let Some(inner) = inner.cast::<ForOp>(ctx) else {
            return band;
        };
        let handed_on = inner.inits(ctx) == last.iter_args(ctx)
            && end.name(ctx) == affine::YieldOp::NAME
            && end.operands(ctx) == inner.op().results(ctx);
        if last.iter_args(ctx).len() != 1 || !handed_on {
            return band;
        }
        band.push(inner);
    }
}
