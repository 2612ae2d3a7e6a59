//! `affine-parallel-boxes`: nests of parallel loops whose bounds name one another become
//! boxes, with a condition around what they run.
//!
//! ```text
//! affine.parallel (%i) = (0) to (%n) {      affine.parallel (%i) = (0) to (%n) {
//!   affine.parallel (%j) = (%i) to (%n) {     affine.parallel (%j) = (0) to (%n) {
//!     body(%i, %j)                      =>      affine.if %j - %i >= 0 {
//!   }                                             body(%i, %j)
//! }                                             }
//!                                             }
//!                                           }
//! ```
//!
//! A grid of threads is a box. Without this an inner loop of a triangle is one thread's, one
//! iteration after the other; with it half of the threads have nothing to do, which they find
//! out at once.
//!
//! Legal since the loops are parallel and the condition says what the bounds said. Done where
//! one of a loop's two bounds moves, so that a box of two loops has about twice as many
//! iterations as the triangle had. Where both move, as along a diagonal, the box could have any
//! number of them: it is made where a loop has bounds that stay, too, and what moves is at least
//! a quarter as wide as what lies between these, as in a wavefront of Gauss-Seidel. A nest that
//! runs in a thread of another stays.

mod bounds;

use crate::analysis::threads::in_a_thread;
use crate::loops::guard::guard;
use bounds::{Loop, Names, at_least, below, extremes, is_wide, place};
use terrace_dialects::affine::ParallelOp;
use terrace_dialects::affine::compose::compose;
use terrace_dialects::func;
use terrace_ir::affine::AffineExpr;
use terrace_ir::effects::is_pure;
use terrace_ir::pass::{Pass, PassContext, PassInfo, PassResult, StatisticInfo};
use terrace_ir::{Context, Op, OpKind, Value};

pub static INFO: PassInfo = PassInfo {
    name: "affine-parallel-boxes",
    title: "AffineParallelBoxesPass",
    summary: "Make boxes of nests of affine.parallel loops whose bounds name one another",
    description: "Lets each loop of a perfect nest of affine.parallel ops go over all that it goes over in any iteration of those around it, with an affine.if in the innermost body for the bounds that it had. Where both bounds of a loop name others, bounds that do not become those of the box, if what is between the others is a quarter as wide at least; loops without such stay.",
    anchor: Some(func::FuncOp::NAME),
    statistics: &[StatisticInfo::new(
        "num-loops",
        "Number of loops whose bounds were made those of a box",
    )],
    make: |_| Ok(Box::new(Boxes)),
    ..PassInfo::EMPTY
};

struct Boxes;

impl Pass for Boxes {
    fn run(&mut self, ctx: &mut PassContext, op: Op) -> PassResult {
        let mut made = 0;
        for p in op.find_all::<ParallelOp>(ctx) {
            if !in_a_thread(ctx, p.op()) {
                made += make_box(ctx, p);
            }
        }
        ctx.count("num-loops", made);
        Ok(())
    }
}

/// Makes a box of the perfect nest that begins with `p`, as far as that is wise; of how many loops.
pub(crate) fn make_box(ctx: &mut Context, p: ParallelOp) -> u64 {
    sink(ctx, p);
    let nest = perfect_nest(ctx, p);
    box_nest(ctx, &nest)
}

/// Moves what is only computed between two loops into the inner one, if neither its bounds nor the outer loop's
/// reductions need it.
fn sink(ctx: &mut Context, p: ParallelOp) {
    let mut ops = p.body(ctx).ops(ctx);
    let reduced = ops.pop().map_or(Vec::new(), |end| end.operands(ctx));
    let Some(inner) = ops.pop().and_then(|o| o.cast::<ParallelOp>(ctx)) else {
        return;
    };
    let bounds = inner.op().operands(ctx);
    let moves = |o: &Op| {
        let needed = |v: &Value| bounds.contains(v) || reduced.contains(v);
        let needed = o.results(ctx).iter().any(needed);
        is_pure(ctx, *o) && o.num_regions(ctx) == 0 && !needed
    };
    if let (true, Some(first)) = (ops.iter().all(moves), inner.body(ctx).first_op(ctx)) {
        for o in ops {
            o.move_before(ctx, first);
        }
        sink(ctx, inner);
    }
}

