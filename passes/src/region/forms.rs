//! Index expressions of a region function as polynomials, for a function built beside
//! it that has the same arguments.

mod arithmetic;
mod choices;
mod conditions;

use rustc_hash::FxHashMap;
use terrace_dialects::affine::{Access, ApplyOp, IfOp, ParallelOp};
use terrace_dialects::arith::{self, IndexCastOp};
use terrace_dialects::memref;
use terrace_dialects::memref::DimOp;
use terrace_dialects::{affine, scf};
use terrace_ir::affine::{AffineExpr, AffineMap, AffineOp};
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::effects::runs_anywhere;
use terrace_ir::{Builder, Context, InsertPoint, Loc, Op, OpKind, Value};

use self::arithmetic::{Rounding, Which};
use super::notes::Reason;
use super::range::{Ranges, Variable, Variables};
use crate::analysis::poly::{Atom, Poly, Table};
use crate::analysis::source;

/// Numbers of so few bits that all their values are looked at as a range.
const FEW_BITS: u32 = 16;

/// How deep expressions and nests are followed.
const MAX_DEPTH: u32 = 48;

/// Translates index expressions of one function into another one.
pub(crate) struct Forms<'c> {
    pub ctx: &'c mut Context,
    /// The end of the block that is built.
    pub at: InsertPoint,
    pub loc: Loc,
    pub table: Table,
    /// Values of the old function that are the same in all iterations, in the new one.
    copies: IrMapping,
    done: FxHashMap<Value, Value>,
    /// Carried values whose choices are being looked at.
    following: Vec<Value>,
}

/// The loops around a place, as variables, and the counters they stand for.
#[derive(Default, Clone)]
pub(crate) struct Around {
    pub nest: Variables,
    pub counters: Vec<Option<Value>>,
    /// What a variable that is no counter is computed from, where it is the greater the
    /// greater that is.
    pub sources: Vec<Option<Poly>>,
}

type Form = Result<Poly, Reason>;

impl<'c> Forms<'c> {
    /// `from` and `to` are the arguments of the two functions.
    pub(crate) fn new(
        ctx: &'c mut Context,
        at: InsertPoint,
        loc: Loc,
        from: &[Value],
        to: &[Value],
    ) -> Self {
        let mut copies = IrMapping::new();
        copies.map_all(from, to);
        let done = from.iter().copied().zip(to.iter().copied()).collect();
        Forms {
            ctx,
            at,
            loc,
            table: Table::default(),
            copies,
            done,
            following: Vec::new(),
        }
    }

    fn reason(&self, at: Op, text: impl Into<String>) -> Reason {
        Reason::new(self.ctx.diag_loc(at.loc(self.ctx)), text)
    }

    fn too_large(&self, at: Op) -> Reason {
        self.reason(at, "the expression is too large")
    }

    pub(crate) fn ranges<R>(&mut self, f: impl FnOnce(&mut Ranges) -> R) -> R {
        let mut b = Builder::new(self.ctx, self.at, self.loc);
        f(&mut Ranges::new(&mut b, &mut self.table))
    }

    /// The ops around `op` within `root`, the outermost first, each with the one directly in
    /// it.
    pub(crate) fn chain(&self, root: Op, op: Op) -> Vec<(Op, Op)> {
        let mut chain = Vec::new();
        let mut inner = op;
        while inner != root
            && let Some(outer) = inner.parent(self.ctx)
        {
            chain.push((outer, inner));
            inner = outer;
        }
        chain.reverse();
        chain
    }

