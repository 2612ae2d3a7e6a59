//! `scf-if-to-select`: both ways of a condition are computed, and the condition chooses.
//!
//! ```text
//! %r = scf.if %c -> f64 {               %t = arith.mulf %x, %y
//!   %t = arith.mulf %x, %y        =>    %r = arith.select %c, %t, %x
//!   scf.yield %t
//! } else {
//!   scf.yield %x
//! }
//! ```
//!
//! A branch costs little where it goes the same way each time, and much where it does not;
//! and lanes of a vector cannot branch apart. So this is done where all that is computed in
//! vain is a few ops without effects. A sum that goes on in one way only,
//! `if (c) s = s + x`, adds the neutral element in the other, and stays a sum that lanes can
//! make:
//!
//! ```text
//! %r = scf.if %c -> i32 {               %t = arith.select %c, %x, %zero
//!   %t = arith.addi %s, %x        =>    %r = arith.addi %s, %t
//!   scf.yield %t
//! } else {
//!   scf.yield %s
//! }
//! ```

use crate::analysis::captured::is_inside;
use crate::analysis::reduction::kind_of;
use terrace_dialects::arith::{self, AndIOp, OrIOp, SelectOp};
use terrace_dialects::scf::{IfOp, YieldOp};
use terrace_dialects::{affine, func, math, scf};
use terrace_ir::effects::is_pure;
use terrace_ir::pass::{
    OptionInfo, OptionKind, Pass, PassContext, PassInfo, PassResult, StatisticInfo,
};
use terrace_ir::{Block, Builder, Context, Op, OpKind, Value};

pub static INFO: PassInfo = PassInfo {
    name: "scf-if-to-select",
    title: "SCFIfToSelect",
    summary: "Compute both ways of small conditions and select",
    description: "Replaces scf.if ops whose regions hold only a few cheap ops without effects by these ops and arith.select.",
    anchor: Some(func::FuncOp::NAME),
    options: &[OptionInfo {
        name: "max-ops",
        kind: OptionKind::UInt,
        default: "8",
        doc: "Ops in both regions together, at most",
    }],
    statistics: &[StatisticInfo {
        name: "num-ifs",
        doc: "Number of conditions that select now",
    }],
    make: |o| {
        Ok(Box::new(IfToSelect {
            max_ops: o.uint("max-ops"),
        }))
    },
};

struct IfToSelect {
    max_ops: u64,
}

impl Pass for IfToSelect {
    fn run(&mut self, ctx: &mut PassContext, op: Op) -> PassResult {
        // Inner ones first, so that those around them hold plain ops.
        for op in op.post_order(ctx) {
            let Some(i) = op.cast::<IfOp>(ctx) else {
                continue;
            };
            if self.is_cheap(ctx, i) {
                replace(ctx, i);
                ctx.count("num-ifs", 1);
            }
        }
        Ok(())
    }
}

impl IfToSelect {
    fn is_cheap(&self, ctx: &Context, i: IfOp) -> bool {
        let blocks = [Some(i.then_block(ctx)), i.else_block(ctx)];
        let ops = blocks.into_iter().flatten().flat_map(|b| b.ops(ctx));
        let mut left = self.max_ops;
        for op in ops.filter(|o| !o.isa::<YieldOp>(ctx)) {
            if op.isa::<arith::ConstantOp>(ctx) {
                continue;
            }
            if left == 0 || !is_cheap(ctx, op) {
                return false;
            }
            left -= 1;
        }
        let numbers = |v: &Value| {
            let ty = v.ty(ctx);
            ty.is_int_or_index(ctx) || ty.is_float(ctx)
        };
        i.op().results(ctx).iter().all(numbers)
    }
}

/// Whether an op may run for nothing, and takes about one instruction.
fn is_cheap(ctx: &Context, op: Op) -> bool {
    let dear = matches!(
        op.name(ctx),
        arith::DivFOp::NAME
            | arith::RemFOp::NAME
            | arith::DivSIOp::NAME
            | arith::DivUIOp::NAME
            | arith::RemSIOp::NAME
            | arith::RemUIOp::NAME
    );
    let is_math = op.name(ctx).starts_with("math.") && !op.isa::<math::AbsFOp>(ctx);
    op.regions(ctx).is_empty() && !dear && !is_math && is_pure(ctx, op)
}

