//! Updates that wait for the end of a tile of steps (`affine-delay-updates`) as products.
//!
//! They are parallel loops around a loop that sums. What is found of them is found of the same
//! loops one after another, which is an order that parallel loops may run in.

use super::{MatchFailure, Wanted, emit, no_kernel, prepare, product};
use terrace_dialects::affine::{ForOp, ParallelOp, YieldOp};
use terrace_dialects::attributes::AFFINE_DELAYED;
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::{Builder, Context, InsertPoint, Op, OpKind};

/// Makes kernels of the delayed updates in `root` that are products; how many. The others stay
/// parallel loops.
pub(super) fn map_delayed(ctx: &mut Context, root: Op, wanted: Wanted, notes: bool) -> u64 {
    let mut made = 0;
    let mut delayed = root.find_all::<ParallelOp>(ctx);
    delayed.retain(|p| p.op().attr(ctx, AFFINE_DELAYED).is_some());
    for p in delayed {
        let Some(l) = in_order(ctx, p) else {
            continue;
        };
        let found =
            product(ctx, l, wanted).and_then(|(mut x, plan, instead)| {
                match prepare::prepare(ctx, &mut x) {
                    Ok(()) => Ok((x, plan, instead)),
                    Err(why) => Err(MatchFailure::Planned(x.store, why)),
                }
            });
        match found {
            Ok((x, plan, instead)) => {
                if notes {
                    x.store
                        .remark(ctx, super::words(&x, &plan, instead.as_ref(), wanted));
                }
                let divided = emit::Divided {
                    wanted,
                    marks: false,
                };
                emit::emit(ctx, &x, divided, &plan, instead.as_ref());
                p.op().erase(ctx);
                made += 1;
            }
            Err(not) => {
                no_kernel(ctx, l, not, false, notes);
                l.op().erase(ctx);
            }
        }
    }
    made
}

/// A copy of a perfect nest of parallel loops in front of it, as loops that run one iteration
/// after another; the outermost. `None` where it reduces.
fn in_order(ctx: &mut Context, outermost: ParallelOp) -> Option<ForOp> {
    let mut b = Builder::before(ctx, outermost.op());
    let mut map = IrMapping::new();
    let mut first: Option<ForOp> = None;
    let mut at = outermost;
    loop {
        if at.op().num_results(b.ctx) > 0 {
            first.inspect(|l| l.op().erase(b.ctx));
            return None;
        }
        b.loc = at.op().loc(b.ctx);
        let (ivs, steps) = (at.ivs(b.ctx), at.steps(b.ctx));
        let lower: Vec<_> = (at.lower_operands(b.ctx).iter().map(|v| map.value(*v))).collect();
        let upper: Vec<_> = (at.upper_operands(b.ctx).iter().map(|v| map.value(*v))).collect();
        for (i, (iv, step)) in ivs.into_iter().zip(steps).enumerate() {
            let lower = (at.lower_map_of(b.ctx, i), &lower[..]);
            let upper = (at.upper_map_of(b.ctx, i), &upper[..]);
            let l = ForOp::build(&mut b, lower, upper, step, &[], |_, _, _| Vec::new());
            let loc = iv.loc(b.ctx);
            l.body(b.ctx).set_arg_loc(b.ctx, 0, loc);
            map.map(iv, l.iv(b.ctx));
            first.get_or_insert(l);
            b.at = InsertPoint::Start(l.body(b.ctx));
        }
        let mut body = at.body(b.ctx).ops(b.ctx);
        body.retain(|o| !o.isa::<YieldOp>(b.ctx));
        if let [inner] = body[..]
            && let Some(inner) = inner.cast::<ParallelOp>(b.ctx)
        {
            at = inner;
            continue;
        }
        for op in body {
            let copy = clone_op(b.ctx, op, &mut map);
            b.insert(copy);
        }
        return first;
    }
}
