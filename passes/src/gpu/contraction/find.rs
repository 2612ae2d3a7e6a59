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

use super::linear::Linear;
use crate::analysis::dependence::{Options, dependences};
use crate::analysis::memory::{base, may_be_same};
use rustc_hash::FxHashSet;
use terrace_dialects::affine::compose::compose;
use terrace_dialects::affine::{Access, AccessKind, ForOp};
use terrace_dialects::memref::layout::strides_and_offset;
use terrace_ir::effects::is_pure;
use terrace_ir::num::FloatKind;
use terrace_ir::{Context, Op, OpKind, Type, Value};

/// Numbers from `lo` to below `hi`.
#[derive(Debug, Clone)]
pub struct Range {
    pub lo: Linear,
    pub hi: Linear,
}

/// An element of an array.
#[derive(Debug, Clone)]
pub struct Element {
    pub memref: Value,
    pub at: Vec<Linear>,
}

/// A factor of the products.
#[derive(Debug, Clone)]
pub struct Factor {
    /// What is read of the array.
    pub element: Element,
    /// The loaded value, and what is multiplied: computed from it.
    pub loaded: Value,
    pub value: Value,
    /// Whether neighbours along k are neighbours in memory, not those along the other
    /// dimension.
    pub along_k: bool,
    /// Whether the product is taken away from the sum.
    pub negated: bool,
}

/// How the sum is kept.
#[derive(Debug, Clone, Copy)]
pub enum Sum {
    /// In the element of `C`.
    Memory,
    /// In a value that the loop carries: where it begins, what the loop gives, and what
    /// is then stored.
    Carried {
        init: Value,
        result: Value,
        stored: Value,
    },
}

/// A matrix product with what belongs to it.
#[derive(Debug, Clone)]
pub struct Contraction {
    /// The outermost loop.
    pub root: Op,
    /// The store of the sums.
    pub store: Op,
    /// The type of the sums.
    pub element: Type,
    /// The counters, by which linear forms are in terms of rows, columns and depth.
    pub row: Value,
    pub col: Value,
    pub k: Value,
    /// All rows and columns that there are; `inside` says which elements.
    pub rows: Range,
    pub cols: Range,
    pub depth: Range,
    /// Forms in row and column that are not negative for elements of the domain, where
    /// that is not all of the rectangle.
    pub inside: Vec<Linear>,
    pub c: Element,
    /// The factors of each product that is added for one k, that with rows first.
    pub products: Vec<[Factor; 2]>,
    pub sum: Sum,
    /// What is stored into `C[r, c]` by statements before, and behind.
    pub before: Vec<Value>,
    pub behind: Vec<Value>,
    /// Counters of the other statements, and the one they are.
    pub same: Vec<(Value, Value)>,
    /// The element with row and column exchanged, which gets the same value in the end.
    pub mirror: Option<Element>,
    /// Stores of the nest that have nothing to do with the sums.
    pub aside: Vec<Op>,
}

/// A statement: a store with the loops around it, the outermost first.
struct Statement {
    store: Op,
    loops: Vec<ForOp>,
    target: Element,
    value: Value,
}

/// Why a nest is no product that kernels are made of: where, and in words. `near`: it is
/// worth saying.
#[derive(Debug)]
pub struct Not {
    pub op: Op,
    pub why: String,
    pub near: bool,
}

fn not<T>(op: Op, why: impl Into<String>) -> Result<T, Not> {
    Err(Not {
        op,
        why: why.into(),
        near: true,
    })
}

