//! Which nests of a loop update elements that are the same in all of its steps.

use crate::analysis::linear::Linear;
use terrace_dialects::affine;
use terrace_dialects::affine::compose::compose;
use terrace_dialects::affine::{Access, ForOp, ParallelOp, YieldOp};
use terrace_ir::affine::{AffineMap, ValueMap};
use terrace_ir::effects::is_pure;
use terrace_ir::{Context, Op, OpKind, Value};

/// How many ops the body of a nest may have.
const MAX_OPS: usize = 64;

/// A loop whose steps update the same elements again and again.
pub(super) struct Steps {
    pub of: ForOp,
    pub first: Linear,
    /// One behind the last.
    pub end: Linear,
}

impl Steps {
    /// # Errors
    ///
    /// Why the steps of a loop cannot be done some at a time.
    pub fn of(ctx: &Context, l: ForOp) -> Result<Steps, String> {
        if !l.inits(ctx).is_empty() {
            return Err("the loop around it carries values from step to step".into());
        }
        if l.step(ctx) != 1 {
            return Err(format!(
                "the loop around it goes in steps of {}, not of 1",
                l.step(ctx)
            ));
        }
        let first = one_linear(ctx, l.lower_map(ctx), &l.lower_operands(ctx));
        let end = one_linear(ctx, l.upper_map(ctx), &l.upper_operands(ctx));
        match (first, end) {
            (Some(first), Some(end)) => Ok(Steps { of: l, first, end }),
            _ => Err("the bounds of the loop around it are not one linear form each".into()),
        }
    }

    pub fn counter(&self, ctx: &Context) -> Value {
        self.of.iv(ctx)
    }

    /// How many there are, where that is known.
    pub fn count(&self) -> Option<i64> {
        self.end.minus(&self.first)?.as_constant()
    }
}

/// A counter of a nest.
pub(super) struct Counter {
    pub of: ParallelOp,
    pub iv: Value,
    pub step: i64,
    /// The first number is the greatest of these.
    pub lower: ValueMap<Value>,
    /// One behind the last number is the least of these.
    pub upper: ValueMap<Value>,
    /// How far the first number is behind that of the step, where it moves with it.
    pub behind: Option<i64>,
}

/// A perfect nest of parallel loops in a step. An update is one that changes elements whose
/// subscripts are the same in all steps.
pub(super) struct UpdateNest {
    pub root: Op,
    pub counters: Vec<Counter>,
    /// What the innermost loop runs.
    pub body: Vec<Op>,
    /// The one store.
    pub store: Op,
    /// Ops in front of it, in the same step, that it needs: each computes from numbers alone.
    pub needed: Vec<Op>,
}

impl UpdateNest {
    /// The counters that begin behind the step, by their number.
    pub fn moving(&self) -> Vec<usize> {
        let all = 0..self.counters.len();
        all.filter(|c| self.counters[*c].behind.is_some()).collect()
    }
}

/// The updates of a loop that may be worth a delay, in the order of the text: each, or why it
/// stays where it is. Other nests are not spoken of.
pub(super) fn updates(ctx: &Context, l: ForOp) -> Vec<Result<UpdateNest, (Op, String)>> {
    let mut found = Vec::new();
    for op in l.body(ctx).ops(ctx) {
        let Some(p) = op.cast::<ParallelOp>(ctx) else {
            continue;
        };
        let (loops, body) = perfect(ctx, p);
        let Some(store) = updates_matrix(ctx, l, &loops, &body) else {
            continue;
        };
        let update = nest(ctx, l, (loops, body), store);
        let update = update.and_then(|u| match u.moving().len() {
            1 | 2 => Ok(u),
            0 => Err("none of its loops begins at the step's number and a constant".into()),
            n => Err(format!("{n} of its loops begin at the step's number")),
        });
        found.push(update.map_err(|why| (op, why)));
    }
    found
}

