//! What the loops of a region cost, on a device or on the host.

use rustc_hash::FxHashSet;
use terrace_dialects::affine::ParallelOp;
use terrace_dialects::memref::LoadOp;
use terrace_dialects::{affine, scf};
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Block, Context, Op, Value};

use crate::analysis::memory::base;
use crate::analysis::memref_region::element_bytes;
use crate::analysis::source;
use crate::analysis::stride;
use crate::analysis::work::{LoopLike, chained, flops, weight};
use crate::gpu::sectors::sectors;
use crate::loops::build::float::{F, Numbers};
use crate::loops::build::float::{MAX_DEPTH, UNKNOWN_TRIPS};

/// What a load weighs in a chain of dependent operations whose lines are elsewhere for
/// every iteration and thread: it waits for memory, not for a cache.
const FAR: f64 = 8.0;

/// Bytes from one access to the next from which each needs a cache line of its own.
const LINE: f64 = 64.0;

/// Operations of a parallel loop from which on two cores share it, as `affine-chunk-parallel` has it.
const WORTH_SHARING: f64 = 131072.0;

/// The most loops of a band.
const MAX_LEVELS: usize = 16;

/// Where loops run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Device,
    /// One core, the loops in their order.
    Host,
    /// Two that share the iterations of outermost parallel loops.
    TwoCores,
}

/// What running some ops once takes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cost {
    pub ops: F,
    /// Operations on the longest chain of dependent ones, by what they wait.
    pub span: F,
    /// Bytes that move.
    pub touched: F,
    pub launches: F,
    /// Accesses that need a cache line each.
    pub columns: F,
    /// Operations that wait for the one of the iteration before.
    pub chained: F,
    /// Arithmetic on floats of at most 32 bits, and of 64.
    pub flops: [F; 2],
}

const ZERO: F = F::Known(0.0);

const NONE: Cost = Cost {
    ops: ZERO,
    span: ZERO,
    touched: ZERO,
    launches: ZERO,
    columns: ZERO,
    chained: ZERO,
    flops: [ZERO; 2],
};

/// A loop as the walk sees it.
struct Around {
    /// The counter of the innermost loop that is met so far, if it has one.
    innermost: Option<Value>,
    /// In a kernel of many threads.
    inside: bool,
}

pub(super) struct Coster<'n, 'c> {
    pub n: &'n mut Numbers<'c>,
    side: Side,
    /// Loops that are parallel besides those that say so.
    parallel: &'n FxHashSet<Op>,
    /// Accesses: the array, the elements that this access reaches, and whether it
    /// writes.
    arrays: Vec<(Value, F, bool)>,
    /// Of the kernel that is looked at: its loops, and the counter along which
    /// neighbouring threads are.
    band: Vec<Op>,
    x: Option<Value>,
}

impl<'n, 'c> Coster<'n, 'c> {
    pub(crate) fn new(n: &'n mut Numbers<'c>, side: Side, parallel: &'n FxHashSet<Op>) -> Self {
        Coster {
            n,
            side,
            parallel,
            arrays: Vec::new(),
            band: Vec::new(),
            x: None,
        }
    }

    /// The whole function.
    pub(crate) fn function(&mut self, entry: Block) -> Cost {
        let around = Around {
            innermost: None,
            inside: false,
        };
        let mut cost = self.block(entry, &around, MAX_DEPTH);
        if self.serial_work(entry) {
            cost.launches = self.n.add(cost.launches, F::Known(1.0));
        }
        cost
    }

    fn plus(&mut self, a: Cost, b: Cost) -> Cost {
        Cost {
            ops: self.n.add(a.ops, b.ops),
            span: self.n.add(a.span, b.span),
            touched: self.n.add(a.touched, b.touched),
            launches: self.n.add(a.launches, b.launches),
            columns: self.n.add(a.columns, b.columns),
            chained: self.n.add(a.chained, b.chained),
            flops: [0, 1].map(|i| self.n.add(a.flops[i], b.flops[i])),
        }
    }

    fn scaled(&mut self, a: Cost, n: F) -> Cost {
        Cost {
            ops: self.n.mul(a.ops, n),
            span: self.n.mul(a.span, n),
            touched: self.n.mul(a.touched, n),
            launches: self.n.mul(a.launches, n),
            columns: self.n.mul(a.columns, n),
            chained: self.n.mul(a.chained, n),
            flops: a.flops.map(|f| self.n.mul(f, n)),
        }
    }

