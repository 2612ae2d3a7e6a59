//! Copies of factors that the nest overwrites after it has read them.
//!
//! ```text
//!                                          %old = memref.alloc
//!                                          %old[%k, %j] = %B[%k, %j]      for all %k, %j
//! %B[%i, %j] += %A[%k, %i] * %B[%k, %j] => %B[%i, %j] += %A[%k, %i] * %old[%k, %j]
//! ```
//!
//! Legal as nothing of what is read has been written in the nest before (see
//! `find::factors`).

use super::shape::{Contraction, Element, Factor, Range};
use crate::analysis::linear::Linear;
use terrace_dialects::affine::{ForOp, LoadOp, MaxOp, StoreOp};
use terrace_dialects::memref::{AllocOp, DeallocOp};
use terrace_ir::affine::{AffineExpr, AffineMap};
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Builder, Context, Value};

/// Makes the factors that the nest overwrites copies in front of it.
///
/// # Errors
///
/// Why a copy cannot be made.
pub(crate) fn prepare(ctx: &mut Context, x: &mut Contraction) -> Result<(), String> {
    if !x.products.iter().flatten().any(|f| f.overwritten) {
        return Ok(());
    }
    if !x.inside.is_empty() || x.outer.is_some() {
        return Err("a factor that is overwritten has no copy of a rectangle".into());
    }
    if !x.batch.is_empty() {
        return Err("a factor that is overwritten has no copy for products side by side".into());
    }
    let depth = x.whole_depth().ok_or(OUT_OF_RANGE)?;
    for p in 0..x.products.len() {
        for side in 0..2 {
            let f = x.products[p][side].clone();
            if f.overwritten {
                x.products[p][side] = copy_of(ctx, x, &f, side, &depth).ok_or(OUT_OF_RANGE)?;
            }
        }
    }
    Ok(())
}

const OUT_OF_RANGE: &str = "its bounds are out of range";

/// A copy of what the product reads of a factor: the array, filled in front of the nest.
/// `None` where numbers are out of range.
fn copy_of(
    ctx: &mut Context,
    x: &Contraction,
    f: &Factor,
    side: usize,
    depth: &Range,
) -> Option<Factor> {
    let (counter, range) = match side {
        0 => (x.row, &x.rows),
        _ => (x.col, &x.cols),
    };
    let mut axes = [(x.k, depth), (counter, range)];
    if f.along_k {
        axes.reverse();
    }
    let lengths = [
        axes[0].1.hi.minus(&axes[0].1.lo)?,
        axes[1].1.hi.minus(&axes[1].1.lo)?,
    ];
    let from_first = |v: Value, r: &Range| Linear::value(v).minus(&r.lo);
    let at = vec![
        from_first(axes[0].0, axes[0].1)?,
        from_first(axes[1].0, axes[1].1)?,
    ];
    let ty = f.loaded.ty(ctx);
    let ty = ctx.memref(&[DYNAMIC; 2], ty);
    let mut b = Builder::before(ctx, x.root);
    b.loc = f.loaded.loc(b.ctx);
    let sizes: Vec<Value> = (lengths.iter())
        .map(|l| {
            let (map, operands) = l.as_map();
            let results = [map.results(), &[AffineExpr::constant(0)]].concat();
            let map = AffineMap::new(map.num_dims(), 0, results);
            MaxOp::build(&mut b, map, &operands)
        })
        .collect();
    let array = AllocOp::build(&mut b, ty, &sizes);
    let bounds = |r: &Range| [r.lo.as_map(), r.hi.as_map()];
    let [lo, hi] = bounds(axes[0].1);
    let mut copied = true;
    ForOp::build(
        &mut b,
        (lo.0, &lo.1),
        (hi.0, &hi.1),
        1,
        &[],
        |b, first, _| {
            let [lo, hi] = bounds(axes[1].1);
            ForOp::build(b, (lo.0, &lo.1), (hi.0, &hi.1), 1, &[], |b, second, _| {
                let places = [(axes[0].0, first), (axes[1].0, second)];
                let value = again(b, f, &places);
                let to: Option<Vec<Linear>> = at.iter().map(|l| moved(l, &places)).collect();
                match (value, to) {
                    (Some(v), Some(to)) => {
                        let (map, operands) = Linear::map_of(&to);
                        StoreOp::build(b, v, array, map, &operands);
                    }
                    _ => copied = false,
                }
                Vec::new()
            });
            Vec::new()
        },
    );
    let mut b = Builder::after(b.ctx, x.root);
    DeallocOp::build(&mut b, array);
    copied.then_some(Factor {
        element: Element { memref: array, at },
        loaded: f.loaded,
        value: f.value,
        along_k: f.along_k,
        negated: f.negated,
        overwritten: false,
    })
}

fn moved(l: &Linear, places: &[(Value, Value)]) -> Option<Linear> {
    places.iter().try_fold(l.clone(), |l, (from, to)| {
        l.with(*from, &Linear::value(*to))
    })
}

/// What is loaded in the nest, with other counters.
fn again(b: &mut Builder, f: &Factor, places: &[(Value, Value)]) -> Option<Value> {
    let at: Option<Vec<Linear>> = f.element.at.iter().map(|l| moved(l, places)).collect();
    let (map, operands) = Linear::map_of(&at?);
    Some(LoadOp::build(b, f.element.memref, map, &operands))
}
