//! Array expansion and privatisation: memory of its own for each iteration of a loop.
//!
//! ```text
//!                                 %e = memref.alloc() : memref<64xf32>
//! affine.for %i = 0 to 64 {       affine.for %i = 0 to 64 {
//!   affine.store %x, %t[]    =>     affine.store %x, %e[%i]
//!   %y = affine.load %t[]           %y = affine.load %e[%i]
//! }                               }
//! ```
//!
//! or, private, `memref.alloc` in the body (P. Feautrier, "Array expansion", 1988; P. Tu,
//! D. Padua, "Automatic array privatization", 1993).
//!
//! Shape: the loop touches the array by affine accesses alone, and not through a view.
//! That an iteration reads only what it wrote before is for others to know, and, where
//! the array is used behind the loop, that every iteration writes all of it: then what
//! the last one wrote is copied back.

use super::Refusal;
use super::iterations::{Elements, Iterations};
use super::promote::runs::Runs;
use super::redirect::redirect;
use terrace_dialects::affine::{Access, ForOp, LoadOp, StoreOp};
use terrace_dialects::arith::constant_index;
use terrace_dialects::memref::layout::memory_space;
use terrace_dialects::memref::{AllocOp, AllocaOp, DeallocOp, DimOp};
use terrace_ir::affine::{AffineExpr, AffineMap};
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Builder, Context, InsertPoint, Op, OpKind, Value};

/// Expand `memref` along `l`. With `copy_out` its elements get what the last iteration
/// wrote; its shape must be static then.
///
/// # Errors
///
/// Where the shape is not as above, or the iterations cannot be numbered.
pub fn expand(ctx: &mut Context, l: ForOp, memref: Value, copy_out: bool) -> Result<(), Refusal> {
    let users = accesses_in(ctx, l, memref)?;
    let iterations = Iterations::of(ctx, l)?;
    let shape = shape_of(ctx, l, memref)?;
    let mut out = None;
    if copy_out {
        let loc = l.op().loc(ctx);
        if shape.contains(&DYNAMIC) {
            let m = "what the last iteration wrote is needed behind the loop, and how much that is \
                     is no constant";
            return Err(Refusal::new(loc, m).note(memref.loc(ctx), "this is the array"));
        }
        let runs = Runs::of(ctx, l, 1);
        let (Some(runs), 1) = (runs, iterations.count.map.num_results()) else {
            let m = "what the last iteration wrote is needed behind the loop, and which one is last \
                     is no affine function: the loop has several bounds";
            return Err(Refusal::new(loc, m));
        };
        out = Some(runs);
    }
    let elements = elements_of(ctx, memref);
    let mut b = Builder::before(ctx, l.op());
    b.loc = memref.loc(b.ctx);
    let sizes = sizes_of(&mut b, memref, &shape);
    let buffer = iterations.allocate(&mut b, elements, &shape, &sizes);
    let ctx = b.ctx;

    let (number, operands) = iterations.number(l.iv(ctx));
    let n = u32::try_from(operands.len()).unwrap_or(u32::MAX);
    let rank = u32::try_from(shape.len()).unwrap_or(u32::MAX);
    let mut results = vec![number];
    results.extend((0..rank).map(|d| AffineExpr::dim(n.saturating_add(d))));
    let remap = AffineMap::new(n.saturating_add(rank), 0, results);
    for op in users {
        redirect(ctx, op, buffer, &remap, &operands);
    }

    let mut b = Builder::after(ctx, l.op());
    b.loc = memref.loc(b.ctx);
    if let Some(runs) = out {
        runs.effect(&mut b, |b| {
            copy_last(b, &iterations, buffer, memref, &shape);
        });
    }
    DeallocOp::build(&mut b, buffer);
    let ctx = b.ctx;
    drop_if_unused(ctx, memref);
    Ok(())
}

/// Allocate in each iteration of `l` what it uses in place of `memref`.
///
/// # Errors
///
/// Where the shape is not as above.
pub fn privatize(ctx: &mut Context, l: ForOp, memref: Value) -> Result<(), Refusal> {
    let users = accesses_in(ctx, l, memref)?;
    let shape = shape_of(ctx, l, memref)?;
    let Elements { ty: elem, space } = elements_of(ctx, memref);
    let ty = ctx.memref_in(&shape, elem, space);
    let Some(end) = l.body(ctx).last_op(ctx) else {
        return Err(Refusal::new(l.op().loc(ctx), "its body has no end"));
    };
    let mut b = Builder::before(ctx, l.op());
    b.loc = memref.loc(b.ctx);
    let sizes = sizes_of(&mut b, memref, &shape);
    b.at = InsertPoint::Start(l.body(b.ctx));
    let own = AllocOp::build(&mut b, ty, &sizes);
    b.at = InsertPoint::Before(end);
    DeallocOp::build(&mut b, own);
    let ctx = b.ctx;
    for op in users {
        memref.replace_uses_if(ctx, own, |u| u.op == op);
    }
    drop_if_unused(ctx, memref);
    Ok(())
}