    fn block(&mut self, block: Block, around: &Around, depth: u32) -> Cost {
        let mut sum = NONE;
        let Some(depth) = depth.checked_sub(1) else {
            return sum;
        };
        for op in block.ops(self.n.b.ctx) {
            let cost = self.op(op, around, depth);
            sum = self.plus(sum, cost);
        }
        sum
    }

    fn op(&mut self, op: Op, around: &Around, depth: u32) -> Cost {
        let ctx = &*self.n.b.ctx;
        if let Some(l) = LoopLike::of(ctx, op) {
            let mut trips = F::Known(1.0);
            for i in 0..l.ivs.len() {
                let n = self.trips(op, &l, i);
                trips = self.n.mul(trips, n);
            }
            if l.ivs.is_empty() {
                trips = F::Known(UNKNOWN_TRIPS);
            }
            if self.side == Side::Device && self.is_parallel(op) {
                return self.in_parallel(op, &l, trips, around, depth);
            }
            return self.in_sequence(op, &l, trips, around, depth);
        }
        if op.num_regions(ctx) > 0 {
            let blocks = op.blocks(ctx);
            let branches = blocks.len();
            let chooses = matches!(
                op.name(ctx),
                scf::IfOp::NAME | affine::IfOp::NAME | scf::IndexSwitchOp::NAME
            );
            let mut sum = NONE;
            for b in blocks {
                let cost = self.block(b, around, depth);
                sum = self.plus(sum, cost);
            }
            if chooses && branches > 1 {
                sum = self.scaled(sum, F::Known(1.0 / branches as f64));
            }
            return sum;
        }
        self.leaf(op, around)
    }

    fn trips(&mut self, op: Op, l: &LoopLike, i: usize) -> F {
        let ctx = &*self.n.b.ctx;
        if let Some(l) = op.cast::<affine::ForOp>(ctx) {
            let lower = (l.lower_map(ctx).clone(), l.lower_operands(ctx));
            let upper = (l.upper_map(ctx).clone(), l.upper_operands(ctx));
            let (step, iv) = (l.step(ctx), l.iv(ctx));
            return self.n.affine_trips(iv, &lower, &upper, step);
        }
        if let Some(l) = op.cast::<scf::ForOp>(ctx) {
            let bounds = (l.lower_bound(ctx), l.upper_bound(ctx), l.step(ctx));
            let iv = l.induction_var(ctx);
            return self.n.scf_trips(iv, bounds);
        }
        if let Some(p) = op.cast::<ParallelOp>(ctx) {
            let lower = (p.lower_map_of(ctx, i), p.lower_operands(ctx));
            let upper = (p.upper_map_of(ctx, i), p.upper_operands(ctx));
            let step = p.steps(ctx).get(i).copied().unwrap_or(1);
            return self.n.affine_trips(l.ivs[i], &lower, &upper, step);
        }
        if let Some(p) = op.cast::<scf::ParallelOp>(ctx) {
            let bounds = (
                p.lower_bounds(ctx)[i],
                p.upper_bounds(ctx)[i],
                p.steps(ctx)[i],
            );
            return self.n.scf_trips(l.ivs[i], bounds);
        }
        F::Known(UNKNOWN_TRIPS)
    }

    fn in_sequence(&mut self, op: Op, l: &LoopLike, trips: F, around: &Around, depth: u32) -> Cost {
        let is_shared = self.side == Side::TwoCores && !around.inside && self.is_parallel(op);
        let here = Around {
            innermost: l.ivs.last().copied().or(around.innermost),
            inside: around.inside || is_shared,
        };
        let mut once = NONE;
        for b in &l.bodies {
            let cost = self.block(*b, &here, depth);
            once = self.plus(once, cost);
        }
        if self.side != Side::Device {
            let chained = chained(self.n.b.ctx, op, l);
            once.chained = self.n.add(once.chained, F::Known(chained));
        }
        let mut cost = self.scaled(once, trips);
        // A loop with little work stays on its core.
        if is_shared && !matches!(cost.ops, F::Known(n) if n < WORTH_SHARING) {
            cost = self.scaled(cost, F::Known(0.5));
        }
        // Beside the parallel loops in it, each iteration runs on its own.
        let launches_in_it = !around.inside && self.holds_parallel(op);
        if launches_in_it && l.bodies.iter().any(|b| self.serial_work(*b)) {
            cost.launches = self.n.add(cost.launches, trips);
        }
        cost
    }

