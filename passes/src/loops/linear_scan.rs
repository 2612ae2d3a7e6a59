//! A first-order linear recurrence computed by a scan over blocks.
//!
//! ```text
//!                                            affine.for %k = 0 to 8 {          // blocks
//!                                              %a, %b = affine.for ... iter_args(1, 0) {
//!                                                yield a(%i) * a, a(%i) * b + b(%i)
//!                                              }
//!                                              store %a, %A[%k]; store %b, %B[%k]
//! %r = affine.for %i = 0 to 64               }
//!     iter_args(%x = %s) {              =>   %r = affine.for %k = 0 to 8 iter_args(%x = %s) {
//!   %y = a(%i) * %x + b(%i)                    store %x, %X[%k]
//!   use(%y)                                    yield %A[%k] * %x + %B[%k]
//!   affine.yield %y                          }
//! }                                          affine.for %k = 0 to 8 {          // rest
//!                                              affine.for ... iter_args(%x = %X[%k]) {
//!                                                %y = a(%i) * %x + b(%i)
//!                                                use(%y)
//!                                                affine.yield %y
//!                                              }
//!                                            }
//! ```
//!
//! What a block does to the value is again `a * x + b`, since such functions are closed
//! under composition, which is associative (P. Kogge, H. Stone, "A parallel algorithm for
//! the efficient solution of a general class of recurrence equations", 1973; G. Blelloch,
//! "Prefix sums and their applications", 1990, section 1.4). Of the three loops over
//! blocks only the one in the middle carries a value.
//!
//! Integers come out the same. Floats are rounded otherwise, and where products of `a` over
//! a block grow too large become infinite where the loop's value did not: whether that is
//! wanted is for the caller to know.

use super::carry::set_yielded;
use super::iterations::{Elements, Iterations};
use super::nest::open;
use super::recurrence::Recurrence;
use super::strip_mine::strip_mine;
use super::{Refusal, names};
use terrace_dialects::affine::ForOp;
use terrace_dialects::arith::{self, AddFOp, AddIOp, MulFOp, MulIOp};
use terrace_dialects::memref::DeallocOp;
use terrace_ir::affine::ValueMap;
use terrace_ir::clone::IrMapping;
use terrace_ir::{Builder, Context, InsertPoint, OpKind, Value};

/// The three loops over blocks, in the order in which they stand.
#[derive(Debug, Clone, Copy)]
pub struct Scanned {
    /// What each block does to the value.
    pub blocks: ForOp,
    /// The value before each block.
    pub chain: ForOp,
    /// The iterations, block by block.
    pub rest: ForOp,
}

/// The arrays with an element for each block.
struct Arrays {
    products: Option<Value>,
    sums: Value,
    starts: Value,
}

/// Scan `l`, whose recurrence is `r`, in blocks of `size` iterations.
///
/// # Errors
///
/// The iterations cannot be numbered, or the size does not fit.
pub fn linear_scan(
    ctx: &mut Context,
    l: ForOp,
    r: &Recurrence,
    size: u64,
) -> Result<Scanned, Refusal> {
    Iterations::of(ctx, l)?;
    let inits = l.inits(ctx);
    let scales = r.scales(ctx);
    let (strips, points) = strip_mine(ctx, l, size)?;
    // The body is that of `points` now, and so is the carried value.
    let r = r.carried_as(points.iter_args(ctx)[0]);
    let number = Iterations::of(ctx, strips)?;
    let ty = r.value.ty(ctx);
    let mut b = Builder::before(ctx, strips.op());
    let of = Elements { ty, space: None };
    let arrays = Arrays {
        products: scales.then(|| number.allocate(&mut b, of, &[], &[])),
        sums: number.allocate(&mut b, of, &[], &[]),
        starts: number.allocate(&mut b, of, &[], &[]),
    };
    let blocks = blocks(&mut b, strips, points, &r, &number, &arrays);
    b.at = InsertPoint::Before(strips.op());
    let chain = chain(&mut b, strips, &inits, &number, &arrays);
    b.at = InsertPoint::Before(strips.op());
    let rest = rest(&mut b, strips, points, &number, arrays.starts);
    b.at = InsertPoint::Before(strips.op());
    for array in arrays.products.iter().chain([&arrays.sums, &arrays.starts]) {
        DeallocOp::build(&mut b, *array);
    }
    let ctx = b.ctx;
    names::derive(ctx, strips, blocks, "_blocks");
    names::derive(ctx, strips, chain, "_chain");
    names::copy(ctx, strips, rest);
    let results = chain.op().results(ctx);
    strips.op().replace(ctx, &results);
    Ok(Scanned {
        blocks,
        chain,
        rest,
    })
}