/// The accesses of `memref` in `l`.
fn accesses_in(ctx: &Context, l: ForOp, memref: Value) -> Result<Vec<Op>, Refusal> {
    let mut users: Vec<Op> = Vec::new();
    for user in memref.users(ctx) {
        if !l.op().is_ancestor_of(ctx, user) || users.contains(&user) {
            continue;
        }
        if Access::of(ctx, user).is_none_or(|a| a.memref != memref || a.stored(ctx) == Some(memref))
        {
            let m = format!(
                "'{}' in it uses the array otherwise than by loading or storing elements",
                user.name(ctx)
            );
            return Err(Refusal::new(user.loc(ctx), m));
        }
        users.push(user);
    }
    Ok(users)
}

fn shape_of(ctx: &Context, l: ForOp, memref: Value) -> Result<Vec<i64>, Refusal> {
    match memref.ty(ctx).shape(ctx) {
        Some(shape) => Ok(shape.to_vec()),
        None => Err(Refusal::new(l.op().loc(ctx), "the array has no shape")),
    }
}

fn elements_of(ctx: &Context, memref: Value) -> Elements {
    let ty = memref.ty(ctx);
    Elements {
        ty: ty.element(ctx).unwrap_or(ty),
        space: memory_space(ctx, ty),
    }
}

/// The dynamic sizes of a memref: what it was allocated with, or else what it says.
fn sizes_of(b: &mut Builder, memref: Value, shape: &[i64]) -> Vec<Value> {
    let made = memref.def_op();
    if let Some(a) = made.and_then(|o| o.cast::<AllocOp>(b.ctx)) {
        return a.dynamic_sizes(b.ctx);
    }
    if let Some(a) = made.and_then(|o| o.cast::<AllocaOp>(b.ctx)) {
        return a.dynamic_sizes(b.ctx);
    }
    let mut sizes = Vec::new();
    for (i, _) in shape.iter().enumerate().filter(|(_, s)| **s == DYNAMIC) {
        let i = constant_index(b, i64::try_from(i).unwrap_or(i64::MAX));
        sizes.push(DimOp::build(b, memref, i));
    }
    sizes
}

/// Loops over all elements that copy those of the last iteration.
fn copy_last(b: &mut Builder, n: &Iterations, buffer: Value, memref: Value, shape: &[i64]) {
    let at = b.at;
    let mut ivs = Vec::new();
    for size in shape {
        let l = ForOp::build_constant(b, 0, *size, 1, |_, _| {});
        ivs.push(l.iv(b.ctx));
        if let Some(end) = l.body(b.ctx).last_op(b.ctx) {
            b.at = InsertPoint::Before(end);
        }
    }
    // The subscripts, then what the number of iterations is made of.
    let rank = u32::try_from(ivs.len()).unwrap_or(u32::MAX);
    let (dims, symbols) = (n.count.map.num_dims(), n.count.map.num_symbols());
    let count = n.count.map.shift_dims(rank);
    let mut results: Vec<AffineExpr> = count.results().iter().map(|c| c.clone() - 1).collect();
    results.extend((0..rank).map(AffineExpr::dim));
    let map = AffineMap::new(rank.saturating_add(dims), symbols, results);
    let operands = [&ivs[..], &n.count.operands[..]].concat();
    let value = LoadOp::build(b, buffer, map, &operands);
    StoreOp::build_at(b, value, memref, &ivs);
    b.at = at;
}

/// Erase the allocation of memory that nothing uses but what frees it.
fn drop_if_unused(ctx: &mut Context, memref: Value) {
    let Some(made) = memref.def_op() else { return };
    if !made.isa::<AllocOp>(ctx) && !made.isa::<AllocaOp>(ctx) {
        return;
    }
    let users = memref.users(ctx);
    if users.iter().all(|u| u.isa::<DeallocOp>(ctx)) {
        for u in users {
            u.erase(ctx);
        }
        made.erase(ctx);
    }
}