    fn in_parallel(&mut self, op: Op, l: &LoopLike, trips: F, around: &Around, depth: u32) -> Cost {
        // What a thread meets on its way it runs one after another.
        if around.inside && !self.band.contains(&op) {
            return self.in_sequence(op, l, trips, around, depth);
        }
        if !around.inside {
            self.enter(op);
        }
        let here = Around {
            innermost: around.innermost,
            inside: true,
        };
        let mut once = NONE;
        for b in &l.bodies {
            let cost = self.block(*b, &here, depth);
            once = self.plus(once, cost);
        }
        let launches = match (around.inside, op.num_results(self.n.b.ctx)) {
            (true, _) => 0.0,
            (false, 0) => 1.0,
            // The results of blocks are combined by a second kernel.
            (false, _) => 2.0,
        };
        if !around.inside {
            self.band.clear();
            self.x = None;
        }
        Cost {
            span: once.span,
            launches: F::Known(launches),
            ..self.scaled(once, trips)
        }
    }

    /// Finds the loops of the kernel that `root` becomes, and the one that is best run
    /// along x.
    fn enter(&mut self, root: Op) {
        let ctx = &*self.n.b.ctx;
        let mut ivs = Vec::new();
        let mut at = Some(root);
        while let Some(op) = at
            && let Some(l) = LoopLike::of(ctx, op)
            && ivs.len() + l.ivs.len() <= MAX_LEVELS
        {
            self.band.push(op);
            ivs.extend(l.ivs.iter().copied());
            at = self.only_inside(&l.bodies);
        }
        let mut accesses = Vec::new();
        for op in root.pre_order(ctx) {
            if source::indices(ctx, op).is_some() {
                let loops = depth_below(ctx, op, root).min(8) as i32;
                accesses.push((op, 4f64.powi(loops)));
            }
        }
        let mut best: Option<(f64, Value)> = None;
        for iv in ivs {
            let weights = accesses
                .iter()
                .map(|(op, w)| w * sectors_along(ctx, *op, iv));
            let sum: f64 = weights.sum();
            if best.is_none_or(|b| sum <= b.0) {
                best = Some((sum, iv));
            }
        }
        self.x = best.map(|b| b.1);
    }

    /// The parallel loop beside which nothing is that only one iteration may do.
    fn only_inside(&self, bodies: &[Block]) -> Option<Op> {
        let ctx = &*self.n.b.ctx;
        let [body] = bodies else { return None };
        let mut found = None;
        for op in body.ops(ctx) {
            let writes = source::indices(ctx, op).is_some() && op.num_results(ctx) == 0;
            match (op.num_regions(ctx) > 0, found) {
                (true, None) if self.is_parallel(op) => found = Some(op),
                (false, _) if !writes => {}
                _ => return None,
            }
        }
        found.filter(|o| o.num_results(ctx) == 0)
    }

    /// Whether a block touches memory outside of parallel loops and of loops that hold
    /// such.
    fn serial_work(&self, block: Block) -> bool {
        let ctx = &*self.n.b.ctx;
        block.ops(ctx).into_iter().any(|op| {
            let mut touches = false;
            if !self.is_parallel(op) && !self.holds_parallel(op) {
                op.walk(ctx, &mut |o| touches |= source::indices(ctx, o).is_some());
            }
            touches
        })
    }

    fn is_parallel(&self, op: Op) -> bool {
        is_parallel(self.n.b.ctx, op) || self.parallel.contains(&op)
    }

    /// Whether a loop or a condition has a parallel loop in it.
    fn holds_parallel(&self, op: Op) -> bool {
        let mut found = false;
        if op.num_regions(self.n.b.ctx) > 0 && !self.is_parallel(op) {
            op.walk(self.n.b.ctx, &mut |o| found |= self.is_parallel(o));
        }
        found
    }

