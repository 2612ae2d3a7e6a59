//! `arith.cmpi`, `arith.cmpf`, `arith.select`.

use super::abi::Scalar;
use super::arith::sext;
use super::lower::{Lower, R};
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{self, InstBuilder, types};
use terrace_dialects::arith::{CmpFOp, CmpFPredicate, CmpIOp, CmpIPredicate, SelectOp};
use terrace_dialects::scf::ForOp;
use terrace_ir::{Block, Context, Op, OpKind, Value};

pub(super) fn lower(l: &mut Lower, op: Op, name: &str) -> R {
    match name {
        "cmpi" => cmpi(l, op),
        "cmpf" => cmpf(l, op),
        _ => select(l, op),
    }
}

fn cmpi(l: &mut Lower, op: Op) -> R {
    let ctx = l.ctx;
    let Some(p) = CmpIOp::wrap(op).predicate(ctx) else {
        return Err("has an unknown predicate".into());
    };
    let Scalar::Int(bits) = l.scalar_of(op.operand(ctx, 0))? else {
        return Err("needs integer operands".into());
    };
    let (mut a, mut b) = (l.one(op.operand(ctx, 0))?, l.one(op.operand(ctx, 1))?);
    use CmpIPredicate::*;
    if matches!(p, Slt | Sle | Sgt | Sge) {
        (a, b) = (sext(l, a, bits), sext(l, b, bits));
    }
    let v = l.b.ins().icmp(int_condition(p), a, b);
    l.bind_one(op, v);
    Ok(())
}

/// The condition of a predicate.
pub(super) fn int_condition(p: CmpIPredicate) -> IntCC {
    use CmpIPredicate::*;
    match p {
        Eq => IntCC::Equal,
        Ne => IntCC::NotEqual,
        Slt => IntCC::SignedLessThan,
        Sle => IntCC::SignedLessThanOrEqual,
        Sgt => IntCC::SignedGreaterThan,
        Sge => IntCC::SignedGreaterThanOrEqual,
        Ult => IntCC::UnsignedLessThan,
        Ule => IntCC::UnsignedLessThanOrEqual,
        Ugt => IntCC::UnsignedGreaterThan,
        Uge => IntCC::UnsignedGreaterThanOrEqual,
    }
}

fn cmpf(l: &mut Lower, op: Op) -> R {
    let ctx = l.ctx;
    let Some(p) = CmpFOp::wrap(op).predicate(ctx) else {
        return Err("has an unknown predicate".into());
    };
    let (a, b) = (l.one(op.operand(ctx, 0))?, l.one(op.operand(ctx, 1))?);
    let Some(cc) = float_condition(p) else {
        let v = l.iconst(types::I8, i64::from(p == CmpFPredicate::AlwaysTrue));
        l.bind_one(op, v);
        return Ok(());
    };
    let v = float_compare(l, cc, a, b);
    l.bind_one(op, v);
    Ok(())
}

/// A comparison, as less where it says greater: a choice between the two by it is an instruction on
/// x86-64, which the code generator knows in that form alone.
pub(super) fn float_compare(l: &mut Lower, cc: FloatCC, a: ir::Value, b: ir::Value) -> ir::Value {
    match cc {
        FloatCC::GreaterThan => l.b.ins().fcmp(FloatCC::LessThan, b, a),
        _ => l.b.ins().fcmp(cc, a, b),
    }
}

/// The condition of a predicate; nothing for those that hold always or never.
pub(super) fn float_condition(p: CmpFPredicate) -> Option<FloatCC> {
    use CmpFPredicate::*;
    Some(match p {
        AlwaysFalse | AlwaysTrue => return None,
        Oeq => FloatCC::Equal,
        Ogt => FloatCC::GreaterThan,
        Oge => FloatCC::GreaterThanOrEqual,
        Olt => FloatCC::LessThan,
        Ole => FloatCC::LessThanOrEqual,
        One => FloatCC::OrderedNotEqual,
        Ord => FloatCC::Ordered,
        Ueq => FloatCC::UnorderedOrEqual,
        Ugt => FloatCC::UnorderedOrGreaterThan,
        Uge => FloatCC::UnorderedOrGreaterThanOrEqual,
        Ult => FloatCC::UnorderedOrLessThan,
        Ule => FloatCC::UnorderedOrLessThanOrEqual,
        Une => FloatCC::NotEqual,
        Uno => FloatCC::Unordered,
    })
}

/// `a` where the condition holds, else `b`. Of 128 bits by a branch: Cranelift makes an extremum of
/// a comparison and a choice, and has no code for one of so many bits.
pub(super) fn choose(l: &mut Lower, cond: ir::Value, a: ir::Value, b: ir::Value) -> ir::Value {
    if l.b.func.dfg.value_type(a) != types::I128 {
        return l.b.ins().select(cond, a, b);
    }
    branch(l, cond, &[a], &[b])[0]
}

