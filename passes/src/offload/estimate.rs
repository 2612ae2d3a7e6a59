//! Whether a region pays on a GPU: its work as a function of its arguments. The model
//! of two machines that it is held against is [`terrace_support::estimate`], which
//! programs use while they run, too.
//!
//! `@NAME.estimate` takes what the region function `@NAME` takes, looks at no element,
//! and returns five `f64`: operations, bytes that move between host and device,
//! parallel iterations, launches, and bytes that the operations touch. It is built
//! after the loops have been made parallel. Assumptions:
//!
//! * a loop whose bounds depend on outer counters runs as often as at the middle of
//!   their ranges, one whose bounds are not known [`UNKNOWN_TRIPS`] times;
//! * a condition with two branches costs their mean;
//! * parallel iterations are operations over the longest chain of dependent ones (work
//!   over span: R. Brent, "The parallel evaluation of general arithmetic expressions",
//!   1974), so that sequential parts count as what they are;
//! * an array is as large as the loops around an access in whose counters its
//!   subscripts are; it moves in where it is read and out where it is written;
//! * an outermost parallel loop is a launch, each time it is met, and so is what runs
//!   in sequence beside such loops.

pub use terrace_support::estimate::{CpuModel, GpuModel, Times, Work, pays, times};

use rustc_hash::{FxHashMap, FxHashSet};
use terrace_dialects::affine::{ApplyOp, ParallelOp};
use terrace_dialects::arith::{
    self, AddFOp, DivFOp, IndexCastOp, MaximumFOp, MinimumFOp, MulFOp, SIToFPOp, SubFOp,
};
use terrace_dialects::func::{FuncOp, ReturnOp};
use terrace_dialects::{affine, scf};
use terrace_ir::affine::{AffineExpr, AffineMap, AffineOp};
use terrace_ir::pass::{Pass, PassContext, PassInfo, PassResult};
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Block, Builder, Context, Op, OpKind, OpState, Value};

use super::source;
use crate::analysis::memory::base;
use crate::analysis::region::element_bytes;

/// How often a loop is taken to run whose bounds are not known before.
pub const UNKNOWN_TRIPS: f64 = 16.0;

/// What arguments are taken to be where a number is needed.
pub const ASSUMED: f64 = 1000.0;

/// How deep expressions and blocks are followed.
const MAX_DEPTH: u32 = 64;

/// The work of a region.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Estimate {
    /// It does not depend on the arguments.
    Known(Work),
    /// `@NAME.estimate` computes it.
    Function(Op),
}

/// Estimates the region function `function`, whose loops have been made parallel.
/// Builds `@NAME.estimate` after it where the work depends on its arguments.
pub fn estimate(ctx: &mut Context, function: FuncOp) -> Estimate {
    if function.is_declaration(ctx) {
        return Estimate::Known(Work::default());
    }
    let name = format!("{}.estimate", function.name(ctx));
    let inputs = function.inputs(ctx).to_vec();
    let float = ctx.f64();
    let loc = function.op().loc(ctx);
    let old = function.entry(ctx);
    let mut b = Builder::after(ctx, function.op());
    let (new, entry) = FuncOp::build(&mut b, &name, &inputs, &[float; 5]);
    super::extents::keep_argument_attributes(ctx, function.op(), new.op());
    let args: FxHashMap<Value, Value> = old.args(ctx).into_iter().zip(entry.args(ctx)).collect();
    let mut e = Estimator {
        b: Builder::at_end(ctx, entry, loc),
        args,
        counters: FxHashMap::default(),
        trips: FxHashMap::default(),
        arrays: Vec::new(),
        parallel: FxHashSet::default(),
        assumed: None,
    };
    let all = e.work(old);
    if let Some(work) = all.known() {
        new.op().erase(ctx);
        return Estimate::Known(work);
    }
    let values = all.0.map(|f| e.value(f));
    ReturnOp::build(&mut e.b, &values);
    Estimate::Function(new.op())
}

/// What a device is estimated to need for a region.
#[derive(Debug, Clone, Copy)]
pub struct DeviceSeconds {
    /// Kernels and their launches, without copies.
    pub kernels: f64,
    /// What the host would need.
    pub host: f64,
}

impl DeviceSeconds {
    /// Whether the device gains nothing whatever is copied.
    pub fn is_hopeless(&self) -> bool {
        self.kernels > self.host
    }
}

