//! Values that innermost loops carry, as scalars in memory while it is tried whether they can be
//! elements of arrays.
//!
//! ```text
//!                                              store %0, %w[]
//! %r = affine.for %k iter_args(%v = %0) {      affine.for %k {
//!   yield %v - ...                        =>     store (load %w[]) - ..., %w[]
//! }                                            }
//! store %r / ..., %A[%i, %j]                   store (load %w[]) / ..., %A[%i, %j]
//! ```

use super::stored;
use crate::analysis::captured::is_inside;
use crate::loops::carry::{carry, set_yielded, uncarry};
use terrace_dialects::affine::{Access, ForOp, LoadOp, StoreOp};
use terrace_dialects::{func, memref};
use terrace_ir::affine::AffineMap;
use terrace_ir::{Builder, Context, InsertPoint, Op, OpKind, Value};

/// A carried value in memory.
pub(super) struct Scalar {
    l: ForOp,
    memref: Value,
    /// What sets it in front of the loop.
    before: Op,
    /// What an iteration begins and ends with.
    load: Op,
    store: Op,
    /// What reads it behind the loop.
    after: Op,
}

/// Brings the values to memory that innermost loops of `function` carry, and of which something
/// is stored behind the loop to an element that stays the same in it.
pub(super) fn to_memory(ctx: &mut Context, function: Op) -> Vec<Scalar> {
    let mut all = Vec::new();
    if !function.isa::<func::FuncOp>(ctx) {
        return all;
    }
    let mut loops = function.find_all::<ForOp>(ctx);
    loops.retain(|l| {
        let inside_another = l.op().parent(ctx).is_some_and(|o| o.isa::<ForOp>(ctx));
        inside_another && l.op().find_all::<ForOp>(ctx).len() == 1
    });
    for l in loops {
        // Another index is another value only behind it, so that the last goes first.
        let mut l = l;
        for i in (0..l.iter_args(ctx).len()).rev() {
            if is_stored(ctx, l, i) {
                let s = in_memory(ctx, function, l, i);
                l = s.l;
                for earlier in all.iter_mut().filter(|e: &&mut Scalar| e.follows(ctx, l)) {
                    earlier.l = l;
                }
                all.push(s);
            }
        }
    }
    all
}

impl Scalar {
    /// Whether what an iteration begins with stands in `l`.
    fn follows(&self, ctx: &Context, l: ForOp) -> bool {
        self.load.block(ctx) == Some(l.body(ctx))
    }
}

/// Whether something of value `i` is stored to an element in the end.
fn is_stored(ctx: &Context, l: ForOp, i: usize) -> bool {
    let store = stored(ctx, l.op().result(ctx, i));
    store.and_then(|s| Access::of(ctx, s)).is_some_and(|a| {
        let inside = |v: &Value| is_inside(ctx, l.op(), *v);
        let ty = l.op().result(ctx, i).ty(ctx);
        a.memref.ty(ctx).element(ctx) == Some(ty)
            && !inside(&a.memref)
            && !a.operands.iter().any(inside)
    })
}

fn no_subscripts() -> AffineMap {
    AffineMap::new(0, 0, Vec::new())
}

fn in_memory(ctx: &mut Context, function: Op, l: ForOp, i: usize) -> Scalar {
    let (init, old) = (l.inits(ctx)[i], l.op().result(ctx, i));
    let ty = ctx.memref(&[], init.ty(ctx));
    let loc = l.op().loc(ctx);
    let mut b = Builder::at_start(ctx, function.body(ctx, 0), loc);
    let memref = memref::AllocaOp::build(&mut b, ty, &[]);
    b.at = InsertPoint::Before(l.op());
    let before = StoreOp::build(&mut b, init, memref, no_subscripts(), &[]).op();
    let body = l.body(b.ctx);
    b.at = InsertPoint::Start(body);
    let now = LoadOp::build(&mut b, memref, no_subscripts(), &[]);
    (l.iter_args(b.ctx)[i]).replace_all_uses(b.ctx, now);
    let next = l.yielded(b.ctx)[i];
    let end = body.last_op(b.ctx).unwrap_or(l.op());
    b.at = InsertPoint::Before(end);
    let store = StoreOp::build(&mut b, next, memref, no_subscripts(), &[]).op();
    b.at = InsertPoint::After(l.op());
    let last = LoadOp::build(&mut b, memref, no_subscripts(), &[]);
    old.replace_all_uses(b.ctx, last);
    let ctx = b.ctx;
    let def = |v: Value| v.def_op().unwrap_or(before);
    let (load, after) = (def(now), def(last));
    Scalar {
        l: uncarry(ctx, l, i),
        memref,
        before,
        load,
        store,
        after,
    }
}

/// Lets loops carry again what stayed in memory; how many values became elements.
pub(super) fn back(ctx: &mut Context, scalars: Vec<Scalar>) -> usize {
    let mut elements = scalars.len();
    // The last one that was brought there is the first of the values now.
    let mut again: Vec<(ForOp, ForOp)> = Vec::new();
    for s in scalars.into_iter().rev() {
        if s.memref.has_uses(ctx) {
            elements -= 1;
            let l = again.iter().rev().find(|(old, _)| *old == s.l);
            let l = l.map_or(s.l, |(_, new)| *new);
            let new = carry(ctx, l, &[s.before.operand(ctx, 0)]);
            again.push((s.l, new));
            let Some(now) = new.iter_args(ctx).last().copied() else {
                continue;
            };
            s.load.replace(ctx, &[now]);
            let mut yielded = new.yielded(ctx);
            if let Some(last) = yielded.last_mut() {
                *last = s.store.operand(ctx, 0);
            }
            set_yielded(ctx, new, &yielded);
            s.store.erase(ctx);
            s.before.erase(ctx);
            let results = new.op().results(ctx);
            s.after.replace(ctx, &results[results.len() - 1..]);
        }
        if let Some(op) = s.memref.def_op().filter(|_| !s.memref.has_uses(ctx)) {
            op.erase(ctx);
        }
    }
    elements
}
