//! Stores apart from the loop that carries a value beside them.
//!
//! A loop that carries a value is one statement with all that is in it, so that none of
//! its stores can have another order than the value. Where they have nothing to do with
//! each other they become two loops.
//!
//! ```text
//! %s = affine.for %k iter_args(%a = %0) {      affine.for %k {
//!   store (load %C[%k] + ...), %C[%k]            store (load %C[%k] + ...), %C[%k]
//!   yield %a + load %B[%k]                =>   }
//! }                                            %s = affine.for %k iter_args(%a = %0) {
//!                                                yield %a + load %B[%k]
//!                                              }
//! ```
//!
//! Legal where the stores use no carried value and write nothing that the carried values
//! are computed from.

use rustc_hash::FxHashSet;
use terrace_dialects::affine::{ForOp, LoadOp, StoreOp, YieldOp};
use terrace_dialects::attributes::ACC_LOOP;
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::effects::{is_pure, is_trivially_dead};
use terrace_ir::{Builder, Context, Op, OpKind, Value};

use crate::analysis::dependence::{Dependences, Options, dependences};

/// Does so wherever it can be done in `function`; the number of loops.
pub fn run(ctx: &mut Context, function: Op) -> usize {
    let loops = function.find_all::<ForOp>(ctx);
    let candidates: Vec<ForOp> = loops
        .into_iter()
        .filter(|l| l.op().num_results(ctx) > 0 && !stores(ctx, *l).is_empty())
        .collect();
    if candidates.is_empty() {
        return 0;
    }
    let all = dependences(ctx, function, &Options::of_regions());
    let apart: Vec<ForOp> = candidates
        .into_iter()
        .filter(|l| are_strangers(ctx, &all, *l))
        .collect();
    for l in &apart {
        part(ctx, *l);
    }
    apart.len()
}

fn stores(ctx: &Context, l: ForOp) -> Vec<Op> {
    let ops = l.body(ctx).ops(ctx).into_iter();
    ops.filter(|o| o.isa::<StoreOp>(ctx)).collect()
}

/// Whether the stores in a body and the values that it carries have nothing to do with
/// each other.
fn are_strangers(ctx: &Context, all: &Dependences, l: ForOp) -> bool {
    let ops = l.body(ctx).ops(ctx);
    let known = |o: &Op| {
        o.num_regions(ctx) == 0
            && (is_pure(ctx, *o)
                || o.isa::<LoadOp>(ctx)
                || o.isa::<StoreOp>(ctx)
                || o.isa::<YieldOp>(ctx))
    };
    if !ops.iter().all(known) {
        return false;
    }
    let stores = stores(ctx, l);
    let for_stores = needed(
        ctx,
        l,
        stores.iter().flat_map(|s| s.operands(ctx)).collect(),
    );
    if l.iter_args(ctx).iter().any(|a| for_stores.contains(a)) {
        return false;
    }
    let for_values = needed(ctx, l, l.yielded(ctx));
    let sites = &all.program.sites;
    let is_of_values = |o: &Op| o.results(ctx).iter().any(|r| for_values.contains(r));
    !all.all.iter().any(|d| {
        let (from, to) = (sites[d.source].op, sites[d.sink].op);
        (stores.contains(&from) && is_of_values(&to))
            || (stores.contains(&to) && is_of_values(&from))
    })
}

/// The values of a body that some of its values are computed from, and those.
fn needed(ctx: &Context, l: ForOp, mut todo: Vec<Value>) -> FxHashSet<Value> {
    let mut seen = FxHashSet::default();
    while let Some(v) = todo.pop() {
        if v.block(ctx) != Some(l.body(ctx)) || !seen.insert(v) {
            continue;
        }
        if let Some(op) = v.def_op() {
            todo.extend(op.operands(ctx));
        }
    }
    seen
}

fn part(ctx: &mut Context, l: ForOp) {
    let body = l.body(ctx);
    let lower = (l.lower_map(ctx).clone(), l.lower_operands(ctx));
    let upper = (l.upper_map(ctx).clone(), l.upper_operands(ctx));
    let step = l.step(ctx);
    let clauses = l.op().attr(ctx, ACC_LOOP);
    let counter = body.arg_loc(ctx, 0);
    // In front, so that nothing stands between a value and its uses.
    let mut b = Builder::before(ctx, l.op());
    b.loc = l.op().loc(b.ctx);
    let mut map = IrMapping::new();
    let (args, inits) = (l.iter_args(b.ctx), l.inits(b.ctx));
    map.map_all(&args, &inits);
    let new = ForOp::build(
        &mut b,
        (lower.0, &lower.1),
        (upper.0, &upper.1),
        step,
        &[],
        |b, iv, _| {
            map.map(l.iv(b.ctx), iv);
            for op in body.ops(b.ctx) {
                if !op.isa::<YieldOp>(b.ctx) {
                    let copy = clone_op(b.ctx, op, &mut map);
                    b.insert(copy);
                }
            }
            Vec::new()
        },
    );
    new.body(ctx).set_arg_loc(ctx, 0, counter);
    if let Some(a) = clauses {
        new.op().set_attr(ctx, ACC_LOOP, a);
    }
    for s in stores(ctx, l) {
        s.erase(ctx);
    }
    for block in [body, new.body(ctx)] {
        for op in block.ops(ctx).into_iter().rev() {
            if is_trivially_dead(ctx, op) {
                op.erase(ctx);
            }
        }
    }
}