    /// The loops and conditions around `op` within `root`.
    pub(crate) fn around(&mut self, root: Op, op: Op) -> Result<Around, Reason> {
        let mut around = Around::default();
        for (outer, inner) in self.chain(root, op) {
            match outer.name(self.ctx) {
                affine::ForOp::NAME => {
                    let l = affine::ForOp::wrap(outer);
                    let (lower, upper) =
                        (l.lower_map(self.ctx).clone(), l.upper_map(self.ctx).clone());
                    let lower =
                        self.map(&lower, &l.lower_operands(self.ctx), &mut around, outer)?;
                    let upper =
                        self.map(&upper, &l.upper_operands(self.ctx), &mut around, outer)?;
                    let step = Some(l.step(self.ctx));
                    self.counter(&mut around, l.iv(self.ctx), lower, upper, step, outer)?;
                }
                ParallelOp::NAME => {
                    let p = ParallelOp::wrap(outer);
                    for (i, iv) in p.ivs(self.ctx).into_iter().enumerate() {
                        let (lower, upper) =
                            (p.lower_map_of(self.ctx, i), p.upper_map_of(self.ctx, i));
                        let lower =
                            self.map(&lower, &p.lower_operands(self.ctx), &mut around, outer)?;
                        let upper =
                            self.map(&upper, &p.upper_operands(self.ctx), &mut around, outer)?;
                        let step = p.steps(self.ctx).get(i).copied();
                        self.counter(&mut around, iv, lower, upper, step, outer)?;
                    }
                }
                scf::ForOp::NAME => {
                    let l = scf::ForOp::wrap(outer);
                    let (lower, upper) = (l.lower_bound(self.ctx), l.upper_bound(self.ctx));
                    let step = self.ctx.constant_int(l.step(self.ctx));
                    self.scf_counter(
                        &mut around,
                        l.induction_var(self.ctx),
                        lower,
                        upper,
                        step,
                        outer,
                    )?;
                }
                scf::ParallelOp::NAME => {
                    let p = scf::ParallelOp::wrap(outer);
                    let (lower, upper) = (p.lower_bounds(self.ctx), p.upper_bounds(self.ctx));
                    let steps = p.steps(self.ctx);
                    for (i, iv) in p.induction_vars(self.ctx).into_iter().enumerate() {
                        let step = self.ctx.constant_int(steps[i]);
                        self.scf_counter(&mut around, iv, lower[i], upper[i], step, outer)?;
                    }
                }
                IfOp::NAME => self.affine_condition(&mut around, IfOp::wrap(outer), inner),
                scf::IfOp::NAME => self.condition(&mut around, scf::IfOp::wrap(outer), inner),
                _ => {}
            }
        }
        Ok(around)
    }

    fn scf_counter(
        &mut self,
        around: &mut Around,
        iv: Value,
        lower: Value,
        upper: Value,
        step: Option<i64>,
        at: Op,
    ) -> Result<(), Reason> {
        let lower = self.value(lower, around, at, MAX_DEPTH);
        let upper = self.value(upper, around, at, MAX_DEPTH);
        let (lower, upper) = match (lower, upper) {
            (Ok(l), Ok(u)) => (l, u),
            (l, u) => {
                // A place inside may do without the counter.
                let _ = (l, u);
                around.nest.push(Variable::default());
                around.counters.push(Some(iv));
                around.sources.push(None);
                return Ok(());
            }
        };
        self.counter(around, iv, vec![lower], vec![upper], step, at)
    }

    /// One more counter, from the greatest of `lower` to below the least of `upper`.
    fn counter(
        &mut self,
        around: &mut Around,
        iv: Value,
        lower: Vec<Poly>,
        upper: Vec<Poly>,
        step: Option<i64>,
        at: Op,
    ) -> Result<(), Reason> {
        let one = Poly::constant(1);
        let mut last = Vec::with_capacity(upper.len());
        for u in &upper {
            let mut u = u.plus(-1, &one).ok_or_else(|| self.too_large(at))?;
            // In steps from a constant to a constant the last value may be less.
            if let ([l], Some(s)) = (lower.as_slice(), step.filter(|s| *s > 1))
                && let (Some(l), Some(c)) = (l.as_constant(), u.as_constant())
                && let Some(room) = c.checked_sub(l).filter(|r| *r >= 0)
            {
                u = Poly::constant(c - room % s);
            }
            last.push(u);
        }
        around.nest.push(Variable { lower, upper: last });
        around.counters.push(Some(iv));
        around.sources.push(None);
        Ok(())
    }

