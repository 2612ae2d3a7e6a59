//! Values of a kernel as sums of counters, with numbers that the host has in front of the
//! launch.

use rustc_hash::FxHashMap;
use terrace_dialects::arith::{self, IndexCastOp, SIToFPOp};
use terrace_dialects::gpu;
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::effects::is_pure;
use terrace_ir::{Context, Op, OpKind, Value};

use crate::loops::build::float::{F, Numbers};

/// What runs through numbers: a loop's counter, or one of the ids of a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Axis {
    Loop(Value),
    /// Block id times block size plus thread id, along x, y or z.
    Global(usize),
    Thread(usize),
    Block(usize),
}

/// A sum of counters times numbers, and a number.
#[derive(Debug, Clone)]
pub(super) struct Form {
    pub rest: F,
    pub terms: Vec<(Axis, F)>,
}

/// How deep values are followed.
const MAX_DEPTH: u32 = 32;

/// The values of one kernel, of one launch.
pub(super) struct Forms<'n, 'c> {
    pub n: &'n mut Numbers<'c>,
    pub grid: [Value; 3],
    pub block: [Value; 3],
    /// The arguments of the kernel as the launch has them, and what was copied to the host.
    map: IrMapping,
    floats: FxHashMap<Value, F>,
}

impl<'n, 'c> Forms<'n, 'c> {
    pub fn new(n: &'n mut Numbers<'c>, launch: gpu::LaunchFuncOp, kernel: gpu::FuncOp) -> Self {
        let ctx = &*n.b.ctx;
        let mut map = IrMapping::new();
        let args = kernel.op().body(ctx, 0).args(ctx);
        // Memory of the workgroup follows, which a launch does not pass.
        map.map_all(&args, &launch.kernel_operands(ctx));
        let (grid, block) = (launch.grid_size(ctx), launch.block_size(ctx));
        Forms {
            n,
            grid,
            block,
            map,
            floats: FxHashMap::default(),
        }
    }

    pub fn ctx(&self) -> &Context {
        self.n.b.ctx
    }

    /// Whether a value is an argument of the launch.
    pub fn is_passed(&self, v: Value) -> bool {
        v.arg_block().is_some() && self.map.get(v).is_some()
    }

    /// The value on the host, where it is the same for all threads and iterations, and needs
    /// no look at memory.
    pub fn on_host(&mut self, v: Value) -> Option<Value> {
        self.on_host_within(v, MAX_DEPTH)
    }

    fn on_host_within(&mut self, v: Value, depth: u32) -> Option<Value> {
        if let Some(known) = self.map.get(v) {
            return Some(known);
        }
        let op = v.def_op().filter(|_| depth > 0)?;
        let ctx = self.ctx();
        let size = |sizes: &[Value; 3], d: i64| sizes.get(usize::try_from(d).ok()?).copied();
        let made = if let Some(o) = op.cast::<gpu::BlockDimOp>(ctx) {
            size(&self.block, o.dimension(ctx))?
        } else if let Some(o) = op.cast::<gpu::GridDimOp>(ctx) {
            size(&self.grid, o.dimension(ctx))?
        } else {
            let of_gpu = op.name(ctx).starts_with("gpu.");
            let simple = op.num_regions(ctx) == 0 && op.num_results(ctx) == 1;
            if of_gpu || !simple || !is_pure(ctx, op) {
                return None;
            }
            for o in op.operands(ctx) {
                self.on_host_within(o, depth - 1)?;
            }
            let copy = clone_op(self.n.b.ctx, op, &mut self.map);
            self.n.b.insert(copy).result(self.n.b.ctx, 0)
        };
        self.map.map(v, made);
        Some(made)
    }

