//! Unroll-and-jam: one iteration does the work of several, in every loop inside too.
//!
//! ```text
//! affine.for %i = 0 to 8 {              affine.for %i = 0 to 8 step 2 {
//!   a(%i)                                 a(%i), a(%i + 1)
//!   affine.for %j = 0 to %n {      =>     affine.for %j = 0 to %n {
//!     b(%i, %j)                             b(%i, %j), b(%i + 1, %j)
//!   }                                     }
//! }                                     }
//! ```
//!
//! Iterations left over go to a loop behind. Values carried by loops inside are carried
//! once for each copy. A value that the loop itself carries has to be a reduction: each
//! copy makes one of its own, and they are combined behind the loop. An innermost loop may begin
//! and end elsewhere in each iteration (`trapezoid`).

mod trapezoid;

use self::trapezoid::{End, Trapezoid, trapezoid};
use super::Refusal;
use super::carry::{carry, set_yielded};
use super::single_iteration::promote_if_single_iteration;
use super::unroll::split_off_remainder;
use crate::analysis::bounds::{constant_trip_count, trip_count_divisor};
use crate::analysis::captured::is_inside;
use crate::analysis::reduction::{self, Reduction};
use rustc_hash::FxHashMap;
use terrace_dialects::affine::{ApplyOp, ForOp};
use terrace_dialects::arith;
use terrace_ir::affine::{AffineExpr, AffineMap};
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::{Block, Builder, Context, Op, OpKind, Value};

/// How many ops the loop may grow to.
const MAX_OPS: u64 = 1 << 18;

/// What stands where the loop was.
#[derive(Debug, Clone, Default)]
pub struct Jammed {
    /// The loop; `None` where it had only one iteration left and is its body now.
    pub outer: Option<ForOp>,
    /// Loops that had to be made anew because they carry values: the old one, which is
    /// gone, and the new one.
    pub replaced: Vec<(ForOp, ForOp)>,
}

/// Let one iteration of `l` do the work of `factor`, in the loops inside too.
///
/// # Errors
///
/// The bounds of a loop inside depend on the iteration of `l` in a way that is not known; `l` is known to run less
/// often than `factor`, or carries a value that is not a reduction; it cannot be told where
/// a remainder of its iterations begins; the result would be too large.
pub fn unroll_jam(ctx: &mut Context, l: ForOp, factor: u64) -> Result<Jammed, Refusal> {
    let loc = l.op().loc(ctx);
    let refuse = |m: String| Err(Refusal::new(loc, m));
    let trips = constant_trip_count(ctx, l);
    if factor == 0 {
        return refuse("cannot unroll by 0; the factor has to be at least 1".into());
    }
    let unchanged = Jammed {
        outer: Some(l),
        replaced: Vec::new(),
    };
    if factor == 1 || l.body(ctx).ops(ctx).len() <= 1 {
        return Ok(unchanged);
    }
    if let Some(n) = trips.filter(|n| *n < factor) {
        return refuse(format!(
            "cannot unroll and jam by {factor}: the loop runs only {n} times"
        ));
    }
    let size = l.op().pre_order(ctx).len() as u64;
    let step = l.step(ctx);
    let new_step = i64::try_from(factor).ok().and_then(|f| step.checked_mul(f));
    let (Some(new_step), true) = (new_step, size.saturating_mul(factor) <= MAX_OPS) else {
        return refuse(format!(
            "cannot unroll and jam by {factor}: the loop would become too large"
        ));
    };
    let trapezoids = inner_bounds(ctx, l, new_step - step)?;
    let reductions = own_reductions(ctx, l)?;
    let even = trip_count_divisor(ctx, l).is_multiple_of(factor);
    if !even && !split_off_remainder(ctx, l, factor) {
        return refuse("cannot tell where the iterations left over begin".into());
    }
    let mut jam = Jam {
        factor: usize::try_from(factor).unwrap_or(usize::MAX),
        step,
        iv: l.iv(ctx),
        iv_is_used: l.iv(ctx).has_uses(ctx),
        copies: vec![IrMapping::new(); usize::try_from(factor - 1).unwrap_or(0)],
        replaced: Vec::new(),
        trapezoids,
        ends: Vec::new(),
    };
    let jammed = jam.outer_loop(ctx, l, &reductions);
    jammed.set_step(ctx, new_step);
    combine(ctx, jammed, &reductions, jam.factor);
    trapezoid::without_loops(ctx, &jam.ends);
    Ok(Jammed {
        outer: (!promote_if_single_iteration(ctx, jammed)).then_some(jammed),
        replaced: jam.replaced,
    })
}

