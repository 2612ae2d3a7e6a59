//! How much of a function is parallel, and how many of its loops are threads.
//!
//! Parallel loops directly inside one another are a grid; a parallel loop that something
//! stands beside, or in a loop that runs in order, is run by each thread by itself.
//!
//! ```text
//! affine.parallel (%i) {        threads along i
//!   affine.for %k {             each goes through k
//!     affine.parallel (%j) {    and for each k through j
//! ```

use rustc_hash::{FxHashMap, FxHashSet};
use terrace_dialects::affine::{Access, ForOp, ParallelOp};
use terrace_dialects::{affine, memref, scf};
use terrace_ir::affine::{AffineExpr, AffineMap, ValueMap};
use terrace_ir::{Context, Loc, Op, OpKind, Value};

use crate::analysis::bounds::constant_trip_count;
use crate::analysis::linear::Linear;
use crate::analysis::loop_names::is_loop;
use crate::analysis::source;
use crate::analysis::work::LoopLike;
use crate::loops::unroll::SHORT;

/// How much of a function is parallel.
#[derive(Debug, Clone)]
pub(crate) struct Score {
    /// Two for each statement in an outermost parallel loop, one for each in an inner
    /// one.
    pub points: usize,
    pub statements: usize,
    pub outermost: usize,
    /// Statements in a parallel loop of any depth.
    pub inner: usize,
    /// The parallel loops around the statement that has the fewest.
    pub least_parallel: usize,
    /// Statements that a grid has two loops or more of.
    pub threads: usize,
    /// Statements that a grid has one loop of, with others inside, which threads run and
    /// which might be of the grid too.
    pub room: usize,
}

/// Of one statement, or the worst of several that it became.
#[derive(Debug, Clone, Copy)]
struct StatementScore {
    points: usize,
    threads: bool,
    room: bool,
}

impl Score {
    pub(crate) fn best(&self) -> usize {
        2 * self.statements
    }

    /// The statements that tell this from what was `before`: those in outermost parallel
    /// loops, where there are more of them, else all that are in parallel loops.
    pub(crate) fn counted(&self, of: &Score, than: &Score) -> usize {
        match of.outermost > than.outermost {
            true => self.outermost,
            false => self.inner,
        }
    }
}

/// Counts the ops in loops that write memory; of one that became several, in peeled
/// iterations, the worst. `parallel`: the loops that will be.
pub(crate) fn score(ctx: &Context, function: Op, parallel: &FxHashSet<Op>) -> Score {
    let is_parallel = |o: Op| {
        parallel.contains(&o)
            || matches!(
                o.name(ctx),
                affine::ParallelOp::NAME | scf::ParallelOp::NAME
            )
    };
    let mut of_place: FxHashMap<Loc, StatementScore> = FxHashMap::default();
    let mut least_parallel = usize::MAX;
    for op in function.pre_order(ctx) {
        if !matches!(
            op.name(ctx),
            affine::StoreOp::NAME | memref::StoreOp::NAME | memref::AtomicRmwOp::NAME
        ) {
            continue;
        }
        let around = around(ctx, op, function);
        let loops = around.iter().filter(|o| LoopLike::of(ctx, **o).is_some());
        let loops: Vec<Op> = loops.copied().collect();
        let inner = loops.iter().filter(|o| is_parallel(**o)).count();
        let Some(outermost) = loops.first() else {
            continue;
        };
        let (grid, inside) = grid(ctx, &around, &is_parallel);
        let here = StatementScore {
            points: usize::from(inner > 0) + usize::from(is_parallel(*outermost)),
            threads: grid >= 2,
            // Of two loops one of which is in order there is no second one for the grid.
            room: grid == 1 && inside > 0 && (loops.len() > 2 || inner > 1),
        };
        least_parallel = inner.min(least_parallel);
        let worst = of_place.entry(op.loc(ctx)).or_insert(here);
        *worst = StatementScore {
            points: here.points.min(worst.points),
            threads: here.threads && worst.threads,
            room: here.room || worst.room,
        };
    }
    let all = || of_place.values();
    Score {
        points: all().map(|p| p.points).sum(),
        statements: of_place.len(),
        outermost: all().filter(|p| p.points == 2).count(),
        inner: all().filter(|p| p.points > 0).count(),
        least_parallel,
        threads: all().filter(|p| p.threads).count(),
        room: all().filter(|p| p.room).count(),
    }
}

/// How many stores lanes of vectors can make: the innermost loop around each, but for loops of
/// a few iterations, which are unrolled, is parallel, and goes along what is near in memory.
pub fn innermost_parallel(ctx: &Context, function: Op) -> usize {
    let stores = function
        .pre_order(ctx)
        .into_iter()
        .filter(|op| Access::of(ctx, *op).is_some_and(|a| a.stored(ctx).is_some()));
    let is_short = |op: &Op| {
        let l = op.cast::<ForOp>(ctx);
        l.and_then(|l| constant_trip_count(ctx, l))
            .is_some_and(|n| n <= SHORT)
    };
    let in_lanes = |op: &Op| {
        let loops = around(ctx, *op, function).into_iter().rev();
        let mut loops = loops.filter(|o| is_loop(ctx, *o) && !is_short(o));
        loops.next().is_some_and(|l| {
            l.cast::<ParallelOp>(ctx)
                .is_some_and(|l| runs_along_rows(ctx, l))
        })
    };
    stores.filter(in_lanes).count()
}