    fn map(
        &mut self,
        map: &AffineMap,
        operands: &[Value],
        around: &mut Around,
        at: Op,
    ) -> Result<Vec<Poly>, Reason> {
        let mut inputs = Vec::with_capacity(operands.len());
        for v in operands {
            inputs.push(self.value(*v, around, at, MAX_DEPTH)?);
        }
        let dims = map.num_dims() as usize;
        let mut out = Vec::with_capacity(map.num_results());
        for e in map.results() {
            out.push(self.expr(e, &inputs, dims, around, at, MAX_DEPTH)?);
        }
        Ok(out)
    }

    fn expr(
        &mut self,
        e: &AffineExpr,
        inputs: &[Poly],
        dims: usize,
        around: &mut Around,
        at: Op,
        depth: u32,
    ) -> Form {
        let input = |i: usize| inputs.get(i).cloned().unwrap_or_default();
        match e {
            AffineExpr::Dim(i) => Ok(input(*i as usize)),
            AffineExpr::Symbol(i) => Ok(input(dims + *i as usize)),
            AffineExpr::Constant(c) => Ok(Poly::constant(*c)),
            AffineExpr::Binary(_) if depth == 0 => Err(self.too_large(at)),
            AffineExpr::Binary(node) => {
                let a = self.expr(node.lhs(), inputs, dims, around, at, depth - 1)?;
                let b = self.expr(node.rhs(), inputs, dims, around, at, depth - 1)?;
                let sum = match node.op() {
                    AffineOp::Add => a.plus(1, &b),
                    AffineOp::Mul => a.times(&b),
                    AffineOp::FloorDiv => {
                        return self.quotient(Rounding::Down, &a, &b, around, at);
                    }
                    AffineOp::CeilDiv => {
                        return self.quotient(Rounding::Up, &a, &b, around, at);
                    }
                    AffineOp::Mod => return self.remainder(&a, &b, true, around, at),
                };
                sum.ok_or_else(|| self.too_large(at))
            }
        }
    }

    /// A value of the new function as a polynomial.
    fn known(&mut self, v: Value) -> Poly {
        match self.ctx.constant_int(v) {
            Some(c) => Poly::constant(c),
            None => self.fixed(v),
        }
    }

    /// An index value used by `at`, over the counters around.
    pub(crate) fn value(&mut self, v: Value, around: &mut Around, at: Op, depth: u32) -> Form {
        if let Some(c) = self.ctx.constant_int(v) {
            return Ok(Poly::constant(c));
        }
        if let Some(i) = around.counters.iter().position(|c| *c == Some(v)) {
            return Ok(Poly::atom(Atom::Variable(i)));
        }
        if let Some(new) = self.copy(v, depth) {
            let natural = new.def_op().is_some_and(|o| o.isa::<DimOp>(self.ctx));
            let new = self.as_index(new);
            return Ok(Poly::atom(self.table.add(new, natural)));
        }
        if let Some(chosen) = self.carried_choice(v, around, at, depth) {
            return chosen;
        }
        let Some(op) = v.def_op().filter(|_| depth > 0) else {
            let text = format!(
                "{} changes from iteration to iteration",
                source::value(self.ctx, v)
            );
            return Err(self.reason(at, text));
        };
        self.result(v, op, around, at, depth)
    }

