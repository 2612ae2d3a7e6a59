//! Conditions that ask about what they chose an iteration before.

use super::around;
use super::extremum::is_extremum;
use crate::analysis::bounds::constant_trip_count;
use rustc_hash::FxHashSet;
use terrace_dialects::affine::ForOp;
use terrace_dialects::scf::{self, IfOp};
use terrace_ir::{Context, Op, OpKind, Value};

/// Iterations of a loop in which a branch goes another way than foreseen about as often as not: the
/// greatest of n numbers in no order is found anew in the logarithm of n of them.
const FEW: u64 = 64;

/// Whether the condition of `i` depends on a value that the loop around carries, and what it
/// gives goes into that value. Of the greater of two integers that is not said: it is a reduction.
pub fn is_asked_again(ctx: &Context, i: IfOp) -> bool {
    let Some(l) = around(ctx, i) else {
        return false;
    };
    if l.cast::<ForOp>(ctx)
        .and_then(|f| constant_trip_count(ctx, f))
        .is_some_and(|n| n <= FEW)
    {
        return false;
    }
    let (carried, yielded) = if let Some(f) = l.cast::<ForOp>(ctx) {
        (f.iter_args(ctx), f.yielded(ctx))
    } else if let Some(f) = l.cast::<scf::ForOp>(ctx) {
        let end = f.body(ctx).ops(ctx).last().map(|op| op.operands(ctx));
        (f.iter_args(ctx), end.unwrap_or_default())
    } else {
        return false;
    };
    if is_extremum(ctx, i) {
        return false;
    }
    let asked = made_of(ctx, l, &[i.condition(ctx)]);
    carried.iter().zip(yielded).any(|(value, next)| {
        let chosen = made_of(ctx, l, &[next]);
        asked.contains(value) && i.op().results(ctx).iter().any(|r| chosen.contains(r))
    })
}

/// The values in `l` that these are computed from, themselves among them.
fn made_of(ctx: &Context, l: Op, values: &[Value]) -> FxHashSet<Value> {
    let mut found = FxHashSet::default();
    let mut left = values.to_vec();
    while let Some(v) = left.pop() {
        if !found.insert(v) {
            continue;
        }
        let Some(op) = v.def_op().filter(|op| l.is_ancestor_of(ctx, *op)) else {
            continue;
        };
        // Of an op with regions, all that is in them.
        for inner in op.pre_order(ctx) {
            left.extend(inner.operands(ctx));
        }
    }
    found
}
