//! Index expressions of a region function as polynomials, for a function built beside
//! it that has the same arguments.

use rustc_hash::FxHashMap;
use terrace_dialects::affine::{Access, ApplyOp, IfOp, ParallelOp};
use terrace_dialects::arith::{CmpIOp, CmpIPredicate, IndexCastOp};
use terrace_dialects::memref::DimOp;
use terrace_dialects::{affine, arith, scf};
use terrace_ir::affine::{AffineExpr, AffineOp};
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::effects::is_pure;
use terrace_ir::{Builder, Context, InsertPoint, Loc, Op, OpKind, Value};

use super::notes::Reason;
use super::poly::{Atom, Poly, Table};
use super::range::{End, Nest, Ranges, Variable};
use super::source;

/// The most bounds of a variable that bound those before it.
const MOST_BOUNDS: usize = 4;

/// Numbers of so few bits that all their values are looked at as a range.
const FEW_BITS: u32 = 16;

/// How deep expressions and nests are followed.
const MAX_DEPTH: u32 = 48;

/// Translates index expressions of one function into another one.
pub struct Forms<'c> {
    pub ctx: &'c mut Context,
    /// The end of the block that is built.
    pub at: InsertPoint,
    pub loc: Loc,
    pub table: Table,
    /// Values of the old function that are the same in all iterations, in the new one.
    copies: IrMapping,
    done: FxHashMap<Value, Value>,
}

/// The loops around a place, as variables, and the counters they stand for.
#[derive(Default, Clone)]
pub struct Around {
    pub nest: Nest,
    pub counters: Vec<Option<Value>>,
    /// What a variable that is no counter is computed from, where it is the greater the
    /// greater that is.
    pub sources: Vec<Option<Poly>>,
}

type Form = Result<Poly, Reason>;

