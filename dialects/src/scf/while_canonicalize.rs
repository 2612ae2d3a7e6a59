//! Patterns of `scf.while`.

use super::for_canonicalize::outside;
use super::{IfOp, WhileOp};
use crate::arith_by_name as arith;
use terrace_ir::rewrite::{PatternSet, Rewriter};
use terrace_ir::{Op, OpKind, OpState, Value};

pub(super) fn patterns(set: &mut PatternSet) {
    set.add::<WhileOp>(condition_holds_after);
    set.add::<WhileOp>(comparison_holds_after);
    set.add::<WhileOp>(known_values);
    set.add::<WhileOp>(unused_values);
    set.add::<WhileOp>(align_with_before);
    set.add::<WhileOp>(move_if_down);
}

/// Where the second region gets the condition itself, that is true.
fn condition_holds_after(rw: &mut Rewriter, op: Op) -> bool {
    let w = WhileOp::wrap(op);
    let Some(c) = w.condition_op(rw.ctx) else {
        return false;
    };
    let condition = c.condition(rw.ctx);
    let after = w.after(rw.ctx).args(rw.ctx);
    let passed = c.args(rw.ctx).into_iter().zip(after);
    let mut known: Vec<Value> = passed
        .filter(|(v, a)| *v == condition && a.has_uses(rw.ctx))
        .map(|(_, a)| a)
        .collect();
    if known.is_empty() {
        return false;
    }
    rw.set_before(op);
    let Some(one) = arith::bool_constant(rw, true) else {
        return false;
    };
    for a in known.drain(..) {
        rw.replace_all_uses(a, one);
    }
    true
}

/// The opposite of a comparison, by the number of its predicate.
fn opposite(predicate: i64) -> Option<i64> {
    // eq ne, slt sge, sle sgt, ult uge, ule ugt.
    [1, 0, 5, 4, 3, 2, 9, 8, 7, 6]
        .get(usize::try_from(predicate).ok()?)
        .copied()
}

/// A comparison in the second region that the condition decides already.
fn comparison_holds_after(rw: &mut Rewriter, op: Op) -> bool {
    let w = WhileOp::wrap(op);
    let Some(c) = w.condition_op(rw.ctx) else {
        return false;
    };
    let is_cmp = |o: &Op| o.name(rw.ctx) == "arith.cmpi";
    let Some(cmp) = c.condition(rw.ctx).def_op().filter(is_cmp) else {
        return false;
    };
    let Some(predicate) = cmp.int_attr(rw.ctx, "predicate") else {
        return false;
    };
    let mut decided: Vec<(Op, bool)> = Vec::new();
    let passed = c.args(rw.ctx).into_iter().zip(w.after(rw.ctx).args(rw.ctx));
    for (value, arg) in passed {
        for side in 0..2 {
            if value != cmp.operand(rw.ctx, side) {
                continue;
            }
            for user in arg.users(rw.ctx).into_iter().filter(is_cmp) {
                let other = 1 - side;
                let same_sides = user.operand(rw.ctx, side) == arg
                    && user.operand(rw.ctx, other) == cmp.operand(rw.ctx, other);
                let p = user.int_attr(rw.ctx, "predicate");
                if !same_sides || decided.iter().any(|d| d.0 == user) {
                    continue;
                }
                if p == Some(predicate) {
                    decided.push((user, true));
                } else if p.is_some() && p == opposite(predicate) {
                    decided.push((user, false));
                }
            }
        }
    }
    let mut changed = false;
    for (user, value) in decided {
        rw.set_before(user);
        let Some(v) = arith::bool_constant(rw, value) else {
            return changed;
        };
        rw.replace_op(user, &[v]);
        changed = true;
    }
    changed
}

