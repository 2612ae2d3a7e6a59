//! From ops to chains: what is added or multiplied in several ops becomes one chain.

use super::graph::{Chain, Graph, Id, Kind, Term, times};
use rustc_hash::{FxHashMap, FxHashSet};
use terrace_dialects::arith::{self, elements::Elements, fastmath, fastmath_of};
use terrace_ir::num::Float;
use terrace_ir::{Block, Context, Op, Value};

/// The chains of a function.
#[derive(Debug, Default)]
pub struct Read {
    pub graph: Graph,
    /// Ops whose values others use, with what these are, in the order of the program.
    pub roots: Vec<(Op, Id)>,
}

/// What stands below `function`, but for what stands in other isolated ops, in the order of the
/// program.
pub fn ops_of(ctx: &Context, function: Op) -> Vec<Op> {
    let mut found = Vec::new();
    let mut open: Vec<Op> = Vec::new();
    let below = |op: Op, open: &mut Vec<Op>| {
        for r in op.regions(ctx).into_iter().rev() {
            for b in r.blocks(ctx).into_iter().rev() {
                open.extend(b.ops(ctx).into_iter().rev());
            }
        }
    };
    below(function, &mut open);
    while let Some(op) = open.pop() {
        found.push(op);
        if !op.has_trait(ctx, terrace_ir::opdef::traits::ISOLATED) {
            below(op, &mut open);
        }
    }
    found
}

/// The number of a scalar constant, or of each element of one.
pub fn number(ctx: &Context, v: Value) -> Option<f64> {
    let c = v.def_op()?.cast::<arith::ConstantOp>(ctx)?.value(ctx)?;
    let f: Float = Elements::of(ctx, c)?.one()?;
    f.is_finite().then(|| f.to_f64())
}

/// Bits of the floats that a value has.
pub fn bits(ctx: &Context, v: Value) -> u32 {
    let elem = v.ty(ctx).element_or_self(ctx);
    elem.float_kind(ctx).map_or(0, |k| k.width())
}

/// Whether constants of these floats are computed with here.
fn computes(ctx: &Context, v: Value) -> bool {
    matches!(v.ty(ctx).element_or_self(ctx), t if t == ctx.f32() || t == ctx.f64())
}

/// What an op does to its operands.
enum Does {
    Add(i32),
    Negate,
    Multiply,
    Divide,
}

fn does(ctx: &Context, op: Op) -> Option<(Does, i64)> {
    let does = match op.name(ctx) {
        arith::AddFOp::NAME => Does::Add(1),
        arith::SubFOp::NAME => Does::Add(-1),
        arith::NegFOp::NAME => Does::Negate,
        arith::MulFOp::NAME => Does::Multiply,
        arith::DivFOp::NAME => Does::Divide,
        _ => return None,
    };
    let flags = fastmath_of(ctx, op);
    let needed = match does {
        Does::Divide => fastmath::REASSOC | fastmath::ARCP,
        _ => fastmath::REASSOC,
    };
    (flags & needed == needed).then_some((does, flags))
}

/// Whether an op and one of its operands can be parts of chains.
pub fn nests(ctx: &Context, op: Op) -> bool {
    let part = |op: Op| does(ctx, op).is_some();
    part(op)
        && op
            .operands(ctx)
            .into_iter()
            .any(|v| v.def_op().is_some_and(part))
}

/// How deep blocks stand, and chains that are not complete yet.
struct Reader<'c> {
    ctx: &'c Context,
    graph: Graph,
    depths: FxHashMap<Block, u32>,
    function: Op,
    /// Chains of values that nothing took into a longer one yet.
    open: FxHashMap<Value, Chain>,
    /// Nodes of values whose chains are complete.
    known: FxHashMap<Value, Id>,
}

/// Reads all chains below `function`. With `share` what several chains need is computed once for all of them,
/// so that only values that other ops use are roots.
pub fn read(ctx: &Context, function: Op, share: bool) -> Read {
    let mut r = Reader {
        ctx,
        graph: Graph::default(),
        depths: FxHashMap::default(),
        function,
        open: FxHashMap::default(),
        known: FxHashMap::default(),
    };
    let mut made = Vec::new();
    for op in ops_of(ctx, function) {
        let Some((does, flags)) = does(ctx, op) else {
            continue;
        };
        let chain = r.chain(op, does, flags);
        let v = op.result(ctx, 0);
        r.open.insert(v, chain);
        made.push(op);
    }
    let is_made: FxHashSet<Op> = made.iter().copied().collect();
    let mut roots = Vec::new();
    let mut inside = Vec::new();
    for op in made {
        let v = op.result(ctx, 0);
        let whole = r.open.contains_key(&v) || r.known.contains_key(&v);
        if !whole || !v.has_uses(ctx) {
            continue;
        }
        let users = v.users(ctx);
        let beside = |user: &Op| user.block(ctx) == op.block(ctx) && is_made.contains(user);
        let chained = r.known.contains_key(&v) && users.iter().all(beside);
        let id = r.whole(v);
        roots.push((op, id));
        inside.push(chained);
    }
    // What stands in one chain only, beside it, is computed with it.
    let all: Vec<Id> = roots.iter().map(|r| r.1).collect();
    let holders = r.graph.holders(&all);
    let mut chained = inside.into_iter();
    roots.retain(|(_, id)| !(chained.next() == Some(true) && (share || holders[id.index()] == 1)));
    Read {
        graph: r.graph,
        roots,
    }
}

