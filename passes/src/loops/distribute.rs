//! A loop as several loops, each with a part of its body.
//!
//! ```text
//! affine.for %i = 0 to %n {         affine.for %i = 0 to %n {
//!   first(%i)                   =>    first(%i)
//!   second(%i)                      }
//! }                                 affine.for %i = 0 to %n {
//!                                     second(%i)
//!                                   }
//! ```
//!
//! What only computes is computed again in every part that needs it. A value that
//! cannot be, such as one loaded, ties its users to it: for them to be apart it must
//! be kept in an array first. Which parts are legal is for others to know; of the
//! parts that can be, [`statements`] gives the smallest.

use super::components::strong_components;
use super::nest::open;
use super::{Refusal, names};
use crate::analysis::dependence::{Options, dependences};
use terrace_dialects::affine::{ForOp, YieldOp};
use terrace_ir::affine::{AffineMap, ValueMap};
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::effects::is_pure;
use terrace_ir::{Builder, Context, Op, OpKind, Value};

/// The smallest parts into which the body of `l` can be cut, each the ops that have to
/// be in it, in the order of the text. Ops that only compute are in none.
pub fn statements(ctx: &Context, l: ForOp) -> Vec<Vec<Op>> {
    let body = Body::of(ctx, l);
    let mut group: Vec<usize> = (0..body.num_nodes()).collect();
    for tie in &body.ties {
        let (a, b) = (group[tie.0], group[tie.1]);
        let (from, to) = (a.max(b), a.min(b));
        group
            .iter_mut()
            .filter(|g| **g == from)
            .for_each(|g| *g = to);
    }
    let mut parts: Vec<(usize, Vec<Op>)> = Vec::new();
    for (i, op) in body.ops.iter().enumerate().filter(|(i, _)| body.stays[*i]) {
        match parts.iter_mut().find(|p| p.0 == group[i]) {
            Some(p) => p.1.push(*op),
            None => parts.push((group[i], vec![*op])),
        }
    }
    parts.into_iter().map(|p| p.1).collect()
}

/// The parts that no dependence goes around in: strongly connected components of the
/// dependences within one run of the loop (K. Kennedy, K. McKinley, "Loop Distribution
/// with Arbitrary Control Flow", 1990, without the control flow).
pub(crate) fn independent_parts(ctx: &Context, l: ForOp, statements: &[Vec<Op>]) -> Vec<Vec<Op>> {
    let options = Options {
        distances: false,
        ..Options::default()
    };
    let found = dependences(ctx, l.op(), &options);
    let part_of = |op: Op| {
        let top = op.ancestor_in(ctx, l.body(ctx))?;
        statements.iter().position(|s| s.contains(&top))
    };
    let edges: Vec<(usize, usize)> = found
        .all
        .iter()
        .filter_map(|d| Some((part_of(d.source_op)?, part_of(d.sink_op)?)))
        .collect();
    strong_components(statements.len(), &edges)
        .into_iter()
        .map(|c| c.into_iter().flat_map(|i| statements[i].clone()).collect())
        .collect()
}

/// As [`distribute`] into what `order` makes of the smallest parts: lists of their
/// places, in the order in which the loops are to stand.
///
/// # Errors
///
/// As [`distribute`], and what `order` refuses.
pub fn distribute_maximal(
    ctx: &mut Context,
    l: ForOp,
    order: impl FnOnce(&Context, &[Vec<Op>]) -> Result<Vec<Vec<usize>>, Refusal>,
) -> Result<Vec<ForOp>, Refusal> {
    let smallest = statements(ctx, l);
    let groups = order(ctx, &smallest)?;
    let part = |g: &Vec<usize>| -> Vec<Op> {
        let chosen = g.iter().filter_map(|i| smallest.get(*i));
        chosen.flatten().copied().collect()
    };
    let parts: Vec<Vec<Op>> = groups.iter().map(part).collect();
    distribute(ctx, l, &parts)
}

