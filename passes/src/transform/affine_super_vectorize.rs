//! `affine-super-vectorize`: iterations of parallel affine loops become the lanes of
//! vectors of one, two or three dimensions.
//!
//! For each nest the innermost loops are tried first, one loop inside the other for each
//! dimension of the vectors; all of their accesses have to move along the same dimension of
//! their memrefs, of those of `test-fastest-varying` if given, counted from the last.
//! Legal where no two iterations touch the same element, one of them writing (see
//! [`crate::analysis::parallel`]), and, with `vectorize-reductions`, where values that the
//! loop carries are reductions: those of floats are then made in another order. How it is
//! done, and what is refused: [`crate::loops::vectorize`].
//!
//! ```text
//! affine.for %i = 0 to %n {                 affine.for %i = 0 to %n step 8 {
//!   %0 = affine.load %a[%i]           =>      %0 = vector.transfer_read %a[%i], %pad
//!   affine.store %0, %b[%i]                   vector.transfer_write %0, %b[%i]
//! }                                         }
//! ```

use super::loop_nests::{Match, matches, overlapping};
use crate::analysis::parallel::memory_obstacle;
use crate::analysis::reduction;
use crate::loops::vectorize::{Options, Padding, Strategy, vectorize, vectorize_nest};
use rustc_hash::{FxHashMap, FxHashSet};
use terrace_dialects::affine::{Access, ForOp, scope};
use terrace_dialects::func;
use terrace_ir::affine::AffineExpr;
use terrace_ir::pass::{
    OptionInfo, OptionKind, Pass, PassContext, PassInfo, PassResult, StatisticInfo,
};
use terrace_ir::{Context, Op, OpKind, Value};

pub static INFO: PassInfo = PassInfo {
    name: "affine-super-vectorize",
    title: "AffineVectorize",
    summary: "Vectorize to a target independent n-D vector abstraction",
    description: "Turns iterations of parallel loops into lanes of vectors, read and written by vector transfers.",
    anchor: Some(func::FuncOp::NAME),
    options: &[
        OptionInfo::new(
            "virtual-vector-size",
            OptionKind::IntList,
            "",
            "Specify an n-D virtual vector size for vectorization. This must be greater than zero.",
        ),
        OptionInfo::new(
            "test-fastest-varying",
            OptionKind::IntList,
            "",
            "Specify a 1-D, 2-D or 3-D pattern of fastest varying memory dimensions to match. See defaultPatterns in Vectorize.cpp for a description and examples. This is used for testing purposes",
        ),
        OptionInfo::flag(
            "vectorize-reductions",
            "Vectorize known reductions expressed via iter_args. Switched off by default.",
        ),
        OptionInfo::flag(
            "cleanup-loop",
            "Leave iterations that do not fill a vector to a loop behind, instead of masks; for 1-D vectors",
        ),
    ],
    statistics: &[StatisticInfo::new(
        "num-vectorized",
        "Number of loop nests vectorised",
    )],
    make: |o| {
        Ok(Box::new(SuperVectorize {
            sizes: o.ints("virtual-vector-size"),
            fastest: o.ints("test-fastest-varying"),
            reductions: o.bool("vectorize-reductions"),
            cleanup: o.bool("cleanup-loop"),
        }))
    },
};

struct SuperVectorize {
    sizes: Vec<i64>,
    fastest: Vec<i64>,
    reductions: bool,
    cleanup: bool,
}

impl Pass for SuperVectorize {
    fn run(&mut self, ctx: &mut PassContext, op: Op) -> PassResult {
        if !self.fastest.is_empty() && self.fastest.len() != self.sizes.len() {
            let m = "Fastest varying pattern specified with different size than the vector size.";
            return ctx.fail(op, m);
        }
        if self.reductions && self.sizes.len() != 1 {
            let m = "Vectorizing reductions is supported only for 1-D vectors.";
            return ctx.fail(op, m);
        }
        if self.sizes.iter().any(|s| *s <= 0) {
            return ctx.fail(op, "Vectorization factor must be greater than zero.");
        }
        if self.cleanup && self.sizes.len() != 1 {
            return ctx.fail(op, "'cleanup-loop' is only for 1-D vectors.");
        }
        if self.sizes.is_empty() || self.sizes.len() > 3 {
            return Ok(());
        }
        // All questions before any change: they are about the loops as written.
        let found: Vec<Vec<Match>> = {
            let parallel = self.parallel_loops(ctx, op);
            let fits = |l: ForOp, depth: usize| {
                parallel.contains(&l.op()) && self.moves_along(ctx, l, depth)
            };
            overlapping(ctx, matches(ctx, op, self.sizes.len(), &fits))
        };
        let options = Options {
            reductions: self.reductions,
            for_registers: false,
            checked: false,
            in_order: false,
        };
        for nests in found {
            for m in nests {
                // The root of one set may be around the roots of two, and have gone
                // with them.
                if !ctx.is_alive(m.root) {
                    continue;
                }
                let strategy = Strategy {
                    sizes: self.sizes.clone(),
                    dim_of: FxHashMap::from_iter(m.loops.iter().copied()),
                    for_registers: false,
                    checked: false,
                    in_order: false,
                };
                let root = ForOp::wrap(m.root);
                let done = match (self.cleanup, u64::try_from(self.sizes[0])) {
                    (true, Ok(size)) => vectorize(ctx, root, size, options),
                    _ => vectorize_nest(ctx, root, &strategy, Padding::Poison),
                };
                if done.is_ok() {
                    ctx.count("num-vectorized", 1);
                    break;
                }
            }
        }
        Ok(())
    }
}

impl SuperVectorize {
    /// The loops whose iterations may run in any order.
    fn parallel_loops(&self, ctx: &Context, f: Op) -> FxHashSet<Op> {
        let carries_well = |l: &ForOp| {
            l.op().num_results(ctx) == 0 || self.reductions && reduction::all_of(ctx, *l).is_some()
        };
        f.find_all::<ForOp>(ctx)
            .into_iter()
            .filter(|l| carries_well(l) && memory_obstacle(ctx, *l).is_none())
            .map(|l| l.op())
            .collect()
    }

    /// Whether all accesses in `l` that move with it do so along the same dimension of
    /// their memrefs, the one asked for.
    fn moves_along(&self, ctx: &Context, l: ForOp, depth: usize) -> bool {
        let wanted = self.fastest.get(depth).filter(|d| **d >= 0);
        let mut along = None;
        for a in Access::all(ctx, l.op()) {
            let Some(moved) = moved_dims(ctx, &a, l.iv(ctx)) else {
                return false;
            };
            let [dim] = moved[..] else {
                if moved.is_empty() {
                    continue;
                }
                return false;
            };
            if along.is_some_and(|d| d != dim) {
                return false;
            }
            along = Some(dim);
        }
        match (along, wanted) {
            (Some(dim), Some(wanted)) => i64::try_from(dim) == Ok(*wanted),
            _ => true,
        }
    }
}

/// The subscripts that `iv` appears in, counted from the last one.
fn moved_dims(ctx: &Context, a: &Access, iv: Value) -> Option<Vec<usize>> {
    let c = a.composed(ctx);
    let rank = c.map.num_results();
    let Some(p) = c.operands.iter().position(|v| *v == iv) else {
        return Some(Vec::new());
    };
    debug_assert!(scope::for_of_iv(ctx, iv).is_some());
    let p = u32::try_from(p).ok()?;
    let uses = |e: &AffineExpr| e.is_function_of_dim(p);
    let found = c.map.results().iter().enumerate().filter(|(_, e)| uses(e));
    Some(found.map(|(i, _)| rank - 1 - i).collect())
}
