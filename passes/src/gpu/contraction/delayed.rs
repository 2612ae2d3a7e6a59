//! Updates that wait for the end of a tile of steps (`affine-delay-updates`) as products.
//!
//! They are parallel loops around a loop that sums. What is found of them is found of the same
//! loops one after another, which is an order that parallel loops may run in.

use super::{MatchFailure, Wanted, emit, no_kernel, prepare, product};
use crate::loops::sequentialize::affine_in_order;
use terrace_dialects::affine::{ForOp, ParallelOp, YieldOp};
use terrace_dialects::attributes::AFFINE_DELAYED;
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::{Context, Op, OpKind};

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
    let copy = clone_op(ctx, outermost.op(), &mut IrMapping::new());
    copy.insert_before(ctx, outermost.op());
    let mut first: Option<ForOp> = None;
    let mut at = copy.cast::<ParallelOp>(ctx)?;
    loop {
        let Some(loops) = affine_in_order(ctx, at) else {
            let made = first.map_or(copy, |l| l.op());
            made.erase(ctx);
            return None;
        };
        first = first.or(loops.first().copied());
        let mut body = loops.last()?.body(ctx).ops(ctx);
        body.retain(|o| !o.isa::<YieldOp>(ctx));
        let inner = match body[..] {
            [inner] => inner.cast::<ParallelOp>(ctx),
            _ => None,
        };
        match inner {
            Some(inner) => at = inner,
            None => return first,
        }
    }
}
