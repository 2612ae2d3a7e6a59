//! What a loop does to the one value that it carries, where that is `a * x + b`.

use super::isolate::used;
use super::{Refusal, names};
use terrace_dialects::affine::{Access, AccessKind, ForOp};
use terrace_dialects::schedule::InstanceOp;
use terrace_dialects::{affine, arith, math};
use terrace_dialects::{memref, scf};
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::effects::is_pure;
use terrace_ir::{Builder, Context, Op, OpKind, Value};

/// A first-order linear recurrence: a carried value `x` that becomes `a * x + b`, with `a`
/// and `b` computed in each iteration without it.
#[derive(Debug, Clone)]
pub struct Recurrence {
    /// The carried value as the body sees it, and what it becomes.
    pub value: Value,
    pub next: Value,
    /// The ops of the body that compute the coefficients, in the order of the text.
    coefficients: Vec<Op>,
    /// Those that make the next value of the last one and the coefficients.
    path: Vec<Op>,
}

impl Recurrence {
    /// What `l` carries. `overwritten` are the reads in it of what the loop itself may have
    /// written: a coefficient must not be one, as it is computed ahead.
    ///
    /// # Errors
    ///
    /// It carries no value, or several, or one that becomes something else.
    pub fn of(ctx: &Context, l: ForOp, overwritten: &[Op]) -> Result<Recurrence, Refusal> {
        let name = names::describe(ctx, l);
        let loc = l.op().loc(ctx);
        let refuse = |m: String| Err(Refusal::new(loc, m));
        let (args, yielded) = (l.iter_args(ctx), l.yielded(ctx));
        let ([value], [next]) = (&args[..], &yielded[..]) else {
            return refuse(match args.len() {
                0 => format!(
                    "{name} carries no value; where it hands one on through an array, put that in a \
                     register first with 'schedule.promote'"
                ),
                n => format!("{name} carries {n} values, and a scan is of one"),
            });
        };
        let r = Recurrence::between(ctx, l, (*value, *next), overwritten)?;
        match r.resets(ctx) && r.value.ty(ctx).is_float(ctx) {
            // What stands in front of it would be multiplied by 0, which is no number where that
            // is infinite.
            true => refuse(format!(
                "a condition in {name} starts the carried value again"
            )),
            false => Ok(r),
        }
    }

    /// The same of the value `value` in the body of `l`, which becomes `next`, however it goes from
    /// one iteration to the next.
    ///
    /// # Errors
    ///
    /// It becomes something else than `a * x + b`.
    pub fn between(
        ctx: &Context,
        l: ForOp,
        (value, next): (Value, Value),
        overwritten: &[Op],
    ) -> Result<Recurrence, Refusal> {
        let name = names::describe(ctx, l);
        let loc = l.op().loc(ctx);
        let refuse = |m: String| Err(Refusal::new(loc, m));
        if !value.ty(ctx).is_float(ctx) && !value.ty(ctx).is_int_or_index(ctx) {
            return refuse(format!("the value that {name} carries is no number"));
        }
        let ops = l.body(ctx).ops(ctx);
        let mut depends: Vec<Op> = Vec::new();
        for op in &ops {
            let on = |v: &Value| *v == value || v.def_op().is_some_and(|d| depends.contains(&d));
            if used(ctx, *op).iter().any(on) {
                depends.push(*op);
            }
        }
        let varies = |v: Value| v == value || v.def_op().is_some_and(|d| depends.contains(&d));
        if next == value || !varies(next) {
            return refuse(format!(
                "the value that {name} carries is not computed from that of the iteration before"
            ));
        }
        let mut r = Recurrence {
            value,
            next,
            coefficients: Vec::new(),
            path: Vec::new(),
        };
        // Ops come before their users, so that one way back through the text finds all.
        let mut needed = vec![next];
        for op in ops.iter().rev() {
            if !op.results(ctx).iter().any(|v| needed.contains(v)) {
                continue;
            }
            if depends.contains(op) {
                is_linear(ctx, *op, varies)?;
                r.path.push(*op);
            } else {
                can_be_ahead(ctx, *op, overwritten)?;
                r.coefficients.push(*op);
            }
            needed.extend(used(ctx, *op));
        }
        r.path.reverse();
        r.coefficients.reverse();
        Ok(r)
    }

