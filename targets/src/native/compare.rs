//! `arith.cmpi`, `arith.cmpf`, `arith.select`.

use super::abi::Scalar;
use super::arith::sext;
use super::lower::{Lower, R};
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{self, InstBuilder, types};
use terrace_dialects::arith::{CmpFOp, CmpFPredicate, CmpIOp, CmpIPredicate};
use terrace_ir::{Op, OpKind};

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
    let v = l.b.ins().fcmp(cc, a, b);
    l.bind_one(op, v);
    Ok(())
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

fn select(l: &mut Lower, op: Op) -> R {
    let v = op.operands(l.ctx);
    let cond = l.one(v[0])?;
    let (a, b) = (l.flat(v[1])?, l.flat(v[2])?);
    let parts: Vec<ir::Value> = a
        .into_iter()
        .zip(b)
        .map(|(a, b)| {
            if a == b {
                a
            } else {
                l.b.ins().select(cond, a, b)
            }
        })
        .collect();
    l.bind_flat(&op.results(l.ctx), &parts)
}