/// The same of several values, by a branch. Each way has a block of its own, since Cranelift makes
/// a choice of a branch with one target.
fn branch(l: &mut Lower, cond: ir::Value, a: &[ir::Value], b: &[ir::Value]) -> Vec<ir::Value> {
    let types: Vec<ir::Type> = a.iter().map(|v| l.b.func.dfg.value_type(*v)).collect();
    let (join, params) = l.block_with(&types);
    let ways = [l.b.create_block(), l.b.create_block()];
    l.b.ins().brif(cond, ways[0], &[], ways[1], &[]);
    for (way, values) in ways.into_iter().zip([a, b]) {
        l.b.switch_to_block(way);
        l.b.ins().jump(join, &super::scf::args(values));
    }
    l.b.switch_to_block(join);
    params
}

fn select(l: &mut Lower, op: Op) -> R {
    if let Some(found) = super::floor::of_power_of_two(l.ctx, op) {
        return found.lower(l, op);
    }
    let v = op.operands(l.ctx);
    if let Some(holds) = super::branch::truth(l, v[0]) {
        let chosen = l.flat(v[if holds { 1 } else { 2 }])?;
        return l.bind_flat(&op.results(l.ctx), &chosen);
    }
    let cond = l.one(v[0])?;
    let (a, b) = (l.flat(v[1])?, l.flat(v[2])?);
    if is_asked_again(l.ctx, op) {
        let chosen = branch(l, cond, &a, &b);
        return l.bind_flat(&op.results(l.ctx), &chosen);
    }
    let parts = a
        .into_iter()
        .zip(b)
        .map(|(a, b)| if a == b { a } else { choose(l, cond, a, b) })
        .collect::<Vec<ir::Value>>();
    l.bind_flat(&op.results(l.ctx), &parts)
}

/// Iterations of a loop in which a branch goes another way than foreseen about as often as not.
const FEW: i64 = 64;
/// How many ops a condition is followed through.
const MAX_OPS: usize = 32;

/// Whether `op`, a select, keeps a value that the loop around carries or takes another one, by a
/// condition about that value, as the search for the place of the greatest element does. With a
/// branch, which mostly goes one way in a long loop, the next iteration does not wait for this one.
fn is_asked_again(ctx: &Context, op: Op) -> bool {
    let [condition, then, other] = op.operands(ctx)[..] else {
        return false;
    };
    let Some(block) = op.block(ctx) else {
        return false;
    };
    if is_float_extremum(ctx, condition, [then, other]) {
        return false;
    }
    let around = block.parent_op(ctx).and_then(|op| op.cast::<ForOp>(ctx));
    let bounds = around.and_then(|f| {
        let (lower, upper) = (f.lower_bound(ctx), f.upper_bound(ctx));
        Some(
            ctx.constant_int(upper)?
                .saturating_sub(ctx.constant_int(lower)?),
        )
    });
    if bounds.is_some_and(|n| n <= FEW) {
        return false;
    }
    let kept: Vec<Value> = [then, other]
        .into_iter()
        .filter(|v| is_carried(ctx, block, *v))
        .collect();
    let mut left = vec![condition];
    let mut seen = 0;
    while let Some(v) = left.pop() {
        if kept.contains(&v) {
            return true;
        }
        seen += 1;
        if let Some(d) = v
            .def_op()
            .filter(|d| d.block(ctx) == Some(block) && seen < MAX_OPS)
        {
            left.extend(d.operands(ctx));
        }
    }
    false
}

/// Whether the smaller or the greater of two floats is chosen, which is one instruction.
fn is_float_extremum(ctx: &Context, condition: Value, of: [Value; 2]) -> bool {
    let compared = condition.def_op().and_then(|o| o.cast::<CmpFOp>(ctx));
    compared.is_some_and(|c| {
        use CmpFPredicate::{Ogt, Olt};
        let is_strict = matches!(c.predicate(ctx), Some(Olt | Ogt));
        let both = c.op().operands(ctx);
        is_strict && (both == of || both == [of[1], of[0]])
    })
}

/// Whether a value is one that the loop of this body carries, or a choice between that and others.
fn is_carried(ctx: &Context, body: Block, v: Value) -> bool {
    if v.arg_block() == Some(body) {
        let around = body.parent_op(ctx).and_then(|op| op.cast::<ForOp>(ctx));
        return around.is_some_and(|f| f.iter_args(ctx).contains(&v));
    }
    let chosen = v
        .def_op()
        .filter(|d| d.isa::<SelectOp>(ctx) && d.block(ctx) == Some(body));
    chosen.is_some_and(|d| {
        d.operands(ctx)[1..]
            .iter()
            .any(|v| is_carried(ctx, body, *v))
    })
}