/// A loop for each of `parts`, lists of ops directly in the body of `l`, in this
/// order. Ops that only compute need not be listed. The loops get the suffixes `_0`,
/// `_1` and so on.
///
/// # Errors
///
/// Where an op that does more than compute is in no part or in two, and where a value
/// would have to go from one part to another.
pub fn distribute(ctx: &mut Context, l: ForOp, parts: &[Vec<Op>]) -> Result<Vec<ForOp>, Refusal> {
    let body = Body::of(ctx, l);
    let part_of = body.assign(ctx, l, parts)?;
    if parts.len() < 2 {
        return Ok(vec![l]);
    }
    let args = l.iter_args(ctx);
    let yielded = l.yielded(ctx);
    let mut loops = Vec::new();
    let mut results = vec![None; args.len()];
    for p in 0..parts.len() {
        let carried: Vec<usize> = (0..args.len())
            .filter(|k| part_of[body.ops.len() + k] == Some(p))
            .collect();
        let roots: Vec<Value> = carried.iter().map(|k| yielded[*k]).collect();
        let needed = body.needed(ctx, p, &part_of, &roots);
        let (new, yields) = build_part(ctx, l, &body, &needed, &carried, &roots);
        if let Some(end) = new.body(ctx).last_op(ctx) {
            end.set_operands(ctx, &yields);
        }
        for (k, r) in carried.iter().zip(new.op().results(ctx)) {
            results[*k] = Some(r);
        }
        names::derive(ctx, l, new, &format!("_{p}"));
        loops.push(new);
    }
    let inits = l.inits(ctx);
    let results: Vec<Value> = results
        .into_iter()
        .zip(inits)
        .map(|(r, init)| r.unwrap_or(init))
        .collect();
    l.op().replace(ctx, &results);
    Ok(loops)
}

/// The loop of one part before `l`, with its ops: those that stay are moved, the others
/// copied. Gives it with what it hands on in place of `roots`.
fn build_part(
    ctx: &mut Context,
    l: ForOp,
    body: &Body,
    needed: &[usize],
    carried: &[usize],
    roots: &[Value],
) -> (ForOp, Vec<Value>) {
    let inits = l.inits(ctx);
    let inits: Vec<Value> = carried.iter().map(|k| inits[*k]).collect();
    let bound = |map: &AffineMap, operands| ValueMap {
        map: map.clone(),
        operands,
    };
    let lower = bound(l.lower_map(ctx), l.lower_operands(ctx));
    let upper = bound(l.upper_map(ctx), l.upper_operands(ctx));
    let step = l.step(ctx);
    let mut b = Builder::before(ctx, l.op());
    let new = open(&mut b, lower, upper, step, &inits);
    let ctx = b.ctx;
    let mut map = IrMapping::new();
    let mut pairs = vec![(l.iv(ctx), new.iv(ctx))];
    let args = l.iter_args(ctx);
    let carried = carried.iter().map(|k| args[*k]);
    pairs.extend(carried.zip(new.iter_args(ctx)));
    for (old, new) in &pairs {
        map.map(*old, *new);
    }
    let Some(end) = new.body(ctx).last_op(ctx) else {
        return (new, Vec::new());
    };
    for i in needed {
        let op = body.ops[*i];
        if body.stays[*i] {
            op.move_before(ctx, end);
        } else {
            let copy = clone_op(ctx, op, &mut map);
            copy.insert_before(ctx, end);
            pairs.extend(op.results(ctx).into_iter().zip(copy.results(ctx)));
        }
    }
    for (old, value) in &pairs {
        let ctx = &*ctx;
        old.replace_uses_if(ctx, *value, |u| new.op().is_ancestor_of(ctx, u.op));
    }
    let yields = roots.iter().map(|v| map.value(*v)).collect();
    (new, yields)
}

/// The body of a loop with what ties its ops together. Nodes are its ops and, behind
/// them, its carried values.
struct Body {
    ops: Vec<Op>,
    args: Vec<Value>,
    /// Which ops do more than compute.
    stays: Vec<bool>,
    /// Nodes that must be in one part, and the value that ties the first to the second.
    ties: Vec<(usize, usize, Value)>,
}

impl Body {
    fn of(ctx: &Context, l: ForOp) -> Body {
        let all = l.body(ctx).ops(ctx);
        let ops: Vec<Op> = all.into_iter().filter(|o| !o.isa::<YieldOp>(ctx)).collect();
        let stays = ops
            .iter()
            .map(|o| o.num_regions(ctx) > 0 || !is_pure(ctx, *o));
        let mut body = Body {
            stays: stays.collect(),
            ops,
            args: l.iter_args(ctx),
            ties: Vec::new(),
        };
        for i in 0..body.ops.len() {
            if body.stays[i] {
                for v in body.used(ctx, i) {
                    body.tie(ctx, i, v);
                }
            }
        }
        for (k, v) in l.yielded(ctx).into_iter().enumerate().take(body.args.len()) {
            body.tie(ctx, body.ops.len() + k, v);
        }
        body
    }

    fn num_nodes(&self) -> usize {
        self.ops.len() + self.args.len()
    }

