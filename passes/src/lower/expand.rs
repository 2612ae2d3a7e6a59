//! Affine expressions as `arith` ops on `index` values.
//!
//! Division and remainder follow the affine definitions (floor, ceiling, result of
//! `mod` never negative) on top of arith's truncating ones; the divisor of `mod` and
//! divisions is taken to be positive, as affine expressions require.

use crate::loops::build::binary;
use terrace_dialects::affine::{self, Access, ApplyOp};
use terrace_dialects::arith::{self, CmpIPredicate, OVERFLOW, overflow};
use terrace_dialects::memref;
use terrace_ir::affine::{AffineExpr, AffineMap, AffineOp, IntegerSet};
use terrace_ir::clone::IrMapping;
use terrace_ir::{Builder, Op, OpKind, Value};

/// The value of `e` at the builder's place. Each op made stands after those it uses.
///
/// # Errors
///
/// What in the expression cannot be lowered.
pub fn expand_expr(
    b: &mut Builder,
    e: &AffineExpr,
    dims: &[Value],
    syms: &[Value],
) -> Result<Value, String> {
    if let Some(c) = e.as_constant() {
        return Ok(arith::constant_index(b, c));
    }
    if let AffineExpr::Dim(i) = e {
        return dims
            .get(*i as usize)
            .copied()
            .ok_or_else(|| format!("no operand for d{i}"));
    }
    if let AffineExpr::Symbol(i) = e {
        return syms
            .get(*i as usize)
            .copied()
            .ok_or_else(|| format!("no operand for s{i}"));
    }
    let Some((op, lhs, rhs)) = e.as_binary() else {
        return Err("an expression of an unknown kind".into());
    };
    if op != AffineOp::Add && op != AffineOp::Mul && rhs.as_constant().is_some_and(|c| c <= 0) {
        return Err(match op {
            AffineOp::Mod => "modulo by non-positive value is not supported",
            _ => "division by non-positive value is not supported",
        }
        .into());
    }
    let l = expand_expr(b, lhs, dims, syms)?;
    let r = expand_expr(b, rhs, dims, syms)?;
    Ok(match op {
        AffineOp::Add => binary::<arith::AddIOp>(b, l, r),
        AffineOp::Mul => {
            let m = binary::<arith::MulIOp>(b, l, r);
            if let Some(op) = m.def_op() {
                let flags = OVERFLOW.attr(b.ctx, overflow::NSW);
                op.set_attr(b.ctx, "overflowFlags", flags);
            }
            m
        }
        AffineOp::Mod => modulo(b, l, r),
        AffineOp::FloorDiv => floor_div(b, l, r),
        AffineOp::CeilDiv => ceil_div(b, l, r),
    })
}

/// The values of all results of a map over operands, dimensions first.
pub fn expand_map(
    b: &mut Builder,
    m: &AffineMap,
    operands: &[Value],
) -> Result<Vec<Value>, String> {
    let (dims, syms) = operands.split_at((m.num_dims() as usize).min(operands.len()));
    m.results()
        .iter()
        .map(|e| expand_expr(b, e, dims, syms))
        .collect()
}

/// An `affine.apply`, `affine.load` or `affine.store` with what `map` has in place of its operands, as ops that take
/// any indices; its results. `None` of other ops.
pub fn on_values(b: &mut Builder, op: Op, map: &IrMapping) -> Option<Vec<Value>> {
    if op.isa::<ApplyOp>(b.ctx) {
        let of: Vec<Value> = op.operands(b.ctx).iter().map(|v| map.value(*v)).collect();
        let m = ApplyOp::wrap(op).map(b.ctx).clone();
        return expand_map(b, &m, &of).ok();
    }
    let access = Access::of(b.ctx, op)?;
    let memref = map.value(access.memref);
    let of: Vec<Value> = access.operands.iter().map(|v| map.value(*v)).collect();
    if op.isa::<affine::LoadOp>(b.ctx) {
        let at = expand_map(b, &access.map, &of).ok()?;
        return Some(vec![memref::LoadOp::build(b, memref, &at)]);
    }
    let stored = op
        .isa::<affine::StoreOp>(b.ctx)
        .then(|| op.operand(b.ctx, 0))?;
    let at = expand_map(b, &access.map, &of).ok()?;
    memref::StoreOp::build(b, map.value(stored), memref, &at);
    Some(Vec::new())
}

