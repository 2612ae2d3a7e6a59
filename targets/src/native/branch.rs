//! Conditions as ways through the code.
//!
//! ```text
//! %r = scf.if %a -> i1 {                     go to `next` where %a holds, else to `no`
//!   %x = memref.load %m[%i]               next:
//!   %b = arith.cmpi eq, %x, %y      =>      ...
//!   scf.yield %b                            go to `yes` where %b holds, else to `no`
//! } else {
//!   scf.yield %false
//! }
//! scf.if %r { yes } else { no }
//! ```
//!
//! C's `a && b`, whose second half may only be computed where the first holds, is a condition that
//! gives a condition. As a number it would be put together, and asked about again. So what only
//! decides a branch is put off until that branch.

use super::address::Scope;
use super::lower::{Lower, R};
use super::scf::args;
use cranelift_codegen::ir::{self, BlockArg, InstBuilder, InstructionData, Opcode};
use terrace_dialects::arith::{AndIOp, OrIOp, XOrIOp};
use terrace_dialects::memref::LoadOp;
use terrace_dialects::scf::{ConditionOp, IfOp, YieldOp};
use terrace_ir::effects::is_pure;
use terrace_ir::{Block, Context, Op, OpKind, Value};

/// Where a branch leads to, and with which values.
#[derive(Clone)]
pub(super) struct Target {
    pub block: ir::Block,
    pub values: Vec<BlockArg>,
}

impl Target {
    pub fn new(block: ir::Block, values: &[ir::Value]) -> Target {
        Target {
            block,
            values: args(values),
        }
    }
}

/// How deep conditions are followed.
const MAX_DEPTH: u32 = 16;

/// Goes to `yes` where `v` holds, else to `no`; gives the first branch. With `split` the second of
/// two conditions is asked where the first holds.
pub(super) fn branch(
    l: &mut Lower,
    v: Value,
    split: bool,
    yes: &Target,
    no: &Target,
) -> R<ir::Inst> {
    if let Some(holds) = truth(l, v) {
        let to = if holds { yes } else { no };
        return Ok(l.b.ins().jump(to.block, &to.values));
    }
    let ctx = l.ctx;
    let both = |op: Op| [op.operand(ctx, 0), op.operand(ctx, 1)];
    if let Some(x) = negated(ctx, v) {
        return branch(l, x, split, no, yes);
    }
    match v.def_op() {
        Some(op) if op.isa::<AndIOp>(ctx) && asks_in_turn(l, op, split) => {
            let next = Target::new(l.b.create_block(), &[]);
            let [a, b] = both(op);
            let first = branch(l, a, split, &next, no)?;
            l.b.switch_to_block(next.block);
            branch(l, b, split, yes, no)?;
            Ok(first)
        }
        Some(op) if op.isa::<OrIOp>(ctx) && asks_in_turn(l, op, false) => {
            let next = Target::new(l.b.create_block(), &[]);
            let [a, b] = both(op);
            let first = branch(l, a, split, yes, &next)?;
            l.b.switch_to_block(next.block);
            branch(l, b, split, yes, no)?;
            Ok(first)
        }
        Some(op) if op.isa::<IfOp>(ctx) && l.put_off.contains(&op) => {
            condition_of_ways(l, IfOp::wrap(op), split, yes, no)
        }
        _ => {
            let holds = l.one(v)?;
            Ok(l.b
                .ins()
                .brif(holds, yes.block, &yes.values, no.block, &no.values))
        }
    }
}

/// A condition that was put off, whose ways give truth values.
fn condition_of_ways(
    l: &mut Lower,
    i: IfOp,
    split: bool,
    yes: &Target,
    no: &Target,
) -> R<ir::Inst> {
    let ctx = l.ctx;
    let ways = [Some(i.then_block(ctx)), i.else_block(ctx)];
    // A way that only says a constant needs no block.
    let direct = ways.map(|w| match constant_way(ctx, w?)? {
        true => Some(yes.clone()),
        false => Some(no.clone()),
    });
    let mut targets = Vec::new();
    for d in &direct {
        let own = || Target::new(l.b.create_block(), &[]);
        targets.push(d.clone().unwrap_or_else(own));
    }
    let first = branch(l, i.condition(ctx), split, &targets[0], &targets[1])?;
    for ((block, direct), target) in ways.into_iter().zip(&direct).zip(&targets) {
        let (Some(block), None) = (block, direct) else {
            continue;
        };
        l.b.switch_to_block(target.block);
        l.scopes.push(Scope::entered_by(first));
        let end = l.block_body(block)?;
        branch(l, end.operand(ctx, 0), split, yes, no)?;
        l.scopes.pop();
    }
    Ok(first)
}

/// The truth value that a way gives without computing anything.
fn constant_way(ctx: &Context, block: Block) -> Option<bool> {
    let end = block.last_op(ctx)?;
    let alone = block.first_op(ctx) == Some(end) && end.num_operands(ctx) == 1;
    let v = alone.then(|| end.operand(ctx, 0))?;
    Some(ctx.constant_int(v)? != 0)
}

