//! Which nests of affine loops are matrix products.
//!
//! `C[r, c]` gets the sum over k of `f(A[r, k]) * g(B[k, c])`, in any order of the three
//! loops, in memory or in a value that the loop over k carries. Statements that change
//! `C[r, c]` alone may stand before and behind it. Further counters in the subscripts of
//! `C`, which may be in those of the factors too, count products side by side.
//!
//! Legal to compute element after element in any order because all statements of the
//! nest touch only the element of `C` of their own counters, and `A`, `B` and whatever
//! else they read are other memory than `C`, or elements of it that the nest does not
//! write: nothing goes from one element to another. For one element the order of all
//! statements and of k stays.

mod access;
mod axes;
mod domain;
mod factors;
mod others;

use crate::analysis::captured::is_inside;
pub(crate) use crate::gpu::match_failure::MatchFailure;
pub(super) use access::element;
use terrace_dialects::{affine, arith};

use super::shape::{Contraction, Element, Factor, Sum};
use crate::analysis::directive::{fixed_shape, is_sequential};
use crate::analysis::memory::base;
use crate::gpu::match_failure::{no_match, no_match_at_all};
use access::{same_element, untouched};
use axes::{Axes, arrangements};
use rustc_hash::FxHashSet;
use terrace_dialects::affine::ForOp;
use terrace_dialects::arith::{fastmath, fastmath_of};
use terrace_ir::effects::is_pure;
use terrace_ir::num::FloatKind;
use terrace_ir::{Context, Op, OpKind, Type, Value};

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
pub(crate) fn find(ctx: &Context, root: ForOp) -> Result<Contraction, MatchFailure> {
    if let Some(by) = fixed_shape(ctx, root.op()) {
        return no_match(
            by,
            "has a directive with the sizes of gangs, vectors or tiles",
        );
    }
    let mut nest = Statements {
        ctx,
        root: root.op(),
        statements: Vec::new(),
    };
    nest.collect(root, &mut Vec::new())?;
    nest.contraction()
}

