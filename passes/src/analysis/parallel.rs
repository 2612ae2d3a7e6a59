//! Whether the iterations of an affine loop may run in any order.
//!
//! For each write and each other access of the same memory, the test asks for two
//! iterations of the loop, one before the other, that touch the same element, with
//! all loops around in the same iteration and all loops inside in any. That is a
//! system of linear constraints; if it has no solution there is no dependence that
//! the loop carries. The system is solved over the rationals with integer
//! tightening, so a loop may be called sequential that is not, never the reverse.

use super::memory::{base, is_view, may_be_same};
use rustc_hash::FxHashMap;
use terrace_dialects::affine::{Access, AccessKind, ForOp, ParallelOp, compose::compose, scope};
use terrace_ir::affine::{
    AffineExpr, AffineMap, Constraint, Emptiness, FourierMotzkinLimits, IntegerSet,
};
use terrace_ir::effects::own_effects;
use terrace_ir::opdef::{EffectKind, traits};
use terrace_ir::{Context, Op, OpKind, Value};

/// Why iterations may have to keep their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Obstacle {
    /// A value goes from iteration to iteration.
    Carried(Value),
    /// Two accesses may touch the same element in different iterations.
    Dependence { from: Op, to: Op },
    /// An op whose effect on memory is not known or has no subscripts to reason about.
    Effect(Op),
}

/// What keeps the loop sequential, leaving carried values aside: the first found.
pub fn memory_obstacle(ctx: &Context, l: ForOp) -> Option<Obstacle> {
    let mut accesses: Vec<Access> = Vec::new();
    // Accesses without subscripts to reason about: the memref and whether it is written.
    let mut opaque: Vec<(Op, Value, bool)> = Vec::new();
    for op in l.op().pre_order(ctx) {
        if op == l.op() {
            continue;
        }
        if let Some(a) = Access::of(ctx, op) {
            if a.kind != AccessKind::Prefetch && !is_local(ctx, l, a.memref) {
                accesses.push(a);
            }
            continue;
        }
        let Some(effects) = own_effects(ctx, op) else {
            let recursive = op.def(ctx).is_some_and(|d| d.has(traits::RECURSIVE_EFFECTS));
            if recursive || is_view(ctx, op) {
                continue;
            }
            return Some(Obstacle::Effect(op));
        };
        for e in effects {
            let write = match e.kind {
                EffectKind::Read => false,
                EffectKind::Write | EffectKind::Free => true,
                EffectKind::Alloc => continue,
            };
            match e.on {
                Some(v) if is_local(ctx, l, v) => {}
                Some(v) => opaque.push((op, base(ctx, v), write)),
                None => return Some(Obstacle::Effect(op)),
            }
        }
    }
    for (op, memref, write) in &opaque {
        let with_access = accesses.iter().any(|a| {
            (*write || a.kind == AccessKind::Write)
                && may_be_same(ctx, *memref, base(ctx, a.memref))
        });
        let with_opaque = opaque
            .iter()
            .any(|(_, m, w)| (*write || *w) && may_be_same(ctx, *memref, *m));
        if with_access || with_opaque {
            return Some(Obstacle::Effect(*op));
        }
    }
    for (i, a) in accesses.iter().enumerate() {
        for b in &accesses[i..] {
            if a.kind != AccessKind::Write && b.kind != AccessKind::Write {
                continue;
            }
            if may_be_same(ctx, base(ctx, a.memref), base(ctx, b.memref))
                && !independent(ctx, l, a, b)
            {
                return Some(Obstacle::Dependence { from: a.op, to: b.op });
            }
        }
    }
    None
}

/// Whether every iteration has a memref of its own.
fn is_local(ctx: &Context, l: ForOp, memref: Value) -> bool {
    let b = base(ctx, memref);
    let allocated = b
        .def_op()
        .is_some_and(|op| matches!(op.name(ctx), "memref.alloc" | "memref.alloca"));
    allocated && b.def_op().is_some_and(|op| l.op() != op && l.op().is_ancestor_of(ctx, op))
}

/// Whether two accesses never touch the same element in different iterations of `l`.
fn independent(ctx: &Context, l: ForOp, a: &Access, b: &Access) -> bool {
    if a.memref != b.memref || a.vector.is_some() || b.vector.is_some() {
        return false;
    }
    // Both orders: one of the two comes first.
    [true, false].into_iter().all(|a_first| {
        let mut s = System { ctx, l, columns: FxHashMap::default(), constraints: Vec::new(), next: 0 };
        s.pair(a, b, a_first).is_some() && s.is_empty()
    })
}

/// The two iterations that are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Instance {
    /// Values that are the same in both.
    Both,
    First,
    Second,
}