impl<'c> Forms<'c> {
    /// `from` and `to` are the arguments of the two functions.
    pub fn new(
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
        }
    }

    fn reason(&self, at: Op, text: impl Into<String>) -> Reason {
        Reason::new(self.ctx.diag_loc(at.loc(self.ctx)), text)
    }

    fn too_large(&self, at: Op) -> Reason {
        self.reason(at, "the expression is too large")
    }

    pub fn ranges<R>(&mut self, f: impl FnOnce(&mut Ranges) -> R) -> R {
        let mut b = Builder::new(self.ctx, self.at, self.loc);
        f(&mut Ranges::new(&mut b, &mut self.table))
    }

    /// The ops around `op` within `root`, the outermost first, each with the one directly in
    /// it.
    pub fn chain(&self, root: Op, op: Op) -> Vec<(Op, Op)> {
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
    pub fn around(&mut self, root: Op, op: Op) -> Result<Around, Reason> {
        let mut around = Around::default();
        for (outer, inner) in self.chain(root, op) {
            match outer.name(self.ctx) {
                "affine.for" => {
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
                "affine.parallel" => {
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
                "scf.for" => {
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
                "scf.parallel" => {
                    let p = scf::ParallelOp::wrap(outer);
                    let (lower, upper) = (p.lower_bounds(self.ctx), p.upper_bounds(self.ctx));
                    let steps = p.steps(self.ctx);
                    for (i, iv) in p.induction_vars(self.ctx).into_iter().enumerate() {
                        let step = self.ctx.constant_int(steps[i]);
                        self.scf_counter(&mut around, iv, lower[i], upper[i], step, outer)?;
                    }
                }
                "affine.if" => self.affine_condition(&mut around, IfOp::wrap(outer), inner),
                "scf.if" => self.condition(&mut around, scf::IfOp::wrap(outer), inner),
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
        map: &terrace_ir::affine::AffineMap,
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
                        return self.quotient("arith.floordivsi", &a, &b, around, at);
                    }
                    AffineOp::CeilDiv => {
                        return self.quotient("arith.ceildivsi", &a, &b, around, at);
                    }
                    AffineOp::Mod => return self.remainder(&a, &b, true, around, at),
                };
                sum.ok_or_else(|| self.too_large(at))
            }
        }
    }

    /// A value that lies between two expressions, for what is no polynomial; where one is
    /// given it grows with that.
    fn between(
        &self,
        around: &mut Around,
        lower: Poly,
        upper: Poly,
        source: Option<&Poly>,
    ) -> Poly {
        around.nest.push(Variable {
            lower: vec![lower],
            upper: vec![upper],
        });
        around.counters.push(None);
        around.sources.push(source.cloned());
        Poly::atom(Atom::Variable(around.nest.len() - 1))
    }

    fn ends(&mut self, p: &Poly, around: &Around) -> Option<(Value, Value)> {
        let nest = around.nest.clone();
        self.ranges(|r| {
            let low = r.bound(p, &nest, End::Least)?;
            Some((low, r.bound(p, &nest, End::Greatest)?))
        })
    }

    fn fixed(&mut self, v: Value) -> Poly {
        Poly::atom(self.table.add(v, false))
    }

    /// A division by a positive constant, which keeps the order of its operands.
    fn quotient(&mut self, op: &str, a: &Poly, b: &Poly, around: &mut Around, at: Op) -> Form {
        let Some(c) = b.as_constant().filter(|c| *c > 0) else {
            return Err(self.reason(at, "it divides by what is no positive constant"));
        };
        if c == 1 {
            return Ok(a.clone());
        }
        let Some((low, high)) = self.ends(a, around) else {
            return Err(self.reason(at, "what is divided has no known range"));
        };
        let mut divide = |v: Value| {
            let mut b = Builder::new(self.ctx, self.at, self.loc);
            let index = b.ctx.index();
            let c = arith::constant_index(&mut b, c);
            match op {
                "arith.floordivsi" => b.value::<arith::FloorDivSIOp>(&[v, c], index, &[]),
                "arith.ceildivsi" => b.value::<arith::CeilDivSIOp>(&[v, c], index, &[]),
                _ => b.value::<arith::DivSIOp>(&[v, c], index, &[]),
            }
        };
        let (low, high) = (divide(low), divide(high));
        let (low, high) = (self.fixed(low), self.fixed(high));
        Ok(self.between(around, low, high, Some(a)))
    }

    /// A remainder by a positive constant: below it; from 0 on, or, where C's sign is
    /// kept, from above its negative. Where all numbers have the same quotient it is as far
    /// from them as the product.
    fn remainder(
        &mut self,
        a: &Poly,
        b: &Poly,
        natural: bool,
        around: &mut Around,
        at: Op,
    ) -> Form {
        let Some(c) = b.as_constant().filter(|c| *c > 0) else {
            return Err(self.reason(at, "it is a remainder by what is no positive constant"));
        };
        let low = if natural { 0 } else { 1 - c };
        let (low, high) = (Poly::constant(low), Poly::constant(c - 1));
        let Some(ends) = self.ends(a, around) else {
            return Ok(self.between(around, low, high, None));
        };
        let (low, high) = self.remainders(ends, c, natural);
        let (low, high) = (self.known(low), self.known(high));
        Ok(self.between(around, low, high, Some(a)))
    }

    /// The least and the greatest remainder by `c` of the numbers from `low` to `high`.
    fn remainders(&mut self, (low, high): (Value, Value), c: i64, natural: bool) -> (Value, Value) {
        // What is known already needs no question.
        let constant = self
            .ctx
            .constant_int(low)
            .filter(|low| *low >= 0 && low % c == 0);
        let mut b = Builder::new(self.ctx, self.at, self.loc);
        let (index, bit) = (b.ctx.index(), b.ctx.int(1));
        let zero = arith::constant_index(&mut b, 0);
        let divisor = arith::constant_index(&mut b, c);
        let quotient = |b: &mut Builder, v| match natural {
            true => b.value::<arith::FloorDivSIOp>(&[v, divisor], index, &[]),
            false => b.value::<arith::DivSIOp>(&[v, divisor], index, &[]),
        };
        let (first, last) = (quotient(&mut b, low), quotient(&mut b, high));
        let product = b.value::<arith::MulIOp>(&[first, divisor], index, &[]);
        let from = b.value::<arith::SubIOp>(&[low, product], index, &[]);
        let to = b.value::<arith::SubIOp>(&[high, product], index, &[]);
        let most = arith::constant_index(&mut b, c - 1);
        let (mut least, mut greatest) = (zero, most);
        if !natural {
            // Of the numbers below 0 it is not above 0, and no further from it than they.
            let bottom = arith::constant_index(&mut b, 1 - c);
            let below = b.value::<arith::MaxSIOp>(&[bottom, low], index, &[]);
            least = b.value::<arith::MinSIOp>(&[below, zero], index, &[]);
            let above = b.value::<arith::MinSIOp>(&[most, high], index, &[]);
            greatest = b.value::<arith::MaxSIOp>(&[above, zero], index, &[]);
        }
        let same = CmpIOp::build(&mut b, CmpIPredicate::Eq, first, last);
        // A range that is empty may have its ends in any order.
        let ordered = CmpIOp::build(&mut b, CmpIPredicate::Sle, low, high);
        let same = b.value::<arith::AndIOp>(&[same, ordered], bit, &[]);
        let from = match constant {
            Some(_) => zero,
            None => b.value::<arith::SelectOp>(&[same, from, least], index, &[]),
        };
        let to = b.value::<arith::SelectOp>(&[same, to, greatest], index, &[]);
        (from, to)
    }

    /// A value of the new function as a polynomial.
    fn known(&mut self, v: Value) -> Poly {
        match self.ctx.constant_int(v) {
            Some(c) => Poly::constant(c),
            None => self.fixed(v),
        }
    }

    /// An index value used by `at`, over the counters around.
    pub fn value(&mut self, v: Value, around: &mut Around, at: Op, depth: u32) -> Form {
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
        let Some(op) = v.def_op().filter(|_| depth > 0) else {
            let text = format!(
                "{} changes from iteration to iteration",
                source::value(self.ctx, v)
            );
            return Err(self.reason(at, text));
        };
        let name = op.name(self.ctx).to_string();
        let operand = |f: &mut Self, i: usize, around: &mut Around| {
            f.value(op.operand(f.ctx, i), around, at, depth - 1)
        };
        let sum = match name.as_str() {
            "arith.addi" | "arith.subi" | "arith.muli" => {
                let a = operand(self, 0, around)?;
                let b = operand(self, 1, around)?;
                match name.as_str() {
                    "arith.addi" => a.plus(1, &b),
                    "arith.subi" => a.plus(-1, &b),
                    _ => a.times(&b),
                }
            }
            "arith.extsi" => {
                let from = self.width(op);
                match operand(self, 0, around) {
                    Ok(p) => Some(p),
                    // Few numbers have few values, wherever they come from.
                    Err(_) if from <= FEW_BITS => {
                        let half = 1i64 << (from - 1);
                        let (low, high) = (Poly::constant(-half), Poly::constant(half - 1));
                        Some(self.between(around, low, high, None))
                    }
                    Err(why) => return Err(why),
                }
            }
            "arith.extui" | "arith.index_castui" if self.width(op) <= FEW_BITS => {
                let most = (1i64 << self.width(op)) - 1;
                Some(self.between(around, Poly::default(), Poly::constant(most), None))
            }
            "arith.andi" => match self.mask(op) {
                Some((mask, other)) => {
                    return self.masked(mask, op.operand(self.ctx, other), around, at, depth);
                }
                None => return Err(self.not_affine(v, at)),
            },
            "arith.remui" => {
                let divisor = self.ctx.constant_int(op.operand(self.ctx, 1));
                match divisor.filter(|c| *c > 0) {
                    Some(c) => {
                        let most = Poly::constant(c - 1);
                        Some(self.between(around, Poly::default(), most, None))
                    }
                    None => return Err(self.not_affine(v, at)),
                }
            }
            "arith.shrsi" => {
                let by = self.ctx.constant_int(op.operand(self.ctx, 1));
                match by.filter(|by| (0..32).contains(by)) {
                    Some(by) => {
                        let a = operand(self, 0, around)?;
                        let b = Poly::constant(1 << by);
                        return self.quotient("arith.floordivsi", &a, &b, around, at);
                    }
                    None => return Err(self.not_affine(v, at)),
                }
            }
            "arith.index_cast" => Some(operand(self, 0, around)?),
            // A counter of C's type int, which does not overflow.
            "arith.trunci" if v.ty(self.ctx).int_width(self.ctx).is_some_and(|w| w >= 32) => {
                Some(operand(self, 0, around)?)
            }
            "arith.divsi" | "arith.floordivsi" | "arith.ceildivsi" => {
                let a = operand(self, 0, around)?;
                let b = operand(self, 1, around)?;
                return self.quotient(&name, &a, &b, around, at);
            }
            "arith.remsi" => {
                let a = operand(self, 0, around)?;
                let b = operand(self, 1, around)?;
                return self.remainder(&a, &b, false, around, at);
            }
            "arith.minsi" | "arith.maxsi" | "arith.select" => {
                let first = usize::from(name == "arith.select");
                let a = operand(self, first, around)?;
                let b = operand(self, first + 1, around)?;
                return self.either(&name, &a, &b, around, at);
            }
            "affine.apply" => {
                let map = ApplyOp::wrap(op).map(self.ctx).clone();
                let operands = op.operands(self.ctx);
                let mut all = self.map(&map, &operands, around, at)?;
                all.pop()
            }
            "affine.load" | "memref.load" => {
                let text = source::value(self.ctx, v);
                return Err(self.reason(at, format!("{text} is read from memory")));
            }
            _ => return Err(self.not_affine(v, at)),
        };
        sum.ok_or_else(|| self.too_large(at))
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

    /// The bits of what a conversion takes.
    fn width(&self, op: Op) -> u32 {
        let from = op.operand(self.ctx, 0).ty(self.ctx);
        from.int_width(self.ctx).unwrap_or(u32::MAX)
    }

    /// A constant that is not negative among the two operands, and which the other one is.
    fn mask(&self, op: Op) -> Option<(i64, usize)> {
        (0..2).find_map(|i| {
            let c = self.ctx.constant_int(op.operand(self.ctx, i))?;
            (c >= 0).then_some((c, 1 - i))
        })
    }

    /// `v & mask`: from 0 to the mask, whatever `v` is, and a remainder where the bits of
    /// the mask are the lowest ones.
    fn masked(&mut self, mask: i64, v: Value, around: &mut Around, at: Op, depth: u32) -> Form {
        let all = mask.checked_add(1).filter(|n| n & mask == 0);
        let before = around.nest.len();
        match (all, self.value(v, around, at, depth - 1)) {
            (Some(n), Ok(p)) => self.remainder(&p, &Poly::constant(n), true, around, at),
            _ => {
                around.nest.truncate(before);
                around.counters.truncate(before);
                around.sources.truncate(before);
                Ok(self.between(around, Poly::default(), Poly::constant(mask), None))
            }
        }
    }

    /// The smaller, the larger, or either of two values.
    fn either(&mut self, op: &str, a: &Poly, b: &Poly, around: &mut Around, at: Op) -> Form {
        let (Some(x), Some(y)) = (self.ends(a, around), self.ends(b, around)) else {
            return Err(self.reason(at, "what is compared has no known range"));
        };
        let (low_end, high_end) = match op {
            "arith.minsi" => (End::Least, End::Least),
            "arith.maxsi" => (End::Greatest, End::Greatest),
            _ => (End::Least, End::Greatest),
        };
        let (low, high) =
            self.ranges(|r| (r.further(x.0, y.0, low_end), r.further(x.1, y.1, high_end)));
        let (low, high) = (self.fixed(low), self.fixed(high));
        let source = if op == "arith.select" { None } else { Some(a) };
        Ok(self.between(around, low, high, source))
    }

    /// A value that is the same in all iterations as an index in the new function.
    pub fn parameter(&mut self, v: Value) -> Option<Value> {
        let new = self.copy(v, MAX_DEPTH)?;
        let is_number = |ctx: &Context, v: Value| {
            let ty = v.ty(ctx);
            ty == ctx.index() || ty.int_width(ctx).is_some_and(|w| w <= 64)
        };
        is_number(self.ctx, new).then(|| self.as_index(new))
    }

    /// A value that depends on the arguments alone, in the new function.
    pub fn copy(&mut self, v: Value, depth: u32) -> Option<Value> {
        if let Some(new) = self.done.get(&v) {
            return Some(*new);
        }
        let op = v.def_op().filter(|_| depth > 0)?;
        if !is_pure(self.ctx, op) || op.num_regions(self.ctx) > 0 {
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

    pub fn as_index(&mut self, v: Value) -> Value {
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

    /// What an `affine.if` says about the counters where it holds.
    fn affine_condition(&mut self, around: &mut Around, op: IfOp, inner: Op) {
        let ctx = &*self.ctx;
        let holds = inner.block(ctx) == Some(op.then_block(ctx));
        let set = op.set(ctx).clone();
        let operands = op.operands(ctx);
        if !holds && set.constraints().len() != 1 {
            return;
        }
        let mut inputs = Vec::new();
        for v in operands {
            let Ok(p) = self.value(v, around, op.op(), MAX_DEPTH) else {
                return;
            };
            inputs.push(p);
        }
        let dims = set.num_dims() as usize;
        for c in set.constraints() {
            let Ok(p) = self.expr(&c.expr, &inputs, dims, around, op.op(), MAX_DEPTH) else {
                continue;
            };
            match (holds, c.is_eq) {
                (true, true) => {
                    self.demand(around, &p);
                    self.demand(around, &Poly::default().plus(-1, &p).unwrap_or_default());
                }
                (true, false) => self.demand(around, &p),
                // p < 0
                (false, false) => self.demand(around, &negated(&p)),
                (false, true) => {}
            }
        }
    }

    /// What an `scf.if` on a comparison says about the counters.
    fn condition(&mut self, around: &mut Around, op: scf::IfOp, inner: Op) {
        let holds = inner.block(self.ctx) == Some(op.then_block(self.ctx));
        self.comparison(around, op.condition(self.ctx), holds, op.op(), 8);
    }

    fn comparison(&mut self, around: &mut Around, v: Value, holds: bool, at: Op, depth: u32) {
        let Some(op) = v.def_op().filter(|_| depth > 0) else {
            return;
        };
        // Both of two conditions hold, or neither.
        let joined = match op.name(self.ctx) {
            "arith.andi" => holds,
            "arith.ori" => !holds,
            _ => false,
        };
        if joined {
            for o in op.operands(self.ctx) {
                self.comparison(around, o, holds, at, depth - 1);
            }
            return;
        }
        let Some(cmp) = op.cast::<CmpIOp>(self.ctx) else {
            return;
        };
        let Some(predicate) = cmp.predicate(self.ctx) else {
            return;
        };
        use CmpIPredicate as P;
        let a = self.value(op.operand(self.ctx, 0), around, at, MAX_DEPTH);
        let b = self.value(op.operand(self.ctx, 1), around, at, MAX_DEPTH);
        let (Ok(a), Ok(b)) = (a, b) else { return };
        // a - b and b - a, with how much each is at least.
        let (Some(ab), Some(ba)) = (a.plus(-1, &b), b.plus(-1, &a)) else {
            return;
        };
        let above = |p: &Poly| p.plus(-1, &Poly::constant(1)).unwrap_or_default();
        match (predicate, holds) {
            (P::Sge, true) | (P::Slt, false) => self.demand(around, &ab),
            (P::Sgt, true) | (P::Sle, false) => self.demand(around, &above(&ab)),
            (P::Sle, true) | (P::Sgt, false) => self.demand(around, &ba),
            (P::Slt, true) | (P::Sge, false) => self.demand(around, &above(&ba)),
            (P::Eq, true) | (P::Ne, false) => {
                self.demand(around, &ab);
                self.demand(around, &ba);
            }
            _ => {}
        }
    }

    /// Takes that `p` is not negative for a bound of the innermost counter in it, where
    /// that has the coefficient 1 or -1.
    fn demand(&mut self, around: &mut Around, p: &Poly) {
        let innermost = p.terms.keys().flatten().filter_map(|a| match a {
            Atom::Variable(i) => Some(*i),
            Atom::Fixed(_) => None,
        });
        let Some(i) = innermost.max() else { return };
        let Some((coefficient, rest)) = p.split(Atom::Variable(i)) else {
            return;
        };
        let Some(variable) = around.nest.get_mut(i) else {
            return;
        };
        match coefficient.as_constant() {
            // i >= -rest
            Some(1) => variable.lower.extend(Poly::default().plus(-1, &rest)),
            // i <= rest
            Some(-1) => variable.upper.push(rest),
            _ => {}
        }
    }

    /// Takes that every variable has some value for bounds of those before it: where an
    /// inner loop has no iterations, nothing happens.
    pub fn tighten(&mut self, around: &mut Around) {
        for i in (0..around.nest.len()).rev() {
            let v = around.nest[i].clone();
            for upper in v.upper.iter().take(MOST_BOUNDS) {
                for lower in v.lower.iter().take(MOST_BOUNDS) {
                    if let Some(room) = upper.plus(-1, lower) {
                        self.demand(around, &room);
                    }
                }
            }
        }
    }

    /// The subscripts of an access along the outermost dimension.
    pub fn first_subscript(&mut self, op: Op, around: &mut Around) -> Form {
        if let Some(a) = Access::of(self.ctx, op) {
            let map = a.map.sub_map(&[0]);
            let mut all = self.map(&map, &a.operands, around, op)?;
            return all.pop().ok_or_else(|| self.too_large(op));
        }
        match source::indices(self.ctx, op) {
            Some((_, indices)) if !indices.is_empty() => {
                self.value(indices[0], around, op, MAX_DEPTH)
            }
            _ => Err(self.too_large(op)),
        }
    }
}

/// `-p - 1`.
fn negated(p: &Poly) -> Poly {
    Poly::constant(-1).plus(-1, p).unwrap_or_default()
}
