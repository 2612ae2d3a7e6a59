//! What conditions say: those in the nest of the iterations that go there, and those around it of
//! sizes.

use super::{Read, Reader};
use crate::analysis::dependence::implied;
use crate::analysis::source::without_casts;
use crate::gpu::model::nest::{Affine, Guard};
use terrace_dialects::arith::{self, CmpIOp, CmpIPredicate};
use terrace_dialects::{affine, scf};
use terrace_ir::{Context, OpKind, Value};

impl Reader<'_> {
    pub(super) fn condition(&mut self, c: affine::IfOp, depth: usize) -> Read<()> {
        let ctx = self.ctx;
        let op = c.op();
        let operands = c.operands(ctx);
        let values: Vec<Affine> = (operands.iter())
            .map(|v| self.value(op, *v, 0))
            .collect::<Read<_>>()?;
        let set = c.set(ctx);
        let (dims, symbols) = values.split_at((set.num_dims() as usize).min(values.len()));
        let mut conditions = Vec::new();
        for k in set.constraints() {
            conditions.push(Guard {
                value: self.expression(op, &k.expr, dims, symbols)?,
                equal: k.is_eq,
            });
        }
        let outside = self.guards.len();
        self.guards.extend(conditions.iter().cloned());
        self.block(c.then_block(ctx), depth + 1)?;
        self.guards.truncate(outside);
        if let Some(otherwise) = c.else_block(ctx) {
            // Not (e >= 0) is -e - 1 >= 0.
            let negated = match &conditions[..] {
                [
                    Guard {
                        value,
                        equal: false,
                    },
                ] => {
                    let minus = value.times(-1);
                    minus.and_then(|m| m.plus(&Affine::constant(1), -1))
                }
                _ => None,
            };
            match negated {
                Some(value) => self.guards.push(Guard {
                    value,
                    equal: false,
                }),
                None => self.note("an else that several conditions lead to counts as always"),
            }
            self.block(otherwise, depth + 1)?;
            self.guards.truncate(outside);
        }
        Ok(())
    }

    /// Both ways of a condition. What it says about counters bounds the iterations that go there.
    /// Where it asks about data, lanes of a warp go both ways, so each counts as always.
    pub(super) fn choice(&mut self, c: scf::IfOp, depth: usize) -> Read<()> {
        let ctx = self.ctx;
        let outside = self.guards.len();
        let ways = [(Some(c.then_block(ctx)), true), (c.else_block(ctx), false)];
        for (block, holds) in ways {
            let Some(block) = block else { continue };
            for (compare, holds) in implied(ctx, c.condition(ctx), holds) {
                let guard = self.comparison(compare, holds);
                self.guards.extend(guard);
            }
            self.block(block, depth + 1)?;
            self.guards.truncate(outside);
        }
        Ok(())
    }

    /// A comparison of numbers that are affine in the counters as a condition on trips.
    fn comparison(&self, compare: CmpIOp, holds: bool) -> Option<Guard> {
        let ctx = self.ctx;
        let op = compare.op();
        let [a, b] = [0, 1].map(|i| self.value(op, op.operand(ctx, i), 0).ok());
        let (a, b) = (a?, b?);
        let (value, equal) = match as_it_holds(compare.predicate(ctx)?, holds) {
            CmpIPredicate::Eq => (a.plus(&b, -1), true),
            CmpIPredicate::Sge => (a.plus(&b, -1), false),
            CmpIPredicate::Sle => (b.plus(&a, -1), false),
            CmpIPredicate::Sgt => (a.plus(&b, -1)?.plus(&Affine::constant(1), -1), false),
            CmpIPredicate::Slt => (b.plus(&a, -1)?.plus(&Affine::constant(1), -1), false),
            _ => return None,
        };
        let value = value?;
        Some(Guard { value, equal })
    }

    /// The number that is nearest to `n` among those that a value has by the conditions around the
    /// nest: a program that has kernels for short rows and for long ones runs each for its own.
    pub(super) fn within_conditions(&self, v: Value, n: i64) -> i64 {
        let ctx = self.ctx;
        let mut n = n;
        let mut inner = self.root;
        while let Some(outer) = inner.parent(ctx) {
            if let Some(condition) = outer.cast::<scf::IfOp>(ctx) {
                let holds = inner.block(ctx) == Some(condition.then_block(ctx));
                let all = implied(ctx, condition.condition(ctx), holds).into_iter();
                n = all.fold(n, |n, (compare, holds)| nearest(ctx, v, n, compare, holds));
            }
            inner = outer;
        }
        n
    }
}

/// The number that is nearest to `n` among those of `v` for which a comparison with a constant is
/// as it `holds`.
fn nearest(ctx: &Context, v: Value, n: i64, compare: CmpIOp, holds: bool) -> i64 {
    let [a, b] = [0, 1].map(|i| compare.op().operand(ctx, i));
    let compared = without_casts(ctx, not_below_zero(ctx, a).unwrap_or(a));
    let (Some(predicate), Some(c)) = (compare.predicate(ctx), ctx.constant_int(b)) else {
        return n;
    };
    if compared != without_casts(ctx, v) {
        return n;
    }
    match as_it_holds(predicate, holds) {
        CmpIPredicate::Slt => n.min(c.saturating_sub(1)),
        CmpIPredicate::Sle => n.min(c),
        CmpIPredicate::Sgt => n.max(c.saturating_add(1)),
        CmpIPredicate::Sge => n.max(c),
        _ => n,
    }
}

fn as_it_holds(predicate: CmpIPredicate, holds: bool) -> CmpIPredicate {
    match holds {
        true => predicate,
        false => predicate.inverted(),
    }
}

/// The value of which this is the greater of it and 0, as the number of a loop's iterations is.
fn not_below_zero(ctx: &Context, v: Value) -> Option<Value> {
    let op = v.def_op().filter(|o| o.isa::<arith::MaxSIOp>(ctx))?;
    let is_zero = ctx.constant_int(op.operand(ctx, 1)) == Some(0);
    is_zero.then(|| op.operand(ctx, 0))
}