/// The loops that are jammed: those directly in the body of `l` or of another of them.
fn jammed_loops(ctx: &Context, l: ForOp) -> Vec<ForOp> {
    let mut found = Vec::new();
    let mut open = vec![l];
    while let Some(outer) = open.pop() {
        let inside = outer.body(ctx).ops(ctx);
        let inside: Vec<ForOp> = inside.into_iter().filter_map(|o| o.cast(ctx)).collect();
        open.extend(&inside);
        found.extend(inside);
    }
    found
}

/// The loops inside that do not run the same in all iterations of `l` whose variables are up to
/// `apart` from one another.
fn inner_bounds(ctx: &Context, l: ForOp, apart: i64) -> Result<FxHashMap<Op, Trapezoid>, Refusal> {
    let inner = jammed_loops(ctx, l);
    let fixed = |v: Value| !is_inside(ctx, l.op(), v) || inner.iter().any(|i| i.iv(ctx) == v);
    let mut found = FxHashMap::default();
    for i in &inner {
        if let Some(t) = trapezoid(ctx, l, *i, apart, fixed)? {
            found.insert(i.op(), t);
        }
    }
    Ok(found)
}

/// The reductions that `l` carries and what each starts as in the copies.
fn own_reductions(ctx: &Context, l: ForOp) -> Result<Vec<(Reduction, terrace_ir::Attr)>, Refusal> {
    let mut found = Vec::new();
    for (i, ty) in l.op().result_types(ctx).into_iter().enumerate() {
        let reduction = reduction::of_iter_arg(ctx, l, i);
        let neutral = reduction.and_then(|r| Some((r, r.kind.identity(ctx, ty)?)));
        found.push(neutral.ok_or_else(|| {
            let m = format!(
                "cannot unroll and jam: value {i} that the loop carries is not a reduction"
            );
            Refusal::new(l.op().loc(ctx), m)
        })?);
    }
    Ok(found)
}

struct Jam {
    factor: usize,
    step: i64,
    iv: Value,
    iv_is_used: bool,
    /// What stands for a value of the first iteration in those after it.
    copies: Vec<IrMapping>,
    replaced: Vec<(ForOp, ForOp)>,
    trapezoids: FxHashMap<Op, Trapezoid>,
    /// Loops of what an iteration runs on its own.
    ends: Vec<ForOp>,
}

impl Jam {
    fn outer_loop(
        &mut self,
        ctx: &mut Context,
        l: ForOp,
        reductions: &[(Reduction, terrace_ir::Attr)],
    ) -> ForOp {
        let mut starts = Vec::new();
        for (_, neutral) in reductions {
            let mut b = Builder::before(ctx, l.op());
            starts.push(arith::constant(&mut b, *neutral));
        }
        let starts = starts.repeat(self.factor - 1);
        self.loop_with(ctx, l, &starts)
    }