/// Values that are the same in every iteration, or copies of another one.
fn known_values(rw: &mut Rewriter, op: Op) -> bool {
    let w = WhileOp::wrap(op);
    let (Some(c), Some(y)) = (w.condition_op(rw.ctx), w.yield_op(rw.ctx)) else {
        return false;
    };
    let (before, after) = (w.before(rw.ctx).args(rw.ctx), w.after(rw.ctx).args(rw.ctx));
    let (inits, yields) = (w.inits(rw.ctx), y.op().operands(rw.ctx));
    let (passed, results) = (c.args(rw.ctx), op.results(rw.ctx));
    let mut changes: Vec<(Value, Value)> = Vec::new();
    for i in 0..before.len() {
        // Handed through the second region unchanged?
        let back = after
            .iter()
            .position(|a| *a == yields[i])
            .map(|k| passed[k]);
        if yields[i] == inits[i] || back == Some(before[i]) {
            changes.push((before[i], inits[i]));
        } else if let Some(j) = (0..i).find(|j| inits[*j] == inits[i] && yields[*j] == yields[i]) {
            changes.push((before[i], before[j]));
        }
    }
    for k in 0..after.len() {
        if outside(rw.ctx, op, passed[k]) {
            changes.push((after[k], passed[k]));
            changes.push((results[k], passed[k]));
        } else if let Some(j) = (0..k).find(|j| passed[*j] == passed[k]) {
            changes.push((after[k], after[j]));
            changes.push((results[k], results[j]));
        }
    }
    changes.retain(|(old, _)| old.has_uses(rw.ctx));
    for (old, new) in &changes {
        rw.replace_all_uses(*old, *new);
    }
    !changes.is_empty()
}

/// Carried values that nothing uses.
fn unused_values(rw: &mut Rewriter, op: Op) -> bool {
    let w = WhileOp::wrap(op);
    let (Some(c), Some(y)) = (w.condition_op(rw.ctx), w.yield_op(rw.ctx)) else {
        return false;
    };
    let used = |v: &Value| v.has_uses(rw.ctx);
    let (before, after) = (w.before(rw.ctx), w.after(rw.ctx));
    let keep_before: Vec<bool> = before.args(rw.ctx).iter().map(used).collect();
    let results = op.results(rw.ctx);
    let keep_after: Vec<bool> = after
        .args(rw.ctx)
        .iter()
        .zip(&results)
        .map(|(a, r)| used(a) || used(r))
        .collect();
    if !keep_before.contains(&false) && !keep_after.contains(&false) {
        return false;
    }
    fn kept(values: Vec<Value>, keep: &[bool]) -> Vec<Value> {
        values
            .into_iter()
            .zip(keep)
            .filter(|(_, k)| **k)
            .map(|(v, _)| v)
            .collect()
    }
    let mut passed = vec![c.condition(rw.ctx)];
    passed.extend(kept(c.args(rw.ctx), &keep_after));
    rw.set_operands(c.op(), &passed);
    let yields = kept(y.op().operands(rw.ctx), &keep_before);
    rw.set_operands(y.op(), &yields);
    for (block, keep) in [(before, &keep_before), (after, &keep_after)] {
        for i in (0..keep.len()).rev().filter(|i| !keep[*i]) {
            block.erase_arg(rw.ctx, i);
        }
    }
    let inits = kept(w.inits(rw.ctx), &keep_before);
    super::for_canonicalize::rebuild(rw, op, 0, &inits, &kept(results, &keep_after));
    true
}

/// Where the condition passes exactly the first region's arguments in another order,
/// pass them in their own.
fn align_with_before(rw: &mut Rewriter, op: Op) -> bool {
    let w = WhileOp::wrap(op);
    let Some(c) = w.condition_op(rw.ctx) else {
        return false;
    };
    let (args, passed) = (w.before(rw.ctx).args(rw.ctx), c.args(rw.ctx));
    if args == passed || args.len() != passed.len() {
        return false;
    }
    // Position i of what is passed is argument `place[i]`.
    let mut place = Vec::new();
    for v in &passed {
        match args.iter().position(|a| a == v) {
            Some(i) if !place.contains(&i) => place.push(i),
            _ => return false,
        }
    }
    let mut operands = vec![c.condition(rw.ctx)];
    operands.extend_from_slice(&args);
    rw.set_operands(c.op(), &operands);
    let after = w.after(rw.ctx);
    let old = after.args(rw.ctx);
    let fresh: Vec<Value> = args
        .iter()
        .map(|a| {
            let ty = a.ty(rw.ctx);
            after.add_arg(rw.ctx, ty)
        })
        .collect();
    for (i, p) in place.iter().enumerate() {
        rw.replace_all_uses(old[i], fresh[*p]);
    }
    for i in (0..old.len()).rev() {
        after.erase_arg(rw.ctx, i);
    }
    let mut s = OpState::like(rw.ctx, op);
    s.operands = op.operands(rw.ctx);
    s.result_types = args.iter().map(|a| a.ty(rw.ctx)).collect();
    rw.set_before(op);
    let new = rw.create(s.regions(2));
    for i in 0..2 {
        let (from, to) = (op.region(rw.ctx, i), new.region(rw.ctx, i));
        rw.move_region(from, to);
    }
    let results: Vec<Value> = place.iter().map(|p| new.result(rw.ctx, *p)).collect();
    rw.replace_op(op, &results);
    true
}

