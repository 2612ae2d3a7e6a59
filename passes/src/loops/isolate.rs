//! A loop split at what goes from iteration to iteration, so that only that stays serial.
//!
//! ```text
//!                                               affine.for %i = 0 to 64 {
//!                                                 %a = heavy(%i)
//!                                                 affine.store %a, %t[%i]
//! %r = affine.for %i = 0 to 64                  }
//!     iter_args(%x = %s) {                      %r = affine.for %i = 0 to 64 iter_args(%x = %s) {
//!   %a = heavy(%i)                                %a = affine.load %t[%i]
//!   %y = arith.addf %x, %a                 =>     %y = arith.addf %x, %a
//!   use(%y, %i)                                   affine.store %y, %u[%i]
//!   affine.yield %y                               affine.yield %y
//! }                                             }
//!                                               affine.for %i = 0 to 64 {
//!                                                 %y = affine.load %u[%i]
//!                                                 use(%y, %i)
//!                                               }
//! ```
//!
//! The chain is what depends on itself through other iterations: strongly connected
//! components of the dependences, those in SSA form counted, with all between two such
//! components (R. Allen, K. Kennedy, "Automatic translation of FORTRAN programs to vector
//! form", 1987, section 5). A value that goes from one loop to another is kept in an array
//! with an element for each iteration (scalar expansion), unless it is an index computed
//! from the loop's variable, which is computed again.
//!
//! Which dependences through memory there are is for the caller to say.

use super::components::strong_components;
use super::distribute::distribute;
use super::iterations::{Elements, Iterations, can_be_kept};
use super::{Refusal, names};
use terrace_dialects::affine::{ForOp, YieldOp};
use terrace_dialects::memref::DeallocOp;
use terrace_dialects::schedule::InstanceOp;
use terrace_ir::effects::is_pure;
use terrace_ir::opdef::traits;
use terrace_ir::{Builder, Context, Op, OpKind, Value};

/// Where an op goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Before,
    Chain,
    After,
}

/// The loops that one was split into.
#[derive(Debug, Clone)]
pub struct Isolated {
    /// In the order in which they stand: what the chain needs, the chain, and what uses it;
    /// what is empty is left out.
    pub loops: Vec<ForOp>,
}

/// Split `l`. `memory` are the dependences through memory within one run of the loop, as
/// pairs of ops of its body, or in ops of it.
///
/// # Errors
///
/// There is no chain, or nothing but a chain; the iterations cannot be numbered; a value
/// that would go from loop to loop cannot be kept in an array.
pub fn isolate(ctx: &mut Context, l: ForOp, memory: &[(Op, Op)]) -> Result<Isolated, Refusal> {
    let iterations = Iterations::of(ctx, l)?;
    let body = Graph::of(ctx, l, memory);
    let part = body.parts(ctx, l)?;
    let crossing = body.crossing(ctx, l, &part);
    for c in &crossing {
        if !can_be_kept(ctx, c.value.ty(ctx)) {
            let loc = c.value.def_op().map_or(l.op().loc(ctx), |o| o.loc(ctx));
            let m = "a value that would go from one of the loops to another cannot be an element of \
                     an array";
            return Err(Refusal::new(loc, m));
        }
    }
    let place = l.op().loc(ctx);
    let mut buffers = Vec::new();
    let mut stores: Vec<(Op, Part)> = Vec::new();
    for c in &crossing {
        let mut b = Builder::before(ctx, l.op());
        b.loc = place;
        let of = Elements {
            ty: c.value.ty(b.ctx),
            space: None,
        };
        let buffer = iterations.allocate(&mut b, of, &[], &[]);
        buffers.push(buffer);
        keep(b.ctx, l, &iterations, c, buffer, &mut stores);
    }
    let mut loops = vec![l];
    let mut lists: Vec<Vec<Op>> = Vec::new();
    for p in [Part::Before, Part::Chain, Part::After] {
        let own = (0..body.ops.len()).filter(|i| part[*i] == p);
        let mut list: Vec<Op> = own.map(|i| body.ops[i]).collect();
        list.extend(stores.iter().filter(|s| s.1 == p).map(|s| s.0));
        list.retain(|o| o.num_regions(ctx) > 0 || !is_pure(ctx, *o));
        if !list.is_empty() {
            lists.push(list);
        }
    }
    if lists.len() > 1 {
        loops = distribute(ctx, l, &lists)?;
    }
    if let Some(last) = loops.last() {
        let mut b = Builder::after(ctx, last.op());
        b.loc = place;
        for buffer in buffers {
            DeallocOp::build(&mut b, buffer);
        }
    }
    Ok(Isolated { loops })
}