    /// A whole number of the host as a float; always the same for one value.
    pub fn float(&mut self, v: Value) -> Option<F> {
        let ctx = self.ctx();
        if let Some(c) = ctx.constant_int(v) {
            return Some(F::Known(c as f64));
        }
        if let Some(f) = self.floats.get(&v) {
            return Some(*f);
        }
        let (index, wide, float) = (ctx.index(), ctx.i64(), ctx.f64());
        let ty = v.ty(ctx);
        let int = if ty == index {
            self.n.b.value::<IndexCastOp>(&[v], wide, &[])
        } else {
            ty.int_width(ctx).filter(|w| *w > 1)?;
            v
        };
        let f = F::At(self.n.b.value::<SIToFPOp>(&[int], float, &[]));
        self.floats.insert(v, f);
        Some(f)
    }

    /// The value as a sum of counters.
    pub fn form(&mut self, v: Value) -> Option<Form> {
        let form = self.form_within(v, MAX_DEPTH)?;
        Some(self.with_global_ids(form))
    }

    fn form_within(&mut self, v: Value, depth: u32) -> Option<Form> {
        if let Some(host) = self.on_host(v) {
            let rest = self.float(host)?;
            return Some(Form {
                rest,
                terms: Vec::new(),
            });
        }
        let one = |axis| {
            Some(Form {
                rest: F::Known(0.0),
                terms: vec![(axis, F::Known(1.0))],
            })
        };
        let Some(op) = v.def_op() else {
            return one(Axis::Loop(v));
        };
        if depth == 0 {
            return None;
        }
        let ctx = self.ctx();
        let d = |d: i64| usize::try_from(d).ok().filter(|d| *d < 3);
        if let Some(o) = op.cast::<gpu::ThreadIdOp>(ctx) {
            return one(Axis::Thread(d(o.dimension(ctx))?));
        }
        if let Some(o) = op.cast::<gpu::BlockIdOp>(ctx) {
            return one(Axis::Block(d(o.dimension(ctx))?));
        }
        if let Some(o) = op.cast::<gpu::GlobalIdOp>(ctx) {
            return one(Axis::Global(d(o.dimension(ctx))?));
        }
        let operands = op.operands(ctx);
        let name = op.name(ctx).to_string();
        let first = self.form_within(*operands.first()?, depth - 1)?;
        match name.as_str() {
            IndexCastOp::NAME | arith::ExtSIOp::NAME | arith::TruncIOp::NAME => return Some(first),
            _ => {}
        }
        let second = self.form_within(*operands.get(1)?, depth - 1)?;
        match name.as_str() {
            arith::AddIOp::NAME => Some(self.sum(first, second, 1.0)),
            arith::SubIOp::NAME => Some(self.sum(first, second, -1.0)),
            arith::MulIOp::NAME if second.terms.is_empty() => Some(self.times(first, second.rest)),
            arith::MulIOp::NAME if first.terms.is_empty() => Some(self.times(second, first.rest)),
            _ => None,
        }
    }

    /// `a + sign * b`.
    pub fn sum(&mut self, a: Form, b: Form, sign: f64) -> Form {
        let b = self.times(b, F::Known(sign));
        let mut out = Form {
            rest: self.n.add(a.rest, b.rest),
            terms: a.terms,
        };
        for (axis, c) in b.terms {
            match out.terms.iter_mut().find(|t| t.0 == axis) {
                Some(t) => t.1 = self.n.add(t.1, c),
                None => out.terms.push((axis, c)),
            }
        }
        out.terms.retain(|t| t.1 != F::Known(0.0));
        out
    }

    fn times(&mut self, a: Form, c: F) -> Form {
        let terms = a.terms.into_iter();
        Form {
            rest: self.n.mul(a.rest, c),
            terms: terms.map(|(axis, k)| (axis, self.n.mul(k, c))).collect(),
        }
    }