/// The other nests of a step that store one element for each number of one counter, which moves
/// with the step.
pub(super) fn others(ctx: &Context, l: ForOp, update: &UpdateNest) -> Vec<UpdateNest> {
    let mut found = Vec::new();
    for op in l.body(ctx).ops(ctx) {
        let Some(p) = op.cast::<ParallelOp>(ctx).filter(|_| op != update.root) else {
            continue;
        };
        let (loops, body) = perfect(ctx, p);
        let store = body
            .iter()
            .find(|o| o.name(ctx) == affine::StoreOp::NAME)
            .copied();
        let other = store.and_then(|s| nest(ctx, l, (loops, body), s).ok());
        found.extend(other.filter(|n| n.counters.len() == 1 && n.moving().len() == 1));
    }
    found
}

/// The loops of a nest that hold nothing but one another, and what the innermost runs.
fn perfect(ctx: &Context, outermost: ParallelOp) -> (Vec<ParallelOp>, Vec<Op>) {
    let mut loops = vec![outermost];
    let mut at = outermost;
    loop {
        let mut body = at.body(ctx).ops(ctx);
        body.retain(|o| !o.isa::<YieldOp>(ctx));
        match body[..] {
            [inner] if inner.isa::<ParallelOp>(ctx) => {
                at = ParallelOp::wrap(inner);
                loops.push(at);
            }
            _ => return (loops, body),
        }
    }
}

/// The store of a nest that loads the element that it stores, where that has two of the nest's
/// counters or more in its subscripts and none of the step: so many elements are worth it.
fn updates_matrix(ctx: &Context, l: ForOp, loops: &[ParallelOp], body: &[Op]) -> Option<Op> {
    let ivs: Vec<Value> = loops.iter().flat_map(|p| p.ivs(ctx)).collect();
    let wanted = |o: &&Op| {
        let Some((memref, at)) = element(ctx, **o).filter(|_| o.name(ctx) == affine::StoreOp::NAME)
        else {
            return false;
        };
        let has = |v: &Value| at.iter().any(|s| s.coefficient(*v) != 0);
        let same = |o: &Op| {
            let other = element(ctx, *o).filter(|_| o.name(ctx) == affine::LoadOp::NAME);
            other.is_some_and(|(m, a)| {
                m == memref && a.len() == at.len() && a.iter().zip(&at).all(|(x, y)| x.equals(y))
            })
        };
        !has(&l.iv(ctx)) && ivs.iter().filter(|v| has(v)).count() >= 2 && body.iter().any(same)
    };
    body.iter().find(wanted).copied()
}

fn element(ctx: &Context, op: Op) -> Option<(Value, Vec<Linear>)> {
    let access = Access::of(ctx, op)?;
    let m = access.composed(ctx);
    Some((access.memref, Linear::of_map(&m.map, &m.operands)?))
}

fn nest(
    ctx: &Context,
    l: ForOp,
    (loops, body): (Vec<ParallelOp>, Vec<Op>),
    store: Op,
) -> Result<UpdateNest, String> {
    let root = loops.first().map_or(store, |p| p.op());
    let plain = |o: &Op| {
        o.num_regions(ctx) == 0
            && (is_pure(ctx, *o) || o.name(ctx) == affine::LoadOp::NAME || *o == store)
    };
    if let Some(other) = body.iter().find(|o| !plain(o)) {
        let name = other.name(ctx);
        return Err(format!("its body has '{name}' beside the update"));
    }
    if body.len() > MAX_OPS {
        return Err(format!("its body has more than {MAX_OPS} operations"));
    }
    let mut counters = Vec::new();
    for p in &loops {
        let says = p.op().def(ctx).map_or(&[][..], |d| d.attrs);
        let own = |name: &str| says.iter().any(|a| a.name == name);
        let more = p.op().attrs(ctx).iter().any(|(n, _)| !own(ctx.str(*n)));
        if more || p.op().num_results(ctx) > 0 {
            return Err("its loops say more than their bounds".into());
        }
        for (at, iv) in p.ivs(ctx).into_iter().enumerate() {
            counters.push(counter(ctx, l, *p, at, iv)?);
        }
    }
    let needed = needed(ctx, l, &loops, &body)?;
    Ok(UpdateNest {
        root,
        counters,
        body,
        store,
        needed,
    })
}