/// Stores a value where it is computed, and lets the other loops load it.
fn keep(
    ctx: &mut Context,
    l: ForOp,
    iterations: &Iterations,
    c: &Crossing,
    buffer: Value,
    stores: &mut Vec<(Op, Part)>,
) {
    let iv = l.iv(ctx);
    let mut b = match c.value.def_op() {
        Some(from) => Builder::after(ctx, from),
        None => Builder::at_start(ctx, l.body(ctx), l.op().loc(ctx)),
    };
    let place = b.loc;
    let store = iterations.store(&mut b, c.value, buffer, iv);
    let ctx = b.ctx;
    stores.push((store, c.from));
    for (part, users) in &c.users {
        let Some(first) = users.first() else { continue };
        // What marks an op stays right before it.
        let mut at = *first;
        while let Some(mark) = at.prev(ctx).filter(|o| o.isa::<InstanceOp>(ctx)) {
            at = mark;
        }
        let mut b = Builder::before(ctx, at);
        b.loc = place;
        let value = iterations.load(&mut b, buffer, iv);
        let ctx = &*b.ctx;
        stores.extend(value.def_op().map(|load| (load, *part)));
        c.value.replace_uses_if(ctx, value, |u| {
            u.op.ancestor_in(ctx, l.body(ctx))
                .is_some_and(|o| users.contains(&o))
        });
    }
}

/// A value of one part that others use, by the ops of the body that use it or hold users.
struct Crossing {
    value: Value,
    from: Part,
    users: Vec<(Part, Vec<Op>)>,
}

/// The ops of a body and, behind them, its carried values, with what must come before
/// what.
struct Graph {
    ops: Vec<Op>,
    carried: usize,
    edges: Vec<(usize, usize)>,
    /// Ops that are computed again wherever they are needed.
    again: Vec<bool>,
}

impl Graph {
    fn of(ctx: &Context, l: ForOp, memory: &[(Op, Op)]) -> Graph {
        let all = l.body(ctx).ops(ctx);
        let is_node = |o: &Op| !o.isa::<YieldOp>(ctx);
        let ops: Vec<Op> = all.into_iter().filter(is_node).collect();
        let args = l.iter_args(ctx);
        let mut g = Graph {
            carried: args.len(),
            edges: Vec::new(),
            again: vec![false; ops.len()],
            ops,
        };
        let source = |g: &Graph, v: Value| -> Option<usize> {
            if let Some(k) = args.iter().position(|a| *a == v) {
                return Some(g.ops.len() + k);
            }
            let op = v.def_op()?;
            g.ops.iter().position(|o| *o == op)
        };
        for i in 0..g.ops.len() {
            let op = g.ops[i];
            let from: Vec<usize> = used(ctx, op)
                .into_iter()
                .filter_map(|v| source(&g, v))
                .collect();
            g.again[i] = op.num_regions(ctx) == 0
                && is_pure(ctx, op)
                && from.iter().all(|s| g.again.get(*s) == Some(&true))
                && (op.has_trait(ctx, traits::CONSTANT_LIKE)
                    || op.results(ctx).iter().all(|v| v.ty(ctx).is_index(ctx)));
            g.edges.extend(from.into_iter().map(|s| (s, i)));
        }
        for (k, v) in l.yielded(ctx).into_iter().enumerate().take(args.len()) {
            let node = g.ops.len() + k;
            g.edges.extend(source(&g, v).map(|s| (s, node)));
        }
        let top = |op: &Op| {
            let op = op.ancestor_in(ctx, l.body(ctx))?;
            g.ops.iter().position(|o| *o == op)
        };
        let through_memory: Vec<_> = memory
            .iter()
            .filter_map(|(a, b)| Some((top(a)?, top(b)?)))
            .collect();
        g.edges.extend(through_memory);
        g
    }

    fn num_nodes(&self) -> usize {
        self.ops.len() + self.carried
    }

