//! What is known of the numbers at a place: bounds of the loops around it, sizes of the
//! launch, conditions that hold there. From it follows how large a sum can become.

use super::expand::expand;
use crate::analysis::linear::Linear;
use terrace_dialects::arith;
use terrace_dialects::arith::{CmpIOp, CmpIPredicate};
use terrace_dialects::{gpu, scf};
use terrace_ir::{Block, Context, Op, Value};

/// Sums that are at most 0 at a place, the outermost first.
#[derive(Debug, Clone, Default)]
pub struct Known {
    facts: Vec<Linear>,
    /// Only what stands there, and follows by sums: what whoever solves such systems finds too.
    plain: bool,
    /// Without conditions.
    bare: bool,
}

/// What a bound is looked for.
struct Rule<'a> {
    /// The values that it may have.
    allowed: &'a dyn Fn(Value) -> bool,
    accept: &'a dyn Fn(&Linear) -> bool,
}

/// Steps of one search for a bound.
const STEPS: usize = 600;
/// Values that are replaced one after the other in a bound.
const DEPTH: usize = 24;

impl Known {
    /// What holds in a block of `function`.
    pub fn in_block(ctx: &Context, function: Op, block: Block) -> Known {
        Known::default().around(ctx, function, block)
    }

    /// What plainly holds in a block: a bound that follows from it `xfer-check` finds as well.
    pub fn plainly_in_block(ctx: &Context, function: Op, block: Block) -> Known {
        let known = Known {
            plain: true,
            ..Known::default()
        };
        known.around(ctx, function, block)
    }

    /// What follows from loops and the sizes of the launch alone.
    pub fn without_conditions(ctx: &Context, function: Op, block: Block) -> Known {
        let known = Known {
            bare: true,
            ..Known::default()
        };
        known.around(ctx, function, block)
    }

    fn around(mut self, ctx: &Context, function: Op, block: Block) -> Known {
        let mut around = Vec::new();
        let mut at = block;
        while let Some(op) = at.parent_op(ctx).filter(|o| *o != function) {
            around.push((op, at));
            match op.block(ctx) {
                Some(outer) => at = outer,
                None => break,
            }
        }
        for (op, block) in around.into_iter().rev() {
            self.add(ctx, op, block);
        }
        self
    }

    fn add(&mut self, ctx: &Context, op: Op, block: Block) {
        if let Some(l) = op.cast::<scf::ForOp>(ctx) {
            let iv = l.induction_var(ctx);
            if l.is_unsigned(ctx) || iv.ty(ctx) != ctx.index() {
                return;
            }
            let lower = expand(ctx, l.lower_bound(ctx));
            self.facts.extend(lower.plus_times(&Linear::value(iv), -1));
            self.add_less(ctx, &Linear::value(iv), l.upper_bound(ctx));
        } else if let Some(launch) = op.cast::<gpu::LaunchOp>(ctx) {
            let ids = [
                (launch.block_ids(ctx), launch.grid_size(ctx)),
                (launch.thread_ids(ctx), launch.block_size(ctx)),
            ];
            for (id, size) in ids.into_iter().flat_map(|(i, s)| i.into_iter().zip(s)) {
                self.facts.extend(Linear::value(id).times(-1));
                self.add_less(ctx, &Linear::value(id), size);
            }
        } else if let Some(branch) = op.cast::<scf::IfOp>(ctx)
            && block == branch.then_block(ctx)
            && !self.bare
        {
            self.add_condition(ctx, branch.condition(ctx), 8);
        }
    }

    fn add_condition(&mut self, ctx: &Context, condition: Value, depth: usize) {
        let Some(op) = condition.def_op().filter(|_| depth > 0) else {
            return;
        };
        if op.name(ctx) == arith::AndIOp::NAME {
            for v in op.operands(ctx) {
                self.add_condition(ctx, v, depth - 1);
            }
            return;
        }
        let Some(compare) = op.cast::<CmpIOp>(ctx) else {
            return;
        };
        let (a, b) = (op.operand(ctx, 0), op.operand(ctx, 1));
        if a.ty(ctx) != ctx.index() {
            return;
        }
        use CmpIPredicate::{Eq, Sge, Sgt, Sle, Slt};
        match compare.predicate(ctx) {
            Some(Slt) => self.add_less(ctx, &expand(ctx, a), b),
            Some(Sgt) => self.add_less(ctx, &expand(ctx, b), a),
            Some(Sle) => self.add_at_most(ctx, a, b),
            Some(Sge) => self.add_at_most(ctx, b, a),
            Some(Eq) => {
                self.add_at_most(ctx, a, b);
                self.add_at_most(ctx, b, a);
            }
            _ => {}
        }
    }