fn replace(ctx: &mut Context, i: IfOp) {
    let condition = i.condition(ctx);
    let mut b = Builder::before(ctx, i.op());
    let mut ways = Vec::new();
    for block in [Some(i.then_block(b.ctx)), i.else_block(b.ctx)] {
        ways.push(block.map_or_else(Vec::new, |block| unpack(&mut b, block, i.op())));
    }
    let pairs: Vec<(Value, Value)> = match &ways[..] {
        [then, other] => then.iter().copied().zip(other.iter().copied()).collect(),
        _ => Vec::new(),
    };
    let results: Vec<Value> = pairs
        .into_iter()
        .map(|(then, other)| {
            sum(&mut b, condition, then, other)
                .unwrap_or_else(|| select(&mut b, condition, then, other))
        })
        .collect();
    i.op().replace(b.ctx, &results);
}

/// Moves the ops of a block before `at`; gives what it yields.
fn unpack(b: &mut Builder, block: Block, at: Op) -> Vec<Value> {
    let mut yielded = Vec::new();
    for op in block.ops(b.ctx) {
        match op.isa::<YieldOp>(b.ctx) {
            true => yielded = op.operands(b.ctx),
            false => op.move_before(b.ctx, at),
        }
    }
    yielded
}

/// `then` or `other`. A truth value that one way knows needs no choice.
fn select(b: &mut Builder, condition: Value, then: Value, other: Value) -> Value {
    let ty = then.ty(b.ctx);
    if then == other {
        return then;
    }
    if ty.int_width(b.ctx) == Some(1) {
        if b.ctx.constant_int(other) == Some(0) {
            return b.value::<AndIOp>(&[condition, then], ty, &[]);
        }
        if b.ctx.constant_int(then).is_some_and(|c| c != 0) {
            return b.value::<OrIOp>(&[condition, other], ty, &[]);
        }
    }
    b.value::<SelectOp>(&[condition, then, other], ty, &[])
}

/// Where one way is the other one with something added, or combined in another way that has a
/// neutral element: that added, or the neutral element.
fn sum(b: &mut Builder, condition: Value, then: Value, other: Value) -> Option<Value> {
    let (op, start, adds) = match (added_to(b.ctx, then, other), added_to(b.ctx, other, then)) {
        (Some(op), _) => (op, other, true),
        (_, Some(op)) => (op, then, false),
        _ => return None,
    };
    let kind = kind_of(op.name(b.ctx))?;
    let ty = then.ty(b.ctx);
    let neutral = kind.identity(b.ctx, ty)?;
    let at = usize::from(op.operand(b.ctx, 0) == start);
    let term = op.operand(b.ctx, at);
    let neutral = arith::constant(b, neutral);
    let (x, y) = if adds {
        (term, neutral)
    } else {
        (neutral, term)
    };
    let chosen = b.value::<SelectOp>(&[condition, x, y], ty, &[]);
    op.set_operand(b.ctx, at, chosen);
    // It needs what was chosen, which stands behind it.
    let at = chosen.def_op()?;
    op.move_after(b.ctx, at);
    Some(op.result(b.ctx, 0))
}

/// The op that makes `whole` of `start`, a value that a loop carries, and one other value.
fn added_to(ctx: &Context, whole: Value, start: Value) -> Option<Op> {
    let op = whole.def_op()?;
    kind_of(op.name(ctx))?;
    let one =
        op.num_operands(ctx) == 2 && (op.operand(ctx, 0) == start) != (op.operand(ctx, 1) == start);
    let inside = start
        .arg_block()
        .and_then(|block| block.parent_op(ctx))
        .filter(|l| l.isa::<affine::ForOp>(ctx) || l.isa::<scf::ForOp>(ctx))
        .is_some_and(|l| is_inside(ctx, l, whole));
    (one && inside && whole.has_one_use(ctx)).then_some(op)
}
