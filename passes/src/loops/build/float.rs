//! Numbers that are known, or that the function of an estimate computes from its
//! arguments: trip counts of loops above all.

use rustc_hash::FxHashMap;
use terrace_dialects::affine::ApplyOp;
use terrace_dialects::arith::{
    self, AddFOp, CmpFOp, CmpFPredicate, CmpIPredicate, DivFOp, IndexCastOp, MaximumFOp,
    MinimumFOp, MulFOp, SIToFPOp, SelectOp, SubFOp,
};
use terrace_dialects::memref;
use terrace_ir::affine::{AffineExpr, AffineMap, AffineOp};
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Builder, OpKind, OpState, Value};

/// How often a loop is taken to run whose bounds are not known before.
pub const UNKNOWN_TRIPS: f64 = 16.0;

/// How deep expressions and blocks are followed.
pub(crate) const MAX_DEPTH: u32 = 64;

/// A number that is known, or computed by the function that is built.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum F {
    Known(f64),
    At(Value),
}

/// Computes with [`F`], and knows the loops met so far.
pub(crate) struct Numbers<'c> {
    pub b: Builder<'c>,
    /// Arguments of functions that are looked at, as arguments of the function that is
    /// built.
    pub args: FxHashMap<Value, Value>,
    /// Loop counters at the middle of their ranges, where known.
    counters: FxHashMap<Value, Option<F>>,
    /// How often the loop of a counter runs.
    pub trips: FxHashMap<Value, F>,
    /// In place of what only arguments tell; nothing is built then.
    assumed: Option<f64>,
    /// Whether a choice between two numbers is followed; otherwise it is not known.
    pub choices: bool,
}