/// The ops of a perfect nest without reductions, from the outside in.
fn perfect_nest(ctx: &Context, outermost: ParallelOp) -> Vec<ParallelOp> {
    let reduces = |p: &ParallelOp| p.op().num_results(ctx) > 0;
    let mut all = Vec::new();
    let mut next = Some(outermost);
    while let Some(p) = next.filter(|p| !reduces(p)) {
        all.push(p);
        next = match p.body(ctx).ops(ctx)[..] {
            [inner, _] => inner.cast(ctx),
            _ => None,
        };
    }
    all
}

fn loops(ctx: &Context, names: &mut Names, p: ParallelOp) -> Vec<Loop> {
    let (lower, upper) = (p.lower_operands(ctx), p.upper_operands(ctx));
    let ivs = p.ivs(ctx).into_iter().zip(p.steps(ctx)).enumerate();
    let one = |(i, (iv, step))| Loop {
        dim: place(&mut names.dims, iv),
        lower: names.exprs(&p.lower_map_of(ctx, i), &lower),
        upper: names.exprs(&p.upper_map_of(ctx, i), &upper),
        step,
    };
    ivs.map(one).collect()
}

/// Makes a box of a nest.
fn box_nest(ctx: &mut Context, nest: &[ParallelOp]) -> u64 {
    let mut names = Names::default();
    let mut around: Vec<Loop> = Vec::new();
    // What is to be at least 0 in an iteration.
    let mut conditions: Vec<AffineExpr> = Vec::new();
    let mut made = 0;
    for p in nest {
        let inside = loops(ctx, &mut names, *p);
        let (mut lower, mut upper) = (Vec::new(), Vec::new());
        let before = made;
        for l in &inside {
            match boxed(&names, &around, l) {
                Some(b) => {
                    made += 1;
                    lower.push(b.lower);
                    upper.push(b.upper);
                    conditions.extend(b.conditions);
                }
                None => {
                    lower.push(l.lower.clone());
                    upper.push(l.upper.clone());
                }
            }
        }
        if made > before {
            let sizes = [&lower, &upper].map(|b| b.iter().map(Vec::len).collect::<Vec<_>>());
            let [lower, upper] = [lower, upper].map(|bounds| {
                let (map, operands) = names.map(bounds.concat());
                compose(ctx, &map, &operands)
            });
            p.set_bounds(
                ctx,
                (lower.map, &lower.operands, &sizes[0]),
                (upper.map, &upper.operands, &sizes[1]),
            );
        }
        around.extend(inside);
    }
    if let (true, Some(innermost)) = (made > 0, nest.last()) {
        guard_body(ctx, *innermost, &names, conditions);
    }
    made
}

/// A loop of the box.
struct Boxed {
    lower: Vec<AffineExpr>,
    upper: Vec<AffineExpr>,
    /// What its bounds said: each is at least 0.
    conditions: Vec<AffineExpr>,
}

/// What becomes of a loop whose bounds name loops `around` it; nothing where none does, and
/// where that is not wise.
fn boxed(names: &Names, around: &[Loop], l: &Loop) -> Option<Boxed> {
    let moves = |e: &AffineExpr| around.iter().any(|a| e.is_function_of_dim(a.dim));
    let split = |bounds: &[AffineExpr]| -> [Vec<AffineExpr>; 2] {
        let (moving, fixed) = bounds.iter().cloned().partition(moves);
        [moving, fixed]
    };
    let ([lower, least], [upper, most]) = (split(&l.lower), split(&l.upper));
    let conditions = (lower.iter().map(|e| at_least(l.dim, e)))
        .chain(upper.iter().map(|e| below(l.dim, e)))
        .collect();
    // With steps a box that begins elsewhere would go beside the iterations.
    let (lower, upper) = match (lower.is_empty(), upper.is_empty()) {
        (true, true) => return None,
        (false, _) if l.step != 1 => return None,
        (false, true) => (extremes(names, around, &l.lower, false)?, l.upper.clone()),
        (true, false) => (l.lower.clone(), extremes(names, around, &l.upper, true)?),
        (false, false) => match is_wide(names, [&lower, &upper], [&least, &most]) {
            true => (least, most),
            false => return None,
        },
    };
    Some(Boxed {
        lower,
        upper,
        conditions,
    })
}

/// Runs the body only where all of `conditions` are at least 0.
fn guard_body(ctx: &mut Context, p: ParallelOp, names: &Names, conditions: Vec<AffineExpr>) {
    let mut body = p.body(ctx).ops(ctx);
    body.pop();
    let loc = p.op().loc(ctx);
    guard(ctx, &body, conditions, [&names.dims, &names.symbols], loc);
}