    /// The node that a value comes from; none for one from outside.
    fn source(&self, v: Value) -> Option<usize> {
        if let Some(k) = self.args.iter().position(|a| *a == v) {
            return Some(self.ops.len() + k);
        }
        let op = v.def_op()?;
        self.ops.iter().position(|o| *o == op)
    }

    /// The values that op `i` and those in it use.
    fn used(&self, ctx: &Context, i: usize) -> Vec<Value> {
        let mut all = Vec::new();
        self.ops[i].walk(ctx, &mut |o| all.extend(o.operands(ctx)));
        all
    }

    /// Tie `node` to what `v` is computed from.
    fn tie(&mut self, ctx: &Context, node: usize, v: Value) {
        let (mut todo, mut seen) = (vec![v], Vec::new());
        while let Some(v) = todo.pop() {
            let Some(source) = self.source(v) else {
                continue;
            };
            if seen.contains(&source) {
                continue;
            }
            seen.push(source);
            if source >= self.ops.len() || self.stays[source] {
                self.ties.push((node, source, v));
            } else {
                todo.extend(self.used(ctx, source));
            }
        }
    }

    /// The part of each node.
    fn assign(
        &self,
        ctx: &Context,
        l: ForOp,
        parts: &[Vec<Op>],
    ) -> Result<Vec<Option<usize>>, Refusal> {
        let name = names::describe(ctx, l);
        let mut part_of: Vec<Option<usize>> = vec![None; self.num_nodes()];
        for (p, part) in parts.iter().enumerate() {
            for op in part {
                let Some(i) = self.ops.iter().position(|o| o == op) else {
                    let m = format!("'{}' of part {p} is not directly in {name}", op.name(ctx));
                    return Err(Refusal::new(op.loc(ctx), m));
                };
                if !self.stays[i] {
                    continue;
                }
                if let Some(other) = part_of[i] {
                    let m = format!("'{}' is in part {other} and in part {p}", op.name(ctx));
                    return Err(Refusal::new(op.loc(ctx), m));
                }
                part_of[i] = Some(p);
            }
        }
        for (i, op) in self.ops.iter().enumerate() {
            if self.stays[i] && part_of[i].is_none() {
                let m = format!("'{}' in {name} is in no part", op.name(ctx));
                return Err(Refusal::new(op.loc(ctx), m));
            }
        }
        // Carried values go where they are tied to; those that are not, to the first.
        for _ in 0..=self.args.len() {
            for (a, b, _) in &self.ties {
                for (x, y) in [(*a, *b), (*b, *a)] {
                    if x >= self.ops.len() && part_of[x].is_none() {
                        part_of[x] = part_of[y];
                    }
                }
            }
        }
        for p in &mut part_of[self.ops.len()..] {
            *p = p.or(Some(0));
        }
        for (user, source, v) in &self.ties {
            if part_of[*user] != part_of[*source] {
                return Err(self.crossing(ctx, *user, *source, *v));
            }
        }
        Ok(part_of)
    }

    fn crossing(&self, ctx: &Context, user: usize, source: usize, v: Value) -> Refusal {
        let called = match v.loc(ctx).name(ctx) {
            Some(n) => format!("the value '{n}'"),
            None => "a value".to_string(),
        };
        let m = match self.ops.get(source) {
            Some(op) => format!(
                "{called} of '{}' would go from one part to another; keep it in an array first",
                op.name(ctx)
            ),
            None => {
                format!("{called} carried from iteration to iteration would be needed in two parts")
            }
        };
        let place = self.ops.get(source).map_or(v.loc(ctx), |o| o.loc(ctx));
        let mut r = Refusal::new(place, m);
        if let Some(op) = self.ops.get(user) {
            r = r.note(op.loc(ctx), "used in the other part");
        }
        r
    }

    /// The ops that part `p` consists of, in the order of the text: its own, and all
    /// that only computes what they or `roots` use.
    fn needed(
        &self,
        ctx: &Context,
        p: usize,
        part_of: &[Option<usize>],
        roots: &[Value],
    ) -> Vec<usize> {
        let mut needed: Vec<bool> = (0..self.ops.len())
            .map(|i| self.stays[i] && part_of[i] == Some(p))
            .collect();
        let own = (0..self.ops.len()).filter(|i| needed[*i]);
        let mut todo: Vec<Value> = own.flat_map(|i| self.used(ctx, i)).collect();
        todo.extend(roots);
        while let Some(v) = todo.pop() {
            if let Some(i) = self.source(v).filter(|i| *i < self.ops.len())
                && !needed[i]
            {
                needed[i] = true;
                todo.extend(self.used(ctx, i));
            }
        }
        (0..self.ops.len()).filter(|i| needed[*i]).collect()
    }
}
