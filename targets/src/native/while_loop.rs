//! Loops that run as long as a condition holds.
//!
//! A loop tests at its bottom, and once in front, where the condition is short; else at its top.
//! What an iteration computes as the condition before it did is handed on.

use super::address::Scope;
use super::branch::{self, Target};
use super::jump_threading;
use super::lower::{Lower, R};
use super::scf::args;
use cranelift_codegen::ir::{self, InstBuilder};
use terrace_dialects::memref::LoadOp;
use terrace_ir::effects::{is_pure, only_reads};
use terrace_ir::{Block, Op, Value};

/// The most ops of a condition that is computed in two places.
const MAX_ROTATED: usize = 24;

pub(super) fn lower(l: &mut Lower, op: Op) -> R {
    let ctx = l.ctx;
    let (before, after) = (op.body(ctx, 0), op.body(ctx, 1));
    let inits = l.flat_all(&op.operands(ctx))?;
    let passed = l.flat_types(&op.results(ctx))?;
    let (done, results) = l.block_with(&passed);
    let asked = before.ops(ctx);
    let in_all: usize = asked.iter().map(|op| op.pre_order(ctx).len()).sum();
    let plain = |op: &Op| op.regions(ctx).is_empty() || branch::is_put_off(ctx, *op);
    if in_all <= MAX_ROTATED && asked.iter().all(plain) {
        at_bottom(l, (before, after), &inits, done)?;
    } else {
        at_top(l, (before, after), &inits, done)?;
    }
    l.b.switch_to_block(done);
    l.bind_flat(&op.results(ctx), &results)
}

fn at_bottom(
    l: &mut Lower,
    (before, after): (Block, Block),
    inits: &[ir::Value],
    done: ir::Block,
) -> R {
    let ctx = l.ctx;
    l.bind_flat(&before.args(ctx), inits)?;
    let condition = lower_condition(l, before)?;
    let known = computed_before(l, &condition, after);
    let mut types = l.flat_types(&condition.passed)?;
    let first = types.len();
    let mut places = Vec::new();
    for (_, v) in &known {
        let more = l.flat_types(&[*v])?;
        places.push(types.len()..types.len() + more.len());
        types.extend(more);
    }
    let (body, params) = l.block_with(&types);
    let again = [
        &condition.passed[..],
        &known.iter().map(|k| k.1).collect::<Vec<_>>(),
    ]
    .concat();
    let entry = leave_or_go(l, &condition, (body, &again), done)?;
    l.b.switch_to_block(body);
    l.scopes.push(Scope::entered_by(entry));
    l.bind_flat(&after.args(ctx), &params[..first])?;
    for ((op, _), place) in known.iter().zip(&places) {
        l.bind_flat(&op.results(ctx), &params[place.clone()])?;
        l.made.insert(*op);
    }
    jump_threading::lower(l, after, &mut |l, yielded| {
        let next = l.flat_all(yielded)?;
        l.bind_flat(&before.args(ctx), &next)?;
        let condition = lower_condition(l, before)?;
        leave_or_go(l, &condition, (body, &again), done)?;
        Ok(())
    })?;
    l.scopes.pop();
    Ok(())
}

fn at_top(
    l: &mut Lower,
    (before, after): (Block, Block),
    inits: &[ir::Value],
    done: ir::Block,
) -> R {
    let ctx = l.ctx;
    let carried = l.flat_types(&before.args(ctx))?;
    let (head, params) = l.block_with(&carried);
    let entry = l.b.ins().jump(head, &args(inits));
    l.b.switch_to_block(head);
    l.scopes.push(Scope::entered_by(entry));
    l.bind_flat(&before.args(ctx), &params)?;
    let condition = lower_condition(l, before)?;
    let body = l.b.create_block();
    let entry = leave_or_go(l, &condition, (body, &[]), done)?;
    l.b.switch_to_block(body);
    l.scopes.push(Scope::entered_by(entry));
    let values = l.flat_all(&condition.passed)?;
    l.bind_flat(&after.args(ctx), &values)?;
    let y = l.block_body(after)?;
    let next = l.flat_all(&y.operands(ctx))?;
    l.b.ins().jump(head, &args(&next));
    l.scopes.pop();
    l.scopes.pop();
    Ok(())
}

/// What the first region of a loop ends in.
struct Condition {
    holds: Value,
    /// What it passes on to an iteration, and to behind the loop.
    passed: Vec<Value>,
}

fn lower_condition(l: &mut Lower, before: Block) -> R<Condition> {
    let operands = l.block_body(before)?.operands(l.ctx);
    let Some((holds, passed)) = operands.split_first() else {
        return Err("needs a condition".into());
    };
    Ok(Condition {
        holds: *holds,
        passed: passed.to_vec(),
    })
}

/// Goes to `body` with these values where the condition holds, else to `done`. Of two conditions
/// the second is asked where the first holds: a loop is left once, and each branch is foreseen.
fn leave_or_go(
    l: &mut Lower,
    c: &Condition,
    (body, values): (ir::Block, &[Value]),
    done: ir::Block,
) -> R<ir::Inst> {
    let go = Target::new(body, &l.flat_all(values)?);
    let leave = Target::new(done, &l.flat_all(&c.passed)?);
    branch::branch(l, c.holds, true, &go, &leave)
}

/// The ops of `after` that compute what one of the condition's block does from the same values,
/// each with that one's result.
///
/// So is an element that is loaded again before anything may be written.
fn computed_before(l: &Lower, c: &Condition, after: Block) -> Vec<(Op, Value)> {
    let ctx = l.ctx;
    let Some(before) = c.holds.block(ctx) else {
        return Vec::new();
    };
    let pure = |op: &Op| op.num_results(ctx) == 1 && op.num_operands(ctx) > 0 && is_pure(ctx, *op);
    let loads = |op: &Op| op.isa::<LoadOp>(ctx);
    // Behind the last op that may write, what is loaded stays.
    let asked = before.ops(ctx);
    let written = asked
        .iter()
        .rposition(|op| !only_reads(ctx, *op))
        .map_or(0, |i| i + 1);
    let kept = |(i, op): &(usize, Op)| pure(op) || loads(op) && *i >= written;
    let asked = asked.into_iter().enumerate().filter(kept).map(|(_, op)| op);
    let earlier: Vec<Op> = asked.filter(|op| !l.put_off.contains(op)).collect();
    let mut found: Vec<(Op, Value)> = Vec::new();
    let mut is_written = false;
    for op in after.ops(ctx) {
        is_written |= !only_reads(ctx, op);
        if !(pure(&op) || loads(&op) && !is_written) {
            continue;
        }
        let was = |v: Value| {
            let handed_on = after.args(ctx).iter().position(|a| *a == v);
            let known = found.iter().find(|(op, _)| op.result(ctx, 0) == v);
            match (handed_on, known) {
                (Some(i), _) => c.passed.get(i).copied(),
                (None, Some((_, earlier))) => Some(*earlier),
                (None, None) => Some(v),
            }
        };
        let operands: Option<Vec<Value>> = op.operands(ctx).into_iter().map(was).collect();
        let same = earlier.iter().find(|e| {
            e.name(ctx) == op.name(ctx)
                && e.regions(ctx).is_empty()
                && Some(e.operands(ctx)) == operands
                && e.attrs(ctx) == op.attrs(ctx)
                && e.result_types(ctx) == op.result_types(ctx)
        });
        if let Some(same) = same {
            found.push((op, same.result(ctx, 0)));
        }
    }
    found
}