/// Whether something in the nest adds products of two elements to a third or to what a loop
/// carries, whatever is in the way of a kernel.
pub(crate) fn adds_products(ctx: &Context, root: ForOp) -> bool {
    let mut found = false;
    root.op().walk(ctx, &mut |o| {
        if matches!(o.name(ctx), arith::AddFOp::NAME | arith::SubFOp::NAME) && !found {
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
        Some(o) => o.name(ctx) == affine::LoadOp::NAME,
        None => true,
    }
}

/// Whether a value is a product of two, each with one loaded in it.
fn is_product(ctx: &Context, v: Value) -> bool {
    let mul = v.def_op().filter(|o| o.name(ctx) == arith::MulFOp::NAME);
    mul.is_some_and(|o| o.operands(ctx).iter().all(|v| has_load(ctx, *v, MAX_LOOPS)))
}

/// Whether a loaded value is multiplied into this one.
fn has_load(ctx: &Context, v: Value, steps: usize) -> bool {
    let (Some(op), Some(steps)) = (v.def_op(), steps.checked_sub(1)) else {
        return false;
    };
    match op.name(ctx) {
        affine::LoadOp::NAME => true,
        arith::MulFOp::NAME | arith::NegFOp::NAME | arith::ExtFOp::NAME => {
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
const MAX_LOOPS: usize = 8;

struct Statements<'c> {
    ctx: &'c Context,
    root: Op,
    statements: Vec<Statement>,
}

impl Statements<'_> {
    fn collect(&mut self, l: ForOp, around: &mut Vec<ForOp>) -> Result<(), MatchFailure> {
        if around.len() >= MAX_LOOPS {
            return no_match_at_all(l.op(), "has too many loops");
        }
        let ctx = self.ctx;
        around.push(l);
        for op in l.body(ctx).ops(ctx) {
            match op.name(ctx) {
                ForOp::NAME => self.collect(ForOp::wrap(op), around)?,
                affine::StoreOp::NAME => {
                    let Some(target) = element(ctx, op) else {
                        return no_match_at_all(op, "has subscripts that are not linear");
                    };
                    self.statements.push(Statement {
                        store: op,
                        loops: around.clone(),
                        target,
                        value: op.operand(ctx, 0),
                    });
                }
                affine::LoadOp::NAME | affine::YieldOp::NAME | affine::ApplyOp::NAME => {}
                _ if is_pure(ctx, op) && op.num_regions(ctx) == 0 => {}
                _ => return no_match_at_all(op, "is neither arithmetic nor an access"),
            }
        }
        around.pop();
        Ok(())
    }

    fn contraction(&self) -> Result<Contraction, MatchFailure> {
        let mut main: Option<(usize, ForOp)> = None;
        for (i, s) in self.statements.iter().enumerate() {
            let Some(l) = self.summing_loop(s) else {
                continue;
            };
            if main.is_some() {
                return no_match(s.store, "is a second sum in the same loops");
            }
            main = Some((i, l));
        }
        let Some((at, k_loop)) = main else {
            return match self.statements.iter().find(|s| self.sums_twice(s)) {
                Some(s) => no_match(s.store, "adds up over several loops"),
                None => no_match_at_all(self.root, "has no sum"),
            };
        };
        let ctx = self.ctx;
        let s = &self.statements[at];
        let counters = self.counters(s)?;
        let memory = !s.loops.iter().all(|l| *l != k_loop);
        let (sum, product, negated) = match memory {
            true => self.in_memory(s)?,
            false => self.carried(s, k_loop)?,
        };
        let mut why = None;
        let mut side_by_side = Vec::new();
        for roles in arrangements(counters.len()) {
            let axes = self.axes(s, &counters, roles);
            let in_order = |l: &&ForOp| **l != k_loop && is_sequential(ctx, l.op());
            if let Some(l) = s.loops.iter().find(in_order) {
                return no_match(l.op(), "has a directive that keeps its order");
            }
            if axes.rest.iter().any(|l| *l != k_loop) {
                return no_match_at_all(s.store, "has further loops around it");
            }
            match self.products(s, product, &axes, k_loop, negated) {
                Ok(products) if roles.outer.is_some() => {
                    if let Ok(x) = self.arranged(at, (axes, k_loop), sum, products) {
                        return Ok(x);
                    }
                }
                Ok(products) => side_by_side.push((axes, products)),
                Err(not) => {
                    why.get_or_insert(not);
                }
            }
        }
        // Of those that are as good the first.
        let cost = |(axes, products): &(Axes, Vec<[Factor; 2]>)| {
            (self.is_thin(axes), self.apart(axes, k_loop, products))
        };
        match (side_by_side.into_iter().min_by_key(cost), why) {
            (Some((axes, products)), _) => self.arranged(at, (axes, k_loop), sum, products),
            (None, Some(not)) => Err(not),
            (None, None) => {
                no_match_at_all(s.store, "stores to no array of two dimensions or more")
            }
        }
    }

    /// The products that are added for one k.
    fn products(
        &self,
        s: &Statement,
        product: Value,
        axes: &Axes,
        k_loop: ForOp,
        negated: bool,
    ) -> Result<Vec<[Factor; 2]>, MatchFailure> {
        let ctx = self.ctx;
        let (row, col, k) = (axes.row.iv(ctx), axes.col.iv(ctx), k_loop.iv(ctx));
        let array = base(ctx, s.target.memref);
        let terms = self.terms(product);
        let of = |p| {
            let (mut a, b) = self.factors(s.store, p, row, col, k, array)?;
            a.negated = negated;
            Ok([a, b])
        };
        terms.into_iter().map(of).collect()
    }

    /// The product of the `at`-th statement with counters that are these.
    fn arranged(
        &self,
        at: usize,
        (axes, k_loop): (Axes, ForOp),
        sum: Sum,
        products: Vec<[Factor; 2]>,
    ) -> Result<Contraction, MatchFailure> {
        let ctx = self.ctx;
        let s = &self.statements[at];
        let (row, col, k) = (axes.row.iv(ctx), axes.col.iv(ctx), k_loop.iv(ctx));
        let element = self.element_of(s, sum)?;
        let domain = self.domain(&axes, k_loop)?;
        let mut x = Contraction {
            root: self.root,
            store: s.store,
            element,
            row,
            col,
            k,
            outer: self.outer(&axes)?,
            batch: self.batch(&axes)?,
            fixed: Vec::new(),
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
            reassociates: self.reassociates(s, k_loop, sum),
        };
        if !self.is_rectangle(&x) {
            return no_match_at_all(s.store, "has rows by two counters that are no rectangle");
        }
        self.check_batch(&x)?;
        self.check_known(&x)?;
        if let Sum::Carried {
            init,
            stored,
            result,
        } = x.sum
        {
            self.check(s, init, &x, None)?;
            self.check(s, stored, &x, Some(result))?;
        }
        self.take_in_others(at, &axes, k_loop, &mut x)?;
        self.check_aside(&x)?;
        Ok(x)
    }

    /// The type of the sums of a statement; what it stores may be rounded.
    fn element_of(&self, s: &Statement, sum: Sum) -> Result<Type, MatchFailure> {
        let element = match sum {
            Sum::Carried { result, .. } => result.ty(self.ctx),
            Sum::Memory => s.value.ty(self.ctx),
        };
        match element.float_kind(self.ctx) {
            Some(FloatKind::F32 | FloatKind::F64) => Ok(element),
            Some(_) => no_match(s.store, "adds floats of a type other than f32 and f64"),
            None => no_match_at_all(s.store, "adds no floats"),
        }
    }

    /// Whether the op that adds to the sum says that the order does not matter.
    fn reassociates(&self, s: &Statement, k_loop: ForOp, sum: Sum) -> bool {
        let added = match sum {
            Sum::Memory => Some(s.value),
            Sum::Carried { .. } => k_loop.yielded(self.ctx).first().copied(),
        };
        let op = added.and_then(|v| v.def_op());
        op.is_some_and(|o| fastmath_of(self.ctx, o) & fastmath::REASSOC != 0)
    }

    fn is_outside(&self, v: Value) -> bool {
        !is_inside(self.ctx, self.root, v)
    }

    /// The loops around a statement whose counters the element that it stores does not have.
    fn rest(&self, s: &Statement) -> Vec<ForOp> {
        let ctx = self.ctx;
        let used: FxHashSet<Value> = (s.target.at.iter())
            .flat_map(|l| l.terms.iter().map(|t| t.0))
            .collect();
        (s.loops.iter().copied())
            .filter(|l| !used.contains(&l.iv(ctx)))
            .collect()
    }

    /// Whether a statement adds products to a matrix's element over more than one loop.
    fn sums_twice(&self, s: &Statement) -> bool {
        let adds = || {
            let sum = self.in_memory(s);
            sum.is_ok_and(|(_, product, _)| is_product(self.ctx, product))
        };
        self.rest(s).len() > 1 && self.counters(s).is_ok() && adds()
    }

    /// The loop over which a statement sums.
    fn summing_loop(&self, s: &Statement) -> Option<ForOp> {
        let ctx = self.ctx;
        let rest = self.rest(s);
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

    /// `C[r, c] = C[r, c] + product`: the sum, the product, whether it is taken away.
    fn in_memory(&self, s: &Statement) -> Result<(Sum, Value, bool), MatchFailure> {
        let ctx = self.ctx;
        let sum = s.value.def_op();
        let Some(op) =
            sum.filter(|o| matches!(o.name(ctx), arith::AddFOp::NAME | arith::SubFOp::NAME))
        else {
            return no_match_at_all(s.store, "stores no sum");
        };
        let old = |v: Value| {
            let load = v.def_op().filter(|o| o.name(ctx) == affine::LoadOp::NAME);
            load.is_some_and(|o| {
                untouched(ctx, o, s.store)
                    && element(ctx, o).is_some_and(|e| same_element(&e, &s.target))
            })
        };
        let (l, r) = (op.operand(ctx, 0), op.operand(ctx, 1));
        match op.name(ctx) == arith::SubFOp::NAME {
            _ if old(l) => Ok((Sum::Memory, r, op.name(ctx) == arith::SubFOp::NAME)),
            false if old(r) => Ok((Sum::Memory, l, false)),
            _ => no_match_at_all(s.store, "adds to another element than it stores"),
        }
    }

    fn carried(&self, s: &Statement, l: ForOp) -> Result<(Sum, Value, bool), MatchFailure> {
        let ctx = self.ctx;
        let (inits, args, yielded) = (l.inits(ctx), l.iter_args(ctx), l.yielded(ctx));
        let ([init], [arg], [next]) = (&inits[..], &args[..], &yielded[..]) else {
            return no_match(l.op(), "carries more than one value");
        };
        if l.op().block(ctx) != s.store.block(ctx) {
            return no_match_at_all(l.op(), "is not beside the store of its sum");
        }
        let sum = Sum::Carried {
            init: *init,
            result: l.op().result(ctx, 0),
            stored: s.value,
        };
        let op = next.def_op();
        let Some(op) =
            op.filter(|o| matches!(o.name(ctx), arith::AddFOp::NAME | arith::SubFOp::NAME))
        else {
            return no_match_at_all(l.op(), "carries no sum");
        };
        if arg.uses(ctx).len() != 1 {
            return no_match_at_all(l.op(), "uses its sum on the way");
        }
        let (x, y) = (op.operand(ctx, 0), op.operand(ctx, 1));
        let minus = op.name(ctx) == arith::SubFOp::NAME;
        match minus {
            _ if x == *arg => Ok((sum, y, minus)),
            false if y == *arg => Ok((sum, x, false)),
            _ => no_match_at_all(l.op(), "carries no sum"),
        }
    }
}