/// A loop with the bounds of `like`, `old` in them being `new` now.
fn open_like(b: &mut Builder, like: ForOp, inits: &[Value], old: Value, new: Value) -> ForOp {
    let ctx = &*b.ctx;
    let place = |operands: Vec<Value>| -> Vec<Value> {
        let now = |v| if v == old { new } else { v };
        operands.into_iter().map(now).collect()
    };
    let lower = ValueMap {
        map: like.lower_map(ctx).clone(),
        operands: place(like.lower_operands(ctx)),
    };
    let upper = ValueMap {
        map: like.upper_map(ctx).clone(),
        operands: place(like.upper_operands(ctx)),
    };
    let step = like.step(ctx);
    open(b, lower, upper, step, inits)
}

/// The loop that finds out what each block does to the value.
fn blocks(
    b: &mut Builder,
    strips: ForOp,
    points: ForOp,
    r: &Recurrence,
    number: &Iterations,
    arrays: &Arrays,
) -> ForOp {
    let ty = r.value.ty(b.ctx);
    let constant = |b: &mut Builder, v: i32| match ty.is_float(b.ctx) {
        true => arith::constant_float(b, f64::from(v), ty),
        false => arith::constant_int(b, i64::from(v), ty),
    };
    let zero = constant(b, 0);
    let mut inits = vec![zero];
    if arrays.products.is_some() {
        inits.push(constant(b, 1));
    }
    let old = strips.iv(b.ctx);
    let l = open_like(b, strips, &[], old, old);
    let behind = b.at;
    let block = l.iv(b.ctx);
    let inner = open_like(b, points, &inits, old, block);
    names::derive(b.ctx, points, inner, "_blocks");
    let args = inner.iter_args(b.ctx);
    let mut map = IrMapping::new();
    map.map(old, block);
    map.map(points.iv(b.ctx), inner.iv(b.ctx));
    let (sum, product) = r.copy(b, &mut map, args[0], args.get(1).copied(), zero);
    let yielded: Vec<Value> = [sum].into_iter().chain(product).collect();
    set_yielded(b.ctx, inner, &yielded);
    b.at = behind;
    let results = inner.op().results(b.ctx);
    number.store(b, results[0], arrays.sums, block);
    if let (Some(array), Some(product)) = (arrays.products, results.get(1)) {
        number.store(b, *product, array, block);
    }
    l
}

/// The loop that goes from block to block.
fn chain(
    b: &mut Builder,
    strips: ForOp,
    inits: &[Value],
    number: &Iterations,
    arrays: &Arrays,
) -> ForOp {
    let old = strips.iv(b.ctx);
    let l = open_like(b, strips, inits, old, old);
    let block = l.iv(b.ctx);
    let mut x = l.iter_args(b.ctx)[0];
    let ty = x.ty(b.ctx);
    let float = ty.is_float(b.ctx);
    number.store(b, x, arrays.starts, block);
    if let Some(array) = arrays.products {
        let a = number.load(b, array, block);
        x = match float {
            true => b.value::<MulFOp>(&[a, x], ty, &[]),
            false => b.value::<MulIOp>(&[a, x], ty, &[]),
        };
    }
    let sum = number.load(b, arrays.sums, block);
    x = match float {
        true => b.value::<AddFOp>(&[x, sum], ty, &[]),
        false => b.value::<AddIOp>(&[x, sum], ty, &[]),
    };
    set_yielded(b.ctx, l, &[x]);
    l
}

/// The loop that runs the iterations of each block, from the value before it.
fn rest(
    b: &mut Builder,
    strips: ForOp,
    points: ForOp,
    number: &Iterations,
    starts: Value,
) -> ForOp {
    let old = strips.iv(b.ctx);
    let l = open_like(b, strips, &[], old, old);
    let block = l.iv(b.ctx);
    let start = number.load(b, starts, block);
    let ctx = &*b.ctx;
    if let Some(end) = l.body(ctx).last_op(ctx) {
        points.op().move_before(ctx, end);
    }
    points.set_inits(ctx, &[start]);
    old.replace_uses_if(ctx, block, |u| l.op().is_ancestor_of(ctx, u.op));
    l
}
