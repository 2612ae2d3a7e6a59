//! Ops that compute each element on its own: a loop nest with the op on scalars.

use super::memory::shape_of;
use super::nest::{Loops, Place, load, store};
use super::{Tiles, fill};
use terrace_dialects::arith::{self, Elements, Number};
use terrace_dialects::math;
use terrace_ir::affine::{AffineExpr, AffineMap};
use terrace_ir::num::{Float, Int};
use terrace_ir::{Attr, Builder, Op, OpState, Value};

/// The op itself, on scalars. What others say of the tile, such as its layout, goes.
pub(super) fn each(tiles: &mut Tiles, b: &mut Builder, op: Op) -> Result<(), String> {
    let mut like = OpState::like(b.ctx, op);
    if let Some(def) = op.def(b.ctx) {
        like.attrs.retain(|(k, _)| def.is_inherent(b.ctx.str(*k)));
    }
    computed(tiles, b, op, like)
}

/// `vector.fma`, which has no scalar form of its own.
pub(super) fn fma(tiles: &mut Tiles, b: &mut Builder, op: Op) -> Result<(), String> {
    let like = b.state::<math::FmaOp>();
    computed(tiles, b, op, like)
}

/// A nest whose body is `like`, which has no operands and results yet.
fn computed(tiles: &mut Tiles, b: &mut Builder, op: Op, like: OpState) -> Result<(), String> {
    let results = op.results(b.ctx);
    let shape = shape_of(b, *results.first().ok_or("computes nothing")?);
    let buffers: Vec<Value> = results.iter().map(|v| tiles.make(b, *v)).collect();
    let loops = Loops::all(b, &shape);
    let operands = op.operands(b.ctx);
    let mut scalars: Vec<Value> = Vec::new();
    for (k, v) in operands.iter().enumerate() {
        let before = operands[..k].iter().position(|o| o == v);
        scalars.push(match before {
            Some(same) => scalars[same],
            None if v.ty(b.ctx).is_vector(b.ctx) => {
                let from = Place::whole(tiles.of(*v)?, shape.len());
                load(b, &from, &loops.counters)?
            }
            // A condition that is no vector chooses between whole ones.
            None => *v,
        });
    }
    let types: Vec<_> = (results.iter())
        .map(|v| v.ty(b.ctx).element_or_self(b.ctx))
        .collect();
    let scalar = b.create(like.operands(&scalars).results(&types));
    for (x, buffer) in scalar.results(b.ctx).into_iter().zip(buffers) {
        store(b, x, &Place::whole(buffer, shape.len()), &loops.counters)?;
    }
    loops.close(b);
    Ok(())
}

/// Each coordinate.
pub(super) fn step(tiles: &mut Tiles, b: &mut Builder, op: Op) -> Result<(), String> {
    let result = op.result(b.ctx, 0);
    let shape = shape_of(b, result);
    let to = Place::whole(tiles.make(b, result), shape.len());
    let loops = Loops::all(b, &shape);
    store(b, loops.counters[0], &to, &loops.counters)?;
    loops.close(b);
    Ok(())
}

/// One number everywhere, or numbers one after another.
pub(super) fn constant(tiles: &mut Tiles, b: &mut Builder, op: Op) -> Result<(), String> {
    let result = op.result(b.ctx, 0);
    let value = op.attr(b.ctx, "value").ok_or("has no value")?;
    let numbers = (numbers::<Int>(b, value).or_else(|| numbers::<Float>(b, value)))
        .ok_or("has elements that are no numbers")?;
    let shape = shape_of(b, result);
    let buffer = tiles.make(b, result);
    if let ([one], true) = (&numbers[..], shape.iter().product::<i64>() != 1) {
        let x = arith::constant(b, *one);
        return fill(b, buffer, x);
    }
    for (n, number) in numbers.into_iter().enumerate() {
        let x = arith::constant(b, number);
        let at = position(&shape, n as i64);
        let at = at.into_iter().map(AffineExpr::constant).collect();
        store(b, x, &Place::at(buffer, AffineMap::new(0, 0, at)), &[])?;
    }
    Ok(())
}

/// The numbers of a constant as attributes; one where all are equal.
fn numbers<T: Number>(b: &Builder, value: Attr) -> Option<Vec<Attr>> {
    let all = Elements::<T>::of(b.ctx, value)?;
    let elem = all.ty.element_or_self(b.ctx);
    let numbers = all.values.into_iter();
    Some(numbers.map(|n| n.scalar_attr(b.ctx, elem)).collect())
}

/// The coordinates of element `n` in row-major order.
fn position(shape: &[i64], mut n: i64) -> Vec<i64> {
    let mut at = vec![0; shape.len()];
    for (i, size) in at.iter_mut().zip(shape).rev() {
        *i = n % size;
        n /= size;
    }
    at
}
