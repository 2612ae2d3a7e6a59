//! Nests of parallel loops whose bodies are straight-line code on elements of arrays.

use super::polynomial::{Names, Polynomial, polynomial};
use crate::analysis::captured::is_inside;
use terrace_dialects::arith;
use terrace_dialects::memref::{LoadOp, StoreOp};
use terrace_dialects::scf;
use terrace_ir::effects::is_pure;
use terrace_ir::{Block, Context, Op, OpKind, Value};

/// One loop of a nest.
#[derive(Debug, Clone, Copy)]
pub(super) struct Level {
    /// The op it is of, and which of its loops it is.
    pub op: scf::ParallelOp,
    pub position: usize,
    pub iv: Value,
    /// The counter's name in subscripts.
    pub name: u32,
    pub lower: Value,
    pub upper: Value,
}

impl Level {
    /// How many iterations, where that is constant.
    pub fn trips(&self, ctx: &Context) -> Option<i64> {
        let (l, u) = (ctx.constant_int(self.lower)?, ctx.constant_int(self.upper)?);
        u.checked_sub(l).map(|n| n.max(0))
    }

    /// How many at most, where that is known: also where the upper bound is the lesser of a
    /// constant and something else.
    pub fn most_trips(&self, ctx: &Context) -> Option<i64> {
        let lesser = self
            .upper
            .def_op()
            .filter(|o| o.name(ctx) == arith::MinSIOp::NAME);
        let ends = lesser.map_or_else(|| vec![self.upper], |o| o.operands(ctx));
        let least = ends.iter().filter_map(|v| ctx.constant_int(*v)).min()?;
        let trips = least.checked_sub(ctx.constant_int(self.lower)?)?;
        Some(trips.max(0))
    }
}

/// A load or store of one element.
#[derive(Debug, Clone)]
pub(super) struct Access {
    pub op: Op,
    pub memref: Value,
    pub subscripts: Vec<Polynomial>,
    /// Counters that subscripts depend on in other ways than polynomials say.
    pub hidden: Vec<Value>,
    pub writes: bool,
    /// Bits of an element.
    pub bits: u32,
}

/// A nest that a grid of threads can run in any order.
#[derive(Debug, Clone)]
pub(super) struct GridNest {
    pub root: scf::ParallelOp,
    /// Outer before inner, at least two.
    pub levels: Vec<Level>,
    /// Pure ops that stand between the loops, in their order.
    pub between: Vec<Op>,
    /// What the innermost block does, without its terminator.
    pub body: Vec<Op>,
    pub block: Block,
    pub accesses: Vec<Access>,
}

/// Ops of a body that is looked at.
const MAX_OPS: usize = 400;

impl GridNest {
    /// The nest that `root` is, where it is one of those that this is about: steps of one,
    /// bounds that do not change in it, nothing reduced, and in the innermost body loads,
    /// stores and arithmetic alone.
    pub fn of(ctx: &Context, root: scf::ParallelOp) -> Option<GridNest> {
        let mut names = Names::default();
        let mut levels = Vec::new();
        let mut between = Vec::new();
        let mut p = root;
        let block = loop {
            if p.op().num_results(ctx) != 0 {
                return None;
            }
            let bounds = (p.lower_bounds(ctx).into_iter()).zip(p.upper_bounds(ctx));
            for (position, (lower, upper)) in bounds.enumerate() {
                let step = *p.steps(ctx).get(position)?;
                let fixed = |v: Value| !is_inside(ctx, root.op(), v);
                if ctx.constant_int(step) != Some(1) || !fixed(lower) || !fixed(upper) {
                    return None;
                }
                let iv = *p.induction_vars(ctx).get(position)?;
                levels.push(Level {
                    op: p,
                    position,
                    iv,
                    name: names.of(iv),
                    lower,
                    upper,
                });
            }
            let body = p.body(ctx);
            let mut ops = body.ops(ctx);
            ops.pop()?;
            match ops.last().and_then(|o| o.cast::<scf::ParallelOp>(ctx)) {
                Some(inner) => {
                    ops.pop();
                    between.extend(ops);
                    p = inner;
                }
                None => break body,
            }
        };
        let simple = |o: &Op| o.num_regions(ctx) == 0 && is_pure(ctx, *o);
        if levels.len() < 2 || !between.iter().all(simple) {
            return None;
        }
        let mut body = block.ops(ctx);
        body.pop()?;
        if body.len() > MAX_OPS {
            return None;
        }
        let mut accesses = Vec::new();
        let counters: Vec<Value> = levels.iter().map(|l: &Level| l.iv).collect();
        for op in &body {
            match op.name(ctx) {
                LoadOp::NAME | StoreOp::NAME => {
                    accesses.push(access(ctx, &mut names, &counters, *op)?);
                }
                _ if simple(op) => {}
                _ => return None,
            }
        }
        Some(GridNest {
            root,
            levels,
            between,
            body,
            block,
            accesses,
        })
    }

    /// The loop along which neighbouring threads run.
    pub fn x(&self) -> Option<&Level> {
        self.levels.last()
    }
}

fn access(ctx: &Context, names: &mut Names, counters: &[Value], op: Op) -> Option<Access> {
    let v = op.operands(ctx);
    let writes = op.name(ctx) == StoreOp::NAME;
    let (memref, at) = v[usize::from(writes)..].split_first()?;
    let element = memref.ty(ctx).element(ctx)?;
    // What the element's type says of vectors and such is left to others.
    let bits = element.bit_width(ctx).filter(|b| *b <= 64)?;
    let subscripts: Option<Vec<Polynomial>> =
        at.iter().map(|s| polynomial(ctx, names, *s)).collect();
    let subscripts = subscripts?;
    Some(Access {
        op,
        memref: *memref,
        hidden: names.hidden(ctx, &subscripts, counters),
        subscripts,
        writes,
        bits,
    })
}