/// Whether the two sides of a conjunction or disjunction are asked one after the other.
fn asks_in_turn(l: &Lower, op: Op, split: bool) -> bool {
    let ctx = l.ctx;
    let sides = op.operands(ctx);
    let waits = |v: &Value| v.def_op().is_some_and(|d| l.put_off.contains(&d));
    if sides.iter().any(waits) || sides.iter().any(|v| truth(l, *v).is_some()) {
        return true;
    }
    split && op.result(ctx, 0).has_one_use(ctx) && super::between::of_both(ctx, op).is_none()
}

/// What `v` is the negation of.
fn negated(ctx: &Context, v: Value) -> Option<Value> {
    let op = v.def_op().filter(|op| op.isa::<XOrIOp>(ctx))?;
    let is_truth = v.ty(ctx).int_width(ctx) == Some(1);
    (is_truth && ctx.constant_int(op.operand(ctx, 1)).is_some_and(|c| c != 0))
        .then(|| op.operand(ctx, 0))
}

/// Whether the truth value `v` holds, where that is known here.
pub(super) fn truth(l: &Lower, v: Value) -> Option<bool> {
    truth_within(l, v, MAX_DEPTH)
}

fn truth_within(l: &Lower, v: Value, depth: u32) -> Option<bool> {
    let ctx = l.ctx;
    if let Some((_, holds)) = l.assumed.iter().rev().find(|(a, _)| *a == v) {
        return Some(*holds);
    }
    if let Some(c) = ctx.constant_int(v) {
        return Some(c != 0);
    }
    if v.ty(ctx).int_width(ctx) != Some(1) {
        return None;
    }
    if l.is_bound(v)
        && let Ok(x) = l.one(v)
        && let Some(c) = machine_constant(l, x)
    {
        return Some(c);
    }
    let depth = depth.checked_sub(1)?;
    let op = v.def_op()?;
    if let Some(x) = negated(ctx, v) {
        return Some(!truth_within(l, x, depth)?);
    }
    let side = |i: usize| truth_within(l, op.operand(ctx, i), depth);
    // One side may decide.
    let deciding = match () {
        () if op.isa::<AndIOp>(ctx) => false,
        () if op.isa::<OrIOp>(ctx) => true,
        () => return None,
    };
    match (side(0), side(1)) {
        (Some(a), _) | (_, Some(a)) if a == deciding => Some(a),
        (Some(_), Some(_)) => Some(!deciding),
        _ => None,
    }
}

/// The truth value that a machine value is.
fn machine_constant(l: &Lower, x: ir::Value) -> Option<bool> {
    let dfg = &l.b.func.dfg;
    let inst = dfg.value_def(dfg.resolve_aliases(x)).inst()?;
    match dfg.insts[inst] {
        InstructionData::UnaryImm {
            opcode: Opcode::Iconst,
            imm,
        } => Some(imm.bits() & 1 != 0),
        _ => None,
    }
}

/// Whether `op`, a condition, only decides a branch behind it in its block, or what the condition
/// around it gives, and may as well be asked there. Then it and what makes another truth value of
/// it are put off.
pub(super) fn put_off(l: &mut Lower, op: Op) -> bool {
    let Some(all) = deciding(l.ctx, op, MAX_DEPTH) else {
        return false;
    };
    l.put_off.extend(all);
    true
}

/// Whether [`put_off`] does so.
pub(super) fn is_put_off(ctx: &Context, op: Op) -> bool {
    deciding(ctx, op, MAX_DEPTH).is_some()
}

/// The condition and the ops behind it that hand its truth value on to a branch.
fn deciding(ctx: &Context, op: Op, depth: u32) -> Option<Vec<Op>> {
    let depth = depth.checked_sub(1)?;
    let is_truth = op.num_results(ctx) == 1 && op.result(ctx, 0).ty(ctx).int_width(ctx) == Some(1);
    if !is_truth || !op.blocks(ctx).iter().all(|b| only_reads(ctx, *b)) {
        return None;
    }
    let mut all = vec![op];
    let mut v = op.result(ctx, 0);
    let mut next = op.next(ctx)?;
    loop {
        let uses = v.uses(ctx);
        let [user] = &uses[..] else { return None };
        // What stands between keeps its place before the condition.
        while next != user.op {
            if !is_pure(ctx, next) || !next.regions(ctx).is_empty() {
                return None;
            }
            next = next.next(ctx)?;
        }
        if next.isa::<IfOp>(ctx) || next.isa::<ConditionOp>(ctx) {
            return (user.index == 0).then_some(all);
        }
        if next.isa::<YieldOp>(ctx) {
            let around = next.parent(ctx)?;
            let decides = around.isa::<IfOp>(ctx) && deciding(ctx, around, depth).is_some();
            return decides.then_some(all);
        }
        let hands_on = next.isa::<AndIOp>(ctx) || next.isa::<OrIOp>(ctx);
        if !hands_on && negated(ctx, next.results(ctx).first().copied()?).is_none() {
            return None;
        }
        all.push(next);
        v = next.result(ctx, 0);
        next = next.next(ctx)?;
    }
}

/// Whether a block only computes and loads.
fn only_reads(ctx: &Context, block: Block) -> bool {
    block.ops(ctx).into_iter().all(|op| {
        op.isa::<LoadOp>(ctx)
            || op.isa::<YieldOp>(ctx)
            || op.isa::<IfOp>(ctx) && op.blocks(ctx).iter().all(|b| only_reads(ctx, *b))
            || op.regions(ctx).is_empty() && is_pure(ctx, op)
    })
}
