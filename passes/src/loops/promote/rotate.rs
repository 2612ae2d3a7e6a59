//! Elements that later iterations use again.
//!
//! Stores stay where they are; what is no longer loaded is handed on.
//!
//! ```text
//!                                       %0 = affine.load %m[0]
//!                                       %1 = affine.load %m[1]
//! affine.for %i = 1 to 9 {              affine.for %i = 1 to 9 iter_args(%a = %0, %b = %1) {
//!   %2 = affine.load %m[%i - 1]
//!   %3 = affine.load %m[%i]       =>
//!   %4 = affine.load %m[%i + 1]           %4 = affine.load %m[%i + 1]
//!   use(%2, %3, %4)                       use(%a, %b, %4)
//! }                                       affine.yield %b, %4
//!                                       }
//! ```

use super::group::Rotating;
use super::runs::{Runs, is_within};
use crate::loops::carry::{carry, set_yielded};
use terrace_dialects::affine::{ForOp, LoadOp, compose::compose};
use terrace_ir::affine::{AffineExpr, AffineMap, ValueMap};
use terrace_ir::{Builder, Context, OpKind, Value};

/// Hand elements on from iteration to iteration. Returns the loop; `None`, with nothing
/// changed, where that cannot be done: an element that a later iteration is the first to
/// use is perhaps not there, or the lower bound is a maximum.
pub fn hand_on(ctx: &mut Context, l: ForOp, g: &Rotating) -> Option<ForOp> {
    let (lo, hi) = g.phases;
    let (first, _) = &g.members[0];
    let ty = first.memref.ty(ctx).element(ctx)?;
    let carried: Vec<i64> = (lo..hi).collect();
    let starts: Vec<ValueMap<Value>> = carried
        .iter()
        .map(|k| at_start(ctx, l, g, *k))
        .collect::<Option<_>>()?;
    for (k, start) in carried.iter().zip(&starts) {
        // The first iteration to use what phase k starts with.
        let used = g.members.iter().map(|m| m.1).filter(|p| p <= k).max()?;
        let later = k - used;
        if later > 0
            && !is_within(ctx, first, start)
            && !matches!(Runs::of(ctx, l, later + 1)?, Runs::Always)
        {
            return None;
        }
    }
    let runs = Runs::of(ctx, l, 1)?;
    ctx.zero_attr(ty)?;
    // A value that a store gives to the leading phase needs no load at all.
    let mut b = Builder::before(ctx, l.op());
    let mut inits = Vec::new();
    for s in &starts {
        let load = |b: &mut Builder| LoadOp::build(b, first.memref, s.map.clone(), &s.operands);
        inits.push(runs.value(&mut b, load, ty)?);
    }
    let ctx = b.ctx;
    let new = carry(ctx, l, &inits);
    let args = new.iter_args(ctx);
    // What each phase is at this point of the body.
    let mut current: Vec<Option<Value>> = args[args.len() - inits.len()..]
        .iter()
        .map(|v| Some(*v))
        .collect();
    current.push(None);
    for (a, k) in &g.members {
        let now = &mut current[usize::try_from(k - lo).ok()?];
        match (a.stored(ctx), *now) {
            (Some(value), _) => *now = Some(value),
            (None, Some(value)) => a.op.replace(ctx, &[value]),
            (None, None) => *now = Some(a.op.result(ctx, 0)),
        }
    }
    let mut yielded = new.yielded(ctx);
    let from = yielded.len() - inits.len();
    for (place, next) in yielded[from..].iter_mut().zip(&current[1..]) {
        *place = (*next)?;
    }
    set_yielded(ctx, new, &yielded);
    Some(new)
}

/// The subscripts of phase `k` in the first iteration, over values from outside.
fn at_start(ctx: &Context, l: ForOp, g: &Rotating, k: i64) -> Option<ValueMap<Value>> {
    let lower = l.lower_map(ctx);
    let [start] = lower.results() else {
        return None;
    };
    let ValueMap { map, operands } = &g.subscripts;
    // The variable of the loop as it is now; nothing uses it in the end.
    let mut operands = operands.clone();
    *operands.get_mut(g.iv)? = l.iv(ctx);
    let (dims, symbols) = operands.split_at((map.num_dims() as usize).min(operands.len()));
    let bound = l.lower_operands(ctx);
    let (bound_dims, bound_symbols) = bound.split_at((lower.num_dims() as usize).min(bound.len()));
    // Dimensions of the subscripts first, then those of the bound; symbols likewise.
    let start = start
        .shift_dims(map.num_dims(), 0)
        .shift_symbols(map.num_symbols(), 0);
    let mut replaced: Vec<AffineExpr> = (0..map.num_dims()).map(AffineExpr::dim).collect();
    *replaced.get_mut(g.iv)? = start;
    let results = map
        .results()
        .iter()
        .zip(&g.stride)
        .map(|(e, s)| Some(e.replace_dims(&replaced) + k.checked_mul(*s)?))
        .collect::<Option<_>>()?;
    let all = [dims, bound_dims, symbols, bound_symbols].concat();
    let num_dims = map.num_dims().checked_add(lower.num_dims())?;
    let num_symbols = map.num_symbols().checked_add(lower.num_symbols())?;
    let c = compose(ctx, &AffineMap::new(num_dims, num_symbols, results), &all);
    (!c.operands.contains(&l.iv(ctx))).then_some(c)
}