    /// Jam a loop that carries as much again, starting with `starts`, for each copy.
    fn loop_with(&mut self, ctx: &mut Context, l: ForOp, starts: &[Value]) -> ForOp {
        let mut new = l;
        let n = l.op().num_results(ctx);
        if n > 0 {
            let is_outer = self.iv == l.iv(ctx);
            new = carry(ctx, l, starts);
            self.replaced.push((l, new));
            if is_outer {
                self.iv = new.iv(ctx);
            }
            let (args, results) = (new.iter_args(ctx), new.op().results(ctx));
            for (i, copy) in self.copies.iter_mut().enumerate() {
                let at = (i + 1) * n..(i + 2) * n;
                copy.map_all(&args[..n], &args[at.clone()]);
                copy.map_all(&results[..n], &results[at]);
            }
        }
        self.block(ctx, new.body(ctx));
        if n > 0 {
            let mut all = new.yielded(ctx);
            all.truncate(n);
            for copy in &self.copies {
                let more: Vec<Value> = all[..n].iter().map(|v| copy.value(*v)).collect();
                all.extend(more);
            }
            set_yielded(ctx, new, &all);
        }
        new
    }

    /// Each stretch without loops is followed by its copies; loops are jammed. What an iteration
    /// runs of a loop on its own is in the stretches around it.
    fn block(&mut self, ctx: &mut Context, block: Block) {
        let mut ops = block.ops(ctx);
        ops.pop();
        let mut stretch: Vec<Op> = Vec::new();
        let mut ends: Vec<End> = Vec::new();
        for op in ops {
            let Some(l) = op.cast::<ForOp>(ctx) else {
                stretch.push(op);
                continue;
            };
            let apart = self.trapezoids.remove(&op);
            let (front, behind) = apart.map(|t| t.take_apart(ctx, l)).unwrap_or_default();
            stretch.extend(front.iter().map(|e| e.op));
            ends.extend(front);
            self.repeat(
                ctx,
                &std::mem::take(&mut stretch),
                &std::mem::take(&mut ends),
            );
            stretch.extend(behind.iter().map(|e| e.op));
            ends.extend(behind);
            let inits = l.inits(ctx);
            let copies = self.copies.iter();
            let starts: Vec<Value> = copies
                .flat_map(|c| inits.iter().map(|v| c.value(*v)))
                .collect();
            self.loop_with(ctx, l, &starts);
        }
        self.repeat(ctx, &stretch, &ends);
    }

    /// Copies of a stretch of ops behind it, with these in it.
    fn repeat(&mut self, ctx: &mut Context, stretch: &[Op], ends: &[End]) {
        let Some(last) = stretch.last() else { return };
        self.ends.extend(ends.iter().map(|e| ForOp::wrap(e.op)));
        let mut b = Builder::after(ctx, *last);
        let mut offset = self.step;
        for copy in &mut self.copies {
            if self.iv_is_used {
                let map = AffineMap::new(1, 0, vec![AffineExpr::dim(0) + offset]);
                let iv = ApplyOp::build(&mut b, map, &[self.iv]);
                copy.map(self.iv, iv);
            }
            for op in stretch {
                let new = clone_op(b.ctx, *op, copy);
                if let Some(end) = ends.iter().find(|e| e.op == *op) {
                    end.align(b.ctx, new);
                    self.ends.push(ForOp::wrap(new));
                }
                b.insert(new);
            }
            offset = offset.saturating_add(self.step);
        }
    }
}

/// Combine what the copies have reduced to, for all users of the first.
fn combine(
    ctx: &mut Context,
    l: ForOp,
    reductions: &[(Reduction, terrace_ir::Attr)],
    factor: usize,
) {
    let results = l.op().results(ctx);
    let n = reductions.len();
    let mut b = Builder::after(ctx, l.op());
    for (i, (r, _)) in reductions.iter().enumerate() {
        let users = results[i].uses(b.ctx);
        let mut whole = results[i];
        for copy in 1..factor {
            let ty = whole.ty(b.ctx);
            whole = r.kind.combine(&mut b, whole, results[copy * n + i], ty);
        }
        results[i].replace_uses_if(b.ctx, whole, |u| users.contains(&u));
    }
}
