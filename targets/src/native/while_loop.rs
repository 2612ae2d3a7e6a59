//! Loops that run as long as a condition holds.
//!
//! A loop tests at its bottom, and once in front, where the condition is short; else at its top.
//! What an iteration computes as the condition before it did is handed on.

use super::address::Scope;
use super::lower::{Lower, R};
use super::scf::args;
use cranelift_codegen::ir::{self, InstBuilder};
use terrace_dialects::arith::AndIOp;
use terrace_ir::effects::is_pure;
use terrace_ir::{Block, Context, Op, Value};

/// The most ops of a condition that is computed in two places.
const MAX_ROTATED: usize = 24;

pub(super) fn lower(l: &mut Lower, op: Op) -> R {
    let ctx = l.ctx;
    let (before, after) = (op.body(ctx, 0), op.body(ctx, 1));
    let inits = l.flat_all(&op.operands(ctx))?;
    let passed = l.flat_types(&op.results(ctx))?;
    let (done, results) = l.block_with(&passed);
    let asked = before.ops(ctx);
    let short = asked.len() <= MAX_ROTATED;
    if short && asked.iter().all(|op| op.regions(ctx).is_empty()) {
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
    let known = computed_before(ctx, &condition, after);
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
    let y = l.block_body(after)?;
    let next = l.flat_all(&y.operands(ctx))?;
    l.bind_flat(&before.args(ctx), &next)?;
    let condition = lower_condition(l, before)?;
    leave_or_go(l, &condition, (body, &again), done)?;
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
    let values = args(&l.flat_all(values)?);
    let out = args(&l.flat_all(&c.passed)?);
    let mut conditions = Vec::new();
    split(l.ctx, c.holds, &mut conditions);
    let mut first = None;
    for (i, v) in conditions.iter().enumerate() {
        let holds = l.one(*v)?;
        let last = i + 1 == conditions.len();
        let next = if last { body } else { l.b.create_block() };
        let given = if last { &values[..] } else { &[] };
        let branch = l.b.ins().brif(holds, next, given, done, &out);
        first.get_or_insert(branch);
        if !last {
            l.b.switch_to_block(next);
        }
    }
    first.ok_or_else(|| "needs a condition".into())
}

/// The conditions that all have to hold for `v` to hold, in their order.
fn split(ctx: &Context, v: Value, out: &mut Vec<Value>) {
    match v
        .def_op()
        .filter(|op| op.isa::<AndIOp>(ctx) && v.has_one_use(ctx))
    {
        Some(and) => and
            .operands(ctx)
            .into_iter()
            .for_each(|v| split(ctx, v, out)),
        None => out.push(v),
    }
}

/// The ops of `after` that compute what one of the condition's block does from the same values,
/// each with that one's result.
fn computed_before(ctx: &Context, c: &Condition, after: Block) -> Vec<(Op, Value)> {
    let Some(before) = c.holds.block(ctx) else {
        return Vec::new();
    };
    let pure = |op: &Op| op.num_results(ctx) == 1 && op.num_operands(ctx) > 0 && is_pure(ctx, *op);
    let earlier: Vec<Op> = before.ops(ctx).into_iter().filter(pure).collect();
    let mut found: Vec<(Op, Value)> = Vec::new();
    for op in after.ops(ctx).into_iter().filter(pure) {
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
