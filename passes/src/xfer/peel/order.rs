//! What is known of a condition in the first iteration of a loop, in the last, and in all
//! others.

use terrace_dialects::arith;
use terrace_dialects::arith::{CmpIOp, CmpIPredicate};
use terrace_dialects::scf::ForOp;
use terrace_ir::{Context, Op, OpKind, TypeData, Value};

/// Iterations of a loop that runs at least once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    First,
    AfterFirst,
    BeforeLast,
    Last,
}

/// The bounds of a loop that counts upwards without overflow.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    lower: Value,
    upper: Value,
    step: i64,
    /// The numbers, where they are constants.
    first: Option<i64>,
    last: Option<i64>,
}

impl Bounds {
    /// Of a loop whose first and last iterations can be told from the others: by steps
    /// of 1, or with constant bounds.
    pub fn of(ctx: &Context, l: ForOp) -> Option<Bounds> {
        let step = ctx.constant_int(l.step(ctx)).filter(|s| *s > 0)?;
        let (lower, upper) = (l.lower_bound(ctx), l.upper_bound(ctx));
        let (first, end) = (ctx.constant_int(lower), ctx.constant_int(upper));
        if l.is_unsigned(ctx) || step != 1 && (first.is_none() || end.is_none()) {
            return None;
        }
        let last = match (first, end) {
            (Some(f), Some(e)) => {
                let span = e.checked_sub(1)?.checked_sub(f)?;
                (span >= 0).then(|| f + span / step * step)
            }
            (None, Some(e)) => e.checked_sub(1),
            _ => None,
        };
        Some(Bounds {
            lower,
            upper,
            step,
            first,
            last,
        })
    }

    /// The constant that the counter has in the last iteration.
    pub fn last(&self) -> Option<i64> {
        self.last
    }

    pub fn step(&self) -> i64 {
        self.step
    }

    /// Whether a condition on the counter `iv` holds, in part of the iterations.
    pub fn decide(&self, ctx: &Context, condition: Value, iv: Value, part: Part) -> Option<bool> {
        let compare = condition.def_op()?.cast::<CmpIOp>(ctx)?;
        let (a, b) = (compare.op().operand(ctx, 0), compare.op().operand(ctx, 1));
        let predicate = compare.predicate(ctx)?;
        // Bits: less, equal, greater.
        let possible = if self.is_counter(ctx, a, iv) {
            self.against(ctx, b, part)?
        } else if self.is_counter(ctx, b, iv) {
            let other = self.against(ctx, a, part)?;
            other & 2 | (other & 1) << 2 | (other & 4) >> 2
        } else {
            return None;
        };
        let holds: u8 = match predicate {
            CmpIPredicate::Eq => 2,
            CmpIPredicate::Ne => 5,
            CmpIPredicate::Slt => 1,
            CmpIPredicate::Sle => 3,
            CmpIPredicate::Sgt => 4,
            CmpIPredicate::Sge => 6,
            _ => return None,
        };
        match (possible & holds, possible & !holds) {
            (_, 0) => Some(true),
            (0, _) => Some(false),
            _ => None,
        }
    }

    /// Whether `v` is the counter, or it as a number of fewer bits that the bounds fit.
    fn is_counter(&self, ctx: &Context, v: Value, iv: Value) -> bool {
        let Some(cast) = v.def_op().filter(|o| v != iv && is_cast(ctx, *o)) else {
            return v == iv;
        };
        let width = v.ty(ctx).int_width(ctx).unwrap_or(64);
        let fits = fits(ctx, self.lower, width) && fits(ctx, self.upper, width);
        cast.operand(ctx, 0) == iv && fits
    }

    /// How the counter may lie to another value.
    fn against(&self, ctx: &Context, other: Value, part: Part) -> Option<u8> {
        const LESS: u8 = 1;
        const EQUAL: u8 = 2;
        const GREATER: u8 = 4;
        let order = |n: i64, k: i64| match n.cmp(&k) {
            std::cmp::Ordering::Less => LESS,
            std::cmp::Ordering::Equal => EQUAL,
            std::cmp::Ordering::Greater => GREATER,
        };
        let k = ctx.constant_int(other);
        match part {
            Part::First => match (self.first, k) {
                (Some(f), Some(k)) => Some(order(f, k)),
                _ => (uncast(ctx, other) == uncast(ctx, self.lower)).then_some(EQUAL),
            },
            Part::AfterFirst => match (self.first, k) {
                (Some(f), Some(k)) => Some(match f.checked_add(self.step)? {
                    least if least > k => GREATER,
                    least if least == k => EQUAL | GREATER,
                    _ => return None,
                }),
                _ => (uncast(ctx, other) == uncast(ctx, self.lower)).then_some(GREATER),
            },
            Part::Last => match (self.last, k) {
                (Some(l), Some(k)) => Some(order(l, k)),
                _ => self.is_last(ctx, other).then_some(EQUAL),
            },
            Part::BeforeLast => match (self.last, k) {
                (Some(l), Some(k)) => Some(match l.checked_sub(self.step)? {
                    most if most < k => LESS,
                    most if most == k => LESS | EQUAL,
                    _ => return None,
                }),
                _ => self.is_last(ctx, other).then_some(LESS),
            },
        }
    }

    /// Whether a value is one less than the upper bound.
    fn is_last(&self, ctx: &Context, v: Value) -> bool {
        let v = uncast(ctx, v);
        let Some(op) = v.def_op().filter(|_| self.step == 1) else {
            return false;
        };
        let less = match op.name(ctx) {
            arith::SubIOp::NAME => 1,
            arith::AddIOp::NAME => -1,
            _ => return false,
        };
        ctx.constant_int(op.operand(ctx, 1)) == Some(less)
            && uncast(ctx, op.operand(ctx, 0)) == uncast(ctx, self.upper)
    }
}

fn is_cast(ctx: &Context, op: Op) -> bool {
    matches!(
        op.name(ctx),
        arith::IndexCastOp::NAME | arith::ExtSIOp::NAME | arith::TruncIOp::NAME
    )
}

/// The number that a value is, whatever its width.
fn uncast(ctx: &Context, v: Value) -> Value {
    let mut v = v;
    while let Some(op) = v.def_op().filter(|o| {
        let wider = o.name(ctx) == arith::IndexCastOp::NAME && v.ty(ctx) == ctx.index();
        wider || o.name(ctx) == arith::ExtSIOp::NAME
    }) {
        v = op.operand(ctx, 0);
    }
    v
}

/// Whether a bound is a signed number of so many bits.
fn fits(ctx: &Context, bound: Value, width: u32) -> bool {
    if let Some(n) = ctx.constant_int(bound) {
        let shift = 64u32.saturating_sub(width);
        return (n << shift) >> shift == n;
    }
    let ty = uncast(ctx, bound).ty(ctx);
    matches!(ty.data(ctx), TypeData::Integer { .. })
        && ty.int_width(ctx).is_some_and(|w| w <= width)
}