    /// The part of each op and carried value. What is computed again counts as before.
    fn parts(&self, ctx: &Context, l: ForOp) -> Result<Vec<Part>, Refusal> {
        let n = self.num_nodes();
        let mut chain: Vec<bool> = (0..n).map(|i| i >= self.ops.len()).collect();
        for c in strong_components(n, &self.edges) {
            if c.len() > 1 || self.edges.contains(&(c[0], c[0])) {
                c.into_iter().for_each(|i| chain[i] = true);
            }
        }
        let after = self.reached(&chain, |e| e);
        let before = self.reached(&chain, |(a, b)| (b, a));
        let mut part: Vec<Part> = (0..n)
            .map(|i| match (chain[i], before[i], after[i]) {
                (true, ..) | (_, true, true) => Part::Chain,
                (_, _, true) => Part::After,
                _ => Part::Before,
            })
            .collect();
        self.put_off(&mut part);
        self.place_marks(ctx, &mut part);
        let name = names::describe(ctx, l);
        if !part.contains(&Part::Chain) {
            let m = format!("nothing goes from one iteration of {name} to another");
            return Err(Refusal::new(l.op().loc(ctx), m));
        }
        let does = |i: &usize| !self.again[*i] && !self.ops[*i].isa::<InstanceOp>(ctx);
        if (0..self.ops.len())
            .filter(does)
            .all(|i| part[i] == Part::Chain)
        {
            let m = format!(
                "everything in {name} goes from iteration to iteration, so that there is nothing to part from it"
            );
            return Err(Refusal::new(l.op().loc(ctx), m));
        }
        Ok(part)
    }

    /// What only the last loop needs is computed there, not kept in arrays for it.
    fn put_off(&self, part: &mut [Part]) {
        // Each round moves a node; there are no cycles outside of the chain.
        loop {
            let free = (0..self.ops.len()).find(|i| {
                let mut next = self.edges.iter().filter(|e| e.0 == *i).peekable();
                part[*i] == Part::Before
                    && next.peek().is_some()
                    && next.all(|e| part[e.1] == Part::After)
            });
            match free {
                Some(i) => part[i] = Part::After,
                None => return,
            }
        }
    }

    /// The nodes that edges lead to from the given ones.
    fn reached(&self, from: &[bool], turn: fn((usize, usize)) -> (usize, usize)) -> Vec<bool> {
        let mut reached = vec![false; from.len()];
        let mut todo: Vec<usize> = (0..from.len()).filter(|i| from[*i]).collect();
        while let Some(i) = todo.pop() {
            for (a, b) in self.edges.iter().copied().map(turn) {
                if a == i && !reached[b] {
                    reached[b] = true;
                    todo.push(b);
                }
            }
        }
        reached
    }

    /// Marks go with the op that they are in front of; those of the end of the body with
    /// the chain.
    fn place_marks(&self, ctx: &Context, part: &mut [Part]) {
        let mut next = Part::Chain;
        for i in (0..self.ops.len()).rev() {
            if self.ops[i].isa::<InstanceOp>(ctx) {
                part[i] = next;
            } else if self.ops[i].num_regions(ctx) > 0 || !is_pure(ctx, self.ops[i]) {
                next = part[i];
            }
        }
    }

    /// The values that go from one part to another.
    fn crossing(&self, ctx: &Context, l: ForOp, part: &[Part]) -> Vec<Crossing> {
        let body = l.body(ctx);
        let mut all = Vec::new();
        let computed = (0..self.ops.len()).filter(|i| !self.again[*i]);
        let mut values: Vec<(Part, Vec<Value>)> = computed
            .map(|i| (part[i], self.ops[i].results(ctx)))
            .collect();
        values.push((Part::Chain, l.iter_args(ctx)));
        for (from, results) in values {
            for value in results {
                let mut users: Vec<(Part, Vec<Op>)> = Vec::new();
                for p in [Part::Before, Part::Chain, Part::After] {
                    let uses = value.users(ctx);
                    let mut list: Vec<Op> = uses
                        .into_iter()
                        .filter_map(|u| u.ancestor_in(ctx, body))
                        .filter(|u| self.part_of(ctx, *u, part) == Some(p))
                        .collect();
                    list.sort_by(|a, b| match (a == b, a.is_before(ctx, *b)) {
                        (true, _) => std::cmp::Ordering::Equal,
                        (_, true) => std::cmp::Ordering::Less,
                        _ => std::cmp::Ordering::Greater,
                    });
                    list.dedup();
                    if p != from && !list.is_empty() {
                        users.push((p, list));
                    }
                }
                if !users.is_empty() {
                    all.push(Crossing { value, from, users });
                }
            }
        }
        all
    }

    /// The part that an op of the body is in; the end of the body is in the chain.
    fn part_of(&self, ctx: &Context, op: Op, part: &[Part]) -> Option<Part> {
        if op.isa::<YieldOp>(ctx) {
            return Some(Part::Chain);
        }
        let i = self.ops.iter().position(|o| *o == op)?;
        Some(part[i])
    }
}

/// The values that an op and those in it use.
pub(super) fn used(ctx: &Context, op: Op) -> Vec<Value> {
    let mut all = Vec::new();
    op.walk(ctx, &mut |o| all.extend(o.operands(ctx)));
    all
}
