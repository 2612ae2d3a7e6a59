//! Arithmetic on indices, folded where constant.

use crate::analysis::linear::Linear;
use terrace_dialects::arith::{self, CmpIOp, CmpIPredicate, IndexCastOp};
use terrace_ir::{Builder, InsertPoint, Op, Value};

pub fn constant(b: &mut Builder, n: i64) -> Value {
    arith::constant_index(b, n)
}

pub fn add(b: &mut Builder, x: Value, y: Value) -> Value {
    match (b.ctx.constant_int(x), b.ctx.constant_int(y)) {
        (Some(0), _) => y,
        (_, Some(0)) => x,
        _ => {
            let index = b.ctx.index();
            b.value::<arith::AddIOp>(&[x, y], index, &[])
        }
    }
}

pub fn add_constant(b: &mut Builder, x: Value, n: i64) -> Value {
    if n == 0 {
        return x;
    }
    let n = constant(b, n);
    add(b, x, n)
}

pub fn sub(b: &mut Builder, x: Value, y: Value) -> Value {
    if b.ctx.constant_int(y) == Some(0) {
        return x;
    }
    let index = b.ctx.index();
    b.value::<arith::SubIOp>(&[x, y], index, &[])
}

pub fn times(b: &mut Builder, x: Value, n: i64) -> Value {
    if n == 1 {
        return x;
    }
    let n = constant(b, n);
    mul(b, x, n)
}

pub fn mul(b: &mut Builder, x: Value, y: Value) -> Value {
    let index = b.ctx.index();
    b.value::<arith::MulIOp>(&[x, y], index, &[])
}

/// The quotient of two that are not negative.
pub fn div(b: &mut Builder, x: Value, y: Value) -> Value {
    let index = b.ctx.index();
    b.value::<arith::DivUIOp>(&[x, y], index, &[])
}

/// The remainder of two that are not negative.
pub fn rem(b: &mut Builder, x: Value, y: Value) -> Value {
    let index = b.ctx.index();
    b.value::<arith::RemUIOp>(&[x, y], index, &[])
}

/// Quotient and remainder by a constant of one that is not negative.
pub fn split(b: &mut Builder, x: Value, n: i64) -> (Value, Value) {
    let n = constant(b, n);
    (div(b, x, n), rem(b, x, n))
}

/// A quotient of two that are not negative, rounded up.
pub fn ceiling(b: &mut Builder, n: Value, by: Value) -> Value {
    let less = add_constant(b, by, -1);
    let n = add(b, n, less);
    div(b, n, by)
}

pub fn min(b: &mut Builder, x: Value, y: Value) -> Value {
    let index = b.ctx.index();
    b.value::<arith::MinSIOp>(&[x, y], index, &[])
}

pub fn max(b: &mut Builder, x: Value, y: Value) -> Value {
    let index = b.ctx.index();
    b.value::<arith::MaxSIOp>(&[x, y], index, &[])
}

pub fn less(b: &mut Builder, x: Value, y: Value) -> Value {
    CmpIOp::build(b, CmpIPredicate::Slt, x, y)
}

pub fn not_negative(b: &mut Builder, x: Value) -> Value {
    let zero = constant(b, 0);
    CmpIOp::build(b, CmpIPredicate::Sge, x, zero)
}

pub fn and(b: &mut Builder, x: Value, y: Value) -> Value {
    let bit = b.ctx.i1();
    b.value::<arith::AndIOp>(&[x, y], bit, &[])
}

pub fn or(b: &mut Builder, x: Value, y: Value) -> Value {
    let bit = b.ctx.i1();
    b.value::<arith::OrIOp>(&[x, y], bit, &[])
}

/// A linear form, with other values in the place of some of its own.
pub fn linear(b: &mut Builder, l: &Linear, places: &[(Value, Value)]) -> Value {
    let mut sum: Option<Value> = None;
    for (v, f) in &l.terms {
        let found = places.iter().find(|p| p.0 == *v);
        let term = times(b, found.map_or(*v, |p| p.1), *f);
        sum = Some(match sum {
            Some(s) => add(b, s, term),
            None => term,
        });
    }
    match sum {
        Some(s) => add_constant(b, s, l.constant),
        None => constant(b, l.constant),
    }
}

/// A signed number as an index. One conversion of an argument, at the start of the function, serves all.
pub fn of_value(b: &mut Builder, v: Value) -> Value {
    let index = b.ctx.index();
    if v.ty(b.ctx) == index {
        return v;
    }
    let Some(entry) = v.arg_block() else {
        return b.value::<IndexCastOp>(&[v], index, &[]);
    };
    let converts = |u: &Op| {
        let to_index = u.isa::<IndexCastOp>(b.ctx) && u.result(b.ctx, 0).ty(b.ctx) == index;
        to_index && u.block(b.ctx) == Some(entry)
    };
    let known = v.users(b.ctx).into_iter().find(converts);
    let first = entry.first_op(b.ctx);
    match (known, first) {
        (Some(cast), Some(first)) => {
            if cast != first {
                cast.move_before(b.ctx, first);
            }
            cast.result(b.ctx, 0)
        }
        _ => b.with_point(InsertPoint::Start(entry), |b| {
            b.value::<IndexCastOp>(&[v], index, &[])
        }),
    }
}
