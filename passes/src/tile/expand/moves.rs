//! Ops that put elements elsewhere: each element of the result is one of the source, or one of
//! the result is one of the part that goes in.

use super::memory::shape_of;
use super::nest::{Loops, Place, load, store};
use super::{Tiles, copy, fill};
use terrace_dialects::{tile, vector};
use terrace_ir::affine::{AffineExpr, AffineMap, AffineOp};
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Builder, Op};

/// Conversions, broadcasts, casts of shape, transposes, and parts of a vector.
pub(super) fn moved(tiles: &mut Tiles, b: &mut Builder, op: Op) -> Result<(), String> {
    let (source, result) = (op.operand(b.ctx, 0), op.result(b.ctx, 0));
    if !source.ty(b.ctx).is_vector(b.ctx) {
        let buffer = tiles.make(b, result);
        return fill(b, buffer, source);
    }
    let (from, shape) = (shape_of(b, source), shape_of(b, result));
    let (subscripts, symbols) = match op.name(b.ctx) {
        tile::ConvertOp::NAME => (shifted(&[], &from), vec![]),
        vector::BroadcastOp::NAME => (broadcast(&from, shape.len()), vec![]),
        vector::ShapeCastOp::NAME => (reshaped(&from, &shape), vec![]),
        vector::TransposeOp::NAME => (transposed(&numbers(b, op, "permutation")?), vec![]),
        vector::ExtractStridedSliceOp::NAME => {
            (shifted(&numbers(b, op, "offsets")?, &from), vec![])
        }
        _ => (
            behind(&numbers(b, op, "static_position")?, from.len()),
            op.operands(b.ctx).split_off(1),
        ),
    };
    let map = AffineMap::new(shape.len() as u32, symbols.len() as u32, subscripts);
    let from = Place {
        memref: tiles.of(source)?,
        map,
        symbols,
    };
    if !result.ty(b.ctx).is_vector(b.ctx) {
        let x = load(b, &from, &[])?;
        result.replace_all_uses(b.ctx, x);
        return Ok(());
    }
    let to = Place::whole(tiles.make(b, result), shape.len());
    let loops = Loops::all(b, &shape);
    let x = load(b, &from, &loops.counters)?;
    store(b, x, &to, &loops.counters)?;
    loops.close(b);
    Ok(())
}

/// A copy of the vector, and then the part over it.
pub(super) fn inserted(tiles: &mut Tiles, b: &mut Builder, op: Op) -> Result<(), String> {
    let (part, dest) = (op.operand(b.ctx, 0), op.operand(b.ctx, 1));
    let result = op.result(b.ctx, 0);
    let whole = shape_of(b, dest);
    let dest = tiles.of(dest)?;
    let buffer = tiles.make(b, result);
    copy(b, dest, buffer)?;
    let shape = shape_of(b, part);
    let (subscripts, symbols) = match op.isa::<vector::InsertStridedSliceOp>(b.ctx) {
        true => {
            let offsets = numbers(b, op, "offsets")?;
            let lead = whole.len() - shape.len();
            let mut at: Vec<_> = offsets[..lead].iter().map(|n| constant(*n)).collect();
            at.extend(
                (0..)
                    .zip(&offsets[lead..])
                    .map(|(d, n)| dim(d) + constant(*n)),
            );
            (at, vec![])
        }
        false => (
            behind(&numbers(b, op, "static_position")?, whole.len()),
            op.operands(b.ctx).split_off(2),
        ),
    };
    let to = Place {
        memref: buffer,
        map: AffineMap::new(shape.len() as u32, symbols.len() as u32, subscripts),
        symbols,
    };
    let loops = Loops::all(b, &shape);
    let x = match part.ty(b.ctx).is_vector(b.ctx) {
        true => {
            let from = Place::whole(tiles.of(part)?, shape.len());
            load(b, &from, &loops.counters)?
        }
        false => part,
    };
    store(b, x, &to, &loops.counters)?;
    loops.close(b);
    Ok(())
}

fn numbers(b: &Builder, op: Op, name: &str) -> Result<Vec<i64>, String> {
    let numbers = op.attr(b.ctx, name).and_then(|a| a.as_i64_array(b.ctx));
    numbers.ok_or_else(|| format!("has no '{name}'"))
}

