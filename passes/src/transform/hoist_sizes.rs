//! `hoist-sizes`: integers that are the same throughout a function are computed once, in front of
//! all loops.
//!
//! ```text
//! affine.for %i = 0 to %n {                   %h = arith.divsi %m, %c2 : i32
//!   %h = arith.divsi %m, %c2 : i32            affine.for %i = 0 to %n {
//!   scf.for %j = %c0 to %h ... {        =>      scf.for %j = %c0 to %h ... {
//!     %g = arith.divsi %m, %c2 : i32              use(%h)
//!     use(%g)
//! ```
//!
//! C computes `w / 2` wherever it stands in a bound or a subscript. In front of the loops it is a
//! size, which bounds and subscripts may have. What changes with a loop around it stays where it is,
//! so that nothing comes to stand between loops. Legal because such ops have no effect, and may run
//! where the program would not have run them.

use terrace_dialects::func;
use terrace_ir::effects::runs_anywhere;
use terrace_ir::pass::{Pass, PassContext, PassInfo, PassResult, StatisticInfo};
use terrace_ir::{Block, Context, Op, Value};

pub static INFO: PassInfo = PassInfo {
    name: "hoist-sizes",
    title: "HoistSizes",
    summary: "Compute integers that never change once, in front of all loops",
    description: "Moves arithmetic on integers whose operands are the same throughout a function to its top, and merges what is computed twice there.",
    anchor: Some(func::FuncOp::NAME),
    statistics: &[
        StatisticInfo::new("num-hoisted", "Number of operations moved"),
        StatisticInfo::new("num-merged", "Number of operations that were there already"),
    ],
    make: |_| Ok(Box::new(HoistSizes)),
    ..PassInfo::EMPTY
};

struct HoistSizes;

impl Pass for HoistSizes {
    fn run(&mut self, ctx: &mut PassContext, function: Op) -> PassResult {
        let Some(entry) = function.region(ctx, 0).entry(ctx) else {
            return Ok(());
        };
        let mut there: Vec<Op> = Vec::new();
        for top in entry.ops(ctx) {
            let inside = top.pre_order(ctx).into_iter().skip(1);
            for op in inside.collect::<Vec<_>>() {
                if !is_size(ctx, op, entry) {
                    continue;
                }
                let same = there.iter().find(|o| is_same(ctx, **o, op));
                if let Some(same) = same.copied() {
                    op.replace(ctx.ctx, &same.results(ctx));
                    ctx.count("num-merged", 1);
                } else {
                    op.move_before(ctx, top);
                    there.push(op);
                    ctx.count("num-hoisted", 1);
                }
            }
            if is_size(ctx, top, entry) {
                there.push(top);
            }
        }
        Ok(())
    }
}

/// Whether an op computes integers from what is at the top of the function alone.
fn is_size(ctx: &Context, op: Op, entry: Block) -> bool {
    let is_number = |v: &Value| v.ty(ctx).is_index(ctx) || v.ty(ctx).int_width(ctx).is_some();
    let at_top = |v: &Value| match v.def_op() {
        Some(def) => def.block(ctx) == Some(entry),
        None => v.arg_block() == Some(entry),
    };
    // A constant is one wherever it stands.
    op.num_operands(ctx) > 0
        && op.num_results(ctx) > 0
        && op.num_regions(ctx) == 0
        && op.results(ctx).iter().all(is_number)
        && op.operands(ctx).iter().all(at_top)
        && runs_anywhere(ctx, op)
}

fn is_same(ctx: &Context, a: Op, b: Op) -> bool {
    let equal = |x: &Value, y: &Value| {
        let (m, n) = (ctx.constant_int(*x), ctx.constant_int(*y));
        x == y || (m.is_some() && m == n && x.ty(ctx) == y.ty(ctx))
    };
    let (x, y) = (a.operands(ctx), b.operands(ctx));
    a.name(ctx) == b.name(ctx)
        && x.len() == y.len()
        && x.iter().zip(&y).all(|(x, y)| equal(x, y))
        && a.attrs(ctx) == b.attrs(ctx)
        && a.result_types(ctx) == b.result_types(ctx)
}
