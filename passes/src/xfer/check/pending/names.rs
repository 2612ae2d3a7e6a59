//! Tokens under other names: block arguments and results of ops, where control passes on.

use terrace_dialects::{affine, scf};
use terrace_ir::{Context, Op, Value};

/// A value, and the one that it is from now on; none where that is not known.
pub(in crate::xfer::check) type Renamed = (Value, Option<Value>);

/// What values are where control passes from `last`, which leaves a region or goes to its
/// successor number `to`.
pub(in crate::xfer::check) fn renamed(ctx: &Context, last: Op, to: Option<usize>) -> Vec<Renamed> {
    let operands = last.operands(ctx);
    if let Some(k) = to {
        let range = last.def(ctx).and_then(|d| d.successor_operands);
        let range = range.map_or(0..0, |f| f(ctx, last, k));
        let given = operands.get(range).unwrap_or(&[]);
        return are(last.successor(ctx, k).args(ctx), given);
    }
    let Some(block) = last.block(ctx) else {
        return Vec::new();
    };
    let Some(around) = block.parent_op(ctx) else {
        return Vec::new();
    };
    let results = around.results(ctx);
    match around.name(ctx) {
        scf::WhileOp::NAME if around.region(ctx, 0).blocks(ctx).contains(&block) => {
            let given = operands.get(1..).unwrap_or(&[]);
            let args = around.body(ctx, 1).args(ctx);
            [are(results, given), are(args, given)].concat()
        }
        scf::WhileOp::NAME => are(around.body(ctx, 0).args(ctx), &operands),
        scf::ForOp::NAME | affine::ForOp::NAME => [
            are(results, &operands),
            are(carried(ctx, around), &operands),
        ]
        .concat(),
        _ => are(results, &operands),
    }
}

/// What values are where a loop is come to.
pub(in crate::xfer::check) fn entered(ctx: &Context, op: Op) -> Vec<Renamed> {
    let operands = op.operands(ctx);
    match op.name(ctx) {
        scf::WhileOp::NAME => are(op.body(ctx, 0).args(ctx), &operands),
        scf::ForOp::NAME | affine::ForOp::NAME => {
            let results = op.results(ctx);
            let first = operands.len().saturating_sub(results.len());
            let inits = operands.get(first..).unwrap_or(&[]);
            [are(results, inits), are(carried(ctx, op), inits)].concat()
        }
        _ => Vec::new(),
    }
}

/// The arguments of a loop's body behind its counter.
fn carried(ctx: &Context, op: Op) -> Vec<Value> {
    op.body(ctx, 0).args(ctx).into_iter().skip(1).collect()
}

fn are(values: Vec<Value>, given: &[Value]) -> Vec<Renamed> {
    let known = values.len() == given.len();
    let value = |(k, v)| (v, given.get(k).copied().filter(|_| known));
    values.into_iter().enumerate().map(value).collect()
}
