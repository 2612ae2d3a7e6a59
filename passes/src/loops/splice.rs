//! Putting a body where a call is.

use terrace_dialects::{cf, func};
use terrace_ir::clone::{IrMapping, clone_region_into};
use terrace_ir::{Block, Builder, Context, Loc, LocData, Op, Value};

/// Puts the ops of a loop's body in its place, as of its one iteration; what the loop carries
/// begins as `inits`.
pub(crate) fn unwrap_body(ctx: &mut Context, l: Op, inits: &[Value]) {
    let body = l.body(ctx, 0);
    for (arg, init) in body.args(ctx)[1..].iter().zip(inits) {
        arg.replace_all_uses(ctx, *init);
    }
    // Only now, since what is yielded may have been a carried value.
    let mut yielded = Vec::new();
    if let Some(end) = body.terminator(ctx) {
        yielded = end.operands(ctx);
        end.erase(ctx);
    }
    for op in body.ops(ctx) {
        op.move_before(ctx, l);
    }
    l.replace(ctx, &yielded);
}

/// Puts the ops of the block that a condition takes in the place of the condition. Without a block
/// nothing is done there.
pub(crate) fn take_way(ctx: &mut Context, condition: Op, way: Option<Block>) {
    let mut results = Vec::new();
    for op in way.map_or_else(Vec::new, |block| block.ops(ctx)) {
        match op.is_terminator(ctx) {
            true => results = op.operands(ctx),
            false => op.move_before(ctx, condition),
        }
    }
    condition.replace(ctx, &results);
}

/// Replace `call` by the body of `callee`, which it may replace, and erase it.
/// The body itself is used where `take` says so, else a copy. `seen` gets the ops
/// of the body that are now there, before their terminators are replaced.
pub(crate) fn splice(
    ctx: &mut Context,
    call: Op,
    callee: Op,
    take: bool,
    seen: &mut dyn FnMut(&mut Context, &[Block]),
) {
    let Some(before) = call.block(ctx) else {
        return;
    };
    let src = callee.region(ctx, 0);
    let args = call.operands(ctx);
    let Some(region) = before.region(ctx) else {
        return;
    };
    let mut blocks = src.blocks(ctx);
    if !take {
        let count = region.blocks(ctx).len();
        let mut map = IrMapping::new();
        clone_region_into(ctx, src, region, &mut map);
        blocks = region.blocks(ctx).split_off(count);
    }
    let after = before.split_before(ctx, call);
    for b in &blocks {
        b.unlink(ctx);
        b.insert_before(ctx, after);
    }
    let call_loc = call.loc(ctx);
    if call_loc != Loc::Unknown {
        relocate(ctx, &blocks, call_loc);
    }
    let entry = blocks[0];
    for (a, v) in entry.args(ctx).into_iter().zip(&args) {
        a.replace_all_uses(ctx, *v);
    }
    seen(ctx, &blocks);
    if let [only] = blocks[..] {
        let results = only.last_op(ctx).map(|t| {
            let v = t.operands(ctx);
            t.erase(ctx);
            v
        });
        replace_results(ctx, call, &results.unwrap_or_default());
        call.erase(ctx);
        only.append_ops_of(ctx, after);
        after.unlink(ctx);
        after.erase(ctx);
    } else {
        let mut results = Vec::new();
        for r in call.results(ctx) {
            let arg = after.add_arg(ctx, r.ty(ctx));
            after.set_arg_loc(ctx, results.len(), r.loc(ctx));
            results.push(arg);
        }
        replace_results(ctx, call, &results);
        call.erase(ctx);
        for b in &blocks {
            if let Some(t) = b.last_op(ctx).filter(|t| t.isa::<func::ReturnOp>(ctx)) {
                let operands = t.operands(ctx);
                cf::BranchOp::build(&mut Builder::before(ctx, t), after, &operands);
                t.erase(ctx);
            }
        }
    }
    before.append_ops_of(ctx, entry);
    entry.unlink(ctx);
    entry.erase(ctx);
}

fn replace_results(ctx: &Context, call: Op, with: &[Value]) {
    for (r, v) in call.results(ctx).into_iter().zip(with) {
        r.replace_all_uses(ctx, *v);
    }
}

/// Say of all that is in `blocks` that it was called from `caller`.
fn relocate(ctx: &Context, blocks: &[Block], caller: Loc) {
    for b in blocks {
        for i in 0..b.num_args(ctx) {
            let loc = b.arg_loc(ctx, i);
            b.set_arg_loc(ctx, i, called_from(ctx, loc, caller));
        }
        for op in b.ops(ctx) {
            for o in op.pre_order(ctx) {
                o.set_loc(ctx, called_from(ctx, o.loc(ctx), caller));
            }
        }
    }
}

/// `callee`, called from `caller`: the caller goes to the outer end of the calls
/// that `callee` says it was inlined through.
fn called_from(ctx: &Context, callee: Loc, caller: Loc) -> Loc {
    let mut inlined = Vec::new();
    let mut outer = callee;
    while let LocData::CallSite { callee, caller } = outer.data(ctx) {
        inlined.push(callee);
        outer = caller;
    }
    inlined.push(outer);
    inlined.into_iter().rev().fold(caller, |caller, callee| {
        Loc::from_data(ctx, LocData::CallSite { callee, caller })
    })
}