impl<'c> Numbers<'c> {
    pub fn new(b: Builder<'c>, args: FxHashMap<Value, Value>, assumed: Option<f64>) -> Numbers<'c> {
        Numbers {
            b,
            args,
            counters: FxHashMap::default(),
            trips: FxHashMap::default(),
            assumed,
            choices: false,
        }
    }

    pub fn value(&mut self, f: F) -> Value {
        match f {
            F::Known(c) => {
                let ty = self.b.ctx.f64();
                arith::constant_float(&mut self.b, c, ty)
            }
            F::At(v) => v,
        }
    }

    fn binary<K: OpKind>(&mut self, x: F, y: F, fold: fn(f64, f64) -> f64) -> F {
        if let (F::Known(a), F::Known(b)) = (x, y) {
            return F::Known(fold(a, b));
        }
        let operands = [self.value(x), self.value(y)];
        let ty = self.b.ctx.f64();
        F::At(self.b.value::<K>(&operands, ty, &[]))
    }

    pub fn add(&mut self, x: F, y: F) -> F {
        match (x, y) {
            (F::Known(c), o) | (o, F::Known(c)) if c == 0.0 => o,
            _ => self.binary::<AddFOp>(x, y, |a, b| a + b),
        }
    }

    pub fn sub(&mut self, x: F, y: F) -> F {
        match y {
            F::Known(0.0) => x,
            _ => self.binary::<SubFOp>(x, y, |a, b| a - b),
        }
    }

    pub fn mul(&mut self, x: F, y: F) -> F {
        match (x, y) {
            (F::Known(c), o) | (o, F::Known(c)) if c == 1.0 => o,
            (F::Known(c), _) | (_, F::Known(c)) if c == 0.0 => F::Known(0.0),
            _ => self.binary::<MulFOp>(x, y, |a, b| a * b),
        }
    }

    pub fn div(&mut self, x: F, y: F) -> F {
        match y {
            F::Known(1.0) => x,
            _ => self.binary::<DivFOp>(x, y, |a, b| a / b),
        }
    }

    pub fn max(&mut self, x: F, y: F) -> F {
        self.binary::<MaximumFOp>(x, y, f64::max)
    }

    pub fn min(&mut self, x: F, y: F) -> F {
        self.binary::<MinimumFOp>(x, y, f64::min)
    }

    pub fn affine_trips(
        &mut self,
        iv: Value,
        lower: &(AffineMap, Vec<Value>),
        upper: &(AffineMap, Vec<Value>),
        step: i64,
    ) -> F {
        let low = self.bound(lower, true);
        let high = self.bound(upper, false);
        self.range(iv, low, high, Some(F::Known(step as f64)))
    }

    pub fn scf_trips(&mut self, iv: Value, bounds: (Value, Value, Value)) -> F {
        let low = self.number(bounds.0, MAX_DEPTH);
        let high = self.number(bounds.1, MAX_DEPTH);
        let step = self.number(bounds.2, MAX_DEPTH);
        self.range(iv, low, high, step)
    }

    /// How often a loop runs; its counter is taken to be in the middle from now on.
    fn range(&mut self, iv: Value, low: Option<F>, high: Option<F>, step: Option<F>) -> F {
        let (trips, middle) = match (low, high, step) {
            (Some(l), Some(h), Some(s)) => {
                let room = self.sub(h, l);
                let trips = self.div(room, s);
                let trips = match trips {
                    F::Known(t) => F::Known(t.ceil()),
                    t => t,
                };
                let half = self.mul(room, F::Known(0.5));
                let middle = self.add(l, half);
                (self.max(trips, F::Known(0.0)), Some(middle))
            }
            _ => (F::Known(UNKNOWN_TRIPS), None),
        };
        self.counters.insert(iv, middle);
        self.trips.insert(iv, trips);
        trips
    }

    /// The greatest or the least of a bound's results.
    fn bound(&mut self, bound: &(AffineMap, Vec<Value>), greatest: bool) -> Option<F> {
        let mut inputs = Vec::new();
        for v in &bound.1 {
            inputs.push(self.number(*v, MAX_DEPTH));
        }
        let dims = bound.0.num_dims() as usize;
        let mut best: Option<F> = None;
        for e in bound.0.results() {
            let f = self.expr(e, &inputs, dims, MAX_DEPTH)?;
            best = Some(match (best, greatest) {
                (None, _) => f,
                (Some(b), true) => self.max(b, f),
                (Some(b), false) => self.min(b, f),
            });
        }
        best
    }

    fn expr(&mut self, e: &AffineExpr, inputs: &[Option<F>], dims: usize, depth: u32) -> Option<F> {
        match e {
            AffineExpr::Dim(i) => *inputs.get(*i as usize)?,
            AffineExpr::Symbol(i) => *inputs.get(dims + *i as usize)?,
            AffineExpr::Constant(c) => Some(F::Known(*c as f64)),
            AffineExpr::Binary(_) if depth == 0 => None,
            AffineExpr::Binary(node) => {
                let a = self.expr(node.lhs(), inputs, dims, depth - 1)?;
                let b = self.expr(node.rhs(), inputs, dims, depth - 1)?;
                Some(match node.op() {
                    AffineOp::Add => self.add(a, b),
                    AffineOp::Mul => self.mul(a, b),
                    AffineOp::FloorDiv | AffineOp::CeilDiv => self.div(a, b),
                    AffineOp::Mod => self.mul(b, F::Known(0.5)),
                })
            }
        }
    }

    /// The number that an integer is, where it can be computed before.
    pub fn of(&mut self, v: Value) -> Option<F> {
        self.number(v, MAX_DEPTH)
    }

    /// Take `v` to be a number from now on, as counters are taken to be in the middle.
    pub fn assume(&mut self, v: Value, f: F) {
        self.counters.insert(v, Some(f));
    }

    /// An integer of the region as a number, where it can be computed before.
    fn number(&mut self, v: Value, depth: u32) -> Option<F> {
        let ctx = &*self.b.ctx;
        if let Some(c) = ctx.constant_int(v) {
            return Some(F::Known(c as f64));
        }
        if let Some(c) = self.counters.get(&v) {
            return *c;
        }
        if let Some(new) = self.args.get(&v).copied() {
            return self.argument(new);
        }
        let op = v.def_op().filter(|_| depth > 0)?;
        let operands = op.operands(ctx);
        let name = op.name(ctx).to_string();
        if name == ApplyOp::NAME {
            let map = ApplyOp::wrap(op).map(ctx).clone();
            return self.bound(&(map, operands), true);
        }
        if name == memref::DimOp::NAME {
            let (array, i) = (
                *self.args.get(&operands[0])?,
                ctx.constant_int(operands[1])?,
            );
            let size = usize::try_from(i).ok()?;
            let known = array.ty(ctx).shape(ctx)?.get(size).copied()?;
            if known != DYNAMIC {
                return Some(F::Known(known as f64));
            }
            if let Some(n) = self.assumed {
                return Some(F::Known(n));
            }
            let i = arith::constant_index(&mut self.b, i);
            let index = self.b.ctx.index();
            let state = OpState::like(self.b.ctx, op)
                .operands(&[array, i])
                .results(&[index]);
            let new = self.b.create(state).result(self.b.ctx, 0);
            return self.argument(new);
        }
        if name == SelectOp::NAME && self.choices {
            return self.choice(&operands, depth - 1);
        }
        let first = self.number(*operands.first()?, depth - 1)?;
        match name.as_str() {
            IndexCastOp::NAME
            | arith::ExtSIOp::NAME
            | arith::ExtUIOp::NAME
            | arith::TruncIOp::NAME
            | arith::IndexCastUIOp::NAME => return Some(first),
            _ => {}
        }
        let second = self.number(*operands.get(1)?, depth - 1)?;
        Some(match name.as_str() {
            arith::AddIOp::NAME => self.add(first, second),
            arith::SubIOp::NAME => self.sub(first, second),
            arith::MulIOp::NAME => self.mul(first, second),
            arith::DivSIOp::NAME
            | arith::DivUIOp::NAME
            | arith::FloorDivSIOp::NAME
            | arith::CeilDivSIOp::NAME => self.div(first, second),
            arith::MinSIOp::NAME | arith::MinUIOp::NAME => self.min(first, second),
            arith::MaxSIOp::NAME | arith::MaxUIOp::NAME => self.max(first, second),
            _ => return None,
        })
    }

    /// One of two numbers, by a comparison of numbers.
    fn choice(&mut self, operands: &[Value], depth: u32) -> Option<F> {
        let [condition, yes, no] = operands else {
            return None;
        };
        let ctx = &*self.b.ctx;
        let compare = condition.def_op()?.cast::<arith::CmpIOp>(ctx)?;
        let predicate = compare.predicate(ctx)?;
        let sides = compare.op().operands(ctx);
        use CmpIPredicate as P;
        let float = match predicate {
            P::Eq => CmpFPredicate::Oeq,
            P::Ne => CmpFPredicate::One,
            P::Slt => CmpFPredicate::Olt,
            P::Sle => CmpFPredicate::Ole,
            P::Sgt => CmpFPredicate::Ogt,
            P::Sge => CmpFPredicate::Oge,
            P::Ult | P::Ule | P::Ugt | P::Uge => return None,
        };
        let [x, y] = [self.number(sides[0], depth)?, self.number(sides[1], depth)?];
        let [yes, no] = [self.number(*yes, depth)?, self.number(*no, depth)?];
        if let (F::Known(x), F::Known(y)) = (x, y) {
            let holds = match predicate {
                P::Eq => x == y,
                P::Ne => x != y,
                P::Slt => x < y,
                P::Sle => x <= y,
                P::Sgt => x > y,
                _ => x >= y,
            };
            return Some(if holds { yes } else { no });
        }
        let [x, y, yes, no] = [x, y, yes, no].map(|f| self.value(f));
        let holds = CmpFOp::build(&mut self.b, float, x, y);
        Some(F::At(SelectOp::build(&mut self.b, holds, yes, no)))
    }

    fn argument(&mut self, v: Value) -> Option<F> {
        if let Some(n) = self.assumed {
            return Some(F::Known(n));
        }
        let ctx = &*self.b.ctx;
        let (index, wide, float) = (ctx.index(), ctx.i64(), ctx.f64());
        let ty = v.ty(ctx);
        let v = if ty == index {
            self.b.value::<IndexCastOp>(&[v], wide, &[])
        } else {
            ty.int_width(ctx)?;
            v
        };
        Some(F::At(self.b.value::<SIToFPOp>(&[v], float, &[])))
    }
}