/// An `scf.if` on the loop's condition at the end of the first region moves to the
/// start of the second, which runs exactly when the condition holds.
fn move_if_down(rw: &mut Rewriter, op: Op) -> bool {
    let w = WhileOp::wrap(op);
    let Some(c) = w.condition_op(rw.ctx) else {
        return false;
    };
    let inner = c.op().prev(rw.ctx).and_then(|p| p.cast::<IfOp>(rw.ctx));
    let Some(inner) = inner.filter(|i| i.condition(rw.ctx) == c.condition(rw.ctx)) else {
        return false;
    };
    let other = inner.else_block(rw.ctx);
    if other.is_some_and(|b| b.first_op(rw.ctx) != b.last_op(rw.ctx)) {
        return false;
    }
    let (t, f) = (inner.then_yielded(rw.ctx), inner.else_yielded(rw.ctx));
    let results = inner.op().results(rw.ctx);
    let after = w.after(rw.ctx);
    for (i, v) in c.args(rw.ctx).into_iter().enumerate() {
        let Some(k) = results.iter().position(|r| *r == v) else {
            continue;
        };
        let arg = after.arg(rw.ctx, i);
        rw.replace_all_uses(arg, t[k]);
    }
    for (r, v) in results.iter().zip(&f) {
        rw.replace_all_uses(*r, *v);
    }
    // What the moved ops use of the first region is passed on to the second.
    let then = inner.op().region(rw.ctx, 0);
    let before = w.before(rw.ctx);
    let mut needed: Vec<Value> = Vec::new();
    let mut used: Vec<Value> = Vec::new();
    inner.op().walk(rw.ctx, &mut |o| {
        if o != inner.op() {
            used.extend(o.operands(rw.ctx));
        }
    });
    // The values the `then` region yielded may be used in the second region by now.
    used.extend(t.iter().copied());
    for v in used {
        if v.block(rw.ctx) == Some(before) && !needed.contains(&v) {
            needed.push(v);
        }
    }
    let mut s = OpState::like(rw.ctx, op);
    s.operands = op.operands(rw.ctx);
    s.result_types = op.result_types(rw.ctx);
    s.result_types.extend(needed.iter().map(|v| v.ty(rw.ctx)));
    rw.set_before(op);
    let new = rw.create(s.regions(2));
    for v in &needed {
        let ty = v.ty(rw.ctx);
        let arg = after.add_arg(rw.ctx, ty);
        for u in v.uses(rw.ctx) {
            let moved = u.op.region_of(rw.ctx).is_some_and(|r| {
                then.contains(rw.ctx, r)
                    || after.region(rw.ctx).is_some_and(|a| a.contains(rw.ctx, r))
            });
            if moved {
                rw.set_operand(u.op, u.index, arg);
            }
        }
    }
    let mut operands = c.op().operands(rw.ctx);
    operands.extend_from_slice(&needed);
    rw.set_operands(c.op(), &operands);
    for i in 0..2 {
        let (from, to) = (op.region(rw.ctx, i), new.region(rw.ctx, i));
        rw.move_region(from, to);
    }
    let Some(block) = then.entry(rw.ctx) else {
        return true;
    };
    if let Some(y) = block.last_op(rw.ctx) {
        rw.erase(y);
    }
    if let Some(first) = after.first_op(rw.ctx) {
        rw.inline_block_before(block, first, &[]);
    }
    rw.erase(inner.op());
    let results = new.results(rw.ctx);
    rw.replace_op(op, &results[..op.num_results(rw.ctx)]);
    true
}
