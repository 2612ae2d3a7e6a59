//! Which loops are divided among blocks, and what their bodies need.

use crate::analysis::captured::is_inside;
use crate::analysis::directive::{LoopClauses, Sizes};
use crate::analysis::loop_names::loop_name;
use crate::analysis::reduction::of_region;
use crate::gpu::combine::{LANES, travels};
use crate::loops::mapper::mapper_of;
use rustc_hash::FxHashMap;
use terrace_dialects::attributes::{GPU_BLOCK, XFER_ON_HOST};
use terrace_dialects::{gpu, memref, scf};
use terrace_ir::effects::{effects, is_pure};
use terrace_ir::opdef::EffectKind;
use terrace_ir::{Block, Context, Op, OpKind, Type, Value};

/// Threads of a block where neither clauses nor the loops say how many: they hide each other's
/// latency, and more of them would wait longer for each other.
const THREADS: i64 = 128;

/// The most that a block may have.
const MAX_THREADS: i64 = 1024;

/// Shared memory that every device lets a block have.
const SHARED_BYTES: i64 = 48 * 1024;

/// One of the loops that are divided among blocks.
#[derive(Debug, Clone, Copy)]
pub(super) struct Level {
    pub iv: Value,
    pub lower: Value,
    pub upper: Value,
    pub step: Value,
}

impl Level {
    /// Those of a parallel op.
    pub fn of(ctx: &Context, p: scf::ParallelOp) -> Vec<Level> {
        let ends = (p.lower_bounds(ctx).into_iter()).zip(p.upper_bounds(ctx));
        let ends = ends.zip(p.steps(ctx)).zip(p.induction_vars(ctx));
        let level = |(((lower, upper), step), iv)| Level {
            iv,
            lower,
            upper,
            step,
        };
        ends.map(level).collect()
    }
}

/// A nest whose iterations are the work of blocks.
#[derive(Debug)]
pub(super) struct BlockNest {
    pub root: scf::ParallelOp,
    /// The outermost first.
    pub levels: Vec<Level>,
    /// Ops between the loops, which only compute.
    pub between: Vec<Op>,
    /// What an iteration does.
    pub ops: Vec<Op>,
    pub threads: i64,
    /// Blocks at most, where clauses say so.
    pub gangs: Option<i64>,
    /// Types of the buffers in workgroup memory.
    pub shared: Vec<Type>,
    /// Which of them is that of an array, of a value that one thread computes for all, or of a
    /// combined value.
    pub buffers: FxHashMap<Value, usize>,
}

impl BlockNest {
    pub fn words(&self, ctx: &Context) -> String {
        format!(
            "each iteration of {} is the work of a block, whose {} threads share the loops in it",
            loop_name(ctx, self.root.op()),
            self.threads
        )
    }
}

/// The nest of `root`, if directives want it to be divided so and it can be.
pub(super) fn find(ctx: &Context, root: scf::ParallelOp, sizes: Sizes) -> Option<BlockNest> {
    let op = root.op();
    let other = op.attr(ctx, XFER_ON_HOST).is_some() || op.attr(ctx, GPU_BLOCK).is_some();
    if other || mapper_of(ctx, op).is_some() {
        return None;
    }
    let mut nest = BlockNest {
        root,
        levels: Vec::new(),
        between: Vec::new(),
        ops: Vec::new(),
        threads: THREADS,
        gangs: None,
        shared: Vec::new(),
        buffers: FxHashMap::default(),
    };
    let mut p = root;
    let body = loop {
        nest.levels.extend(Level::of(ctx, p));
        let body = p.body(ctx);
        let (inner, between) = match only_nested(ctx, op, body) {
            Some(found) => found,
            None => break body,
        };
        nest.between.extend(between);
        p = inner;
    };
    nest.ops = body.ops(ctx);
    nest.ops.pop();
    let inside: Vec<scf::ParallelOp> = (nest.ops.iter())
        .flat_map(|o| o.pre_order(ctx))
        .filter_map(|o| o.cast(ctx))
        .collect();
    let uneven = inside.iter().any(|p| is_uneven(ctx, op, *p));
    // What its iterations combine goes by way of memory, which only loops are worth that cannot be
    // one with it.
    if op.num_results(ctx) > 0 && !(uneven && nest.levels.len() == 1) {
        return None;
    }
    // One loop is all there is: its iterations are threads of as many blocks as it takes, if all
    // iterations around have as many.
    let mut work = nest.ops.iter().filter(|o| !is_pure(ctx, **o));
    if let (Some(only), None) = (work.next(), work.next())
        && let Some(l) = only.cast::<scf::ParallelOp>(ctx)
        && only.num_results(ctx) == 0
        && !is_of_block(ctx, l)
        && !uneven
    {
        return None;
    }
    let says = |o: Op| LoopClauses::of(ctx, o).is_some_and(|c| c.levels);
    if inside.is_empty() || !(says(op) || inside.iter().any(|p| says(p.op()))) {
        return None;
    }
    let all = op.pre_order(ctx).into_iter();
    let sizes = all.fold(sizes, |sizes, o| sizes.with_loop(ctx, o));
    nest.gangs = sizes.gangs;
    // The iteration of a worker is a warp's (OpenACC 3.3, 2.9.3). So are rows whose ends lie in memory,
    // as those of a sparse matrix, which are too short for more.
    let of_workers = LoopClauses::of(ctx, op).is_some_and(|c| c.worker);
    let of_warps = of_workers || uneven && inside.iter().any(|p| has_loaded_ends(ctx, *p));
    nest.threads = threads(ctx, sizes, of_warps, &inside);
    let mut needs = Needs {
        ctx,
        nest: &mut nest,
    };
    needs.block(body)?;
    let bytes: i64 = nest.shared.iter().map(|t| bytes(ctx, *t)).sum();
    (bytes <= SHARED_BYTES).then_some(nest)
}

