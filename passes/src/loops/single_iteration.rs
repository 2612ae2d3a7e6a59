//! Loops of one iteration are their bodies.

use crate::analysis::bounds::constant_trip_count;
use crate::loops::splice::unwrap_body;
use terrace_dialects::affine::{ApplyOp, ForOp, ParallelOp};
use terrace_dialects::arith;
use terrace_ir::affine::AffineMap;
use terrace_ir::effects::is_pure;
use terrace_ir::opdef::traits;
use terrace_ir::{Block, Builder, Context, InsertPoint, Op, OpKind};

/// Replace a loop that is known to run once by its body. Returns whether it was one;
/// its op is gone then.
pub fn promote_if_single_iteration(ctx: &mut Context, l: ForOp) -> bool {
    if constant_trip_count(ctx, l) != Some(1) || l.lower_map(ctx).num_results() != 1 {
        return false;
    }
    let op = l.op();
    let iv = l.iv(ctx);
    if iv.has_uses(ctx) {
        let map = l.lower_map(ctx).clone();
        let value = if let Some(c) = map.single_constant() {
            let mut b = Builder::before(ctx, op);
            // Constants go to the start of the function, where passes look for them.
            if let Some(start) = function_start(b.ctx, op) {
                b.at = InsertPoint::Start(start);
            }
            arith::constant_index(&mut b, c)
        } else {
            let operands = l.lower_operands(ctx);
            if map == AffineMap::dim_identity() || map == AffineMap::symbol_identity() {
                operands[0]
            } else {
                let mut b = Builder::before(ctx, op);
                ApplyOp::build(&mut b, map, &operands)
            }
        };
        iv.replace_all_uses(ctx, value);
    }
    let inits = l.inits(ctx);
    unwrap_body(ctx, op, &inits);
    true
}

/// The first block of the function or kernel around `op`.
fn function_start(ctx: &Context, op: Op) -> Option<Block> {
    let mut at = op.block(ctx);
    while let Some(b) = at {
        let p = b.parent_op(ctx)?;
        if p.has_trait(ctx, traits::ISOLATED) {
            return b.region(ctx)?.entry(ctx);
        }
        at = p.block(ctx);
    }
    None
}

/// The same for a parallel loop without results that runs exactly once and stands in another one, or
/// holds nothing but another one and what only computes. Returns whether it is gone.
pub(crate) fn promote_parallel_if_single_iteration(ctx: &mut Context, p: ParallelOp) -> bool {
    let op = p.op();
    let once = op.num_results(ctx) == 0 && p.constant_ranges(ctx).as_deref() == Some(&[1]);
    let inside = op.parent(ctx).is_some_and(|o| o.isa::<ParallelOp>(ctx));
    let ops = p.body(ctx).ops(ctx);
    let around = match ops[..] {
        [.., inner, _] => inner.isa::<ParallelOp>(ctx),
        _ => false,
    };
    let Some(first) = p.lower_map_of(ctx, 0).single_constant().filter(|_| once) else {
        return false;
    };
    let plain = |o: &Op| o.num_regions(ctx) == 0 && is_pure(ctx, *o);
    if !(inside || around && ops[..ops.len() - 2].iter().all(plain)) {
        return false;
    }
    let mut b = Builder::before(ctx, op);
    let value = arith::constant_index(&mut b, first);
    for iv in p.ivs(ctx) {
        iv.replace_all_uses(ctx, value);
    }
    for o in &ops[..ops.len() - 1] {
        o.move_before(ctx, op);
    }
    op.erase(ctx);
    true
}
