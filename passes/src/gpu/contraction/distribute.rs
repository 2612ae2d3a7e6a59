//! Nests with more than a product in them become several, one of which is the product.
//!
//! ```text
//! affine.for %r {                              affine.for %r {
//!   affine.for %q {                              affine.for %q {
//!     sum[p] = sum over s of A[r, q, s] *          e[r, q, p] = sum over s of ...
//!              C4[s, p]                    =>    }
//!     A[r, q, p] = sum[p]                      }
//!   }                                          affine.for %r {
//! }                                              affine.for %q {
//!                                                  A[r, q, p] = e[r, q, p]
//!                                                }
//!                                              }
//! ```
//!
//! What only goes through one array, or scalar, from statement to statement is kept for
//! each iteration first (`hold`, and array expansion). Then the nest is cut between its
//! statements. Legal where those that depend on each other both ways stay together and no
//! part comes before one that it depends on (K. Kennedy, K. McKinley, "Loop distribution
//! with arbitrary control flow", 1990, without the control flow): every statement then runs
//! in the same iterations in the same order. All is tried on a copy of the function.

use super::find::{adds_products, find};
use super::hold::hold;
use super::keep::with_stores;
use super::{Wanted, outermost, plan};
use crate::analysis::dependence::{Options, dependences};
use crate::loops::take_over::take_over;
use crate::loops::{carried, expand_array};
use rustc_hash::FxHashSet;
use terrace_dialects::affine;
use terrace_dialects::affine::ForOp;
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::effects::is_pure;
use terrace_ir::{Context, Op, OpKind, Value};

/// Nests with more statements are left alone.
const MAX_STATEMENTS: usize = 12;

/// Takes the `number`-th nest of `function` apart if one of the parts is a product that
/// has kernels; whether it did.
pub(crate) fn distribute(ctx: &mut Context, function: Op, number: usize, wanted: Wanted) -> bool {
    let nest = outermost(ctx, function).get(number).copied();
    if !nest.is_some_and(|l| adds_products(ctx, l)) {
        return false;
    }
    let copy = clone_op(ctx, function, &mut IrMapping::new());
    let done = try_on_copy(ctx, copy, number, wanted);
    if done {
        take_over(ctx, function, copy);
    }
    copy.erase(ctx);
    done
}

fn try_on_copy(ctx: &mut Context, copy: Op, number: usize, wanted: Wanted) -> bool {
    let nest = |ctx: &Context| outermost(ctx, copy).get(number).map(|l| l.op());
    let Some(l) = nest(ctx) else { return false };
    hold(ctx, l);
    carried::run(ctx, copy);
    let Some(l) = nest(ctx) else { return false };
    expand_array::run_in(ctx, copy, l);
    nest(ctx).is_some_and(|l| cut(ctx, l, wanted))
}

/// Cuts a nest in at most three: a product with as many of the other statements as it can
/// have, and what comes before and behind.
fn cut(ctx: &mut Context, nest: Op, wanted: Wanted) -> bool {
    let Some(parts) = parts_in_order(ctx, nest) else {
        return false;
    };
    for length in (1..=parts.len()).rev() {
        for from in 0..=parts.len() - length {
            let kept = parts[from..from + length].concat();
            let part = with_stores(ctx, nest, &kept);
            let product = find(ctx, ForOp::wrap(part)).ok();
            if product.is_none_or(|x| plan::choose(ctx, &x, wanted).is_err()) {
                part.erase(ctx);
                continue;
            }
            let before = parts[..from].concat();
            if !before.is_empty() {
                let before = with_stores(ctx, nest, &before);
                part.move_before(ctx, nest);
                debug_assert!(before.is_before(ctx, part));
            }
            let behind = parts[from + length..].concat();
            if !behind.is_empty() {
                with_stores(ctx, nest, &behind);
            }
            nest.erase(ctx);
            return true;
        }
    }
    false
}

/// The stores of a nest in parts that can be nests of their own, in an order in which
/// these can stand. `None` where that is not known.
fn parts_in_order(ctx: &Context, nest: Op) -> Option<Vec<Vec<Op>>> {
    let mut stores: Vec<Op> = Vec::new();
    let mut known = true;
    nest.walk(ctx, &mut |o| match o.name(ctx) {
        affine::StoreOp::NAME => stores.push(o),
        ForOp::NAME | affine::LoadOp::NAME | affine::YieldOp::NAME => {}
        _ => known &= is_pure(ctx, o) && o.num_regions(ctx) == 0,
    });
    if !known || stores.len() > MAX_STATEMENTS {
        return None;
    }
    let needs: Vec<FxHashSet<Op>> = stores.iter().map(|s| needed(ctx, nest, *s)).collect();
    let n = stores.len();
    let mut after = vec![vec![false; n]; n];
    let options = Options {
        distances: false,
        ..Options::default()
    };
    for d in dependences(ctx, nest, &options).all {
        for (s, from) in needs.iter().enumerate() {
            for (t, to) in needs.iter().enumerate() {
                after[t][s] |= from.contains(&d.source_op) && to.contains(&d.sink_op);
            }
        }
    }
    for via in 0..n {
        for t in 0..n {
            for s in 0..n {
                after[t][s] |= after[t][via] && after[via][s];
            }
        }
    }
    // Of those that wait for nothing but what has been taken, the first in the text.
    let mut left: Vec<usize> = (0..n).collect();
    let mut parts = Vec::new();
    while !left.is_empty() {
        let ready = |t: &&usize| {
            left.iter()
                .all(|s| !after[**t][*s] || after[*s][**t] || s == *t)
        };
        let next = *left.iter().find(ready)?;
        let together = |s: &usize| *s == next || (after[next][*s] && after[*s][next]);
        let (part, rest): (Vec<usize>, Vec<usize>) = left.iter().copied().partition(together);
        parts.push(part.into_iter().map(|s| stores[s]).collect());
        left = rest;
    }
    Some(parts)
}

/// The ops of a nest that a store needs, and the store.
fn needed(ctx: &Context, nest: Op, store: Op) -> FxHashSet<Op> {
    let mut found = FxHashSet::default();
    let mut work = vec![store];
    while let Some(op) = work.pop() {
        if !nest.is_ancestor_of(ctx, op) || !found.insert(op) {
            continue;
        }
        let mut used: Vec<Value> = op.operands(ctx);
        // What a loop gives, and what it carries.
        if let Some(l) = op.cast::<ForOp>(ctx) {
            used.extend(l.yielded(ctx));
        }
        for v in used {
            let owner = match v.def_op() {
                Some(o) => Some(o),
                None => v.arg_block().and_then(|b| b.parent_op(ctx)),
            };
            work.extend(owner);
        }
    }
    found
}
