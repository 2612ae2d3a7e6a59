//! Full tiles apart from partial ones: a condition chooses between loops over points
//! without minima in their bounds and the loops as they were.

use crate::analysis::bounds::difference;
use crate::analysis::captured::is_in_body;
use terrace_dialects::affine::{ForOp, IfOp, compose::compose, compose::compose_set};
use terrace_ir::affine::{AffineMap, Constraint, IntegerSet, ValueMap};
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::{Builder, Context, OpKind, Type, Value};

/// One loop of a nest whose points are separated.
struct Full {
    lower: ValueMap<Value>,
    upper: ValueMap<Value>,
    /// What has to be at least zero for the tile to be full.
    conditions: Vec<ValueMap<Value>>,
}

/// Separate the full tiles of `points`, loops perfectly nested in one another. Returns
/// the loops over the points of full tiles; `None`, with nothing changed, where a step
/// is not 1, no upper bound is a constant away from the lower one, whether a tile is full
/// depends on its points, or all tiles are full.
pub fn separate_full_tiles(ctx: &mut Context, points: &[ForOp]) -> Option<Vec<ForOp>> {
    let full: Vec<Full> = points
        .iter()
        .map(|l| full_tile(ctx, *l))
        .collect::<Option<_>>()?;
    let (set, operands) = condition(ctx, &full)?;
    let first = *points.first()?;
    // The choice stands before the first point.
    if operands.iter().any(|v| is_in_body(ctx, first.op(), *v)) {
        return None;
    }
    let results = first.op().results(ctx);
    let types: Vec<Type> = results.iter().map(|v| v.ty(ctx)).collect();
    let mut b = Builder::before(ctx, first.op());
    let mut map = IrMapping::new();
    let choice = IfOp::build(
        &mut b,
        set,
        &operands,
        &types,
        |b| {
            let copy = clone_op(b.ctx, first.op(), &mut map);
            b.insert(copy);
            copy.results(b.ctx)
        },
        Some(&mut |_| results.clone()),
    );
    let ctx = b.ctx;
    let mut loops = Vec::new();
    for (l, f) in points.iter().zip(full) {
        let body = map.block(l.body(ctx));
        let new = body.parent_op(ctx)?.cast::<ForOp>(ctx)?;
        let mapped = |m: &ValueMap<Value>| -> Vec<Value> {
            m.operands.iter().map(|v| map.value(*v)).collect()
        };
        new.set_lower(ctx, f.lower.map.clone(), &mapped(&f.lower));
        new.set_upper(ctx, f.upper.map.clone(), &mapped(&f.upper));
        loops.push(new);
    }
    let chosen = choice.op().results(ctx);
    for (old, new) in results.iter().zip(chosen) {
        let other = choice.else_block(ctx);
        old.replace_uses_if(ctx, new, |u| u.op.block(ctx) != other);
    }
    if let Some(end) = choice.else_block(ctx).and_then(|e| e.last_op(ctx)) {
        first.op().move_before(ctx, end);
    }
    Some(loops)
}

/// The bounds of `l` on a full tile: the pair of a lower and an upper bound with the
/// least constant difference.
fn full_tile(ctx: &Context, l: ForOp) -> Option<Full> {
    if l.step(ctx) != 1 {
        return None;
    }
    let (lower, lower_operands) = (l.lower_map(ctx), l.lower_operands(ctx));
    let (upper, upper_operands) = (l.upper_map(ctx), l.upper_operands(ctx));
    let mut best: Option<(i64, usize, usize)> = None;
    for i in 0..lower.num_results() {
        for j in 0..upper.num_results() {
            let (low, up) = (lower.sub_map(&[i]), upper.sub_map(&[j]));
            let d = difference(ctx, (&up, &upper_operands), (&low, &lower_operands));
            if let Some(size) = d.map.single_constant()
                && best.is_none_or(|(least, _, _)| size < least)
            {
                best = Some((size, i, j));
            }
        }
    }
    let (_, i, j) = best?;
    let (low, up) = (lower.sub_map(&[i]), upper.sub_map(&[j]));
    let mut conditions = Vec::new();
    for k in (0..lower.num_results()).filter(|k| *k != i) {
        let other = lower.sub_map(&[k]);
        conditions.push(difference(
            ctx,
            (&low, &lower_operands),
            (&other, &lower_operands),
        ));
    }
    for k in (0..upper.num_results()).filter(|k| *k != j) {
        let other = upper.sub_map(&[k]);
        conditions.push(difference(
            ctx,
            (&other, &upper_operands),
            (&up, &upper_operands),
        ));
    }
    Some(Full {
        lower: compose(ctx, &low, &lower_operands),
        upper: compose(ctx, &up, &upper_operands),
        conditions,
    })
}

/// All conditions as one set; `None` where there are none.
fn condition(ctx: &Context, full: &[Full]) -> Option<(IntegerSet, Vec<Value>)> {
    let all: Vec<&ValueMap<Value>> = full.iter().flat_map(|f| &f.conditions).collect();
    let split = |m: &ValueMap<Value>| {
        let at = (m.map.num_dims() as usize).min(m.operands.len());
        (m.operands[..at].to_vec(), m.operands[at..].to_vec())
    };
    let (mut dims, mut symbols) = (Vec::new(), Vec::new());
    for m in &all {
        let (d, s) = split(m);
        dims.extend(d);
        symbols.extend(s);
    }
    let (num_dims, num_symbols) = (
        u32::try_from(dims.len()).ok()?,
        u32::try_from(symbols.len()).ok()?,
    );
    let (mut at_dim, mut at_symbol) = (0, 0);
    let mut constraints = Vec::new();
    for m in &all {
        let shifted: AffineMap = m.map.shift_dims(at_dim).shift_symbols(at_symbol);
        at_dim += m.map.num_dims();
        at_symbol += m.map.num_symbols();
        for e in shifted.results() {
            constraints.push(Constraint {
                expr: e.clone(),
                is_eq: false,
            });
        }
    }
    let set = IntegerSet::new(num_dims, num_symbols, constraints);
    let (set, operands) = compose_set(ctx, &set, &[dims, symbols].concat());
    let set = set.simplify();
    // A set without conditions is written as 0 = 0.
    let holds = |c: &Constraint| match (c.expr.as_constant(), c.is_eq) {
        (Some(n), true) => n == 0,
        (Some(n), false) => n >= 0,
        (None, _) => false,
    };
    if set.constraints().iter().all(holds) {
        return None;
    }
    Some((set, operands))
}