    fn leaf(&mut self, op: Op, around: &Around) -> Cost {
        let ctx = &*self.n.b.ctx;
        let Some((memref, _)) = source::indices(ctx, op) else {
            let weight = F::Known(weight(ctx, op));
            let flops = flops(ctx, op).map(F::Known);
            return Cost {
                flops,
                ops: weight,
                span: weight,
                ..NONE
            };
        };
        let bytes = bytes_of(ctx, op);
        let writes = !matches!(op.name(ctx), affine::LoadOp::NAME | LoadOp::NAME);
        let array = base(ctx, memref);
        let apart = |iv: Option<Value>| match iv.map(|iv| stride::along(ctx, op, iv)) {
            None => 0.0,
            Some(None) => f64::INFINITY,
            Some(Some(n)) => (n.unsigned_abs() as f64) * bytes,
        };
        let in_order = apart(around.innermost);
        // A warp asks for its sectors once for 32 threads.
        let (touched, far) = match self.x {
            Some(x) => {
                let sectors = sectors_along(ctx, op, x);
                (sectors, sectors > 16.0)
            }
            None => (bytes, in_order >= LINE),
        };
        let wait = if far && !writes { FAR } else { 1.0 };
        let columns = (in_order / LINE).min(1.0);
        let columns = if columns < 0.25 { 0.0 } else { columns };
        if self.side != Side::Device {
            let elements = self.elements(op);
            self.arrays.push((array, elements, writes));
        }
        Cost {
            ops: F::Known(1.0),
            span: F::Known(wait),
            touched: F::Known(touched),
            columns: F::Known(columns),
            ..NONE
        }
    }

    /// The elements that an access reaches: the product of the loops in whose counters
    /// its subscripts are.
    fn elements(&mut self, op: Op) -> F {
        let ctx = &*self.n.b.ctx;
        let mut counters = Vec::new();
        let mut seen = FxHashSet::default();
        let mut todo = source::indices(ctx, op).map(|(_, v)| v).unwrap_or_default();
        while let Some(v) = todo.pop() {
            if !seen.insert(v) || seen.len() > 200 {
                continue;
            }
            if self.n.trips.contains_key(&v) {
                counters.push(v);
            } else if let Some(def) = v.def_op() {
                todo.extend(def.operands(ctx));
            }
        }
        let mut product = F::Known(1.0);
        for c in counters {
            let n = self.n.trips[&c];
            product = self.n.mul(product, n);
        }
        product
    }

    /// The bytes of all arguments that are read plus those of all that are written.
    pub(crate) fn moved(&mut self, entry: Block) -> F {
        let mut sum = F::Known(0.0);
        for array in entry.args(self.n.b.ctx) {
            let ctx = &*self.n.b.ctx;
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
                    Some(s) => self.n.max(s, *n),
                    None => *n,
                });
            }
            let ways = [false, true]
                .iter()
                .filter(|w| accesses.iter().any(|a| a.1 == **w));
            let ways = ways.count() as f64;
            if let Some(size) = size.filter(|_| ways > 0.0) {
                let moved = self.n.mul(size, F::Known(bytes * ways));
                sum = self.n.add(sum, moved);
            }
        }
        sum
    }
}

fn is_parallel(ctx: &Context, op: Op) -> bool {
    matches!(op.name(ctx), ParallelOp::NAME | scf::ParallelOp::NAME)
}

/// Loops around `op` inside `root`.
fn depth_below(ctx: &Context, op: Op, root: Op) -> usize {
    let mut depth = 0;
    let mut at = op.parent(ctx);
    while let Some(o) = at.filter(|o| *o != root) {
        depth += usize::from(LoopLike::of(ctx, o).is_some());
        at = o.parent(ctx);
    }
    depth
}

fn bytes_of(ctx: &Context, op: Op) -> f64 {
    let element = source::indices(ctx, op).and_then(|(m, _)| m.ty(ctx).element(ctx));
    element.and_then(|t| element_bytes(ctx, t)).unwrap_or(8) as f64
}

/// The sectors that a warp asks for whose threads are neighbours along `iv`.
fn sectors_along(ctx: &Context, op: Op, iv: Value) -> f64 {
    let bytes = bytes_of(ctx, op);
    let row = [(256, stride::along(ctx, op, iv))];
    f64::from(sectors(&row, bytes as i64).0)
}
