//! Time loops that copy back what they computed.

use crate::analysis::captured::is_inside;
use crate::analysis::memory::{base, is_root, may_be_same};
use terrace_dialects::affine::{Access, AccessKind, ForOp};
use terrace_ir::affine::AffineExpr;
use terrace_ir::effects::own_effects;
use terrace_ir::{Context, Op, OpKind, Value};

/// Steps below which the rest of the array is not worth a copy.
const MIN_STEPS: u64 = 4;

/// A time loop as a step and a copy.
#[derive(Debug)]
pub(super) struct Step {
    pub time: ForOp,
    /// The constant it begins at.
    pub first: i64,
    /// What is in it in front of the copy.
    pub ops: Vec<Op>,
    /// The loops of the copy, one a dimension, outer before inner.
    pub copy: Vec<ForOp>,
    /// What the step reads and the copy writes.
    pub state: Value,
    /// What the step writes and the copy reads.
    pub next: Value,
}

/// What `time` does, where it is such a loop.
pub(super) fn find(ctx: &Context, time: ForOp) -> Option<Step> {
    let first = time.constant_lower(ctx)?;
    if time.step(ctx) != 1
        || time.op().num_results(ctx) != 0
        || time.upper_map(ctx).num_results() != 1
        || time.constant_trip_count(ctx).is_some_and(|n| n < MIN_STEPS)
    {
        return None;
    }
    let mut ops = time.body(ctx).ops(ctx);
    ops.pop()?;
    let root = ops.pop()?.cast::<ForOp>(ctx)?;
    let (copy, state, next) = copy(ctx, time, root)?;
    let step = Step {
        time,
        first,
        ops,
        copy,
        state,
        next,
    };
    (are_arrays_alike(ctx, &step) && stores_the_box(ctx, &step)).then_some(step)
}

/// The loops of a nest that only copies, where it copies to and from.
fn copy(ctx: &Context, time: ForOp, root: ForOp) -> Option<(Vec<ForOp>, Value, Value)> {
    let mut loops = vec![root];
    loop {
        let l = *loops.last()?;
        if l.step(ctx) != 1 || l.op().num_results(ctx) != 0 || !is_fixed(ctx, time, l) {
            return None;
        }
        match &l.body(ctx).ops(ctx)[..] {
            [inner, _] => loops.push(inner.cast::<ForOp>(ctx)?),
            [load, store, _] => {
                let (load, store) = (Access::of(ctx, *load)?, Access::of(ctx, *store)?);
                let ivs: Vec<Value> = loops.iter().map(|l| l.iv(ctx)).collect();
                let moves = load.kind == AccessKind::Read
                    && store.stored(ctx) == Some(load.op.result(ctx, 0))
                    && counters(&load)? == ivs
                    && counters(&store)? == ivs;
                return moves.then_some((loops, store.memref, load.memref));
            }
            _ => return None,
        }
    }
}

/// Whether the bounds of a loop are the same in all steps.
fn is_fixed(ctx: &Context, time: ForOp, l: ForOp) -> bool {
    let operands = [l.lower_operands(ctx), l.upper_operands(ctx)].concat();
    operands.iter().all(|v| !is_inside(ctx, time.op(), *v))
}

/// The values that are the subscripts of an element, where they are no sums.
fn counters(a: &Access) -> Option<Vec<Value>> {
    if a.vector.is_some() {
        return None;
    }
    let one = |e: &AffineExpr| match e {
        AffineExpr::Dim(d) => a.operands.get(*d as usize).copied(),
        _ => None,
    };
    a.map.results().iter().map(one).collect()
}

/// Whether the arrays are two, and another one like them can be made.
fn are_arrays_alike(ctx: &Context, step: &Step) -> bool {
    let (state, next) = (step.state, step.next);
    let ty = state.ty(ctx);
    ty == next.ty(ctx)
        && ty.memref_parts(ctx) == Some((None, None))
        && is_root(ctx, state)
        && is_root(ctx, next)
        && !may_be_same(ctx, state, next)
        && [state, next]
            .iter()
            .all(|v| !is_inside(ctx, step.time.op(), *v))
}

/// Whether what is in front of the copy stores all of the copied box and nothing else to
/// `next`, does not read it, and leaves `state` alone.
fn stores_the_box(ctx: &Context, step: &Step) -> bool {
    let mut stores = 0;
    for o in step.ops.iter().flat_map(|o| o.pre_order(ctx)) {
        if let Some(a) = Access::of(ctx, o)
            && (a.memref == step.state || a.memref == step.next)
        {
            let reads = a.kind == AccessKind::Read;
            if (a.memref == step.state) != reads || !reads && !covers(ctx, step, &a) {
                return false;
            }
            stores += u32::from(!reads);
            continue;
        }
        let Some(effects) = own_effects(ctx, o) else {
            return false;
        };
        let elsewhere = |v: Value| {
            let v = base(ctx, v);
            !may_be_same(ctx, v, step.state) && !may_be_same(ctx, v, step.next)
        };
        if !effects.iter().all(|e| e.on.is_some_and(elsewhere)) {
            return false;
        }
    }
    stores == 1
}

/// Whether a store runs once for each element of the box in a step.
fn covers(ctx: &Context, step: &Step, store: &Access) -> bool {
    let Some(counters) = counters(store).filter(|c| c.len() == step.copy.len()) else {
        return false;
    };
    let mut around = Vec::new();
    let mut at = store.op.parent(ctx);
    while let Some(l) = at.and_then(|o| o.cast::<ForOp>(ctx)) {
        if l.op() == step.time.op() {
            break;
        }
        around.push(l);
        at = l.op().parent(ctx);
    }
    let runs_over = |counter: &Value, copied: &ForOp| {
        let same = |l: &ForOp| {
            l.iv(ctx) == *counter
                && l.step(ctx) == 1
                && (l.lower_map(ctx), l.upper_map(ctx))
                    == (copied.lower_map(ctx), copied.upper_map(ctx))
                && l.lower_operands(ctx) == copied.lower_operands(ctx)
                && l.upper_operands(ctx) == copied.upper_operands(ctx)
        };
        around.iter().any(same)
    };
    // As many loops as dimensions, so each dimension has one of its own.
    let all_differ = (0..counters.len()).all(|i| !counters[..i].contains(&counters[i]));
    at == Some(step.time.op())
        && around.len() == counters.len()
        && all_differ
        && counters
            .iter()
            .zip(&step.copy)
            .all(|(c, l)| runs_over(c, l))
}
