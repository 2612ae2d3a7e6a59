//! The parallel loops of a nest that can run along the axes of a grid, and these as
//! sequential loops again, which the mechanics of schedules are about.

use crate::analysis::directive::LoopClauses;
use crate::analysis::loop_names::iv_names;
use terrace_dialects::affine::{ForOp, ParallelOp, scope};
use terrace_ir::effects::is_pure;
use terrace_ir::{Builder, Context, Op, OpKind, Value};

/// The ops of the parallel loops, from the outside in: each holds nothing but the next and
/// what computes without memory, and none has bounds that change with another.
pub fn band_of(ctx: &Context, root: ParallelOp) -> Vec<ParallelOp> {
    let mut band = vec![root];
    let mut p = root;
    while let Some(inner) = next(ctx, root, p) {
        band.push(inner);
        p = inner;
    }
    band
}

fn next(ctx: &Context, root: ParallelOp, p: ParallelOp) -> Option<ParallelOp> {
    let mut ops = p.body(ctx).ops(ctx);
    ops.pop()?;
    let inner = ops.pop()?.cast::<ParallelOp>(ctx)?;
    let simple = |o: &Op| o.num_regions(ctx) == 0 && is_pure(ctx, *o);
    let fixed = |v: &Value| {
        let owner = v.arg_block().and_then(|b| b.parent_op(ctx));
        !scope::is_induction_var(ctx, *v) || owner.is_none_or(|o| !root.op().is_ancestor_of(ctx, o))
    };
    let ok = inner.op().num_results(ctx) == 0
        && ops.iter().all(simple)
        && inner.op().operands(ctx).iter().all(fixed);
    ok.then_some(inner)
}

/// Whether clauses say of loops beside others, inside the parallel ones that an iteration of these is a
/// block's: what its threads do together has a mapper of its own.
pub(crate) fn is_for_blocks(ctx: &Context, root: ParallelOp) -> bool {
    let Some(last) = band_of(ctx, root).pop() else {
        return false;
    };
    let inside = last.op().pre_order(ctx).into_iter().skip(1);
    let mut levels = inside.filter_map(|o| LoopClauses::of(ctx, o));
    levels.any(|c| c.levels)
}

/// How many loops there are in a band.
pub fn depth(ctx: &Context, band: &[ParallelOp]) -> usize {
    band.iter().map(|p| p.num_loops(ctx)).sum()
}

/// Whether it has several loops, of which not all extents are known.
pub(super) fn is_open(ctx: &Context, band: &[ParallelOp]) -> bool {
    depth(ctx, band) > 1 && has_open_extents(ctx, band)
}

/// Whether not all extents are known.
pub(super) fn has_open_extents(ctx: &Context, band: &[ParallelOp]) -> bool {
    band.iter().any(|p| p.op().num_operands(ctx) > 0)
}

/// The names of the loops of a band, from the outside in; `?` for one that has none.
pub fn names(ctx: &Context, band: &[ParallelOp]) -> Vec<String> {
    let of = |p: &ParallelOp| match iv_names(ctx, p.op()) {
        names if names.len() == p.num_loops(ctx) => names,
        _ => vec!["?".to_string(); p.num_loops(ctx)],
    };
    band.iter().flat_map(of).collect()
}

/// Puts sequential loops in the place of a band of parallel ones without results, which
/// run the same iterations. Gives them from the outside in; what was said about the
/// outermost op is not said of them.
pub fn in_order(ctx: &mut Context, band: &[ParallelOp]) -> Vec<ForOp> {
    let mut loops = Vec::new();
    for p in band {
        loops.extend(one_in_order(ctx, *p));
    }
    loops
}

fn one_in_order(ctx: &mut Context, p: ParallelOp) -> Vec<ForOp> {
    let op = p.op();
    let (lower, upper) = (p.lower_operands(ctx), p.upper_operands(ctx));
    let (steps, ivs, names) = (p.steps(ctx), p.ivs(ctx), iv_names(ctx, op));
    let body = p.body(ctx);
    let mut loops: Vec<ForOp> = Vec::new();
    for (i, step) in steps.iter().enumerate() {
        let (first, last) = (p.lower_map_of(ctx, i), p.upper_map_of(ctx, i));
        let mut b = match loops.last().and_then(|l| l.body(ctx).last_op(ctx)) {
            Some(end) => Builder::before(ctx, end),
            None => Builder::before(ctx, op),
        };
        b.loc = op.loc(b.ctx);
        let none = |_: &mut Builder, _: Value, _: &[Value]| Vec::new();
        let l = ForOp::build(&mut b, (first, &lower), (last, &upper), *step, &[], none);
        l.body(ctx).set_arg_loc(ctx, 0, ivs[i].loc(ctx));
        if names.len() == steps.len() && ivs[i].loc(ctx).name(ctx).is_none() {
            let name = ctx.string_attr(&names[i]);
            l.op().set_attr(ctx, "schedule.iv", name);
        }
        let new = l.iv(ctx);
        ivs[i].replace_all_uses(ctx, new);
        loops.push(l);
    }
    let inner = loops.last().and_then(|l| l.body(ctx).last_op(ctx));
    if let (Some(end), Some(first)) = (inner, loops.first().copied()) {
        let terminator = body.last_op(ctx);
        for o in body.ops(ctx).into_iter().filter(|o| Some(*o) != terminator) {
            o.move_before(ctx, end);
        }
        if let Some(label) = op.attr(ctx, "schedule.label") {
            first.op().set_attr(ctx, "schedule.label", label);
        }
        op.erase(ctx);
    }
    loops
}
