//! Conditions on what a loop carries: they hide sums, extrema and choices, so that they go in front
//! of what they hide.
//!
//! ```text
//! %t = scf.if %c -> (f32) {              %f = scf.if %c -> (f32) {
//!   %x = affine.load %A[%i, %j]            %x = affine.load %A[%i, %j]
//!   %n = arith.addf %s, %x            =>   scf.yield %x
//!   scf.yield %n                         } else { scf.yield %zero }
//! } else { scf.yield %s }                %t = arith.addf %s, %f
//! ```
//!
//! What is combined with what changes nothing is what it was, so this is exact. Conditions whose
//! ways only compute become selects, of which the choice of an iteration is made.

use super::conditions::is_condition;
use super::find::statements;
use super::protect::{forget_promises, neutral};
use crate::analysis::reduction::kind_of;
use terrace_dialects::affine::ForOp;
use terrace_dialects::arith::{self, AtomicRmwKind};
use terrace_dialects::scf;
use terrace_ir::builder::OpState;
use terrace_ir::effects::is_pure;
use terrace_ir::{Block, Builder, Context, Op, OpKind, Value};

/// Whether a nest has conditions that hand values on.
pub(super) fn any(ctx: &Context, root: Op) -> bool {
    (root.pre_order(ctx).iter()).any(|o| is_condition(ctx, *o) && o.num_results(ctx) > 0)
}

/// Takes the conditions in a nest from what loops carry.
pub(super) fn normalize(ctx: &mut Context, root: Op) {
    let mut all: Vec<Op> = root.pre_order(ctx);
    all.retain(|o| is_condition(ctx, *o) && o.num_results(ctx) > 0);
    // Those inside come first.
    for op in all.into_iter().rev() {
        for i in 0..op.num_results(ctx) {
            pull_out(ctx, op, i);
        }
        select(ctx, op);
    }
}

/// A way of a condition that combines a carried value with another one, or leaves it as it is.
struct Way {
    end: Op,
    /// The op that combines, and what with.
    combines: Option<(Op, Value)>,
}

/// What a way that ends in `block` makes of the carried value `carried`.
fn way(ctx: &Context, block: Block, i: usize, carried: Value) -> Option<Way> {
    let end = block.last_op(ctx)?;
    let value = *end.operands(ctx).get(i)?;
    if value == carried {
        let combines = None;
        return Some(Way { end, combines });
    }
    let (op, with) = combined(ctx, value, carried)?;
    (op.block(ctx) == Some(block)).then_some(Way {
        end,
        combines: Some((op, with)),
    })
}

/// The op that makes of `carried` and another value `value`, which nothing else uses, and the other
/// one.
pub(super) fn combined(ctx: &Context, value: Value, carried: Value) -> Option<(Op, Value)> {
    let op = value.def_op().filter(|_| value.has_one_use(ctx))?;
    kind_of(op.name(ctx))?;
    match op.operands(ctx)[..] {
        [x, y] if x == carried && y != carried => Some((op, y)),
        [x, y] if y == carried && x != carried => Some((op, x)),
        _ => None,
    }
}

/// The carried value that result `i` of a condition goes on from, and what its ways make of it.
fn ways(ctx: &Context, op: Op, i: usize) -> Option<(Value, Vec<Way>)> {
    let mut around = op.parent(ctx)?;
    while !around.isa::<ForOp>(ctx) {
        around = around.parent(ctx).filter(|_| is_condition(ctx, around))?;
    }
    let blocks = op.blocks(ctx);
    let all = ForOp::wrap(around).iter_args(ctx).into_iter();
    let mut found = all.filter_map(|carried| {
        let ways: Option<Vec<Way>> = (blocks.iter()).map(|b| way(ctx, *b, i, carried)).collect();
        Some((carried, ways?))
    });
    found.next()
}

/// Combines what result `i` of a condition combines in its ways behind it.
fn pull_out(ctx: &mut Context, op: Op, i: usize) {
    let Some((carried, ways)) = ways(ctx, op, i) else {
        return;
    };
    let combiners: Vec<Op> = (ways.iter())
        .filter_map(|w| Some(w.combines.as_ref()?.0))
        .collect();
    let Some(first) = combiners.first().copied() else {
        return;
    };
    let flags = |o: &Op| (o.name(ctx), arith::fastmath_of(ctx, *o));
    let same = combiners.iter().all(|o| flags(o) == flags(&first));
    let ty = carried.ty(ctx);
    let kind = kind_of(first.name(ctx)).filter(|_| same);
    let Some(nothing) = kind.and_then(|k: AtomicRmwKind| k.identity(ctx, ty)) else {
        return;
    };
    let result = op.result(ctx, i);
    let b = &mut Builder::before(ctx, op);
    let nothing = b.value::<arith::ConstantOp>(&[], ty, &[("value", nothing)]);
    let b = &mut Builder::after(b.ctx, op);
    let like = OpState::like(b.ctx, first).results(&[ty]);
    let next = b.create(like.operands(&[carried, nothing]));
    result.replace_all_uses(b.ctx, next.result(b.ctx, 0));
    next.set_operand(b.ctx, 1, result);
    for w in ways {
        let with = w.combines.map_or(nothing, |(_, with)| with);
        w.end.set_operand(b.ctx, i, with);
        if let Some((combiner, _)) = w.combines {
            combiner.erase(b.ctx);
        }
    }
}

/// Makes selects of a condition whose ways hold nothing but what computes without memory and
/// cannot go wrong.
fn select(ctx: &mut Context, op: Op) {
    let blocks = op.blocks(ctx);
    let [then, other] = blocks[..] else { return };
    let may_run =
        |o: &Op| o.num_regions(ctx) == 0 && is_pure(ctx, *o) && neutral(ctx, *o).is_none();
    let simple = |b: &Block| statements(ctx, *b).iter().all(may_run);
    if !op.isa::<scf::IfOp>(ctx) || ![then, other].iter().all(simple) {
        return;
    }
    let mut ways = Vec::new();
    for block in [then, other] {
        for o in statements(ctx, block) {
            o.move_before(ctx, op);
            forget_promises(ctx, o);
        }
        let end = block.last_op(ctx);
        ways.push(end.map(|e| e.operands(ctx)).unwrap_or_default());
    }
    let condition = op.operand(ctx, 0);
    let b = &mut Builder::before(ctx, op);
    let values: Vec<Value> = (ways[0].iter().zip(&ways[1]))
        .map(|(x, y)| arith::SelectOp::build(b, condition, *x, *y))
        .collect();
    op.replace(b.ctx, &values);
}
