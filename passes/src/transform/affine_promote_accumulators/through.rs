//! An element of an array as a value that goes through the statements of a block, and through
//! the branches of conditions in it.

use terrace_dialects::affine::{Access, AccessKind};
use terrace_dialects::{affine, scf};
use terrace_ir::{Block, Builder, Context, InsertPoint, Op, Type, Value};

/// Replaces what `members` do in `block`, one after another, by a value that is `current` in
/// front of them; gives the value behind them. They stand in the block or in `scf.if` and
/// `affine.if` of it.
pub(super) fn through(
    ctx: &mut Context,
    block: Block,
    members: &[Access],
    current: Value,
) -> Option<Value> {
    let mut current = current;
    // Those that are not replaced yet.
    let mut left = members.to_vec();
    for op in block.ops(ctx) {
        if let Some(at) = left.iter().position(|a| a.op == op) {
            let a = left.remove(at);
            match a.kind {
                AccessKind::Read => op.replace(ctx, &[current]),
                _ => {
                    current = a.stored(ctx)?;
                    op.erase(ctx);
                }
            }
            continue;
        }
        let (inner, others): (Vec<_>, Vec<_>) =
            (left.into_iter()).partition(|a| op.is_ancestor_of(ctx, a.op));
        left = others;
        if inner.is_empty() {
            continue;
        }
        if inner.iter().all(|a| a.kind == AccessKind::Read) {
            for a in inner {
                a.op.replace(ctx, &[current]);
            }
            continue;
        }
        let new = with_result(ctx, op, current.ty(ctx));
        let branches = [new.body(ctx, 0), new.body(ctx, 1)];
        // Before any of them goes away.
        let parts = branches.map(|branch| {
            let stands = |a: &&Access| {
                let ops = branch.ops(ctx);
                ops.iter()
                    .any(|o| *o == a.op || o.is_ancestor_of(ctx, a.op))
            };
            inner.iter().filter(stands).cloned().collect::<Vec<_>>()
        });
        for (branch, part) in branches.into_iter().zip(parts) {
            let last = through(ctx, branch, &part, current)?;
            let end = branch.last_op(ctx)?;
            let mut yielded = end.operands(ctx);
            yielded.push(last);
            end.set_operands(ctx, &yielded);
        }
        current = *new.results(ctx).last()?;
    }
    Some(current)
}

/// A condition like `op`, in its place, with another result, which its branches do not yield
/// yet; without an `else` it gets one.
fn with_result(ctx: &mut Context, op: Op, ty: Type) -> Op {
    let old = op.results(ctx);
    let mut types = op.result_types(ctx);
    types.push(ty);
    let attrs = op.attrs(ctx);
    let mut b = Builder::before(ctx, op);
    let affine = op.isa::<affine::IfOp>(b.ctx);
    let operands = op.operands(b.ctx);
    let new = match affine {
        true => {
            let s = b.state::<affine::IfOp>().operands(&operands);
            b.create(s.results(&types).regions(2))
        }
        false => {
            let s = b.state::<scf::IfOp>().operands(&operands);
            b.create(s.results(&types).regions(2))
        }
    };
    new.set_attrs(b.ctx, &attrs);
    for i in 0..2 {
        let to = new.region(b.ctx, i).add_block(b.ctx, &[]);
        if let Some(from) = op.region(b.ctx, i).entry(b.ctx) {
            to.append_ops_of(b.ctx, from);
            continue;
        }
        b.with_point(InsertPoint::End(to), |b| match affine {
            true => b.op::<affine::YieldOp>(&[], &[], &[]),
            false => b.op::<scf::YieldOp>(&[], &[], &[]),
        });
    }
    let ctx = b.ctx;
    let results = new.results(ctx);
    op.replace(ctx, &results[..old.len()]);
    new
}
