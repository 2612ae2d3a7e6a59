//! Putting the constants found into the IR.

use super::solver::Facts;
use terrace_dialects::{arith, func};
use terrace_ir::effects::is_trivially_dead;
use terrace_ir::rewrite::ConstantFolder;
use terrace_ir::{Builder, Context, InsertPoint, Op, Region, Value};

/// Replace every value known constant, and erase what only computed such values.
/// How many values that were no constants before were replaced.
pub(super) fn rewrite(ctx: &mut Context, root: Op, facts: &Facts) -> u64 {
    let mut folder = ConstantFolder::new();
    let mut n = 0;
    let mut work: Vec<Region> = root.regions(ctx);
    work.reverse();
    while let Some(region) = work.pop() {
        for block in region.blocks(ctx) {
            if !facts.reachable.contains(&block) {
                continue;
            }
            for op in block.ops(ctx) {
                if let Some(value) = ctx.constant_value(op) {
                    // Constants come in front, the last one first.
                    op.unlink(ctx);
                    block.push_front(ctx, op);
                    folder.insert(ctx, op, value);
                    continue;
                }
                for r in op.results(ctx) {
                    n += u64::from(replace(
                        ctx,
                        &mut folder,
                        facts,
                        InsertPoint::Before(op),
                        op,
                        r,
                    ));
                }
                if is_trivially_dead(ctx, op) && all_known(ctx, facts, op) {
                    op.erase(ctx);
                    continue;
                }
                work.extend(op.regions(ctx).into_iter().rev());
            }
            let owner = region.parent_op(ctx);
            for a in block.args(ctx) {
                n += u64::from(replace(
                    ctx,
                    &mut folder,
                    facts,
                    InsertPoint::Start(block),
                    owner,
                    a,
                ));
            }
        }
    }
    n
}

fn all_known(ctx: &Context, facts: &Facts, op: Op) -> bool {
    let results = op.results(ctx);
    !results.is_empty()
        && results
            .iter()
            .all(|r| facts.known.get(*r).constant().is_some())
}

/// Replace the uses of `v`, a result or argument of `owner`, by a constant made at
/// `at`. False where it has no uses, or no constant is known or can be made.
fn replace(
    ctx: &mut Context,
    folder: &mut ConstantFolder,
    facts: &Facts,
    at: InsertPoint,
    owner: Op,
    v: Value,
) -> bool {
    let Some(value) = facts.known.get(v).constant().filter(|_| v.has_uses(ctx)) else {
        return false;
    };
    let ty = v.ty(ctx);
    // By the op's own dialect, else by whichever can.
    let own = ctx.dialect(owner.dialect(ctx)).and_then(|d| d.materialize);
    let makers = [own, arith::DIALECT.materialize, func::DIALECT.materialize];
    let loc = owner.loc(ctx);
    let mut b = Builder::new(ctx, at, loc);
    let mut made = makers.into_iter().flatten().map(|f| f(&mut b, value, ty));
    let Some(c) = made.find_map(|c| c) else {
        return false;
    };
    let with = c.result(ctx, 0);
    if with.ty(ctx) != ty {
        c.erase(ctx);
        return false;
    }
    v.replace_all_uses(ctx, with);
    if let Some(block) = c.block(ctx) {
        c.unlink(ctx);
        block.push_front(ctx, c);
    }
    folder.insert(ctx, c, value);
    true
}
