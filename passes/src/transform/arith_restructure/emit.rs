//! From chains to ops: trees with few levels and few divisions, each chain where all of its terms are known.

use super::graph::{Chain, Graph, Id, Kind, Term, What, power_ops};
use super::read::number;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use terrace_dialects::arith::{self, ATTR_FASTMATH, FASTMATH};
use terrace_ir::opdef::traits;
use terrace_ir::{Block, Builder, Context, Op, Value};

/// What values that a loop hands on count for in the height of a tree: they join last, so that one op
/// only waits for the iteration before.
const CARRIED: u32 = 1 << 16;

/// How chains become ops.
#[derive(Debug, Clone, Copy)]
pub struct How {
    /// Chains move out of loops that they do not depend on.
    pub hoist: bool,
    /// What was computed for one value serves all others, not only what was said to.
    pub share: bool,
    /// Trees are as flat as can be.
    pub balance: bool,
}

/// Where a value is computed: the ops around it, from the function's body to the place itself.
struct Path {
    ops: Vec<(Block, Op)>,
    /// The least depth that loops let something move out to.
    floor: usize,
}

impl Path {
    fn of(ctx: &Context, function: Op, op: Op) -> Option<Path> {
        let mut ops = vec![(op.block(ctx)?, op)];
        let mut at = op.parent(ctx);
        let (mut free, mut out) = (true, 0);
        while let Some(around) = at
            && around != function
        {
            free &= around.has_trait(ctx, traits::LOOP_LIKE);
            out += usize::from(free);
            ops.push((around.block(ctx)?, around));
            at = around.parent(ctx);
        }
        ops.reverse();
        let floor = (ops.len() - 1).saturating_sub(out);
        Some(Path { ops, floor })
    }
}

/// A value, with how many ops of its tree stand one above another.
type Made = (Value, u32);

/// Writes chains as ops.
pub struct Emitter<'g> {
    pub graph: &'g Graph,
    function: Op,
    how: How,
    /// Nodes that serve all that need them.
    shared: Vec<bool>,
    made: FxHashMap<(Id, Block), Made>,
}

impl<'g> Emitter<'g> {
    pub fn new(graph: &'g Graph, function: Op, how: How, shared: &[Id]) -> Self {
        let mut all = vec![false; graph.len()];
        for id in shared {
            all[id.index()] = true;
        }
        Emitter {
            graph,
            function,
            how,
            shared: all,
            made: FxHashMap::default(),
        }
    }

    /// Puts what computes `id` in front of `op`, the places of whose results it takes.
    pub fn root(&mut self, ctx: &mut Context, op: Op, id: Id) -> Option<()> {
        let path = Path::of(ctx, self.function, op)?;
        let (v, height) = self.node(ctx, &path, id)?;
        // The op is still there where its own value is what was found, as an operand of itself.
        if v.def_op() == Some(op) {
            return None;
        }
        let here = path.ops.last()?.0;
        self.made.entry((id, here)).or_insert((v, height));
        op.replace(ctx, &[v]);
        Some(())
    }

    /// How deep a node is computed.
    fn depth(&self, path: &Path, id: Id) -> usize {
        let last = path.ops.len() - 1;
        match self.how.hoist {
            true => (self.graph.depth(id) as usize).max(path.floor).min(last),
            false => last,
        }
    }

    fn find(&self, path: &Path, id: Id) -> Option<Made> {
        let shared = self.how.share || self.shared[id.index()];
        let mut blocks = path.ops.iter().map(|(b, _)| *b);
        blocks
            .find_map(|b| self.made.get(&(id, b)).copied())
            .filter(|_| shared)
    }

