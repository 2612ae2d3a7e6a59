//! The iterations of loops as conditions over their variables and what surrounds them.

use super::Refusal;
use super::frame::Frame;
use super::names::describe;
use terrace_dialects::affine::{ForOp, IfOp, ParallelOp};
use terrace_ir::affine::{AffineExpr, AffineMap};
use terrace_ir::{Context, OpKind, Value};

/// The bounds of loops over one frame: `lower[k]` are the lower bounds of loop `k`, of
/// which the greatest counts, `upper[k]` the upper ones, exclusive.
#[derive(Debug, Clone)]
pub(crate) struct Bounds {
    pub lower: Vec<Vec<AffineExpr>>,
    pub upper: Vec<Vec<AffineExpr>>,
}

impl Bounds {
    pub(crate) fn of(ctx: &Context, frame: &mut Frame, loops: &[ForOp]) -> Bounds {
        let (mut lower, mut upper) = (Vec::new(), Vec::new());
        for l in loops {
            lower.push(frame.exprs(ctx, l.lower_map(ctx), &l.lower_operands(ctx)));
            upper.push(frame.exprs(ctx, l.upper_map(ctx), &l.upper_operands(ctx)));
        }
        Bounds { lower, upper }
    }
}

/// What holds at every place inside the loops and conditions around `l`, each of these
/// expressions being at least zero there.
pub(crate) fn known_around(ctx: &Context, frame: &mut Frame, l: ForOp) -> Vec<AffineExpr> {
    let mut known = Vec::new();
    let mut inner = l.op();
    while let Some(op) = inner.parent(ctx) {
        if let Some(f) = op.cast::<ForOp>(ctx) {
            known.extend(inside(ctx, frame, f));
        } else if let Some(i) = op.cast::<IfOp>(ctx) {
            if inner.block(ctx) == Some(i.then_block(ctx)) {
                known.extend(condition(ctx, frame, i));
            }
        } else if let Some(p) = op.cast::<ParallelOp>(ctx) {
            known.extend(inside_parallel(ctx, frame, p));
        } else {
            break;
        }
        inner = op;
    }
    known
}

/// What holds in the body of `l`, as far as its bounds say.
pub(crate) fn inside(ctx: &Context, frame: &mut Frame, l: ForOp) -> Vec<AffineExpr> {
    let bounds = Bounds::of(ctx, frame, &[l]);
    let iv = frame.dim(l.iv(ctx));
    let lower = bounds.lower.into_iter().flatten();
    let upper = bounds.upper.into_iter().flatten();
    let above = lower.map(|e| iv.clone() - e);
    let below = upper.map(|e| e - iv.clone() - 1);
    above.chain(below).collect()
}

/// What holds in the body of a parallel loop, as far as its bounds say.
fn inside_parallel(ctx: &Context, frame: &mut Frame, p: ParallelOp) -> Vec<AffineExpr> {
    let (lower, upper) = (p.lower_operands(ctx), p.upper_operands(ctx));
    let mut all = Vec::new();
    for (i, v) in p.ivs(ctx).into_iter().enumerate() {
        let iv = frame.dim(v);
        let lower = frame.exprs(ctx, &p.lower_map_of(ctx, i), &lower);
        let upper = frame.exprs(ctx, &p.upper_map_of(ctx, i), &upper);
        all.extend(lower.into_iter().map(|e| iv.clone() - e));
        all.extend(upper.into_iter().map(|e| e - iv.clone() - 1));
    }
    all
}

fn condition(ctx: &Context, frame: &mut Frame, i: IfOp) -> Vec<AffineExpr> {
    let (set, operands) = i.composed(ctx);
    let exprs = set.constraints().iter().map(|c| c.expr.clone()).collect();
    let map = AffineMap::new(set.num_dims(), set.num_symbols(), exprs);
    let exprs = frame.exprs(ctx, &map, &operands);
    let mut all = Vec::new();
    for (e, c) in exprs.into_iter().zip(set.constraints()) {
        if c.is_eq {
            all.push(-e.clone());
        }
        all.push(e);
    }
    all
}

/// The steps of loops.
///
/// # Errors
///
/// Where a step is not positive, which no valid loop has.
pub(crate) fn steps(ctx: &Context, loops: &[ForOp]) -> Result<Vec<i64>, Refusal> {
    let step = |l: &ForOp| match l.step(ctx) {
        s if s > 0 => Ok(s),
        s => {
            let m = format!(
                "{} has a step of {s}, expected at least 1",
                describe(ctx, *l)
            );
            Err(Refusal::new(l.op().loc(ctx), m))
        }
    };
    loops.iter().map(step).collect()
}

/// Whether an expression depends on one of the first `n` dimensions.
pub(crate) fn depends_on_first(e: &AffineExpr, n: usize) -> bool {
    (0..n).any(|k| depends_on(e, k))
}

/// Whether an expression depends on dimension `k`.
pub(crate) fn depends_on(e: &AffineExpr, k: usize) -> bool {
    u32::try_from(k).is_ok_and(|k| e.is_function_of_dim(k))
}

/// Dimension `k` as an expression.
pub(crate) fn dim(k: usize) -> AffineExpr {
    AffineExpr::Dim(u32::try_from(k).unwrap_or(u32::MAX))
}

/// The first values of a frame that a place before `band` cannot see.
pub(crate) fn unavailable(
    frame: &Frame,
    skip: usize,
    available: impl Fn(Value) -> bool,
) -> Option<Value> {
    frame
        .operands()
        .into_iter()
        .skip(skip)
        .find(|v| !available(*v))
}
