//! Which nests of affine loops are matrix products.
//!
//! `C[r, c]` gets the sum over k of `f(A[r, k]) * g(B[k, c])`, in any order of the three
//! loops, in memory or in a value that the loop over k carries. Statements that change
//! `C[r, c]` alone may stand before and behind it.
//!
//! Legal to compute element after element in any order because all statements of the
//! nest touch only the element of `C` of their own r and c, and `A`, `B` and whatever
//! else they read are other memory than `C`: nothing goes from one element to another.
//! For one element the order of all statements and of k stays.

mod access;
mod domain;
mod factors;
mod others;

pub use crate::gpu::not::Not;
pub(super) use access::element;

use super::shape::{Contraction, Element, Sum};
use crate::analysis::memory::base;
use crate::gpu::linear::Linear;
use crate::gpu::not::{far, not};
use access::{same_element, untouched};
use rustc_hash::FxHashSet;
use terrace_dialects::affine::ForOp;
use terrace_ir::effects::is_pure;
use terrace_ir::num::FloatKind;
use terrace_ir::{Context, Op, OpKind, Value};

/// A statement: a store with the loops around it, the outermost first.
struct Statement {
    store: Op,
    loops: Vec<ForOp>,
    target: Element,
    value: Value,
}

/// The matrix product that the nest of `root` is.
///
/// # Errors
///
/// Why it is none.
pub fn find(ctx: &Context, root: ForOp) -> Result<Contraction, Not> {
    let mut nest = Nest {
        ctx,
        root: root.op(),
        statements: Vec::new(),
    };
    nest.collect(root, &mut Vec::new())?;
    nest.contraction()
}

/// Whether something in the nest adds products of two elements to a third or to what a loop
/// carries, whatever is in the way of a kernel.
pub fn adds_products(ctx: &Context, root: ForOp) -> bool {
    let mut found = false;
    root.op().walk(ctx, &mut |o| {
        if matches!(o.name(ctx), "arith.addf" | "arith.subf") && !found {
            let [x, y] = [o.operand(ctx, 0), o.operand(ctx, 1)];
            let adds = |sum: Value, product: Value| {
                is_sum(ctx, sum) && is_product(ctx, product) && around(ctx, root.op(), o) >= 3
            };
            found = adds(x, y) || adds(y, x);
        }
    });
    found
}

/// Whether a value is loaded or carried.
fn is_sum(ctx: &Context, v: Value) -> bool {
    match v.def_op() {
        Some(o) => o.name(ctx) == "affine.load",
        None => true,
    }
}

/// Whether a value is a product of two, each with one loaded in it.
fn is_product(ctx: &Context, v: Value) -> bool {
    let mul = v.def_op().filter(|o| o.name(ctx) == "arith.mulf");
    mul.is_some_and(|o| {
        o.operands(ctx)
            .iter()
            .all(|v| has_load(ctx, *v, MOST_LOOPS))
    })
}

/// Whether a loaded value is multiplied into this one.
fn has_load(ctx: &Context, v: Value, steps: usize) -> bool {
    let (Some(op), Some(steps)) = (v.def_op(), steps.checked_sub(1)) else {
        return false;
    };
    match op.name(ctx) {
        "affine.load" => true,
        "arith.mulf" | "arith.negf" | "arith.extf" => {
            op.operands(ctx).iter().any(|v| has_load(ctx, *v, steps))
        }
        _ => false,
    }
}

/// How many loops are around an op, up to `root`.
fn around(ctx: &Context, root: Op, op: Op) -> usize {
    let mut loops = 0;
    let mut at = op;
    while at != root {
        let Some(parent) = at.parent(ctx) else { break };
        loops += usize::from(parent.isa::<ForOp>(ctx));
        at = parent;
    }
    loops
}

/// The deepest nests that are looked at.
const MOST_LOOPS: usize = 8;

struct Nest<'c> {
    ctx: &'c Context,
    root: Op,
    statements: Vec<Statement>,
}

/// The loops of a statement by what they count.
struct Axes {
    row: ForOp,
    col: ForOp,
    /// The outer counter of rows that have two.
    outer: Option<ForOp>,
    /// Where the element's subscripts have row and column.
    at: [usize; 2],
    rest: Vec<ForOp>,
}