    /// The same, after the body came to another loop where this is the carried value.
    pub fn carried_as(&self, value: Value) -> Recurrence {
        Recurrence {
            value,
            ..self.clone()
        }
    }

    /// Whether `a` may be something else than 1.
    pub fn scales(&self, ctx: &Context) -> bool {
        self.path
            .iter()
            .any(|op| self.passed_on(ctx, *op).is_none())
    }

    /// Whether a condition may leave the last value out, so that `a` is 0.
    pub fn resets(&self, ctx: &Context) -> bool {
        let without = |op: &Op| [1, 2].iter().any(|i| !self.varies(op.operand(ctx, *i)));
        let mut chosen = self.path.iter().filter(|op| op.isa::<arith::SelectOp>(ctx));
        chosen.any(without)
    }

    fn varies(&self, v: Value) -> bool {
        v == self.value || v.def_op().is_some_and(|d| self.path.contains(&d))
    }

    /// The operand that an op only adds something to.
    fn passed_on(&self, ctx: &Context, op: Op) -> Option<Value> {
        let v = |i| op.operand(ctx, i);
        match op.name(ctx) {
            arith::AddFOp::NAME | arith::AddIOp::NAME if !self.varies(v(1)) => Some(v(0)),
            arith::AddFOp::NAME | arith::AddIOp::NAME if !self.varies(v(0)) => Some(v(1)),
            arith::SubFOp::NAME | arith::SubIOp::NAME if !self.varies(v(1)) => Some(v(0)),
            _ => None,
        }
    }

    /// The ops that make the next value of the last one and the coefficients, in that order.
    pub fn path(&self) -> &[Op] {
        &self.path
    }

    /// How large `|a|` may be where only constants make it, rounded; `None` where a number that is
    /// not known does.
    pub fn greatest_factor(&self, ctx: &Context) -> Option<f64> {
        let mut known: Vec<(Value, Option<f64>)> = vec![(self.value, Some(1.0))];
        for op in &self.path {
            let of = |i: usize| {
                let v = op.operand(ctx, i);
                known.iter().find(|k| k.0 == v).map(|k| k.1)
            };
            let constant = |i: usize| {
                let v = op.operand(ctx, i);
                let known = ctx.constant_of(v)?;
                known.as_float(ctx).map(|f| f.to_f64().abs())
            };
            let factor = match op.name(ctx) {
                arith::NegFOp::NAME => of(0).flatten(),
                arith::DivFOp::NAME => of(0).flatten().and_then(|f| Some(f / constant(1)?)),
                arith::MulFOp::NAME | math::FmaOp::NAME => {
                    let product = match (of(0), of(1)) {
                        (Some(f), None) => f.and_then(|f| Some(f * constant(1)?)),
                        (None, Some(f)) => f.and_then(|f| Some(f * constant(0)?)),
                        // Only the last operand varies, which is added.
                        _ => Some(0.0),
                    };
                    match added(ctx, *op).iter().find_map(|i| of(*i)) {
                        Some(f) => product.and_then(|p| Some(p + f?)),
                        None => product,
                    }
                }
                arith::SelectOp::NAME => {
                    let either = |i| of(i).unwrap_or(Some(0.0));
                    either(1).and_then(|f| Some(f.max(either(2)?)))
                }
                _ => match (of(0), of(1)) {
                    (Some(f), Some(g)) => f.and_then(|f| Some(f + g?)),
                    (Some(f), None) | (None, Some(f)) => f,
                    (None, None) => None,
                },
            };
            known.push((op.result(ctx, 0), factor));
        }
        known.iter().find(|k| k.0 == self.next).and_then(|k| k.1)
    }

    /// Copies what an iteration does to the value: to `x`, and to `product`, if given,
    /// only the factors, `zero` standing for what is added. `map` says what stands for the
    /// loops' variables. Gives both.
    pub fn copy(
        &self,
        b: &mut Builder,
        map: &mut IrMapping,
        x: Value,
        product: Option<Value>,
        zero: Value,
    ) -> (Value, Option<Value>) {
        for op in &self.coefficients {
            let copy = clone_op(b.ctx, *op, map);
            b.insert(copy);
            for mark in copy.find_all::<InstanceOp>(b.ctx) {
                mark.op().erase(b.ctx);
            }
        }
        self.follow(b, map, x, product, zero)
    }

