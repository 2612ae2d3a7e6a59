//! Running values that a condition starts again, and that an op combines with something otherwise.
//!
//! ```text
//! %t = arith.select %first, %zero, %s        %t = arith.addi %s, %x
//! %u = arith.addi %t, %x                     %u = arith.select %first, %y, %t
//! ```
//!
//! A step is a value and whether it starts again: what comes in front of one that does counts no
//! more. G. Blelloch, "Prefix sums and their applications", 1990, section 1.5. Any associative op
//! will do, the greatest as well as sums.

use crate::analysis::reduction::kind_of;
use terrace_dialects::affine::ForOp;
use terrace_dialects::arith::{self, AtomicRmwKind, SelectOp, fastmath, fastmath_of};
use terrace_ir::clone::IrMapping;
use terrace_ir::{Builder, Context, Op, Type, Value};

/// What a condition starts again.
#[derive(Debug, Clone)]
pub struct Restart {
    pub kind: AtomicRmwKind,
    /// What the running value is combined with.
    value: Value,
    /// What it starts again from, and whether that is combined with `value`, too.
    first: Value,
    combined: bool,
    condition: Value,
    /// Whether it starts again where the condition holds.
    holds: bool,
    /// The op that combines, and the one that chooses.
    ops: [Op; 2],
}

impl Restart {
    /// What makes `next` of the running value `value` in the body of `l`, where it is of this kind.
    pub fn of(ctx: &Context, l: ForOp, value: Value, next: Value) -> Option<Restart> {
        let last = next.def_op()?;
        let own = |o: &Op| o.block(ctx) == Some(l.body(ctx));
        // What lies between the two ops is for the second alone.
        let inner = |v: Value| v.def_op().filter(own).filter(|_| v.has_one_use(ctx));
        if last.isa::<SelectOp>(ctx) {
            let (holds, first, made) = sides(ctx, last, |v| {
                inner(v).is_some_and(|o| combined(ctx, o, |u| u == value).is_some())
            })?;
            let combiner = made.def_op()?;
            let (kind, x) = combined(ctx, combiner, |u| u == value)?;
            return own(&last).then_some(Restart {
                kind,
                value: x,
                first,
                combined: false,
                condition: last.operand(ctx, 0),
                holds,
                ops: [combiner, last],
            });
        }
        let chosen = |v: Value| {
            let select = inner(v).filter(|o| o.isa::<SelectOp>(ctx))?;
            let (holds, first, _) = sides(ctx, select, |v| v == value)?;
            Some((select, holds, first))
        };
        let (kind, x) = combined(ctx, last, |v| chosen(v).is_some())?;
        let made = (last.operands(ctx).into_iter()).find_map(|v| chosen(v).filter(|_| v != x))?;
        let (select, holds, first) = made;
        own(&last).then_some(Restart {
            kind,
            value: x,
            first,
            combined: true,
            condition: select.operand(ctx, 0),
            holds,
            ops: [last, select],
        })
    }

    /// The ops that make the next running value.
    pub fn path(&self) -> &[Op] {
        &self.ops
    }

    /// What these are given besides the running value.
    pub fn given(&self) -> Vec<Value> {
        vec![self.value, self.first, self.condition]
    }

    /// Whether the op that combines says that it may be done in any order.
    pub fn reassociates(&self, ctx: &Context) -> bool {
        fastmath_of(ctx, self.ops[0]) & fastmath::REASSOC != 0
    }

    /// What an iteration does, whose values are in `map`: the value, and 1 where it starts again.
    pub fn step(&self, b: &mut Builder, map: &IrMapping, ty: Type) -> Vec<Value> {
        let (value, first) = (map.value(self.value), map.value(self.first));
        let first = match self.combined {
            true => self.kind.combine(b, first, value, ty),
            false => first,
        };
        let condition = map.value(self.condition);
        let i32 = b.ctx.i32();
        let [one, zero] = [1, 0].map(|n| arith::constant_int(b, n, i32));
        let (x, y, flags) = match self.holds {
            true => (first, value, [one, zero]),
            false => (value, first, [zero, one]),
        };
        let value = SelectOp::build(b, condition, x, y);
        let flag = SelectOp::build(b, condition, flags[0], flags[1]);
        vec![value, flag]
    }
}

/// What an op combines with the one operand that is `known`.
fn combined(
    ctx: &Context,
    op: Op,
    known: impl Fn(Value) -> bool,
) -> Option<(AtomicRmwKind, Value)> {
    let kind = kind_of(op.name(ctx))?;
    let [x, y] = op.operands(ctx)[..] else {
        return None;
    };
    match (known(x), known(y)) {
        (true, false) => Some((kind, y)),
        (false, true) => Some((kind, x)),
        _ => None,
    }
}

/// Of a choice where one side is `known`: whether the condition chooses the other one, that, and the
/// known side.
fn sides(ctx: &Context, op: Op, known: impl Fn(Value) -> bool) -> Option<(bool, Value, Value)> {
    let (then, other) = (op.operand(ctx, 1), op.operand(ctx, 2));
    match (known(then), known(other)) {
        (false, true) => Some((true, then, other)),
        (true, false) => Some((false, other, then)),
        _ => None,
    }
}