    fn node(&mut self, ctx: &mut Context, path: &Path, root: Id) -> Option<Made> {
        // Chains that are still to be made, and what was made of those that only one needs.
        let mut stack = vec![(root, false)];
        let mut values: FxHashMap<Id, Made> = FxHashMap::default();
        while let Some((id, ready)) = stack.pop() {
            if values.contains_key(&id) {
                continue;
            }
            if let Some(found) = self.find(path, id) {
                values.insert(id, found);
                continue;
            }
            let chain = match &self.graph.node(id).what {
                What::Leaf(v) => {
                    values.insert(id, (*v, height(ctx, *v)));
                    continue;
                }
                What::Chain(c) => c,
            };
            if !ready {
                stack.push((id, true));
                stack.extend(chain.terms.iter().rev().map(|t| (t.node, false)));
                continue;
            }
            let (block, before) = *path.ops.get(self.depth(path, id))?;
            let mut b = Builder::before(ctx, before);
            let terms: Option<Vec<(Made, i32)>> = (chain.terms.iter())
                .map(|t: &Term| {
                    let (v, height) = *values.get(&t.node)?;
                    Some(((here(&mut b, v, block), height), t.n))
                })
                .collect();
            let terms = terms?;
            let w = Writer {
                chain,
                balance: self.how.balance,
            };
            let made = match chain.kind {
                Kind::Sum => w.sum(&mut b, terms)?,
                Kind::Product => w.product(&mut b, terms)?,
            };
            self.made.insert((id, block), made);
            values.insert(id, made);
        }
        values.get(&root).copied()
    }
}

/// A constant of another block is made here: it may stand further in than where it is needed now.
fn here(b: &mut Builder, v: Value, block: Block) -> Value {
    let constant = v
        .def_op()
        .and_then(|op| op.cast::<arith::ConstantOp>(b.ctx));
    match constant.and_then(|c| c.value(b.ctx)) {
        Some(attr) if v.block(b.ctx) != Some(block) && number(b.ctx, v).is_some() => {
            arith::constant(b, attr)
        }
        _ => v,
    }
}

/// What a value counts for in the height of a tree.
fn height(ctx: &Context, v: Value) -> u32 {
    let carried = v.arg_block().and_then(|b| b.parent_op(ctx));
    match carried.is_some_and(|op| op.has_trait(ctx, traits::LOOP_LIKE)) {
        true => CARRIED,
        false => 0,
    }
}

struct Writer<'c> {
    chain: &'c Chain,
    balance: bool,
}

