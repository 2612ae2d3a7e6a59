//! Fragments of factors of 16 bits: tiles of 8 x 8 elements, which a warp loads at once,
//! turned round where neighbours in workgroup memory are not neighbours along k.

use super::slabs::Slab;
use super::units::Threads;
use crate::loops::build::index::*;
use terrace_dialects::nvgpu::LdMatrixOp;
use terrace_dialects::{arith, vector};
use terrace_ir::{Builder, Value};

/// Which line of which tile a lane names: lane `8 t + r` line r of tile t of four.
#[derive(Clone, Copy)]
pub struct Lines {
    /// First row and column of the warp.
    corner: [Value; 2],
    /// r where tiles 0 and 1 follow one another along lines: r + 8 (t mod 2).
    both: Value,
    /// And what then is left of t: 8 (t / 2).
    high: Value,
    /// r where tiles 0 and 2 do: r + 8 (t / 2).
    alternate: Value,
    /// And what then is left: 8 (t mod 2).
    low: Value,
}

impl Lines {
    pub fn new(b: &mut Builder, corner: [Value; 2], lane: Value) -> Lines {
        let (upper, both) = split(b, lane, 16);
        let (odd, line) = split(b, both, 8);
        let (high, low) = (times(b, upper, 8), times(b, odd, 8));
        Lines {
            corner,
            both,
            high,
            alternate: add(b, line, high),
            low,
        }
    }
}

impl Threads {
    /// The `number`-th fragment of rows, 16 x 16, of the first factor at a step of k: tiles
    /// are those of both halves of rows at the first 8 of k, then at the others.
    pub(super) fn rows_of_halves(
        &self,
        b: &mut Builder,
        lines: &Lines,
        (slab, view): (&Slab, Value),
        (stage, k): (Value, i64),
        number: i64,
    ) -> Value {
        let (place, deep) = match slab.k_last {
            true => (lines.both, lines.high),
            false => (lines.low, lines.alternate),
        };
        let first = add(b, lines.corner[0], place);
        let place = add_constant(b, first, 16 * number);
        let deep = add_constant(b, deep, k);
        let loaded = tiles(b, slab, view, [stage, place, deep]);
        negated(b, slab, loaded)
    }

    /// The fragments of columns, 8 x 16 each, of the second factor at a step of k: two are
    /// loaded at once, of each the first 8 of k, then the others.
    pub(super) fn columns_of_halves(
        &self,
        b: &mut Builder,
        lines: &Lines,
        (slab, view): (&Slab, Value),
        (stage, k): (Value, i64),
        count: i64,
    ) -> Vec<Value> {
        let (place, deep) = match slab.k_last {
            true => (lines.alternate, lines.low),
            false => (lines.high, lines.both),
        };
        let first = add(b, lines.corner[1], place);
        let deep = add_constant(b, deep, k);
        let mut all = Vec::new();
        for pair in 0..count / 2 {
            let place = add_constant(b, first, 16 * pair);
            let loaded = tiles(b, slab, view, [stage, place, deep]);
            let loaded = negated(b, slab, loaded);
            let ty = b.ctx.vector(&[2, 2], slab.element);
            for half in 0..2 {
                let attrs = [
                    ("offsets", vec![2 * half]),
                    ("sizes", vec![2]),
                    ("strides", vec![1]),
                ]
                .map(|(name, list)| (name, numbers(b, &list)));
                all.push(b.value::<vector::ExtractStridedSliceOp>(&[loaded], ty, &attrs));
            }
        }
        all
    }
}

/// A list of numbers as slices have it.
fn numbers(b: &Builder, list: &[i64]) -> terrace_ir::Attr {
    let list = list.iter().map(|n| b.ctx.i64_attr(*n)).collect();
    b.ctx.array_attr(list)
}

/// Four tiles, of which the lane names a line at that stage, place and k.
fn tiles(b: &mut Builder, slab: &Slab, view: Value, [stage, place, k]: [Value; 3]) -> Value {
    let at = slab.at(stage, place, k);
    let ty = b.ctx.vector(&[4, 2], slab.element);
    let i32 = b.ctx.i32();
    let attrs = [
        ("transpose", b.ctx.bool_attr(!slab.k_last)),
        ("numTiles", b.ctx.int_attr(i32, 4)),
    ];
    let operands = [&[view], &at[..]].concat();
    b.value::<LdMatrixOp>(&operands, ty, &attrs)
}

fn negated(b: &mut Builder, slab: &Slab, v: Value) -> Value {
    if !slab.factor.negated {
        return v;
    }
    let ty = v.ty(b.ctx);
    b.value::<arith::NegFOp>(&[v], ty, &[])
}