    /// Block and thread ids of one direction as one counter, where they make up the number of
    /// the thread.
    fn with_global_ids(&mut self, mut form: Form) -> Form {
        for d in 0..3 {
            let size = self.float(self.block[d]);
            let of = |axis| form.terms.iter().position(|t| t.0 == axis);
            let (Some(b), Some(t), Some(size)) = (of(Axis::Block(d)), of(Axis::Thread(d)), size)
            else {
                continue;
            };
            let (by_block, by_thread) = (form.terms[b].1, form.terms[t].1);
            // Only once each: other multiples are left alone.
            let (plain, negative) = (F::Known(1.0), F::Known(-1.0));
            let minus = match size {
                F::Known(s) => Some(F::Known(-s)),
                F::At(_) => None,
            };
            let fits = (by_thread == plain && by_block == size)
                || (by_thread == negative && Some(by_block) == minus);
            if fits {
                form.terms[t] = (Axis::Global(d), by_thread);
                form.terms.remove(b);
            }
        }
        form
    }

    /// What a loop counts, where its bounds are the same for all: `max(0, ceil((u - l) / s))`.
    pub fn trips(&mut self, lower: Value, upper: Value, step: Value) -> Option<F> {
        let (l, u, s) = (
            self.on_host(lower)?,
            self.on_host(upper)?,
            self.on_host(step)?,
        );
        let ctx = self.ctx();
        let known = |v| ctx.constant_int(v);
        if let (Some(l), Some(u), Some(s)) = (known(l), known(u), known(s)) {
            let room = u.checked_sub(l)?.max(0) as f64;
            return (s > 0).then(|| F::Known((room / s as f64).ceil()));
        }
        let (ty, one) = (l.ty(ctx), known(s) == Some(1));
        let b = &mut self.n.b;
        let mut room = match b.ctx.constant_int(l) {
            Some(0) => u,
            _ => b.value::<arith::SubIOp>(&[u, l], ty, &[]),
        };
        if !one {
            room = b.value::<arith::CeilDivSIOp>(&[room, s], ty, &[]);
        }
        let trips = self.float(room)?;
        Some(self.n.max(trips, F::Known(0.0)))
    }

    /// 1 where a condition of the host holds, else 0.
    pub fn truth(&mut self, condition: Value) -> Option<F> {
        let c = self.on_host(condition)?;
        let [yes, no] = [1.0, 0.0].map(|x| self.n.value(F::Known(x)));
        Some(F::At(arith::SelectOp::build(&mut self.n.b, c, yes, no)))
    }

    /// Whether `step` is how far a loop goes that begins at the thread's own number along `d`:
    /// the size of the grid in threads, or of the block.
    pub fn goes_round(&self, step: Value, d: usize, axis: Axis) -> bool {
        let ctx = self.ctx();
        let is_block = |v: Value| {
            let dim = v.def_op().and_then(|o| o.cast::<gpu::BlockDimOp>(ctx));
            let same = || {
                let (a, b) = (ctx.constant_int(v), ctx.constant_int(self.block[d]));
                a.is_some() && a == b
            };
            dim.is_some_and(|o| o.dimension(ctx) == d as i64) || same()
        };
        let is_grid = |v: Value| {
            let dim = v.def_op().and_then(|o| o.cast::<gpu::GridDimOp>(ctx));
            dim.is_some_and(|o| o.dimension(ctx) == d as i64)
                || self.map.get(v) == Some(self.grid[d])
        };
        if axis == Axis::Thread(d) {
            return is_block(step);
        }
        let Some(product) = step.def_op().filter(|o| o.isa::<arith::MulIOp>(ctx)) else {
            return false;
        };
        let (a, b) = (product.operand(ctx, 0), product.operand(ctx, 1));
        (is_grid(a) && is_block(b)) || (is_grid(b) && is_block(a))
    }

    /// Whether an op adds a zero, which is no arithmetic of the program.
    pub fn adds_nothing(&self, op: Op) -> bool {
        let ctx = self.ctx();
        op.isa::<arith::AddFOp>(ctx)
            && op.operands(ctx).iter().any(|v| {
                let c = v
                    .def_op()
                    .filter(|o| o.name(ctx) == arith::ConstantOp::NAME);
                c.and_then(|o| o.attr(ctx, "value"))
                    .is_some_and(|a| ctx.attr_text(a).starts_with("0.0"))
            })
    }
}