/// Whether operands, dimensions first, are in a set.
///
/// # Errors
///
/// What in the set cannot be lowered.
pub fn expand_set(b: &mut Builder, set: &IntegerSet, operands: &[Value]) -> Result<Value, String> {
    let (dims, syms) = operands.split_at((set.num_dims() as usize).min(operands.len()));
    let zero = arith::constant_index(b, 0);
    let mut condition: Option<Value> = None;
    for c in set.constraints() {
        let v = expand_expr(b, &c.expr, dims, syms)?;
        let p = if c.is_eq {
            CmpIPredicate::Eq
        } else {
            CmpIPredicate::Sge
        };
        let holds = arith::CmpIOp::build(b, p, v, zero);
        condition = Some(match condition {
            None => holds,
            Some(so_far) => binary::<arith::AndIOp>(b, so_far, holds),
        });
    }
    Ok(condition.unwrap_or_else(|| arith::constant_bool(b, true)))
}

/// The greatest (`max`) or least of a map's results.
pub fn expand_min_max(
    b: &mut Builder,
    m: &AffineMap,
    operands: &[Value],
    max: bool,
) -> Result<Value, String> {
    let values = expand_map(b, m, operands)?;
    let mut it = values.into_iter();
    let first = it.next().ok_or("a bound without results")?;
    Ok(it.fold(first, |a, v| {
        if max {
            binary::<arith::MaxSIOp>(b, a, v)
        } else {
            binary::<arith::MinSIOp>(b, a, v)
        }
    }))
}

/// `a mod n`: the truncating remainder, corrected where it is negative.
fn modulo(b: &mut Builder, a: Value, n: Value) -> Value {
    let rem = binary::<arith::RemSIOp>(b, a, n);
    let zero = arith::constant_index(b, 0);
    let negative = arith::CmpIOp::build(b, CmpIPredicate::Slt, rem, zero);
    let corrected = binary::<arith::AddIOp>(b, rem, n);
    arith::SelectOp::build(b, negative, corrected, rem)
}

/// `a floordiv n` as `a < 0 ? -1 - (-1 - a) / n : a / n`.
fn floor_div(b: &mut Builder, a: Value, n: Value) -> Value {
    let zero = arith::constant_index(b, 0);
    let minus_one = arith::constant_index(b, -1);
    let negative = arith::CmpIOp::build(b, CmpIPredicate::Slt, a, zero);
    let flipped = binary::<arith::SubIOp>(b, minus_one, a);
    let dividend = arith::SelectOp::build(b, negative, flipped, a);
    let quotient = binary::<arith::DivSIOp>(b, dividend, n);
    let back = binary::<arith::SubIOp>(b, minus_one, quotient);
    arith::SelectOp::build(b, negative, back, quotient)
}

/// `a ceildiv n` as `a <= 0 ? -(-a / n) : (a - 1) / n + 1`.
fn ceil_div(b: &mut Builder, a: Value, n: Value) -> Value {
    let zero = arith::constant_index(b, 0);
    let one = arith::constant_index(b, 1);
    let non_positive = arith::CmpIOp::build(b, CmpIPredicate::Sle, a, zero);
    let negated = binary::<arith::SubIOp>(b, zero, a);
    let less_one = binary::<arith::SubIOp>(b, a, one);
    let dividend = arith::SelectOp::build(b, non_positive, negated, less_one);
    let quotient = binary::<arith::DivSIOp>(b, dividend, n);
    let minus = binary::<arith::SubIOp>(b, zero, quotient);
    let plus = binary::<arith::AddIOp>(b, quotient, one);
    arith::SelectOp::build(b, non_positive, minus, plus)
}
