//! A product and a sum that are rounded once, where both ops say that they may be, and code of our own
//! is made, for machines that have the instruction.

use super::abi::{Lanes, Scalar};
use super::lower::{Lower, R};
use cranelift_codegen::ir::{self, InstBuilder};
use terrace_dialects::arith::{AddFOp, MulFOp, SubFOp, fastmath, fastmath_of};
use terrace_ir::{Context, Op, Value};

/// `factors[0] * factors[1] + added`, with signs.
pub(super) struct Terms {
    factors: [Value; 2],
    added: Value,
    minus_product: bool,
    minus_added: bool,
}

/// What a sum is of, if it and a product in it are rounded once.
pub(super) fn terms(l: &Lower, op: Op) -> R<Option<Terms>> {
    let ctx = l.ctx;
    let minus = op.isa::<SubFOp>(ctx);
    if l.register <= Lanes::BYTES || !(minus || op.isa::<AddFOp>(ctx)) || !may_be(ctx, op) {
        return Ok(None);
    }
    let [a, b] = [op.operand(ctx, 0), op.operand(ctx, 1)];
    let kind = super::abi::scalar(ctx, a.ty(ctx).element_or_self(ctx))?;
    if !matches!(kind, Scalar::F32 | Scalar::F64) {
        return Ok(None);
    }
    Ok(match (product(ctx, b), product(ctx, a)) {
        (Some(factors), _) => Some(Terms {
            factors,
            added: a,
            minus_product: minus,
            minus_added: false,
        }),
        (None, Some(factors)) => Some(Terms {
            factors,
            added: b,
            minus_product: false,
            minus_added: minus,
        }),
        (None, None) => None,
    })
}

fn may_be(ctx: &Context, op: Op) -> bool {
    fastmath_of(ctx, op) & fastmath::CONTRACT != 0
}

/// The factors of a product that nothing else uses.
fn product(ctx: &Context, v: Value) -> Option<[Value; 2]> {
    let op = v.def_op().filter(|o| o.isa::<MulFOp>(ctx))?;
    (may_be(ctx, op) && v.uses(ctx).len() == 1).then(|| [op.operand(ctx, 0), op.operand(ctx, 1)])
}

/// The sum of numbers.
pub(super) fn number(l: &mut Lower, t: &Terms) -> R<ir::Value> {
    let [a, b, c] = [t.factors[0], t.factors[1], t.added].map(|v| l.one(v));
    Ok(one(l, t, [a?, b?, c?]))
}

/// The sum of vectors.
pub(super) fn vectors(l: &mut Lower, t: &Terms) -> R<Vec<ir::Value>> {
    let [a, b, c] = [t.factors[0], t.factors[1], t.added].map(|v| l.many(v));
    let (a, b, c) = (a?, b?, c?);
    let all = a.iter().zip(b.iter()).zip(c.iter());
    Ok(all.map(|((a, b), c)| one(l, t, [*a, *b, *c])).collect())
}

fn one(l: &mut Lower, t: &Terms, [a, b, c]: [ir::Value; 3]) -> ir::Value {
    let a = if t.minus_product {
        l.b.ins().fneg(a)
    } else {
        a
    };
    let c = if t.minus_added { l.b.ins().fneg(c) } else { c };
    l.b.ins().fma(a, b, c)
}