impl Reader<'_> {
    fn depth(&mut self, b: Block) -> u32 {
        if let Some(d) = self.depths.get(&b) {
            return *d;
        }
        let mut d = 0;
        let mut at = b.parent_op(self.ctx);
        while let Some(op) = at
            && op != self.function
        {
            d += 1;
            at = op.parent(self.ctx);
        }
        self.depths.insert(b, d);
        d
    }

    /// The node of a value, its chain complete.
    fn whole(&mut self, v: Value) -> Id {
        if let Some(id) = self.known.get(&v) {
            return *id;
        }
        let id = match self.open.remove(&v) {
            Some(chain) => self.graph.intern(chain),
            None => {
                let depth = match (number(self.ctx, v), v.block(self.ctx)) {
                    (None, Some(b)) => self.depth(b),
                    _ => 0,
                };
                self.graph.leaf(v, depth)
            }
        };
        self.known.insert(v, id);
        id
    }

    /// The chain of a value, if it can become part of one like `into` in the block of `op`.
    fn part(&mut self, v: Value, op: Op, into: &Chain) -> Option<Chain> {
        if v.block(self.ctx) != op.block(self.ctx) || !v.has_one_use(self.ctx) {
            return None;
        }
        let part = self.open.get(&v)?;
        let flags = part.flags & into.flags;
        let quotient = part.divides() || into.divides();
        let fits = part.kind == into.kind && (!quotient || flags & fastmath::ARCP != 0);
        if !fits {
            return None;
        }
        self.open.remove(&v)
    }

    fn chain(&mut self, op: Op, does: Does, flags: i64) -> Chain {
        let ctx = self.ctx;
        let ty = op.result(ctx, 0).ty(ctx);
        let operands = op.operands(ctx);
        match does {
            Does::Negate => {
                let mut c = Chain::new(Kind::Sum, ty, flags);
                self.add(&mut c, op, operands[0], -1);
                c
            }
            Does::Add(second) => {
                let mut c = Chain::new(Kind::Sum, ty, flags);
                self.add(&mut c, op, operands[0], 1);
                self.add(&mut c, op, operands[1], second);
                c
            }
            Does::Multiply => {
                let mut c = Chain::new(Kind::Product, ty, flags);
                self.multiply(&mut c, op, operands[0], 1);
                self.multiply(&mut c, op, operands[1], 1);
                c
            }
            Does::Divide => {
                let mut c = Chain::new(Kind::Product, ty, flags);
                self.multiply(&mut c, op, operands[1], -1);
                self.multiply(&mut c, op, operands[0], 1);
                c
            }
        }
    }

    fn add(&mut self, c: &mut Chain, op: Op, v: Value, sign: i32) {
        if computes(self.ctx, v)
            && let Some(n) = number(self.ctx, v)
            && (n != 0.0 || c.has(fastmath::NSZ))
        {
            let sum = c.number.unwrap_or(0.0) + f64::from(sign) * n;
            if sum.is_finite() {
                c.number = Some(sum).filter(|s| *s != 0.0 || !c.has(fastmath::NSZ));
                return;
            }
        }
        // The negative of a sum of nought is another nought than the sum of the negatives.
        let whole = sign < 0 && !c.has(fastmath::NSZ);
        if !whole && let Some(mut part) = self.part(v, op, c) {
            let sum = c.number.unwrap_or(0.0) + f64::from(sign) * part.number.unwrap_or(0.0);
            if sum.is_finite() {
                c.flags &= part.flags;
                if c.number.is_some() || part.number.is_some() {
                    c.number = Some(sum).filter(|s| *s != 0.0 || !c.has(fastmath::NSZ));
                }
                for t in &mut part.terms {
                    t.n *= sign;
                }
                join(&mut c.terms, part.terms);
                return;
            }
            self.open.insert(v, part);
        }
        let id = self.whole(v);
        let t = self.graph.signed(id, sign);
        c.terms.push(t);
    }

    fn multiply(&mut self, c: &mut Chain, op: Op, v: Value, power: i32) {
        let bits = bits(self.ctx, v);
        let scaled = |c: &Chain, n: f64| match power {
            1 if n == 0.0 && c.has(fastmath::NSZ) => Some(0.0),
            1 => times(bits, c.number, n),
            _ => times(bits, c.number, 1.0 / n),
        };
        if computes(self.ctx, v)
            && let Some(n) = number(self.ctx, v)
            && let Some(n) = scaled(c, n)
        {
            c.number = Some(n).filter(|n| *n != 1.0);
            return;
        }
        if let Some(mut part) = self.part(v, op, c) {
            if let Some(n) = scaled(c, part.number.unwrap_or(1.0)) {
                c.flags &= part.flags;
                c.number = Some(n).filter(|n| *n != 1.0);
                for t in &mut part.terms {
                    t.n *= power;
                }
                join(&mut c.terms, part.terms);
                return;
            }
            self.open.insert(v, part);
        }
        let node = self.whole(v);
        let (node, negative) = match self.graph.chain(node) {
            // One negative value.
            Some(s) if s.kind == Kind::Sum && s.number.is_none() => match s.terms[..] {
                [Term { node, n: -1 }] => (node, true),
                _ => (node, false),
            },
            _ => (node, false),
        };
        if negative {
            c.number = Some(-c.number.unwrap_or(1.0)).filter(|n| *n != 1.0);
        }
        c.terms.push(Term { node, n: power });
    }
}

/// Appends `more`; the shorter list is the one that is copied.
fn join(terms: &mut Vec<Term>, mut more: Vec<Term>) {
    if more.len() > terms.len() {
        std::mem::swap(terms, &mut more);
    }
    terms.extend(more);
}