fn counter(
    ctx: &Context,
    l: ForOp,
    p: ParallelOp,
    at: usize,
    iv: Value,
) -> Result<Counter, String> {
    let k = l.iv(ctx);
    let lower = compose(ctx, &p.lower_map_of(ctx, at), &p.lower_operands(ctx));
    let upper = compose(ctx, &p.upper_map_of(ctx, at), &p.upper_operands(ctx));
    let step = p.steps(ctx).get(at).copied().unwrap_or(1);
    if upper.operands.contains(&k) {
        return Err("a loop of it ends at the step's number".into());
    }
    let mut behind = None;
    if lower.operands.contains(&k) {
        let form = one_linear(ctx, &lower.map, &lower.operands);
        let rest = form.and_then(|f| f.minus(&Linear::value(k)));
        behind = rest.and_then(|r| r.as_constant());
        if behind.is_none() || step != 1 {
            return Err("a loop of it begins at more than the step's number and a constant".into());
        }
    }
    Ok(Counter {
        of: p,
        iv,
        step,
        lower,
        upper,
        behind,
    })
}

/// The ops of a step, in their order, that compute what a nest uses of it.
fn needed(ctx: &Context, l: ForOp, loops: &[ParallelOp], body: &[Op]) -> Result<Vec<Op>, String> {
    let inside = l.body(ctx);
    let mut found: Vec<Op> = Vec::new();
    let bounds = loops.iter().flat_map(|p| p.op().operands(ctx));
    let mut work: Vec<Value> = bounds.collect();
    work.extend(body.iter().flat_map(|o| o.operands(ctx)));
    while let Some(v) = work.pop() {
        let Some(op) = v.def_op().filter(|o| o.block(ctx) == Some(inside)) else {
            continue;
        };
        if found.contains(&op) {
            continue;
        }
        if !is_pure(ctx, op) || op.num_regions(ctx) > 0 {
            let name = op.name(ctx);
            return Err(format!(
                "it uses the value of '{name}', which stands outside of it in the step"
            ));
        }
        found.push(op);
        work.extend(op.operands(ctx));
    }
    for v in loops.iter().flat_map(|p| p.op().operands(ctx)) {
        let computed = v.def_op().filter(|o| found.contains(o));
        if computed.is_some_and(|o| !is_fixed(ctx, l, o)) {
            return Err("a bound of its loops is computed in the step".into());
        }
    }
    let order = inside.ops(ctx);
    Ok(order.into_iter().filter(|o| found.contains(o)).collect())
}

/// Whether an op of a step, which computes from numbers alone, gives the same in all steps.
pub(super) fn is_fixed(ctx: &Context, l: ForOp, op: Op) -> bool {
    let inside = l.body(ctx);
    let mut work = vec![op];
    let mut seen: Vec<Op> = Vec::new();
    while let Some(op) = work.pop() {
        if seen.contains(&op) {
            continue;
        }
        seen.push(op);
        for v in op.operands(ctx) {
            match v.def_op() {
                Some(o) if o.block(ctx) == Some(inside) => work.push(o),
                None if v.arg_block() == Some(inside) => return false,
                _ => {}
            }
        }
    }
    true
}

/// The one result of a map, composed, as a linear form.
fn one_linear(ctx: &Context, map: &AffineMap, operands: &[Value]) -> Option<Linear> {
    let m = compose(ctx, map, operands);
    let all = Linear::of_map(&m.map, &m.operands)?;
    let [form] = <[Linear; 1]>::try_from(all).ok()?;
    Some(form)
}
