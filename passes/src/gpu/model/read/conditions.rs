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
        let (mut least, mut most) = (i64::MIN, i64::MAX);
        let mut inner = self.root;
        while let Some(outer) = inner.parent(ctx) {
            if let Some(condition) = outer.cast::<scf::IfOp>(ctx) {
                let holds = inner.block(ctx) == Some(condition.then_block(ctx));
                for (compare, holds) in implied(ctx, condition.condition(ctx), holds) {
                    let op = compare.op();
                    let (a, b) = (op.operand(ctx, 0), op.operand(ctx, 1));
                    let (Some(predicate), Some(c)) = (compare.predicate(ctx), ctx.constant_int(b))
                    else {
                        continue;
                    };
                    let v = without_casts(ctx, v);
                    let compared = not_below_zero(ctx, a).unwrap_or(a);
                    if without_casts(ctx, compared) != v {
                        continue;
                    }
                    match as_it_holds(predicate, holds) {
                        CmpIPredicate::Slt => most = most.min(c.saturating_sub(1)),
                        CmpIPredicate::Sle => most = most.min(c),
                        CmpIPredicate::Sgt => least = least.max(c.saturating_add(1)),
                        CmpIPredicate::Sge => least = least.max(c),
                        _ => {}
                    }
                }
            }
            inner = outer;
        }
        n.min(most).max(least)
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
    let op = v.def_op()?;
    let is_max = [arith::MaxSIOp::NAME, affine::MaxOp::NAME].contains(&op.name(ctx));
    let inputs = op.operands(ctx);
    let given: Vec<Value> = (inputs.iter().copied())
        .filter(|i| ctx.constant_int(*i) != Some(0))
        .collect();
    match given[..] {
        [one] if is_max => Some(one),
        _ => None,
    }
}