    /// The same where `map` says what stands for the coefficients, too.
    pub fn follow(
        &self,
        b: &mut Builder,
        map: &mut IrMapping,
        x: Value,
        product: Option<Value>,
        zero: Value,
    ) -> (Value, Option<Value>) {
        let mut factors = IrMapping::new();
        for v in self.path.iter().flat_map(|op| op.operands(b.ctx)) {
            if !self.varies(v) {
                factors.map(v, map.value(v));
            }
        }
        map.map(self.value, x);
        for op in &self.path {
            put(b, *op, map);
        }
        let product = product.map(|p| {
            factors.map(self.value, p);
            for op in &self.path {
                if let Some(from) = self.passed_on(b.ctx, *op) {
                    factors.map(op.result(b.ctx, 0), factors.value(from));
                    continue;
                }
                let copy = put(b, *op, &mut factors);
                for i in added(b.ctx, *op).iter().copied() {
                    if !self.varies(op.operand(b.ctx, i)) {
                        copy.set_operand(b.ctx, i, zero);
                    }
                }
            }
            factors.value(self.next)
        });
        (map.value(self.next), product)
    }
}

/// A copy of an op. In another order of sums an integer may overflow that did not.
fn put(b: &mut Builder, op: Op, map: &mut IrMapping) -> Op {
    let copy = clone_op(b.ctx, op, map);
    copy.remove_attr(b.ctx, "overflowFlags");
    b.insert(copy)
}

/// The operands that an op adds or subtracts, or chooses from.
fn added(ctx: &Context, op: Op) -> &'static [usize] {
    match op.name(ctx) {
        arith::AddFOp::NAME | arith::AddIOp::NAME | arith::SubFOp::NAME | arith::SubIOp::NAME => {
            &[0, 1]
        }
        math::FmaOp::NAME => &[2],
        arith::SelectOp::NAME => &[1, 2],
        _ => &[],
    }
}

/// Whether an op makes of values that are `a * x + b` another one.
fn is_linear(ctx: &Context, op: Op, varies: impl Fn(Value) -> bool) -> Result<(), Refusal> {
    let v = |i| varies(op.operand(ctx, i));
    let linear = match op.name(ctx) {
        arith::AddFOp::NAME
        | arith::AddIOp::NAME
        | arith::SubFOp::NAME
        | arith::SubIOp::NAME
        | arith::NegFOp::NAME => true,
        arith::MulFOp::NAME | arith::MulIOp::NAME | math::FmaOp::NAME => !(v(0) && v(1)),
        arith::DivFOp::NAME => !v(1),
        // Of two such values, by what is known without them.
        arith::SelectOp::NAME => !v(0),
        _ => false,
    };
    if linear {
        return Ok(());
    }
    let m = format!(
        "'{}' makes of the carried value x something else than a * x + b",
        op.name(ctx)
    );
    Err(Refusal::new(op.loc(ctx), m))
}

/// Whether an op may be run once more before all iterations of the loop.
fn can_be_ahead(ctx: &Context, op: Op, overwritten: &[Op]) -> Result<(), Refusal> {
    let mut obstacle = None;
    op.walk(ctx, &mut |o| {
        let reads = Access::of(ctx, o).is_some_and(|a| a.kind == AccessKind::Read)
            || o.name(ctx) == memref::LoadOp::NAME;
        let holds = matches!(
            o.name(ctx),
            ForOp::NAME
                | affine::IfOp::NAME
                | affine::YieldOp::NAME
                | scf::IfOp::NAME
                | scf::YieldOp::NAME
        );
        let harmless = (reads && !overwritten.contains(&o)) || holds;
        if !harmless && !o.isa::<InstanceOp>(ctx) && (o.num_regions(ctx) > 0 || !is_pure(ctx, o)) {
            obstacle.get_or_insert((o, reads));
        }
    });
    match obstacle {
        None => Ok(()),
        Some((o, true)) => {
            let m = "a coefficient is read from memory that the loop writes, so that it cannot be \
                     known before";
            Err(Refusal::new(o.loc(ctx), m))
        }
        Some((o, false)) => {
            let m = format!(
                "a coefficient is computed by '{}', which may do more than compute and cannot run \
                 twice",
                o.name(ctx)
            );
            Err(Refusal::new(o.loc(ctx), m))
        }
    }
}