/// What a device of a common size needs for `function` where the loops `parallel` run
/// their iterations at once, with 1000 for whatever only the arguments tell.
pub fn device_seconds(ctx: &mut Context, function: Op, parallel: &FxHashSet<Op>) -> DeviceSeconds {
    let none = DeviceSeconds {
        kernels: 0.0,
        host: 0.0,
    };
    let Some(entry) = function.region(ctx, 0).entry(ctx) else {
        return none;
    };
    let args = entry.args(ctx).into_iter().map(|v| (v, v)).collect();
    let loc = function.loc(ctx);
    let mut e = Estimator {
        // Nothing is built: all numbers are known.
        b: Builder::at_end(ctx, entry, loc),
        args,
        counters: FxHashMap::default(),
        trips: FxHashMap::default(),
        arrays: Vec::new(),
        parallel: parallel.clone(),
        assumed: Some(ASSUMED),
    };
    match e.work(entry).known() {
        Some(w) => {
            let t = times(&w, &GpuModel::default(), &CpuModel::default());
            DeviceSeconds {
                kernels: t.launches + t.kernels,
                host: t.cpu,
            }
        }
        None => none,
    }
}

/// A number that is known, or computed by the function that is built.
#[derive(Debug, Clone, Copy)]
enum F {
    Known(f64),
    At(Value),
}

/// What running some ops once takes.
#[derive(Debug, Clone, Copy)]
struct Cost {
    ops: F,
    span: F,
    touched: F,
    launches: F,
}

const NONE: Cost = Cost {
    ops: F::Known(0.0),
    span: F::Known(0.0),
    touched: F::Known(0.0),
    launches: F::Known(0.0),
};

/// What [`Work`] is made of, in its order.
struct Numbers([F; 5]);

impl Numbers {
    fn known(&self) -> Option<Work> {
        let mut out = [0.0; 5];
        for (o, f) in out.iter_mut().zip(self.0) {
            match f {
                F::Known(x) => *o = x,
                F::At(_) => return None,
            }
        }
        Some(Work::from_results(out))
    }
}

struct Estimator<'c> {
    b: Builder<'c>,
    args: FxHashMap<Value, Value>,
    /// Loop counters at the middle of their ranges, where known.
    counters: FxHashMap<Value, Option<F>>,
    /// How often the loop of a counter runs.
    trips: FxHashMap<Value, F>,
    /// Accesses: the array, the elements that this access reaches, and whether it
    /// writes.
    arrays: Vec<(Value, F, bool)>,
    /// Loops that are parallel besides those that say so.
    parallel: FxHashSet<Op>,
    /// In place of what only arguments tell.
    assumed: Option<f64>,
}

