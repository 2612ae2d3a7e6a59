//! `affine-parallelize`: affine loops whose iterations may run in any order become
//! `affine.parallel`.
//!
//! Legal where no two iterations touch the same element, one of them writing (see
//! [`crate::analysis::parallel`]), and no value goes from iteration to iteration but,
//! with `parallel-reductions`, by a reduction. Reductions of floats then run in
//! another order than written.
//!
//! ```text
//! affine.for %i = 0 to %n {              affine.parallel (%i) = (0) to (symbol(%n)) {
//!   affine.store %v, %m[%i]        =>      affine.store %v, %m[%i]
//! }                                      }
//! ```

use crate::analysis::parallel::memory_obstacle;
use crate::analysis::reduction::{self, Reduction};
use terrace_dialects::affine::{ForOp, ParallelOp};
use terrace_ir::affine::AffineMap;
use terrace_ir::pass::{
    OptionInfo, OptionKind, Pass, PassContext, PassInfo, PassResult, StatisticInfo,
};
use terrace_ir::{Builder, Context, Op, OpKind, Value};

pub static INFO: PassInfo = PassInfo {
    name: "affine-parallelize",
    title: "AffineParallelize",
    summary: "Convert affine.for ops into 1-D affine.parallel",
    description: "Finds loops whose iterations are independent and marks them parallel, outer loops first.",
    anchor: Some("func.func"),
    options: &[
        OptionInfo {
            name: "max-nested",
            kind: OptionKind::UInt,
            default: "4294967295",
            doc: "Maximum number of nested parallel loops to produce. Defaults to unlimited (UINT_MAX).",
        },
        OptionInfo {
            name: "parallel-reductions",
            kind: OptionKind::Bool,
            default: "false",
            doc: "Whether to parallelize reduction loops. Defaults to false.",
        },
    ],
    statistics: &[StatisticInfo {
        name: "num-parallel",
        doc: "Number of loops made parallel",
    }],
    make: |o| {
        Ok(Box::new(AffineParallelize {
            max_nested: o.uint("max-nested"),
            reductions: o.bool("parallel-reductions"),
        }))
    },
};

struct AffineParallelize {
    max_nested: u64,
    reductions: bool,
}

impl Pass for AffineParallelize {
    fn run(&mut self, ctx: &mut PassContext, op: Op) -> PassResult {
        // All questions before any change: they are about the loops as written.
        let mut found = Vec::new();
        for l in op.find_all::<ForOp>(ctx) {
            if let Some(r) = parallel_reductions(ctx, l, self.reductions) {
                found.push((l, r));
            }
        }
        let mut made = 0;
        for (l, reductions) in found {
            let mut depth = 0;
            let mut around = l.op().parent(ctx);
            while let Some(p) = around {
                depth += u64::from(p.isa::<ParallelOp>(ctx));
                around = p.parent(ctx);
            }
            if depth < self.max_nested {
                parallelize(ctx, l, &reductions);
                made += 1;
            }
        }
        ctx.count("num-parallel", made);
        Ok(())
    }
}

/// The reductions that a parallel form of `l` has to make; `None` where `l` must stay
/// sequential.
pub fn parallel_reductions(ctx: &Context, l: ForOp, allowed: bool) -> Option<Vec<Reduction>> {
    let n = l.op().num_results(ctx);
    let reductions = match (n, allowed) {
        (0, _) => Vec::new(),
        (_, false) => return None,
        (_, true) => reduction::all_of(ctx, l)?,
    };
    memory_obstacle(ctx, l).is_none().then_some(reductions)
}

/// An `affine.parallel` before `l` that runs its iterations, with the body of `l` in it.
/// An iteration yields `contributions`, which it combines as their kinds say. The
/// values that `l` carries are arguments of the body still, and `l` is left without
/// one: who asks for it gives the former a meaning, and replaces the latter.
pub fn parallel_form(ctx: &mut Context, l: ForOp, contributions: &[(Value, i64)]) -> ParallelOp {
    let op = l.op();
    let (lower, lower_operands) = (l.lower_map(ctx).clone(), l.lower_operands(ctx));
    let (upper, upper_operands) = (l.upper_map(ctx).clone(), l.upper_operands(ctx));
    let step = l.step(ctx);
    let (values, kinds): (Vec<Value>, Vec<i64>) = contributions.iter().copied().unzip();
    let types: Vec<_> = values.iter().map(|v| v.ty(ctx)).collect();
    let one = |m: AffineMap| [m];
    let mut b = Builder::before(ctx, op);
    let new = ParallelOp::build(
        &mut b,
        (&one(lower), &lower_operands),
        (&one(upper), &upper_operands),
        &[step],
        &kinds,
        &types,
        |_, _| Vec::new(),
    );
    let target = new.op().region(ctx, 0);
    for block in target.blocks(ctx) {
        block.unlink(ctx);
        block.erase(ctx);
    }
    op.region(ctx, 0).move_blocks_to(ctx, target);
    if let Some(end) = new.body(ctx).last_op(ctx) {
        end.set_operands(ctx, &values);
    }
    new
}

/// Replace `l` by an `affine.parallel` of the same iterations, which is given.
pub fn parallelize(ctx: &mut Context, l: ForOp, reductions: &[Reduction]) -> ParallelOp {
    let op = l.op();
    let (inits, types) = (l.inits(ctx), op.result_types(ctx));
    let contributions: Vec<_> = reductions
        .iter()
        .map(|r| (r.contribution, r.kind as i64))
        .collect();
    let new = parallel_form(ctx, l, &contributions);
    let body = new.body(ctx);
    // What comes out has to be combined with what went in.
    let mut results = Vec::new();
    let mut b = Builder::after(ctx, new.op());
    for (i, r) in reductions.iter().enumerate() {
        let v = new.op().result(b.ctx, i);
        let combined = r.kind.combine(&mut b, inits[i], v, types[i]);
        results.push(combined);
    }
    for r in reductions {
        r.combiner.erase(ctx);
    }
    while body.num_args(ctx) > 1 {
        body.erase_arg(ctx, body.num_args(ctx) - 1);
    }
    op.replace(ctx, &results);
    new
}