/// Whether the iterations of a loop in `root` are others in each iteration of that.
fn is_uneven(ctx: &Context, root: Op, p: scf::ParallelOp) -> bool {
    let mut ends = p.lower_bounds(ctx).into_iter().chain(p.upper_bounds(ctx));
    ends.any(|v| ctx.constant_int(v).is_none() && is_inside(ctx, root, v))
}

/// The parallel loop that is all there is in `body` beside ops that only compute, where its
/// bounds are known outside of `root`, and more than what it does itself is in it.
fn only_nested(ctx: &Context, root: Op, body: Block) -> Option<(scf::ParallelOp, Vec<Op>)> {
    let mut ops = body.ops(ctx);
    ops.pop()?;
    let inner = ops.pop()?.cast::<scf::ParallelOp>(ctx)?;
    let outside = |v: &Value| !is_inside(ctx, root, *v);
    let holds_loops = |o: &Op| *o != inner.op() && o.isa::<scf::ParallelOp>(ctx);
    let ok = inner.op().num_results(ctx) == 0
        && inner.op().operands(ctx).iter().all(outside)
        && ops.iter().all(|o| is_pure(ctx, *o))
        && inner.op().pre_order(ctx).iter().any(holds_loops);
    ok.then_some((inner, ops))
}

/// How deep the arithmetic of bounds is followed.
const MAX_DEPTH: u32 = 6;

/// Whether where a loop begins or ends is read from memory.
fn has_loaded_ends(ctx: &Context, p: scf::ParallelOp) -> bool {
    let mut ends = p.lower_bounds(ctx).into_iter().chain(p.upper_bounds(ctx));
    ends.any(|v| is_loaded(ctx, v, MAX_DEPTH))
}

fn is_loaded(ctx: &Context, v: Value, depth: u32) -> bool {
    let Some(op) = v.def_op().filter(|_| depth > 0) else {
        return false;
    };
    let mut operands = op.operands(ctx).into_iter();
    op.isa::<memref::LoadOp>(ctx)
        || is_pure(ctx, op) && operands.any(|v| is_loaded(ctx, v, depth - 1))
}

/// Threads of a block: what clauses say, in whole warps, or what the loops have work for; one warp
/// for iterations that are warps' work.
fn threads(ctx: &Context, sizes: Sizes, of_warps: bool, inside: &[scf::ParallelOp]) -> i64 {
    let most = if of_warps { LANES } else { THREADS };
    let given = match (sizes.vector, sizes.workers) {
        (None, None) => None,
        (v, w) => Some(v.unwrap_or(LANES).saturating_mul(w.unwrap_or(1))),
    };
    let trips = |p: &scf::ParallelOp| {
        let ends = p.lower_bounds(ctx).into_iter().zip(p.upper_bounds(ctx));
        let mut each = ends.zip(p.steps(ctx)).map(|((l, u), s)| {
            let length = ctx.constant_int(u)?.checked_sub(ctx.constant_int(l)?)?;
            length.max(0).checked_div(ctx.constant_int(s)?)
        });
        each.try_fold(1_i64, |all, n| all.checked_mul(n?))
    };
    let longest = || {
        inside
            .iter()
            .map(trips)
            .try_fold(1, |most, n| Some(n?.max(most)))
    };
    let wanted = given.unwrap_or_else(|| longest().map_or(most, |n: i64| n.min(most)));
    let warps = wanted.clamp(1, MAX_THREADS).div_euclid(LANES);
    (warps + i64::from(wanted % LANES != 0)).clamp(1, MAX_THREADS / LANES) * LANES
}

fn bytes(ctx: &Context, ty: Type) -> i64 {
    let element = ty.element(ctx).and_then(|e| e.bit_width(ctx)).unwrap_or(64);
    let elements = ty.num_elements(ctx).unwrap_or(i64::MAX);
    elements.saturating_mul(i64::from(element.div_ceil(8)))
}

/// Whether a loop runs for the whole block, one iteration after another: there is more in it
/// than one loop that its threads share.
pub(super) fn is_of_block(ctx: &Context, p: scf::ParallelOp) -> bool {
    let holds = |o: &Op| *o != p.op() && o.isa::<scf::ParallelOp>(ctx);
    p.op().num_results(ctx) == 0
        && p.op().pre_order(ctx).iter().any(holds)
        && shared_loops(ctx, p).1.pre_order(ctx).iter().any(holds)
}