impl Nest<'_> {
    fn collect(&mut self, l: ForOp, around: &mut Vec<ForOp>) -> Result<(), Not> {
        if around.len() >= MOST_LOOPS {
            return far(l.op(), "has too many loops");
        }
        let ctx = self.ctx;
        around.push(l);
        for op in l.body(ctx).ops(ctx) {
            match op.name(ctx) {
                "affine.for" => self.collect(ForOp::wrap(op), around)?,
                "affine.store" => {
                    let Some(target) = element(ctx, op) else {
                        return far(op, "has subscripts that are not linear");
                    };
                    self.statements.push(Statement {
                        store: op,
                        loops: around.clone(),
                        target,
                        value: op.operand(ctx, 0),
                    });
                }
                "affine.load" | "affine.yield" | "affine.apply" => {}
                _ if is_pure(ctx, op) && op.num_regions(ctx) == 0 => {}
                _ => return far(op, "is neither arithmetic nor an access"),
            }
        }
        around.pop();
        Ok(())
    }

    fn contraction(&self) -> Result<Contraction, Not> {
        let ctx = self.ctx;
        let mut main: Option<(usize, ForOp)> = None;
        for (i, s) in self.statements.iter().enumerate() {
            let Some(l) = self.summing_loop(s) else {
                continue;
            };
            if main.is_some() {
                return not(s.store, "is a second sum in the same loops");
            }
            main = Some((i, l));
        }
        let Some((at, k_loop)) = main else {
            return far(self.root, "has no sum");
        };
        let s = &self.statements[at];
        let axes = self.axes(s)?;
        let memory = !s.loops.iter().all(|l| *l != k_loop);
        let others = axes.rest.iter().filter(|l| **l != k_loop).count();
        if others > 0 {
            return far(s.store, "has further loops around it");
        }
        let (row, col, k) = (axes.row.iv(ctx), axes.col.iv(ctx), k_loop.iv(ctx));
        let array = base(ctx, s.target.memref);
        let (sum, product, negated) = match memory {
            true => self.in_memory(s)?,
            false => self.carried(s, k_loop)?,
        };
        // What is stored may be rounded.
        let element = match sum {
            Sum::Carried { result, .. } => result.ty(ctx),
            Sum::Memory => s.value.ty(ctx),
        };
        let Some(ty) = element.float_kind(ctx) else {
            return far(s.store, "adds no floats");
        };
        if !matches!(ty, FloatKind::F32 | FloatKind::F64) {
            return not(s.store, "adds floats of a type other than f32 and f64");
        }
        let mut products = Vec::new();
        for p in self.terms(product) {
            let (mut a, b) = self.factors(s.store, p, row, col, k, array)?;
            a.negated = negated;
            products.push([a, b]);
        }
        let domain = self.domain(&axes, k_loop)?;
        let mut x = Contraction {
            root: self.root,
            store: s.store,
            element,
            row,
            col,
            k,
            outer: self.outer(&axes)?,
            rows: domain.rows,
            cols: domain.cols,
            depth: domain.depth,
            inside: domain.inside,
            c: s.target.clone(),
            products,
            sum,
            before: Vec::new(),
            behind: Vec::new(),
            same: Vec::new(),
            mirror: None,
            aside: Vec::new(),
        };
        self.check_outer(&x)?;
        let parts: Vec<&Linear> = [&x.rows, &x.cols, &x.depth]
            .into_iter()
            .chain(x.outer.as_ref().map(|o| &o.range))
            .flat_map(|r| [&r.lo, &r.hi])
            .chain(&x.inside)
            .chain(&x.c.at)
            .chain(x.products.iter().flatten().flat_map(|f| &f.element.at))
            .collect();
        for (v, _) in parts.iter().flat_map(|p| &p.terms) {
            let counter =
                [row, col, k].contains(v) || x.outer.as_ref().is_some_and(|o| o.counter == *v);
            if !counter && !self.is_outside(*v) {
                return far(self.root, "has bounds or subscripts that the nest computes");
            }
        }
        if let Sum::Carried {
            init,
            stored,
            result,
        } = x.sum
        {
            self.check(s, init, &x, None)?;
            self.check(s, stored, &x, Some(result))?;
        }
        for (i, o) in self.statements.iter().enumerate() {
            if i == at {
                continue;
            }
            if self.is_aside(o, &x) {
                x.aside.push(o.store);
                continue;
            }
            if i > at && self.is_mirror(o, &axes, &x) {
                let renamed = |l: &Linear| l.with(axes.row.iv(ctx), &Linear::value(row));
                let at: Option<Vec<Linear>> = o.target.at.iter().map(renamed).collect();
                x.mirror = at.map(|at| Element {
                    memref: o.target.memref,
                    at,
                });
                continue;
            }
            if x.mirror.is_some() {
                return not(o.store, "changes the element when it has been copied");
            }
            self.other(o, &axes, k_loop, &mut x)?;
            match i < at {
                true => x.before.push(o.value),
                false => x.behind.push(o.value),
            }
        }
        self.check_aside(&x)?;
        Ok(x)
    }

    fn is_outside(&self, v: Value) -> bool {
        let owner = match v.def_op() {
            Some(op) => Some(op),
            None => v.arg_block().and_then(|b| b.parent_op(self.ctx)),
        };
        owner.is_some_and(|o| !self.root.is_ancestor_of(self.ctx, o))
    }

    /// The loop over which a statement sums.
    fn summing_loop(&self, s: &Statement) -> Option<ForOp> {
        let ctx = self.ctx;
        let used: FxHashSet<Value> = (s.target.at.iter())
            .flat_map(|l| l.terms.iter().map(|t| t.0))
            .collect();
        let rest: Vec<ForOp> = (s.loops.iter().copied())
            .filter(|l| !used.contains(&l.iv(ctx)))
            .collect();
        if let [k] = rest[..] {
            return Some(k);
        }
        // One that carries values stands beside the store.
        let mut found = None;
        let mut seen = FxHashSet::default();
        let mut work = vec![s.value];
        while let Some(v) = work.pop() {
            let Some(op) = v.def_op().filter(|_| seen.insert(v)) else {
                continue;
            };
            if !self.root.is_ancestor_of(ctx, op) {
                continue;
            }
            match op.cast::<ForOp>(ctx) {
                Some(l) if found.is_none() || found == Some(l) => found = Some(l),
                Some(_) => return None,
                None => work.extend(op.operands(ctx)),
            }
        }
        found.filter(|_| rest.is_empty())
    }

    /// Which loops count rows and columns of what a statement stores.
    fn axes(&self, s: &Statement) -> Result<Axes, Not> {
        let ctx = self.ctx;
        let mut found: Vec<(usize, ForOp)> = Vec::new();
        for (d, form) in s.target.at.iter().enumerate() {
            let mut here = (s.loops.iter()).filter(|l| form.coefficient(l.iv(ctx)) != 0);
            let Some(l) = here.next() else { continue };
            if here.next().is_some() || form.coefficient(l.iv(ctx)) != 1 {
                return far(s.store, "has subscripts of several counters");
            }
            found.push((d, *l));
        }
        let (outer, (p, row), (q, col)) = match found[..] {
            [row, col] => (None, row, col),
            [(_, outer), row, col] => (Some(outer), row, col),
            _ => return far(s.store, "stores to no array of two dimensions or three"),
        };
        if row == col || outer == Some(row) || outer == Some(col) {
            return far(s.store, "stores along a diagonal");
        }
        let counts = |l: &ForOp| *l == row || *l == col || Some(*l) == outer;
        let rest = (s.loops.iter().copied()).filter(|l| !counts(l));
        Ok(Axes {
            row,
            col,
            outer,
            at: [p, q],
            rest: rest.collect(),
        })
    }

    /// `C[r, c] = C[r, c] + product`: the sum, the product, whether it is taken away.
    fn in_memory(&self, s: &Statement) -> Result<(Sum, Value, bool), Not> {
        let ctx = self.ctx;
        let sum = s.value.def_op();
        let Some(op) = sum.filter(|o| matches!(o.name(ctx), "arith.addf" | "arith.subf")) else {
            return far(s.store, "stores no sum");
        };
        let old = |v: Value| {
            let load = v.def_op().filter(|o| o.name(ctx) == "affine.load");
            load.is_some_and(|o| {
                untouched(ctx, o, s.store)
                    && element(ctx, o).is_some_and(|e| same_element(&e, &s.target))
            })
        };
        let (l, r) = (op.operand(ctx, 0), op.operand(ctx, 1));
        match op.name(ctx) == "arith.subf" {
            _ if old(l) => Ok((Sum::Memory, r, op.name(ctx) == "arith.subf")),
            false if old(r) => Ok((Sum::Memory, l, false)),
            _ => far(s.store, "adds to another element than it stores"),
        }
    }

    fn carried(&self, s: &Statement, l: ForOp) -> Result<(Sum, Value, bool), Not> {
        let ctx = self.ctx;
        let (inits, args, yielded) = (l.inits(ctx), l.iter_args(ctx), l.yielded(ctx));
        let ([init], [arg], [next]) = (&inits[..], &args[..], &yielded[..]) else {
            return not(l.op(), "carries more than one value");
        };
        if l.op().block(ctx) != s.store.block(ctx) {
            return far(l.op(), "is not beside the store of its sum");
        }
        let sum = Sum::Carried {
            init: *init,
            result: l.op().result(ctx, 0),
            stored: s.value,
        };
        let op = next.def_op();
        let Some(op) = op.filter(|o| matches!(o.name(ctx), "arith.addf" | "arith.subf")) else {
            return far(l.op(), "carries no sum");
        };
        if arg.uses(ctx).len() != 1 {
            return far(l.op(), "uses its sum on the way");
        }
        let (x, y) = (op.operand(ctx, 0), op.operand(ctx, 1));
        let minus = op.name(ctx) == "arith.subf";
        match minus {
            _ if x == *arg => Ok((sum, y, minus)),
            false if y == *arg => Ok((sum, x, false)),
            _ => far(l.op(), "carries no sum"),
        }
    }
}