/// Whether nothing but threads makes the code of a core quicker than the statement, whose loops are in
/// the order that was written: no vectors, and no loop inside another that counts in larger steps, as
/// iterations that are jammed do, or hands on floats, which may have been elements of arrays. Asked of
/// code whose loops are those of `scf`.
pub fn only_threads(ctx: &Context, function: Op) -> bool {
    let ops = function.pre_order(ctx);
    let in_lanes = |op: &Op| op.result_types(ctx).iter().any(|t| t.is_vector(ctx));
    let is_loop = |op: &Op| {
        op.isa::<scf::ForOp>(ctx) || op.isa::<scf::WhileOp>(ctx) || op.isa::<scf::ParallelOp>(ctx)
    };
    let is_quicker = |op: &Op| {
        let hands_on =
            op.isa::<scf::ForOp>(ctx) && op.result_types(ctx).iter().any(|t| t.is_float(ctx));
        let steps = op
            .cast::<scf::ForOp>(ctx)
            .is_some_and(|l| ctx.constant_int(l.step(ctx)) != Some(1));
        let jams = || op.pre_order(ctx).iter().skip(1).any(is_loop);
        hands_on || (steps && jams())
    };
    ops.iter().any(is_loop) && !ops.iter().any(|op| in_lanes(op) || is_quicker(op))
}

/// The elements between two iterations of a loop up to which a register has several of them.
const NEAR: i64 = 4;

/// Whether one of the variables of `l` moves stores and most loads to what is near: such loops run in
/// vectors, which a few elements can be put into one by one.
fn runs_along_rows(ctx: &Context, l: ParallelOp) -> bool {
    let all = Access::all(ctx, OpKind::op(l));
    let accesses = all
        .into_iter()
        .map(|a| (a.stored(ctx).is_some(), a.composed(ctx)));
    let accesses: Vec<_> = accesses.collect();
    l.ivs(ctx).into_iter().any(|iv| {
        let is_near = |a: &ValueMap<Value>| {
            let (dims, symbols) = (a.map.num_dims(), a.map.num_symbols());
            // By how much a subscript moves; nothing where it is no linear form.
            let moves = |e: &AffineExpr| {
                let map = AffineMap::new(dims, symbols, vec![e.clone()]);
                let form = Linear::of_map(&map, &a.operands)?;
                Some(form[0].coefficient(iv))
            };
            let at = a.operands.iter().position(|v| *v == iv);
            let at = at.and_then(|at| u32::try_from(at).ok());
            let is_input = |e: &AffineExpr| {
                at.is_some_and(|at| match at < dims {
                    true => e.is_function_of_dim(at),
                    false => e.is_function_of_symbol(at - dims),
                })
            };
            let Some((row, others)) = a.map.results().split_last() else {
                return true;
            };
            moves(row).is_none_or(|m| m.abs() <= NEAR)
                && others
                    .iter()
                    .all(|e| moves(e).map_or(!is_input(e), |m| m == 0))
        };
        let far = accesses.iter().filter(|(_, a)| !is_near(a));
        let far: Vec<bool> = far.map(|(stores, _)| *stores).collect();
        let loads = accesses.iter().filter(|(stores, _)| !stores).count();
        !far.contains(&true) && 2 * far.len() < loads.max(1)
    })
}

/// The ops around one inside a function, from the outside in.
fn around(ctx: &Context, op: Op, function: Op) -> Vec<Op> {
    let mut all = Vec::new();
    let mut at = op.parent(ctx);
    while let Some(o) = at.filter(|o| *o != function) {
        all.push(o);
        at = o.parent(ctx);
    }
    all.reverse();
    all
}

/// How many counters a grid of threads has of the loops around an op, and how many loops
/// are left in a thread.
fn grid(ctx: &Context, around: &[Op], is_parallel: &dyn Fn(Op) -> bool) -> (usize, usize) {
    let counters = |o: Op| LoopLike::of(ctx, o).map_or(0, |l| l.ivs.len());
    let Some(first) = around.iter().position(|o| is_parallel(*o)) else {
        return (0, 0);
    };
    let mut last = first;
    let mut grid = counters(around[first]);
    while let Some(next) = around.get(last + 1)
        && is_parallel(*next)
        && is_alone(ctx, around[last], *next)
    {
        last += 1;
        grid += counters(*next);
    }
    let inside = around[last + 1..].iter();
    (
        grid,
        inside.filter(|o| LoopLike::of(ctx, **o).is_some()).count(),
    )
}

/// Whether nothing stands beside `inner` in the body of `outer` that only one iteration
/// may do.
fn is_alone(ctx: &Context, outer: Op, inner: Op) -> bool {
    let quiet = |o: &Op| {
        let writes = source::indices(ctx, *o).is_some() && o.num_results(ctx) == 0;
        *o == inner || (o.num_regions(ctx) == 0 && !writes)
    };
    let bodies = LoopLike::of(ctx, outer).map_or_else(Vec::new, |l| l.bodies);
    inner.num_results(ctx) == 0 && bodies.iter().all(|b| b.ops(ctx).iter().all(quiet))
}