fn dim(d: usize) -> AffineExpr {
    AffineExpr::dim(d as u32)
}

fn constant(n: i64) -> AffineExpr {
    AffineExpr::constant(n)
}

/// The last dimensions of the result are those of the source; one of size 1 is the same for all.
fn broadcast(from: &[i64], rank: usize) -> Vec<AffineExpr> {
    let lead = rank - from.len();
    let subscript = |(k, size): (usize, &i64)| match size {
        1 => constant(0),
        _ => dim(lead + k),
    };
    from.iter().enumerate().map(subscript).collect()
}

/// The element of the same place in row-major order.
fn reshaped(from: &[i64], to: &[i64]) -> Vec<AffineExpr> {
    let same = |v: &[i64]| v.iter().copied().filter(|n| *n != 1).collect::<Vec<_>>();
    if same(from) == same(to) {
        // Only dimensions of size 1 come or go.
        let mut others = (0..to.len()).filter(|d| to[*d] != 1);
        let subscript = |size: &i64| match size {
            1 => constant(0),
            _ => others.next().map_or(constant(0), dim),
        };
        return from.iter().map(subscript).collect();
    }
    let strides = strides(to);
    let terms = (0..to.len()).map(|d| dim(d) * constant(strides[d]));
    let place = terms.fold(constant(0), |sum, t| sum + t);
    let own = self::strides(from);
    let subscript = |k: usize| {
        let outer = AffineExpr::binary(AffineOp::FloorDiv, place.clone(), constant(own[k]));
        match k {
            0 => outer,
            _ => AffineExpr::binary(AffineOp::Mod, outer, constant(from[k])),
        }
    };
    (0..from.len()).map(subscript).collect()
}

/// How far apart elements are along each dimension.
fn strides(shape: &[i64]) -> Vec<i64> {
    let mut strides = vec![1; shape.len()];
    for k in (1..shape.len()).rev() {
        strides[k - 1] = strides[k] * shape[k];
    }
    strides
}

/// Dimension `i` of the result is dimension `permutation[i]` of the source.
fn transposed(permutation: &[i64]) -> Vec<AffineExpr> {
    let place = |k: usize| permutation.iter().position(|p| *p == k as i64);
    (0..permutation.len())
        .map(|k| place(k).map_or(constant(0), dim))
        .collect()
}

/// A box that begins at `offsets` in the leading dimensions.
fn shifted(offsets: &[i64], from: &[i64]) -> Vec<AffineExpr> {
    let offset = |k: usize| offsets.get(k).copied().unwrap_or(0);
    (0..from.len())
        .map(|k| dim(k) + constant(offset(k)))
        .collect()
}

/// A position in the leading dimensions, with symbols for numbers that are not known, and all of
/// the others.
fn behind(position: &[i64], rank: usize) -> Vec<AffineExpr> {
    let mut symbols = 0..;
    let fixed = position.iter().map(|p| match *p {
        DYNAMIC => AffineExpr::symbol(symbols.next().unwrap_or(0)),
        p => constant(p),
    });
    let mut all: Vec<_> = fixed.collect();
    all.extend((0..rank - position.len()).map(dim));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn eval(subscripts: Vec<AffineExpr>, at: &[i64]) -> Vec<i64> {
        AffineMap::new(at.len() as u32, 0, subscripts)
            .eval(at, &[])
            .unwrap()
    }

    #[test]
    fn elements_come_from_their_places() {
        assert_eq!(eval(broadcast(&[1, 3], 3), &[4, 5, 2]), [0, 2]);
        assert_eq!(eval(transposed(&[2, 0, 1]), &[7, 8, 9]), [8, 9, 7]);
        assert_eq!(eval(shifted(&[1], &[4, 5]), &[1, 2]), [2, 2]);
        assert_eq!(eval(behind(&[3], 3), &[1, 2]), [3, 1, 2]);
        // Element 7 of 4 x 3 and of 2 x 6.
        assert_eq!(eval(reshaped(&[2, 6], &[4, 3]), &[2, 1]), [1, 1]);
        assert_eq!(
            eval(reshaped(&[4, 1, 3], &[1, 4, 3]), &[0, 2, 1]),
            [2, 0, 1]
        );
    }
}