fn far<T>(op: Op, why: &str) -> Result<T, Not> {
    Err(Not {
        op,
        why: why.into(),
        near: false,
    })
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

/// The most products that are added for one k.
const MOST_TERMS: usize = 4;

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
    /// Where the element's subscripts have them.
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
        let Some(ty) = s.value.ty(ctx).float_kind(ctx) else {
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
        let depth = self.bounds(k_loop)?;
        for end in [&depth.lo, &depth.hi] {
            if end.coefficient(row) != 0 || end.coefficient(col) != 0 {
                return not(
                    k_loop.op(),
                    "sums over a range that differs from element to element",
                );
            }
        }
        let (rows, cols, inside) = self.domain(&axes)?;
        let mut x = Contraction {
            root: self.root,
            store: s.store,
            element: s.value.ty(ctx),
            row,
            col,
            k,
            rows,
            cols,
            depth,
            inside,
            c: s.target.clone(),
            products,
            sum,
            before: Vec::new(),
            behind: Vec::new(),
            same: Vec::new(),
            mirror: None,
            aside: Vec::new(),
        };
        let parts: Vec<&Linear> = [&x.rows, &x.cols, &x.depth]
            .into_iter()
            .flat_map(|r| [&r.lo, &r.hi])
            .chain(&x.inside)
            .chain(&x.c.at)
            .chain(x.products.iter().flatten().flat_map(|f| &f.element.at))
            .collect();
        for (v, _) in parts.iter().flat_map(|p| &p.terms) {
            if ![row, col, k].contains(v) && !self.is_outside(*v) {
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

    /// What is added of one k: the terms of a sum.
    fn terms(&self, product: Value) -> Vec<Value> {
        let ctx = self.ctx;
        let mut all = vec![product];
        let mut at = 0;
        while let Some(v) = all.get(at) {
            let sum = v.def_op().filter(|o| o.name(ctx) == "arith.addf");
            match sum.filter(|_| all.len() < MOST_TERMS) {
                Some(op) => {
                    all.splice(at..=at, op.operands(ctx));
                }
                None => at += 1,
            }
        }
        all
    }

    /// Whether a statement stores to another place than the matrix of the sums, or at
    /// subscripts that are not one of rows and one of columns.
    fn is_aside(&self, o: &Statement, x: &Contraction) -> bool {
        o.target.memref != x.c.memref || self.axes(o).is_err()
    }

    /// Whether a statement copies the element, when it has its last value, to where row and
    /// column are exchanged, and elements of that half are none of the domain.
    fn is_mirror(&self, o: &Statement, main: &Axes, x: &Contraction) -> bool {
        let ctx = self.ctx;
        let (row, col) = (main.row.iv(ctx), main.col.iv(ctx));
        let [p, q] = main.at;
        let own = o.value.def_op().filter(|l| l.name(ctx) == "affine.load");
        let copies = own.is_some_and(|l| {
            untouched(ctx, l, o.store) && element(ctx, l).is_some_and(|e| same_element(&e, &x.c))
        });
        let exchanged = o.target.memref == x.c.memref
            && o.loops.contains(&main.row)
            && o.loops.contains(&main.col)
            && o.loops.len() == 2
            && x.c.at.len() == o.target.at.len()
            && (0..x.c.at.len()).all(|d| match d {
                _ if d == p => o.target.at[d].equals(&x.c.at[q]),
                _ if d == q => o.target.at[d].equals(&x.c.at[p]),
                _ => o.target.at[d].equals(&x.c.at[d]),
            });
        // Rows and columns count the same, and one is never above the other.
        let apart = |v: Value| x.c.at[if v == row { p } else { q }].minus(&Linear::value(v));
        let same_base = match (apart(row), apart(col)) {
            (Some(a), Some(b)) => a.equals(&b),
            _ => false,
        };
        let half = |from: Value, to: Value| {
            let difference = Linear::value(to).minus(&Linear::value(from));
            x.inside.iter().any(|l| {
                let rest = difference.as_ref().and_then(|d| l.minus(d)?.as_constant());
                rest.is_some_and(|c| c <= 0)
            })
        };
        copies && exchanged && same_base && (half(row, col) || half(col, row))
    }

    /// Whether the stores that have nothing to do with the sums may be done before all of
    /// these.
    fn check_aside(&self, x: &Contraction) -> Result<(), Not> {
        let ctx = self.ctx;
        let Some(first) = x.aside.first() else {
            return Ok(());
        };
        let mut of_aside: FxHashSet<Op> = x.aside.iter().copied().collect();
        let mut work: Vec<Value> = x.aside.iter().flat_map(|o| o.operands(ctx)).collect();
        while let Some(v) = work.pop() {
            if let Some(op) = v.def_op().filter(|_| !self.is_outside(v))
                && of_aside.insert(op)
            {
                if op.num_regions(ctx) > 0 {
                    return far(op, "gives a value to several statements");
                }
                work.extend(op.operands(ctx));
            }
        }
        let options = Options {
            distances: false,
            ..Options::default()
        };
        for d in dependences(ctx, self.root, &options).all {
            let ends = [d.source_op, d.sink_op];
            let aside = ends.map(|o| of_aside.contains(&o));
            let main = ends.map(|o| !x.aside.contains(&o));
            if (aside[0] && main[1]) || (aside[1] && main[0]) {
                return not(*first, "and the sums need each other");
            }
        }
        Ok(())
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
        let [(p, row), (q, col)] = found[..] else {
            return far(s.store, "stores to no two-dimensional array");
        };
        if row == col {
            return far(s.store, "stores along a diagonal");
        }
        let rest = (s.loops.iter().copied()).filter(|l| *l != row && *l != col);
        Ok(Axes {
            row,
            col,
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

    /// The two factors of a product, that with rows first.
    fn factors(
        &self,
        store: Op,
        product: Value,
        row: Value,
        col: Value,
        k: Value,
        array: Value,
    ) -> Result<(Factor, Factor), Not> {
        let ctx = self.ctx;
        let mul = product.def_op().filter(|o| o.name(ctx) == "arith.mulf");
        let Some(mul) = mul else {
            return far(store, "adds no products");
        };
        let of = |v: Value| self.factor(store, v, array);
        let (x, y) = (of(mul.operand(ctx, 0))?, of(mul.operand(ctx, 1))?);
        let (rows, cols) = (
            self.orient(&x, row, col, k)
                .and_then(|x| Some((x, self.orient(&y, col, row, k)?))),
            self.orient(&y, row, col, k)
                .and_then(|y| Some((y, self.orient(&x, col, row, k)?))),
        );
        match rows.or(cols) {
            Some(found) => Ok(found),
            None => not(
                store,
                "multiplies elements that are not one of a row and one of a column",
            ),
        }
    }

    /// What a factor is made of: one element of an array other than `array`, and values
    /// from outside.
    fn factor(&self, store: Op, value: Value, array: Value) -> Result<Factor, Not> {
        let ctx = self.ctx;
        let mut load: Option<Op> = None;
        let mut seen = FxHashSet::default();
        let mut work = vec![value];
        while let Some(v) = work.pop() {
            if self.is_outside(v) || !seen.insert(v) {
                continue;
            }
            let Some(op) = v.def_op() else {
                return far(store, "multiplies counters");
            };
            match op.name(ctx) {
                "affine.load" if load.is_none() => load = Some(op),
                "affine.load" => {
                    return not(op, "is one of several elements in a factor of the products");
                }
                _ if is_arithmetic(ctx, op) => {
                    work.extend(op.operands(ctx));
                }
                _ => return far(op, "is no arithmetic"),
            }
        }
        let Some(load) = load else {
            return not(store, "has a factor outside the product of two elements");
        };
        let Some(e) = element(ctx, load) else {
            return far(load, "has subscripts that are not linear");
        };
        if !scales(ctx, value, load.result(ctx, 0), MOST_STEPS) {
            return not(load, "is in a factor that is not zero where the element is");
        }
        if may_be_same(ctx, base(ctx, e.memref), array) {
            return not(load, "may read what the sums are stored to");
        }
        let unit =
            strides_and_offset(ctx, e.memref.ty(ctx)).is_some_and(|s| s.strides.last() == Some(&1));
        if !unit {
            return not(
                load,
                "reads an array whose neighbours are not known to be neighbours in memory",
            );
        }
        let bytes = match load.result(ctx, 0).ty(ctx).float_kind(ctx) {
            Some(FloatKind::F32) => 4,
            Some(FloatKind::F64) => 8,
            _ => 0,
        };
        if bytes == 0 {
            return not(load, "reads elements of a type other than f32 and f64");
        }
        Ok(Factor {
            element: e,
            loaded: load.result(ctx, 0),
            value,
            along_k: false,
            negated: false,
        })
    }

    /// The factor as one of `outer` and k: each in one subscript, `other` in none, and
    /// one of the two in the last.
    fn orient(&self, f: &Factor, outer: Value, other: Value, k: Value) -> Option<Factor> {
        let at = &f.element.at;
        let place = |v: Value| {
            let mut found = (0..at.len()).filter(|d| at[*d].coefficient(v) != 0);
            let d = found.next()?;
            (found.next().is_none() && at[d].coefficient(v) == 1).then_some(d)
        };
        let (p, q) = (place(outer)?, place(k)?);
        let last = at.len().checked_sub(1)?;
        if p == q || (p != last && q != last) || at.iter().any(|l| l.coefficient(other) != 0) {
            return None;
        }
        Some(Factor {
            along_k: q == last,
            ..f.clone()
        })
    }

    /// The bounds of a loop with step 1.
    fn bounds(&self, l: ForOp) -> Result<Range, Not> {
        let ctx = self.ctx;
        let composed = |map, operands: &[Value]| {
            let m = compose(ctx, map, operands);
            let found = Linear::of_map(&m.map, &m.operands)?;
            <[Linear; 1]>::try_from(found).ok().map(|[l]| l)
        };
        let lo = composed(l.lower_map(ctx), &l.lower_operands(ctx));
        let hi = composed(l.upper_map(ctx), &l.upper_operands(ctx));
        match (lo, hi) {
            (Some(lo), Some(hi)) if l.step(ctx) == 1 => Ok(Range { lo, hi }),
            (Some(_), Some(_)) => not(l.op(), "counts in other steps than 1"),
            _ => not(l.op(), "has bounds that are not one linear form each"),
        }
    }

    /// Rows and columns, and what limits them together.
    fn domain(&self, axes: &Axes) -> Result<(Range, Range, Vec<Linear>), Not> {
        let ctx = self.ctx;
        let (row, col) = (axes.row.iv(ctx), axes.col.iv(ctx));
        let (rows, cols) = (self.bounds(axes.row)?, self.bounds(axes.col)?);
        let mut inside = Vec::new();
        let fixed = |r: &Range, v: Value| r.lo.coefficient(v) == 0 && r.hi.coefficient(v) == 0;
        let mut hull = |inner: &Range, v: Value, outer: &Range, w: Value| {
            inside.push(Linear::value(v).minus(&inner.lo)?);
            inside.push(inner.hi.minus(&Linear::value(v))?.plus(-1)?);
            let last = outer.hi.plus(-1)?;
            let end = |l: &Linear, least: bool| match (l.coefficient(w) >= 0) == least {
                true => l.with(w, &outer.lo),
                false => l.with(w, &last),
            };
            Some(Range {
                lo: end(&inner.lo, true)?,
                hi: end(&inner.hi, false)?,
            })
        };
        let (found_rows, found_cols) = match (fixed(&rows, col), fixed(&cols, row)) {
            (true, true) => (Some(rows), Some(cols)),
            (true, false) => {
                let h = hull(&cols, col, &rows, row);
                (Some(rows), h)
            }
            (false, true) => {
                let h = hull(&rows, row, &cols, col);
                (h, Some(cols))
            }
            (false, false) => (None, None),
        };
        match (found_rows, found_cols) {
            (Some(r), Some(c)) => Ok((r, c, inside)),
            _ => not(axes.row.op(), "has bounds out of range"),
        }
    }

    /// Takes in a statement besides the sum: it changes the same element, for the same
    /// rows and columns, outside the loop of the sum.
    fn other(
        &self,
        o: &Statement,
        main: &Axes,
        k_loop: ForOp,
        x: &mut Contraction,
    ) -> Result<(), Not> {
        let ctx = self.ctx;
        let axes = self.axes(o)?;
        if !axes.rest.is_empty() || o.loops.contains(&k_loop) {
            return not(o.store, "is done again and again while the sum grows");
        }
        let pairs = [
            (axes.row.iv(ctx), main.row.iv(ctx)),
            (axes.col.iv(ctx), main.col.iv(ctx)),
        ];
        let renamed = |l: &Linear| {
            let mut l = l.clone();
            for (from, to) in pairs {
                l = l.with(from, &Linear::value(to))?;
            }
            Some(l)
        };
        let same = |a: &Linear, b: &Linear| renamed(a).is_some_and(|a| a.equals(b));
        let element_is_same = o.target.memref == x.c.memref
            && axes.at == main.at
            && (o.target.at.iter().zip(&x.c.at)).all(|(a, b)| same(a, b));
        if !element_is_same {
            return not(o.store, "stores to another element than that of the sum");
        }
        for (l, m) in [(axes.row, main.row), (axes.col, main.col)] {
            let (a, b) = (self.bounds(l)?, self.bounds(m)?);
            if !same(&a.lo, &b.lo) || !same(&a.hi, &b.hi) {
                return not(o.store, "is done for other elements than the sum");
            }
        }
        x.same.extend(pairs.into_iter().filter(|p| p.0 != p.1));
        self.check(o, o.value, x, None)
    }

    /// Whether a value can be computed for an element alone: from the element itself, from
    /// other arrays, counters of rows and columns, and values from outside. `sum`: what
    /// stands for the sum in it.
    fn check(
        &self,
        s: &Statement,
        value: Value,
        x: &Contraction,
        sum: Option<Value>,
    ) -> Result<(), Not> {
        let ctx = self.ctx;
        let array = base(ctx, x.c.memref);
        let counters: Vec<Value> = s.loops.iter().map(|l| l.iv(ctx)).collect();
        let mut seen = FxHashSet::default();
        let mut work = vec![value];
        while let Some(v) = work.pop() {
            if self.is_outside(v) || Some(v) == sum || !seen.insert(v) {
                continue;
            }
            let Some(op) = v.def_op() else {
                match counters.contains(&v) {
                    true => continue,
                    false => return far(s.store, "uses a value that a loop carries"),
                }
            };
            if op.name(ctx) == "affine.load" {
                let Some(e) = element(ctx, op) else {
                    return far(op, "has subscripts that are not linear");
                };
                let known = |l: &Linear| {
                    let mut terms = l.terms.iter();
                    terms.all(|t| counters.contains(&t.0) || self.is_outside(t.0))
                };
                if !e.at.iter().all(known) {
                    return far(op, "has subscripts that the nest computes");
                }
                let own = same_element(&e, &s.target);
                if !own && may_be_same(ctx, base(ctx, e.memref), array) {
                    return not(
                        op,
                        "may read another element of what the sums are stored to",
                    );
                }
                if own && !untouched(ctx, op, s.store) {
                    return not(op, "reads the element before another statement changes it");
                }
                if !own && !x.inside.is_empty() && e.at.iter().any(|l| mixed(l, &counters)) {
                    return not(op, "reads an element by both counters at once");
                }
            } else if is_arithmetic(ctx, op) {
                work.extend(op.operands(ctx));
            } else {
                return far(op, "is no arithmetic");
            }
        }
        Ok(())
    }
}

/// The most operations from an element to its factor.
const MOST_STEPS: u32 = 8;

/// Whether `v` is `element` times values: zero where it is, as elements past the end of k
/// are taken to be.
fn scales(ctx: &Context, v: Value, element: Value, steps: u32) -> bool {
    let Some(steps) = steps.checked_sub(1) else {
        return false;
    };
    let Some(op) = v.def_op().filter(|_| v != element) else {
        return v == element;
    };
    let operand = |i| scales(ctx, op.operand(ctx, i), element, steps);
    match op.name(ctx) {
        "arith.mulf" => operand(0) || operand(1),
        "arith.negf" | "arith.extf" => operand(0),
        _ => false,
    }
}

/// Whether an op can be computed again elsewhere.
fn is_arithmetic(ctx: &Context, op: Op) -> bool {
    is_pure(ctx, op) && op.num_regions(ctx) == 0 && op.dialect(ctx) != "affine"
}

/// Whether a subscript has several counters.
fn mixed(l: &Linear, counters: &[Value]) -> bool {
    l.terms.iter().filter(|t| counters.contains(&t.0)).count() > 1
}

/// Whether from `load` to `store`, in the same block, nothing else is stored.
fn untouched(ctx: &Context, load: Op, store: Op) -> bool {
    let mut at = Some(load);
    while let Some(op) = at.filter(|o| *o != store) {
        let mut writes = false;
        op.walk(ctx, &mut |o| writes |= o.name(ctx) == "affine.store");
        if writes {
            return false;
        }
        at = op.next(ctx);
    }
    at == Some(store)
}

/// The element that an access touches.
pub(super) fn element(ctx: &Context, op: Op) -> Option<Element> {
    let a = Access::of(ctx, op)?;
    if a.vector.is_some() || a.kind == AccessKind::Prefetch {
        return None;
    }
    let m = a.composed(ctx);
    Some(Element {
        memref: a.memref,
        at: Linear::of_map(&m.map, &m.operands)?,
    })
}

fn same_element(a: &Element, b: &Element) -> bool {
    a.memref == b.memref
        && a.at.len() == b.at.len()
        && a.at.iter().zip(&b.at).all(|(x, y)| x.equals(y))
}