    /// A result of an op on index values.
    fn result(&mut self, v: Value, op: Op, around: &mut Around, at: Op, depth: u32) -> Form {
        let name = op.name(self.ctx).to_string();
        let operand = |f: &mut Self, i: usize, around: &mut Around| {
            f.value(op.operand(f.ctx, i), around, at, depth - 1)
        };
        let sum = match name.as_str() {
            arith::AddIOp::NAME | arith::SubIOp::NAME | arith::MulIOp::NAME => {
                let a = operand(self, 0, around)?;
                let b = operand(self, 1, around)?;
                match name.as_str() {
                    arith::AddIOp::NAME => a.plus(1, &b),
                    arith::SubIOp::NAME => a.plus(-1, &b),
                    _ => a.times(&b),
                }
            }
            arith::ExtSIOp::NAME => {
                let operand = operand(self, 0, around);
                Some(self.extended(op, operand, around)?)
            }
            arith::ExtUIOp::NAME | arith::IndexCastUIOp::NAME if self.width(op) <= FEW_BITS => {
                let most = (1i64 << self.width(op)) - 1;
                Some(self.between(around, Poly::default(), Poly::constant(most), None))
            }
            arith::AndIOp::NAME => match self.mask(op) {
                Some((mask, other)) => {
                    return self.masked(mask, op.operand(self.ctx, other), around, at, depth);
                }
                None => {
                    let a = operand(self, 0, around)?;
                    let b = operand(self, 1, around)?;
                    return self.both_bits(&a, &b, around, at);
                }
            },
            arith::RemUIOp::NAME => match self.constant_operand(op).filter(|c| *c > 0) {
                Some(c) => {
                    let most = Poly::constant(c - 1);
                    Some(self.between(around, Poly::default(), most, None))
                }
                None => return Err(self.not_affine(v, at)),
            },
            arith::ShRSIOp::NAME => match self.constant_operand(op) {
                Some(by @ 0..32) => {
                    let a = operand(self, 0, around)?;
                    let b = Poly::constant(1 << by);
                    return self.quotient(Rounding::Down, &a, &b, around, at);
                }
                _ => return Err(self.not_affine(v, at)),
            },
            IndexCastOp::NAME => Some(operand(self, 0, around)?),
            // A counter of C's type int, which does not overflow.
            arith::TruncIOp::NAME
                if v.ty(self.ctx).int_width(self.ctx).is_some_and(|w| w >= 32) =>
            {
                Some(operand(self, 0, around)?)
            }
            arith::DivSIOp::NAME | arith::FloorDivSIOp::NAME | arith::CeilDivSIOp::NAME => {
                let a = operand(self, 0, around)?;
                let b = operand(self, 1, around)?;
                let rounding = if op.isa::<arith::FloorDivSIOp>(self.ctx) {
                    Rounding::Down
                } else if op.isa::<arith::CeilDivSIOp>(self.ctx) {
                    Rounding::Up
                } else {
                    Rounding::ToZero
                };
                return self.quotient(rounding, &a, &b, around, at);
            }
            arith::RemSIOp::NAME => {
                let a = operand(self, 0, around)?;
                let b = operand(self, 1, around)?;
                return self.remainder(&a, &b, false, around, at);
            }
            arith::MinSIOp::NAME | arith::MaxSIOp::NAME => {
                let which = match op.isa::<arith::MinSIOp>(self.ctx) {
                    true => Which::Smaller,
                    false => Which::Larger,
                };
                let a = operand(self, 0, around)?;
                let b = operand(self, 1, around)?;
                return self.either(which, &a, &b, around, at);
            }
            arith::SelectOp::NAME => {
                let all = op.operands(self.ctx);
                return self.choice(all[0], [all[1], all[2]], around, at, depth);
            }
            scf::IfOp::NAME => match self.arms(op, v) {
                Some((condition, arms)) => {
                    return self.choice(condition, arms, around, at, depth);
                }
                None => return Err(self.not_affine(v, at)),
            },
            ApplyOp::NAME => {
                let map = ApplyOp::wrap(op).map(self.ctx).clone();
                let operands = op.operands(self.ctx);
                let mut all = self.map(&map, &operands, around, at)?;
                all.pop()
            }
            affine::LoadOp::NAME | memref::LoadOp::NAME => {
                let text = source::value(self.ctx, v);
                return Err(self.reason(at, format!("{text} is read from memory")));
            }
            _ => return Err(self.not_affine(v, at)),
        };
        sum.ok_or_else(|| self.too_large(at))
    }