struct System<'c> {
    ctx: &'c Context,
    l: ForOp,
    columns: FxHashMap<(Value, Instance), u32>,
    constraints: Vec<Constraint>,
    next: u32,
}

impl System<'_> {
    /// Constrain both accesses to be made, in different iterations, on one element.
    fn pair(&mut self, a: &Access, b: &Access, a_first: bool) -> Option<()> {
        let (x, y) = (self.subscripts(a, Instance::First)?, self.subscripts(b, Instance::Second)?);
        if x.len() != y.len() {
            return None;
        }
        for (x, y) in x.into_iter().zip(y) {
            self.constraints.push(Constraint { expr: x - y, is_eq: true });
        }
        let iv = self.l.iv(self.ctx);
        let (i, j) = (self.column(iv, Instance::First)?, self.column(iv, Instance::Second)?);
        let gap = if a_first { j - i } else { i - j };
        self.constraints.push(Constraint { expr: gap - 1, is_eq: false });
        Some(())
    }

    fn subscripts(&mut self, a: &Access, at: Instance) -> Option<Vec<AffineExpr>> {
        let c = a.composed(self.ctx);
        self.results(&c.map, &c.operands, at)
    }

    /// The results of a map over the columns of its operands.
    fn results(&mut self, m: &AffineMap, operands: &[Value], at: Instance) -> Option<Vec<AffineExpr>> {
        let c = compose(self.ctx, m, operands);
        let mut columns = Vec::new();
        for v in &c.operands {
            columns.push(self.column(*v, at)?);
        }
        let (dims, syms) = columns.split_at(c.map.num_dims() as usize);
        Some(c.map.results().iter().map(|e| e.replace_dims_and_symbols(dims, syms)).collect())
    }

    /// The column of a value in one of the two iterations; loops constrain theirs by
    /// their bounds.
    fn column(&mut self, v: Value, at: Instance) -> Option<AffineExpr> {
        let ctx = self.ctx;
        let owner = v.arg_block().and_then(|b| b.parent_op(ctx));
        // Loops around the tested one are in the same iteration both times, and so is
        // everything defined outside it.
        let inside = match owner {
            Some(o) => self.l.op().is_ancestor_of(ctx, o),
            None => v.def_op().is_some_and(|o| self.l.op().is_ancestor_of(ctx, o)),
        };
        let at = if inside { at } else { Instance::Both };
        if let Some(c) = self.columns.get(&(v, at)) {
            return Some(AffineExpr::dim(*c));
        }
        let c = self.next;
        self.next += 1;
        self.columns.insert((v, at), c);
        let e = AffineExpr::dim(c);
        if let Some(l) = scope::for_of_iv(ctx, v) {
            let (lm, lo) = (l.lower_map(ctx).clone(), l.lower_operands(ctx));
            let lower = self.results(&lm, &lo, at)?;
            if let ([start], true) = (&lower[..], l.step(ctx) > 1) {
                // iv = start + step * k, k >= 0.
                let k = AffineExpr::dim(self.next);
                self.next += 1;
                let steps = k.clone() * l.step(ctx);
                self.constraints.push(Constraint { expr: e.clone() - start.clone() - steps, is_eq: true });
                self.constraints.push(Constraint { expr: k, is_eq: false });
            }
            self.at_least(&e, lower);
            let (um, uo) = (l.upper_map(ctx).clone(), l.upper_operands(ctx));
            let upper = self.results(&um, &uo, at)?;
            self.below(&e, upper);
        } else if let Some(p) = scope::parallel_of_iv(ctx, v).and_then(|o| o.cast::<ParallelOp>(ctx)) {
            let i = p.ivs(ctx).iter().position(|x| *x == v)?;
            let lower = self.results(&p.lower_map_of(ctx, i), &p.lower_operands(ctx), at)?;
            self.at_least(&e, lower);
            let upper = self.results(&p.upper_map_of(ctx, i), &p.upper_operands(ctx), at)?;
            self.below(&e, upper);
        } else if inside {
            // Some other value that changes from iteration to iteration.
            return None;
        }
        Some(e)
    }

    fn at_least(&mut self, e: &AffineExpr, bounds: Vec<AffineExpr>) {
        for b in bounds {
            self.constraints.push(Constraint { expr: e.clone() - b, is_eq: false });
        }
    }

    fn below(&mut self, e: &AffineExpr, bounds: Vec<AffineExpr>) {
        for b in bounds {
            self.constraints.push(Constraint { expr: b - e.clone() - 1, is_eq: false });
        }
    }

    /// Whether the constraints are known to have no solution.
    fn is_empty(&self) -> bool {
        let set = IntegerSet::new(self.next, 0, self.constraints.clone());
        set.to_linear_system().is_ok_and(|s| {
            s.emptiness(FourierMotzkinLimits::default()) == Emptiness::Empty
        })
    }
}