impl Estimator<'_> {
    fn work(&mut self, entry: Block) -> Numbers {
        let cost = self.block(entry, false, MAX_DEPTH);
        let moved = self.moved(entry);
        let beside = if self.serial_work(entry) { 1.0 } else { 0.0 };
        let launches = self.add(cost.launches, F::Known(beside));
        let one = F::Known(1.0);
        let span = self.max(cost.span, one);
        let iterations = self.div(cost.ops, span);
        let iterations = self.max(iterations, one);
        Numbers([cost.ops, moved, iterations, launches, cost.touched])
    }

    fn value(&mut self, f: F) -> Value {
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

    fn add(&mut self, x: F, y: F) -> F {
        match (x, y) {
            (F::Known(c), o) | (o, F::Known(c)) if c == 0.0 => o,
            _ => self.binary::<AddFOp>(x, y, |a, b| a + b),
        }
    }

    fn sub(&mut self, x: F, y: F) -> F {
        match y {
            F::Known(0.0) => x,
            _ => self.binary::<SubFOp>(x, y, |a, b| a - b),
        }
    }

    fn mul(&mut self, x: F, y: F) -> F {
        match (x, y) {
            (F::Known(c), o) | (o, F::Known(c)) if c == 1.0 => o,
            (F::Known(c), _) | (_, F::Known(c)) if c == 0.0 => F::Known(0.0),
            _ => self.binary::<MulFOp>(x, y, |a, b| a * b),
        }
    }

    fn div(&mut self, x: F, y: F) -> F {
        match y {
            F::Known(1.0) => x,
            _ => self.binary::<DivFOp>(x, y, |a, b| a / b),
        }
    }

    fn max(&mut self, x: F, y: F) -> F {
        self.binary::<MaximumFOp>(x, y, f64::max)
    }

    fn min(&mut self, x: F, y: F) -> F {
        self.binary::<MinimumFOp>(x, y, f64::min)
    }

    fn plus(&mut self, a: Cost, b: Cost) -> Cost {
        Cost {
            ops: self.add(a.ops, b.ops),
            span: self.add(a.span, b.span),
            touched: self.add(a.touched, b.touched),
            launches: self.add(a.launches, b.launches),
        }
    }

    fn scaled(&mut self, a: Cost, n: F) -> Cost {
        Cost {
            ops: self.mul(a.ops, n),
            span: self.mul(a.span, n),
            touched: self.mul(a.touched, n),
            launches: self.mul(a.launches, n),
        }
    }

    /// What a block takes; `inside`: in a parallel loop.
    fn block(&mut self, block: Block, inside: bool, depth: u32) -> Cost {
        let mut sum = NONE;
        if depth == 0 {
            return sum;
        }
        for op in block.ops(self.b.ctx) {
            let cost = self.op(op, inside, depth - 1);
            sum = self.plus(sum, cost);
        }
        sum
    }

    fn op(&mut self, op: Op, inside: bool, depth: u32) -> Cost {
        let ctx = &*self.b.ctx;
        match op.name(ctx) {
            "affine.for" => {
                let l = affine::ForOp::wrap(op);
                let lower = (l.lower_map(ctx).clone(), l.lower_operands(ctx));
                let upper = (l.upper_map(ctx).clone(), l.upper_operands(ctx));
                let (step, iv, body) = (l.step(ctx), l.iv(ctx), l.body(ctx));
                let trips = self.affine_trips(iv, &lower, &upper, step);
                if self.parallel.contains(&op) {
                    return self.in_parallel(body, trips, inside, depth);
                }
                let cost = self.block(body, inside, depth);
                self.in_sequence(op, cost, trips)
            }
            "scf.for" => {
                let l = scf::ForOp::wrap(op);
                let bounds = (l.lower_bound(ctx), l.upper_bound(ctx), l.step(ctx));
                let (iv, body) = (l.induction_var(ctx), l.body(ctx));
                let trips = self.scf_trips(iv, bounds);
                if self.parallel.contains(&op) {
                    return self.in_parallel(body, trips, inside, depth);
                }
                let cost = self.block(body, inside, depth);
                self.in_sequence(op, cost, trips)
            }
            "scf.while" => {
                let l = scf::WhileOp::wrap(op);
                let (before, after) = (l.before(ctx), l.after(ctx));
                let first = self.block(before, inside, depth);
                let second = self.block(after, inside, depth);
                let cost = self.plus(first, second);
                self.in_sequence(op, cost, F::Known(UNKNOWN_TRIPS))
            }
            "affine.parallel" => {
                let p = ParallelOp::wrap(op);
                let (steps, ivs, body) = (p.steps(ctx), p.ivs(ctx), p.body(ctx));
                let mut trips = F::Known(1.0);
                for (i, iv) in ivs.into_iter().enumerate() {
                    let ctx = &*self.b.ctx;
                    let lower = (p.lower_map_of(ctx, i), p.lower_operands(ctx));
                    let upper = (p.upper_map_of(ctx, i), p.upper_operands(ctx));
                    let step = steps.get(i).copied().unwrap_or(1);
                    let n = self.affine_trips(iv, &lower, &upper, step);
                    trips = self.mul(trips, n);
                }
                self.in_parallel(body, trips, inside, depth)
            }
            "scf.parallel" => {
                let p = scf::ParallelOp::wrap(op);
                let (lower, upper) = (p.lower_bounds(ctx), p.upper_bounds(ctx));
                let (steps, ivs, body) = (p.steps(ctx), p.induction_vars(ctx), p.body(ctx));
                let mut trips = F::Known(1.0);
                for (i, iv) in ivs.into_iter().enumerate() {
                    let n = self.scf_trips(iv, (lower[i], upper[i], steps[i]));
                    trips = self.mul(trips, n);
                }
                self.in_parallel(body, trips, inside, depth)
            }
            _ if op.num_regions(ctx) > 0 => {
                let blocks: Vec<Block> =
                    op.regions(ctx).iter().flat_map(|r| r.blocks(ctx)).collect();
                let branches = blocks.len();
                let chooses = matches!(op.name(ctx), "scf.if" | "affine.if" | "scf.index_switch");
                let mut sum = NONE;
                for b in blocks {
                    let cost = self.block(b, inside, depth);
                    sum = self.plus(sum, cost);
                }
                if chooses && branches > 1 {
                    sum = self.scaled(sum, F::Known(1.0 / branches as f64));
                }
                sum
            }
            _ => self.leaf(op),
        }
    }

    fn in_sequence(&mut self, op: Op, body: Cost, trips: F) -> Cost {
        let mut cost = self.scaled(body, trips);
        // Beside the parallel loops in it, each iteration runs on its own.
        let ctx = &*self.b.ctx;
        let blocks: Vec<Block> = op.regions(ctx).iter().flat_map(|r| r.blocks(ctx)).collect();
        let launches_in_it = self.holds_parallel(op);
        if launches_in_it && blocks.iter().any(|b| self.serial_work(*b)) {
            cost.launches = self.add(cost.launches, trips);
        }
        cost
    }

    fn in_parallel(&mut self, body: Block, trips: F, inside: bool, depth: u32) -> Cost {
        let once = self.block(body, true, depth);
        Cost {
            ops: self.mul(once.ops, trips),
            touched: self.mul(once.touched, trips),
            span: once.span,
            launches: F::Known(if inside { 0.0 } else { 1.0 }),
        }
    }

    /// Whether a block touches memory outside of parallel loops and of loops that hold
    /// such.
    fn serial_work(&self, block: Block) -> bool {
        let ctx = &*self.b.ctx;
        block.ops(ctx).into_iter().any(|op| {
            let mut touches = false;
            if !self.is_parallel(op) && !self.holds_parallel(op) {
                op.walk(ctx, &mut |o| touches |= source::indices(ctx, o).is_some());
            }
            touches
        })
    }

    fn is_parallel(&self, op: Op) -> bool {
        let ctx = &*self.b.ctx;
        matches!(op.name(ctx), "affine.parallel" | "scf.parallel") || self.parallel.contains(&op)
    }

    /// Whether a loop or a condition has a parallel loop in it.
    fn holds_parallel(&self, op: Op) -> bool {
        let mut found = false;
        if op.num_regions(self.b.ctx) > 0 && !self.is_parallel(op) {
            op.walk(self.b.ctx, &mut |o| found |= self.is_parallel(o));
        }
        found
    }

    fn leaf(&mut self, op: Op) -> Cost {
        let ctx = &*self.b.ctx;
        if let Some((memref, _)) = source::indices(ctx, op) {
            let element = memref.ty(ctx).element(ctx);
            let bytes = element.and_then(|t| element_bytes(ctx, t)).unwrap_or(8) as f64;
            let writes = !matches!(op.name(ctx), "affine.load" | "memref.load");
            let array = base(ctx, memref);
            let elements = self.elements(op);
            self.arrays.push((array, elements, writes));
            return Cost {
                ops: F::Known(1.0),
                span: F::Known(1.0),
                touched: F::Known(bytes),
                launches: F::Known(0.0),
            };
        }
        let weight = weight(ctx, op);
        Cost {
            ops: F::Known(weight),
            span: F::Known(weight),
            ..NONE
        }
    }

    /// The elements that an access reaches: the product of the loops in whose counters
    /// its subscripts are.
    fn elements(&mut self, op: Op) -> F {
        let ctx = &*self.b.ctx;
        let mut counters = Vec::new();
        let mut seen = FxHashSet::default();
        let mut todo = source::indices(ctx, op).map(|(_, v)| v).unwrap_or_default();
        while let Some(v) = todo.pop() {
            if !seen.insert(v) || seen.len() > 200 {
                continue;
            }
            if self.trips.contains_key(&v) {
                counters.push(v);
            } else if let Some(def) = v.def_op() {
                todo.extend(def.operands(ctx));
            }
        }
        let mut product = F::Known(1.0);
        for c in counters {
            let n = self.trips[&c];
            product = self.mul(product, n);
        }
        product
    }

    /// The bytes of all arguments that are read plus those of all that are written.
    fn moved(&mut self, entry: Block) -> F {
        let mut sum = F::Known(0.0);
        for array in entry.args(self.b.ctx) {
            let ctx = &*self.b.ctx;
            let Some(shape) = array.ty(ctx).shape(ctx).map(<[i64]>::to_vec) else {
                continue;
            };
            let element = array.ty(ctx).element(ctx);
            let bytes = element.and_then(|t| element_bytes(ctx, t)).unwrap_or(8) as f64;
            let accesses: Vec<(F, bool)> = self
                .arrays
                .iter()
                .filter(|a| a.0 == array)
                .map(|a| (a.1, a.2))
                .collect();
            let mut size = if shape.contains(&DYNAMIC) {
                None
            } else {
                Some(F::Known(shape.iter().map(|s| *s as f64).product()))
            };
            for (n, _) in &accesses {
                size = Some(match size {
                    Some(s) if !shape.contains(&DYNAMIC) => s,
                    Some(s) => self.max(s, *n),
                    None => *n,
                });
            }
            let ways = [false, true]
                .iter()
                .filter(|w| accesses.iter().any(|a| a.1 == **w));
            let ways = ways.count() as f64;
            if let Some(size) = size.filter(|_| ways > 0.0) {
                let moved = self.mul(size, F::Known(bytes * ways));
                sum = self.add(sum, moved);
            }
        }
        sum
    }

    fn affine_trips(
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

    fn scf_trips(&mut self, iv: Value, bounds: (Value, Value, Value)) -> F {
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
        if name == "affine.apply" {
            let map = ApplyOp::wrap(op).map(ctx).clone();
            return self.bound(&(map, operands), true);
        }
        if name == "memref.dim" {
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
            let state = OpState::like(self.b.ctx, op).operands(&[array, i]);
            let new = self.b.create(state).result(self.b.ctx, 0);
            return self.argument(new);
        }
        let first = self.number(*operands.first()?, depth - 1)?;
        match name.as_str() {
            "arith.index_cast" | "arith.extsi" | "arith.extui" | "arith.trunci"
            | "arith.index_castui" => return Some(first),
            _ => {}
        }
        let second = self.number(*operands.get(1)?, depth - 1)?;
        Some(match name.as_str() {
            "arith.addi" => self.add(first, second),
            "arith.subi" => self.sub(first, second),
            "arith.muli" => self.mul(first, second),
            "arith.divsi" | "arith.divui" | "arith.floordivsi" | "arith.ceildivsi" => {
                self.div(first, second)
            }
            "arith.minsi" | "arith.minui" => self.min(first, second),
            "arith.maxsi" | "arith.maxui" => self.max(first, second),
            _ => return None,
        })
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

/// What an op without memory weighs: additions and the like 1.
fn weight(ctx: &Context, op: Op) -> f64 {
    let index = |v: &Value| v.ty(ctx).is_index(ctx);
    match op.name(ctx) {
        "arith.constant" | "affine.apply" | "arith.index_cast" | "arith.extsi" | "arith.trunci"
        | "arith.select" | "memref.dim" => 0.0,
        "arith.divf" | "math.sqrt" | "math.rsqrt" | "arith.divsi" | "arith.remsi"
        | "arith.divui" | "arith.remui" => 8.0,
        name if name.starts_with("math.") && name != "math.fma" && name != "math.absf" => 20.0,
        name if name.starts_with("arith.") || name.starts_with("math.") => {
            if op.results(ctx).iter().any(index) {
                0.0
            } else {
                1.0
            }
        }
        "func.call" => 20.0,
        _ => 0.0,
    }
}

/// `offload-estimate`: the functions of the work of all regions of a module.
pub static INFO: PassInfo = PassInfo {
    name: "offload-estimate",
    title: "OffloadEstimate",
    summary: "Build functions that estimate the work of regions",
    description: "For each function with acc.region, @NAME.estimate of the same arguments returns operations, bytes moved, parallel iterations, launches and bytes touched. Where they do not depend on the arguments a remark gives them, with the times of a common GPU and of one core.",
    anchor: Some("builtin.module"),
    make: |_| Ok(Box::new(OffloadEstimate)),
    ..PassInfo::EMPTY
};

struct OffloadEstimate;

impl Pass for OffloadEstimate {
    fn run(&mut self, ctx: &mut PassContext, op: Op) -> PassResult {
        for f in op.find_all::<FuncOp>(ctx) {
            if f.op().attr(ctx, "acc.region").is_none() {
                continue;
            }
            if let Estimate::Known(w) = estimate(ctx.ctx, f) {
                let (gpu, cpu) = (GpuModel::default(), CpuModel::default());
                let t = times(&w, &gpu, &cpu);
                let verdict = if pays(&w, &gpu, &cpu) {
                    "pays"
                } else {
                    "does not pay"
                };
                let text = format!(
                    "{} operations, {} bytes moved, {:.0} parallel, {} launches, {} bytes \
                     touched: {:.1} us on a GPU, {:.1} us on the host, {verdict}",
                    w.ops,
                    w.moved,
                    w.iterations,
                    w.launches,
                    w.touched,
                    t.gpu * 1e6,
                    t.cpu * 1e6
                );
                f.op().remark(ctx, text);
            }
        }
        Ok(())
    }
}
