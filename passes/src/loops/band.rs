//! Bands: loops each of which is all that the next outer one holds.

use terrace_dialects::affine::{ForOp, compose::compose};
use terrace_ir::affine::AffineMap;
use terrace_ir::{Context, OpKind, Value};

/// `root` and the loops perfectly nested in it, the outermost first.
pub fn perfect_band(ctx: &Context, root: ForOp) -> Vec<ForOp> {
    let mut band = vec![root];
    let mut l = root;
    loop {
        let [only, _end] = l.body(ctx).ops(ctx)[..] else {
            return band;
        };
        let Some(inner) = only.cast::<ForOp>(ctx) else {
            return band;
        };
        band.push(inner);
        l = inner;
    }
}

/// Whether the bounds of no loop of a band depend on another loop of it.
pub fn is_hyper_rectangular(ctx: &Context, band: &[ForOp]) -> bool {
    let ivs: Vec<Value> = band.iter().map(|l| l.iv(ctx)).collect();
    let free = |m: &AffineMap, operands: &[Value]| {
        compose(ctx, m, operands)
            .operands
            .iter()
            .all(|v| !ivs.contains(v))
    };
    band.iter().all(|l| {
        free(l.lower_map(ctx), &l.lower_operands(ctx))
            && free(l.upper_map(ctx), &l.upper_operands(ctx))
    })
}

/// Whether some loop of a band has results.
pub fn carries_values(ctx: &Context, band: &[ForOp]) -> bool {
    band.iter().any(|l| l.op().num_results(ctx) > 0)
}