/// The loops that threads share, nested in one another with nothing between, and the innermost.
pub(super) fn shared_loops(ctx: &Context, p: scf::ParallelOp) -> (Vec<scf::ParallelOp>, Op) {
    let mut all = vec![p];
    let mut at = p;
    while let [inner, _] = at.body(ctx).ops(ctx)[..]
        && let Some(next) = inner.cast::<scf::ParallelOp>(ctx)
        && next.op().num_results(ctx) == 0
        && p.op().num_results(ctx) == 0
        && (next.op().operands(ctx).iter()).all(|v| !is_inside(ctx, p.op(), *v))
    {
        all.push(next);
        at = next;
    }
    (all, at.op())
}

/// Whether parallel loops are in an op.
pub(super) fn holds_parallel(ctx: &Context, op: Op) -> bool {
    let mut all = op.pre_order(ctx).into_iter();
    all.any(|o| o.isa::<scf::ParallelOp>(ctx))
}

/// Whether an op writes memory.
pub(super) fn writes(ctx: &Context, op: Op) -> bool {
    effects(ctx, op).is_none_or(|all| {
        let mut kinds = all.into_iter().map(|e| e.kind);
        kinds.any(|k| matches!(k, EffectKind::Write | EffectKind::Free))
    })
}

/// Finds out what a block's code needs.
struct Needs<'a> {
    ctx: &'a Context,
    nest: &'a mut BlockNest,
}

impl Needs<'_> {
    fn buffer(&mut self, of: Value, elem: Type, shape: Vec<i64>) {
        let ty = gpu::workgroup_memref(self.ctx, &shape, elem);
        self.nest.buffers.insert(of, self.nest.shared.len());
        self.nest.shared.push(ty);
    }

    /// `None` where the code of a block has something that threads cannot do together.
    fn block(&mut self, block: Block) -> Option<()> {
        let ctx = self.ctx;
        for op in block.ops(ctx) {
            if op.is_terminator(ctx) {
                continue;
            }
            match op.name(ctx) {
                memref::AllocOp::NAME | memref::AllocaOp::NAME => self.array(op)?,
                memref::DeallocOp::NAME => {
                    self.nest.buffers.get(&op.operand(ctx, 0))?;
                }
                scf::ParallelOp::NAME => self.parallel(scf::ParallelOp::wrap(op))?,
                scf::ForOp::NAME | scf::IfOp::NAME if holds_parallel(ctx, op) => {
                    let regions = op.regions(ctx).into_iter();
                    for b in regions.flat_map(|r| r.blocks(ctx)) {
                        self.block(b)?;
                    }
                }
                _ if holds_parallel(ctx, op) || matches!(op.dialect(ctx), "gpu" | "nvgpu") => {
                    return None;
                }
                _ => self.single(op)?,
            }
        }
        Some(())
    }

    /// An array that an iteration of the nest has for itself: all threads use it.
    fn array(&mut self, op: Op) -> Option<()> {
        let ctx = self.ctx;
        let array = op.result(ctx, 0);
        let ty = array.ty(ctx);
        let (shape, elem) = (ty.shape(ctx)?.to_vec(), ty.element(ctx)?);
        ty.num_elements(ctx)?;
        let plain = memref::layout::has_identity_layout(ctx, ty);
        let accessed = |u: &Op| {
            matches!(
                u.name(ctx),
                memref::LoadOp::NAME | memref::StoreOp::NAME | memref::DeallocOp::NAME
            ) && (u.name(ctx) != memref::StoreOp::NAME || u.operand(ctx, 0) != array)
        };
        if !plain || !array.users(ctx).iter().all(accessed) {
            return None;
        }
        self.buffer(array, elem, shape);
        Some(())
    }

    fn parallel(&mut self, p: scf::ParallelOp) -> Option<()> {
        let ctx = self.ctx;
        if is_of_block(ctx, p) {
            return self.block(p.body(ctx));
        }
        effects(ctx, p.op())?;
        let Some(reduce) = p.reduce_op(ctx).filter(|_| p.op().num_results(ctx) > 0) else {
            return Some(());
        };
        for (i, v) in p.op().results(ctx).into_iter().enumerate() {
            let ty = v.ty(ctx);
            let kind = of_region(ctx, reduce.op().body(ctx, i))?;
            kind.identity(ctx, ty).filter(|_| travels(ctx, ty))?;
            if self.nest.threads > LANES {
                self.buffer(v, ty, vec![self.nest.threads / LANES]);
            }
        }
        Some(())
    }

    /// What one thread does, or all alike. What it hands on goes by way of a buffer.
    fn single(&mut self, op: Op) -> Option<()> {
        let ctx = self.ctx;
        effects(ctx, op)?;
        if !writes(ctx, op) {
            return Some(());
        }
        for v in op.results(ctx).into_iter().filter(|v| v.has_uses(ctx)) {
            let ty = v.ty(ctx);
            if !(ty.is_int_or_index(ctx) || ty.is_float(ctx)) {
                return None;
            }
            self.buffer(v, ty, vec![1]);
        }
        Some(())
    }
}