    fn constant_operand(&self, op: Op) -> Option<i64> {
        self.ctx.constant_int(op.operand(self.ctx, 1))
    }

    /// A sign-extended operand: few numbers have few values, wherever they come from.
    fn extended(&mut self, op: Op, operand: Form, around: &mut Around) -> Form {
        let from = self.width(op);
        if operand.is_ok() || from > FEW_BITS {
            return operand;
        }
        let half = 1i64 << (from - 1);
        let (low, high) = (Poly::constant(-half), Poly::constant(half - 1));
        Ok(self.between(around, low, high, None))
    }

    fn not_affine(&self, v: Value, at: Op) -> Reason {
        let text = source::value(self.ctx, v);
        let what = if text == "..." {
            "it".to_string()
        } else {
            text
        };
        self.reason(at, format!("{what} is not affine in the loop counters"))
    }

    /// A value that is the same in all iterations as an index in the new function.
    pub(crate) fn parameter(&mut self, v: Value) -> Option<Value> {
        let new = self.copy(v, MAX_DEPTH)?;
        let is_number = |ctx: &Context, v: Value| {
            let ty = v.ty(ctx);
            ty == ctx.index() || ty.int_width(ctx).is_some_and(|w| w <= 64)
        };
        is_number(self.ctx, new).then(|| self.as_index(new))
    }

    /// A value that depends on the arguments alone, in the new function.
    pub(crate) fn copy(&mut self, v: Value, depth: u32) -> Option<Value> {
        if let Some(new) = self.done.get(&v) {
            return Some(*new);
        }
        let op = v.def_op().filter(|_| depth > 0)?;
        if !runs_anywhere(self.ctx, op) || op.num_regions(self.ctx) > 0 {
            return None;
        }
        for o in op.operands(self.ctx) {
            let new = self.copy(o, depth - 1)?;
            self.copies.map(o, new);
        }
        let new = clone_op(self.ctx, op, &mut self.copies);
        Builder::new(self.ctx, self.at, self.loc).insert(new);
        for (old, new) in op.results(self.ctx).into_iter().zip(new.results(self.ctx)) {
            self.done.insert(old, new);
        }
        self.done.get(&v).copied()
    }

    pub(crate) fn as_index(&mut self, v: Value) -> Value {
        let index = self.ctx.index();
        if v.ty(self.ctx) == index || v.ty(self.ctx).int_width(self.ctx).is_none() {
            return v;
        }
        // One cast for each value, so that equal values are the same.
        let key = self.done.iter().find(|(_, n)| **n == v).map(|(o, _)| *o);
        if let Some(user) = v.users(self.ctx).into_iter().find(|u| {
            u.isa::<IndexCastOp>(self.ctx)
                && key.is_some()
                && u.result(self.ctx, 0).ty(self.ctx) == index
        }) {
            return user.result(self.ctx, 0);
        }
        let mut b = Builder::new(self.ctx, self.at, self.loc);
        b.value::<IndexCastOp>(&[v], index, &[])
    }

    /// The subscripts of an access along a dimension, 0 the outermost.
    pub(crate) fn subscript(&mut self, op: Op, dim: usize, around: &mut Around) -> Form {
        if let Some(a) = Access::of(self.ctx, op) {
            if dim >= a.map.results().len() {
                return Err(self.too_large(op));
            }
            let map = a.map.sub_map(&[dim]);
            let mut all = self.map(&map, &a.operands, around, op)?;
            return all.pop().ok_or_else(|| self.too_large(op));
        }
        match source::indices(self.ctx, op) {
            Some((_, indices)) if dim < indices.len() => {
                self.value(indices[dim], around, op, MAX_DEPTH)
            }
            _ => Err(self.too_large(op)),
        }
    }
}