impl Writer<'_> {
    fn op<K: terrace_ir::OpKind>(&self, b: &mut Builder, operands: &[Value]) -> Value {
        let flags = FASTMATH.attr(b.ctx, self.chain.flags);
        b.value::<K>(operands, self.chain.ty, &[(ATTR_FASTMATH, flags)])
    }

    /// Joins values two at a time, those of lower trees first.
    fn tree<T: Copy>(
        &self,
        b: &mut Builder,
        values: Vec<(T, u32)>,
        mut join: impl FnMut(&Self, &mut Builder, T, T) -> T,
    ) -> Option<(T, u32)> {
        if !self.balance {
            let mut rest = values.into_iter();
            let (mut so_far, mut height) = rest.next()?;
            for (v, h) in rest {
                so_far = join(self, b, so_far, v);
                height = height.max(h) + 1;
            }
            return Some((so_far, height));
        }
        let mut slots: Vec<T> = values.iter().map(|(v, _)| *v).collect();
        let mut heap: BinaryHeap<Reverse<(u32, usize)>> = (values.iter().enumerate())
            .map(|(k, (_, h))| Reverse((*h, k)))
            .collect();
        while let Some(Reverse((h, x))) = heap.pop() {
            let Some(Reverse((g, y))) = heap.pop() else {
                return Some((slots[x], h));
            };
            let (x, y) = (x.min(y), x.max(y));
            let both = join(self, b, slots[x], slots[y]);
            heap.push(Reverse((h.max(g) + 1, slots.len())));
            slots.push(both);
        }
        None
    }

    fn sum(&self, b: &mut Builder, mut terms: Vec<(Made, i32)>) -> Option<Made> {
        if let Some(n) = self.chain.number {
            let zeros = n == 0.0;
            let negative = n.is_sign_negative() && !zeros;
            let v = arith::constant_float(
                b,
                n.abs().copysign(if zeros { n } else { 1.0 }),
                self.chain.ty,
            );
            terms.push(((v, 0), if negative { -1 } else { 1 }));
        }
        // A positive one first: then nothing is negated in a chain.
        if !self.balance
            && let Some(k) = terms.iter().position(|(_, n)| *n > 0)
        {
            let first = terms.remove(k);
            terms.insert(0, first);
        }
        let values = terms.iter().map(|((v, h), n)| ((*v, *n), *h)).collect();
        let ((v, sign), height) =
            self.tree(b, values, |w, b, (x, m), (y, n)| match (m > 0, n > 0) {
                (true, true) => (w.op::<arith::AddFOp>(b, &[x, y]), 1),
                (true, false) => (w.op::<arith::SubFOp>(b, &[x, y]), 1),
                (false, true) => (w.op::<arith::SubFOp>(b, &[y, x]), 1),
                (false, false) => (w.op::<arith::AddFOp>(b, &[x, y]), -1),
            })?;
        match sign > 0 {
            true => Some((v, height)),
            false => Some((self.op::<arith::NegFOp>(b, &[v]), height + 1)),
        }
    }

    fn power(&self, b: &mut Builder, (v, height): Made, n: u32) -> Made {
        let (mut square, mut h) = (v, height);
        let mut all: Option<Made> = None;
        let mut left = n;
        loop {
            if left & 1 == 1 {
                all = Some(match all {
                    Some((so_far, g)) => {
                        let both = self.op::<arith::MulFOp>(b, &[so_far, square]);
                        (both, g.max(h) + 1)
                    }
                    None => (square, h),
                });
            }
            left >>= 1;
            if left == 0 {
                return all.unwrap_or((square, h));
            }
            square = self.op::<arith::MulFOp>(b, &[square, square]);
            h += 1;
        }
    }

    /// Values to multiply for powers. Of several the power that all of them have is one of their product where
    /// that is fewer operations: `a^3 * b^2` is `(a*b)^2 * a`.
    fn powers(&self, b: &mut Builder, terms: Vec<(Made, u32)>) -> Option<Vec<Made>> {
        let apart = |b: &mut Builder, terms: &[(Made, u32)]| -> Vec<Made> {
            (terms.iter()).map(|(v, n)| self.power(b, *v, *n)).collect()
        };
        let (mut high, low): (Vec<_>, Vec<_>) = terms.into_iter().partition(|t| t.1 > 1);
        let mut all = apart(b, &low);
        while high.len() > 1 && self.balance {
            let least = high.iter().map(|t| t.1).min().unwrap_or(1);
            let alone: u32 = high.iter().map(|t| power_ops(t.1)).sum();
            let rest: u32 = (high.iter().filter(|t| t.1 > least))
                .map(|t| power_ops(t.1 - least) + 1)
                .sum();
            if power_ops(least) + rest >= alone {
                break;
            }
            let bases = high.iter().map(|t| t.0).collect();
            let joined = |w: &Self, b: &mut Builder, x, y| w.op::<arith::MulFOp>(b, &[x, y]);
            let whole = self.tree(b, bases, joined)?;
            all.push(self.power(b, whole, least));
            high.retain(|t| t.1 > least);
            high.iter_mut().for_each(|t| t.1 -= least);
        }
        all.extend(apart(b, &high));
        Some(all)
    }

    fn product(&self, b: &mut Builder, terms: Vec<(Made, i32)>) -> Option<Made> {
        let (mut above, mut below) = (Vec::new(), Vec::new());
        for (list, wanted) in [(&mut above, 1), (&mut below, -1)] {
            let those = terms.iter().filter(|t| t.1.signum() == wanted);
            let those = those.map(|(v, n)| (*v, n.unsigned_abs())).collect();
            list.extend(self.powers(b, those)?);
        }
        let mut negative = false;
        if let Some(n) = self.chain.number {
            negative = n == -1.0 && !above.is_empty();
            if !negative {
                let v = arith::constant_float(b, n, self.chain.ty);
                above.push((v, 0));
            }
        }
        if above.is_empty() {
            above.push((arith::constant_float(b, 1.0, self.chain.ty), 0));
        }
        let joined = |w: &Self, b: &mut Builder, x, y| w.op::<arith::MulFOp>(b, &[x, y]);
        let (mut v, mut height) = self.tree(b, above, joined)?;
        if self.balance && !below.is_empty() {
            let (d, h) = self.tree(b, below, joined)?;
            v = self.op::<arith::DivFOp>(b, &[v, d]);
            height = height.max(h) + 1;
        } else {
            for (d, h) in below {
                v = self.op::<arith::DivFOp>(b, &[v, d]);
                height = height.max(h) + 1;
            }
        }
        match negative {
            true => Some((self.op::<arith::NegFOp>(b, &[v]), height + 1)),
            false => Some((v, height)),
        }
    }
}