    fn add_at_most(&mut self, ctx: &Context, a: Value, b: Value) {
        let fact = expand(ctx, a).plus_times(&expand(ctx, b), -1);
        self.facts.extend(fact);
    }

    /// `a < b`. Where `b` is the greater of `x` and `n`, and `a` is not less than `n`, it
    /// is `x`.
    fn add_less(&mut self, ctx: &Context, a: &Linear, b: Value) {
        let less = |x: Value| a.plus_times(&expand(ctx, x), -1)?.plus(1);
        let max = |o: &Op| !self.plain && o.name(ctx) == arith::MaxSIOp::NAME;
        if let Some(max) = b.def_op().filter(max) {
            for (x, n) in [(0, 1), (1, 0)] {
                let (x, n) = (max.operand(ctx, x), max.operand(ctx, n));
                let below = expand(ctx, n).plus_times(a, -1);
                let most = below.and_then(|f| self.upper(ctx, &f, &|_| false));
                if most.and_then(|m| m.as_constant()).is_some_and(|m| m <= 0) {
                    self.facts.extend(less(x));
                }
            }
        }
        self.facts.extend(less(b));
    }

    /// A sum of allowed values that `form` is never above; `None` where none is found.
    ///
    /// Values that are not allowed are replaced by what is known of them, the innermost
    /// first, as in the elimination of Fourier and Motzkin.
    pub fn upper(
        &self,
        ctx: &Context,
        form: &Linear,
        allowed: &dyn Fn(Value) -> bool,
    ) -> Option<Linear> {
        self.upper_where(ctx, form, allowed, &|_| true)
    }

    /// The first such sum that `accept` takes.
    pub fn upper_where(
        &self,
        ctx: &Context,
        form: &Linear,
        allowed: &dyn Fn(Value) -> bool,
        accept: &dyn Fn(&Linear) -> bool,
    ) -> Option<Linear> {
        let rule = Rule { allowed, accept };
        self.search(ctx, form, &rule, DEPTH, &mut STEPS.clone())
    }

    /// Whether a sum is surely at most 0.
    pub fn at_most_zero(&self, ctx: &Context, form: &Linear) -> bool {
        let accept = |l: &Linear| l.as_constant().is_some_and(|c| c <= 0);
        self.upper_where(ctx, form, &|_| false, &accept).is_some()
    }

    /// The same from below.
    pub fn lower(
        &self,
        ctx: &Context,
        form: &Linear,
        allowed: &dyn Fn(Value) -> bool,
    ) -> Option<Linear> {
        self.upper(ctx, &form.times(-1)?, allowed)?.times(-1)
    }

    fn search(
        &self,
        ctx: &Context,
        form: &Linear,
        rule: &Rule,
        depth: usize,
        steps: &mut usize,
    ) -> Option<Linear> {
        let open = form.terms.iter().filter(|t| !(rule.allowed)(t.0));
        let Some((v, factor)) = open.max_by_key(|t| nesting(ctx, t.0)) else {
            return (rule.accept)(form).then(|| form.clone());
        };
        if depth == 0 {
            return None;
        }
        let own = of_choice(ctx, *v);
        for fact in self.facts.iter().rev().chain(&own) {
            let f = fact.coefficient(*v);
            if f == 0 || factor % f != 0 || factor / f < 0 {
                continue;
            }
            *steps = steps.checked_sub(1)?;
            let Some(next) = form.plus_times(fact, -(factor / f)) else {
                continue;
            };
            if let Some(found) = self.search(ctx, &next, rule, depth - 1, steps) {
                return Some(found);
            }
        }
        None
    }
}

/// How deep the place is at which a value is made.
fn nesting(ctx: &Context, v: Value) -> usize {
    let mut block = match v.def_op() {
        Some(op) => op.block(ctx),
        None => v.arg_block(),
    };
    let mut depth = 0;
    while let Some(b) = block {
        depth += 1;
        block = b.parent_op(ctx).and_then(|o| o.block(ctx));
    }
    depth
}

/// What is known of the greater or the less of two.
fn of_choice(ctx: &Context, v: Value) -> Vec<Linear> {
    let Some(op) = v.def_op() else {
        return Vec::new();
    };
    let sign = match op.name(ctx) {
        arith::MinSIOp::NAME => 1,
        arith::MaxSIOp::NAME => -1,
        _ => return Vec::new(),
    };
    let operands = op.operands(ctx).into_iter();
    operands
        .filter_map(|x| {
            let distance = Linear::value(v).plus_times(&expand(ctx, x), -1)?;
            distance.times(sign)
        })
        .collect()
}
