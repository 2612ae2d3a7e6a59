//! Patterns of `scf.for`.

use super::branches_canonicalize::inline_region;
use super::{ForOp, YieldOp};
use terrace_ir::rewrite::{PatternSet, Rewriter};
use terrace_ir::{Context, Op, OpKind, OpState, Value};

pub(super) fn patterns(set: &mut PatternSet) {
    set.add::<ForOp>(few_iterations);
    set.add::<ForOp>(invariant_or_unused_values);
}

/// Whether `v` is defined outside of `op`.
pub(super) fn outside(ctx: &Context, op: Op, v: Value) -> bool {
    let owner = v.block(ctx).and_then(|b| b.parent_op(ctx));
    owner.is_none_or(|o| !op.is_ancestor_of(ctx, o))
}

/// No iteration, one, or an empty body that yields values from outside.
fn few_iterations(rw: &mut Rewriter, op: Op) -> bool {
    let f = ForOp::wrap(op);
    let Some(trips) = f.trip_count(rw.ctx) else {
        return false;
    };
    if !f.yield_op(rw.ctx).isa::<YieldOp>(rw.ctx) {
        return false;
    }
    let inits = f.init_args(rw.ctx);
    match trips {
        0 => {
            rw.replace_op(op, &inits);
            true
        }
        1 => {
            let mut args = vec![f.lower_bound(rw.ctx)];
            args.extend(inits);
            inline_region(rw, op, op.region(rw.ctx, 0), &args);
            true
        }
        _ => {
            let yielded = f.yielded(rw.ctx);
            let empty = f.body(rw.ctx).first_op(rw.ctx) == Some(f.yield_op(rw.ctx));
            if !empty || yielded.iter().any(|v| !outside(rw.ctx, op, *v)) {
                return false;
            }
            rw.replace_op(op, &yielded);
            true
        }
    }
}

/// A carried value that each iteration hands on as it got it is its initial value;
/// one whose result has no use and that the body uses only to hand it on is not
/// needed, nor one that is a copy of another.
fn invariant_or_unused_values(rw: &mut Rewriter, op: Op) -> bool {
    let f = ForOp::wrap(op);
    if !f.yield_op(rw.ctx).isa::<YieldOp>(rw.ctx) {
        return false;
    }
    let (inits, yielded) = (f.init_args(rw.ctx), f.yielded(rw.ctx));
    let (args, results) = (f.iter_args(rw.ctx), op.results(rw.ctx));
    let same = invariant(&inits, &yielded, &args);
    let mut gone = vec![false; inits.len()];
    for i in 0..inits.len() {
        if same[i] {
            rw.replace_all_uses(args[i], inits[i]);
            rw.replace_all_uses(results[i], inits[i]);
            gone[i] = true;
            continue;
        }
        // Equal starts and equal steps: one of the two does.
        let twin = (0..i).find(|j| !gone[*j] && inits[*j] == inits[i] && yielded[*j] == yielded[i]);
        if let Some(j) = twin {
            rw.replace_all_uses(args[i], args[j]);
            rw.replace_all_uses(results[i], results[j]);
            gone[i] = true;
            continue;
        }
        gone[i] = !args[i].has_uses(rw.ctx) && !results[i].has_uses(rw.ctx);
    }
    if !gone.contains(&true) {
        return false;
    }
    drop_carried(rw, op, &gone);
    true
}

/// Which carried values equal their initial ones in every iteration: the largest set
/// whose members are yielded as their initial value, or as a member that starts alike.
fn invariant(inits: &[Value], yielded: &[Value], args: &[Value]) -> Vec<bool> {
    let mut same = vec![true; inits.len()];
    loop {
        let holds = |i: usize| {
            let from = args.iter().position(|a| *a == yielded[i]);
            yielded[i] == inits[i] || from.is_some_and(|j| same[j] && inits[j] == inits[i])
        };
        let Some(i) = (0..inits.len()).find(|i| same[*i] && !holds(*i)) else {
            return same;
        };
        same[i] = false;
    }
}

/// Rebuild the loop without the carried values that are `gone`, of which neither the
/// argument nor the result is used.
fn drop_carried(rw: &mut Rewriter, op: Op, gone: &[bool]) {
    let f = ForOp::wrap(op);
    let keep = |v: Vec<Value>| -> Vec<Value> {
        v.into_iter()
            .zip(gone)
            .filter(|(_, g)| !**g)
            .map(|(v, _)| v)
            .collect()
    };
    let (inits, yielded) = (keep(f.init_args(rw.ctx)), keep(f.yielded(rw.ctx)));
    let results = keep(op.results(rw.ctx));
    let y = f.yield_op(rw.ctx);
    rw.set_operands(y, &yielded);
    let body = f.body(rw.ctx);
    for i in (0..gone.len()).rev().filter(|i| gone[*i]) {
        body.erase_arg(rw.ctx, i + 1);
    }
    rebuild(rw, op, 3, &inits, &results);
}

/// A copy of `op` with the operands from number `first` on replaced by `operands`,
/// taking over its regions; `results` are those that it still has.
pub(super) fn rebuild(
    rw: &mut Rewriter,
    op: Op,
    first: usize,
    operands: &[Value],
    results: &[Value],
) -> Op {
    let mut s = OpState::like(rw.ctx, op);
    s.operands = op.operands(rw.ctx);
    s.operands.truncate(first);
    s.operands.extend_from_slice(operands);
    s.result_types = results.iter().map(|r| r.ty(rw.ctx)).collect();
    let regions = op.regions(rw.ctx);
    let s = s.regions(regions.len());
    rw.set_before(op);
    let new = rw.create(s);
    for (i, r) in regions.into_iter().enumerate() {
        let to = new.region(rw.ctx, i);
        rw.move_region(r, to);
    }
    for (i, r) in results.iter().enumerate() {
        let to = new.result(rw.ctx, i);
        rw.replace_all_uses(*r, to);
    }
    rw.erase(op);
    new
}
