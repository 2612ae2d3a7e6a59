//! What a product does as the program has it written, for profiles.
//!
//! Each op of the nest is done as often as the loops around it go round: those of row and
//! column together for each element of the result, that of k for each number that an element
//! adds up, on average. What tiles do over the edges is not counted.

use super::frame::Frame;
use crate::analysis::linear::Linear;
use crate::analysis::memref_region::element_bytes;
use crate::analysis::work::flops;
use crate::gpu::contraction::shape::{Contraction, Element};
use crate::loops::build::float::{F, Numbers};
use crate::loops::build::index::*;
use rustc_hash::FxHashMap;
use terrace_dialects::affine::ForOp;
use terrace_dialects::arith::{IndexCastOp, SIToFPOp};
use terrace_dialects::gpu;
use terrace_ir::{Builder, Op, Value};

const ZERO: F = F::Known(0.0);

/// Leaves a note in the launch, where the numbers are known. Of products side by side it is of
/// all of them.
pub fn note(b: &mut Builder, f: &Frame) {
    let x = f.x;
    let products = match &f.batch {
        Some(batch) => float(b, batch.count),
        None => F::Known(1.0),
    };
    let Some(counts) = Counts::of(b, f) else {
        return;
    };
    let each = of_loops(b, x);
    let mut n = Numbers::new(Builder::new(b.ctx, b.at, b.loc), FxHashMap::default(), None);
    let mut sums = [ZERO; 2];
    for (around, flops) in each {
        let Some(times) = counts.times(&mut n, around) else {
            return;
        };
        for (sum, once) in sums.iter_mut().zip(flops) {
            let all = n.mul(times, F::Known(once));
            let all = n.mul(all, products);
            *sum = n.add(*sum, all);
        }
    }
    let bytes = counts.bytes(&mut n, f);
    let numbers = [sums[0], sums[1], bytes].map(|v| n.value(v));
    gpu::NoteWorkOp::build(&mut n.b, numbers);
}

/// Which loops are around something: of rows, columns, k.
type Around = [bool; 3];

/// The flops of the nest's ops, by the loops that are around them; NaN where a loop is none
/// of the product's.
fn of_loops(b: &Builder, x: &Contraction) -> Vec<(Around, [f64; 2])> {
    let ctx = &*b.ctx;
    let mut out: Vec<(Around, [f64; 2])> = Vec::new();
    for op in x.root.pre_order(ctx) {
        let once = flops(ctx, op);
        if once == [0.0; 2] {
            continue;
        }
        let around = around(b, x, op);
        match out.iter_mut().find(|o| o.0 == around) {
            Some((_, sum)) => (0..2).for_each(|i| sum[i] += once[i]),
            None => out.push((around, once)),
        }
    }
    out
}

/// Rows by two counters have both loops around them, or neither.
fn around(b: &Builder, x: &Contraction, op: Op) -> Around {
    let ctx = &*b.ctx;
    let mut out = [false; 3];
    let mut at = op;
    while at != x.root {
        let Some(parent) = at.parent(ctx) else { break };
        at = parent;
        let Some(l) = at.cast::<ForOp>(ctx) else {
            continue;
        };
        let counter = l.iv(ctx);
        let same = x.same.iter().find(|s| s.0 == counter);
        let counter = same.map_or(counter, |s| s.1);
        for (is, v) in out.iter_mut().zip([x.row, x.col, x.k]) {
            *is |= v == counter;
        }
    }
    out
}

/// How many there are.
struct Counts {
    rows: F,
    cols: F,
    /// Of the result.
    elements: F,
    /// Numbers k of an element, on average.
    depth: F,
    /// Whether elements differ in their k, and whether some of the rectangle are not there.
    slopes: bool,
    triangle: bool,
}

impl Counts {
    /// `None` where it takes more than a formula.
    fn of(b: &mut Builder, f: &Frame) -> Option<Counts> {
        let x = f.x;
        let cuts: Vec<&Linear> = x.inside.iter().filter(|l| cuts(x, l)).collect();
        let triangle = !cuts.is_empty();
        let slopes = x.slope().is_some();
        if triangle && (slopes || x.outer.is_some()) || slopes && x.outer.is_some() {
            return None;
        }
        let zero = constant(b, 0);
        let [m, n] = [f.rows, f.cols].map(|r| {
            let n = sub(b, r[1], r[0]);
            max(b, n, zero)
        });
        let (rows, cols) = (float(b, m), float(b, n));
        let depth = match f.depth {
            Some([first, end]) => {
                let length = sub(b, end, first);
                let length = max(b, length, zero);
                float(b, length)
            }
            None => mean_depth(b, f),
        };
        let elements = match cuts[..] {
            [] => {
                let mut n = numbers(b);
                n.mul(rows, cols)
            }
            [form] => of_triangle(b, f, form, rows, cols)?,
            _ => return None,
        };
        Some(Counts {
            rows,
            cols,
            elements,
            depth,
            slopes,
            triangle,
        })
    }

    /// How often these loops go round. Where the bounds of one depend on another that is not
    /// there it is not known.
    fn times(&self, n: &mut Numbers, around: Around) -> Option<F> {
        Some(match around {
            [true, true, true] => n.mul(self.elements, self.depth),
            [true, true, false] => self.elements,
            _ if self.triangle => return None,
            [true, false, true] if !self.slopes => n.mul(self.rows, self.depth),
            [false, true, true] if !self.slopes => n.mul(self.cols, self.depth),
            [false, false, true] if !self.slopes => self.depth,
            [true, false, false] => self.rows,
            [false, true, false] => self.cols,
            [false, false, false] => F::Known(1.0),
            _ => return None,
        })
    }

    /// Bytes of all arrays, once for each way: of factors what an average row or column needs.
    fn bytes(&self, n: &mut Numbers, f: &Frame) -> F {
        let mut sum = ZERO;
        let mut seen: Vec<Value> = Vec::new();
        let size = |n: &Numbers, array: Value| {
            let element = array.ty(n.b.ctx).element(n.b.ctx);
            element.and_then(|t| element_bytes(n.b.ctx, t)).unwrap_or(1) as f64
        };
        for (side, slab) in f.slabs.iter().flat_map(|s| s.iter().enumerate()) {
            let array = slab.factor.element.memref;
            if seen.contains(&array) {
                continue;
            }
            seen.push(array);
            let lines = if side == 0 { self.rows } else { self.cols };
            let elements = n.mul(lines, self.depth);
            let matrices = matrices(n, f, &slab.factor.element);
            let elements = n.mul(elements, matrices);
            let bytes = n.mul(elements, F::Known(size(n, array)));
            sum = n.add(sum, bytes);
        }
        let result = f.x.c.memref;
        let (before, behind) = super::describe::reads(n.b.ctx, f.x);
        let ways = 1 + i64::from(before || behind) + i64::from(f.x.mirror.is_some());
        let matrices = matrices(n, f, &f.x.c);
        let elements = n.mul(self.elements, matrices);
        let bytes = n.mul(elements, F::Known(size(n, result) * ways as f64));
        n.add(sum, bytes)
    }
}

/// How many matrices of an array the products side by side use.
fn matrices(n: &mut Numbers, f: &Frame, of: &Element) -> F {
    let Some(batch) = &f.batch else {
        return F::Known(1.0);
    };
    let mut all = F::Known(1.0);
    for (o, length) in f.x.batch.iter().zip(batch.lengths()) {
        if of.at.iter().any(|form| form.coefficient(o.counter) != 0) {
            let length = float(&mut n.b, length);
            all = n.mul(all, length);
        }
    }
    all
}

fn numbers<'b>(b: &'b mut Builder) -> Numbers<'b> {
    Numbers::new(Builder::new(b.ctx, b.at, b.loc), FxHashMap::default(), None)
}

/// Whether a form may be negative somewhere in the rectangle.
fn cuts(x: &Contraction, form: &Linear) -> bool {
    let least = x.rows.extreme(form, x.row, true);
    let least = least.and_then(|l| x.cols.extreme(&l, x.col, true));
    let least = least.and_then(|l| l.as_constant());
    least.is_none_or(|n| n < 0)
}

/// A whole number as a float.
fn float(b: &mut Builder, v: Value) -> F {
    if let Some(c) = b.ctx.constant_int(v) {
        return F::Known(c as f64);
    }
    let (wide, float) = (b.ctx.i64(), b.ctx.f64());
    let int = b.value::<IndexCastOp>(&[v], wide, &[]);
    F::At(b.value::<SIToFPOp>(&[int], float, &[]))
}

/// The numbers k of an element on average, where the first and the last row or column have the
/// fewest and the most: half of both, as long as none between has less than none.
fn mean_depth(b: &mut Builder, f: &Frame) -> F {
    let x = f.x;
    let by_col = x.slope().is_some_and(|s| s.by_col);
    let (counter, range) = match by_col {
        true => (x.col, f.cols),
        false => (x.row, f.rows),
    };
    let last = add_constant(b, range[1], -1);
    let zero = constant(b, 0);
    let lengths = [range[0], last].map(|at| {
        let places = [(counter, at)];
        let (lo, hi) = (
            linear(b, &x.depth.lo, &places),
            linear(b, &x.depth.hi, &places),
        );
        let length = sub(b, hi, lo);
        let length = max(b, length, zero);
        float(b, length)
    });
    let mut n = numbers(b);
    let both = n.add(lengths[0], lengths[1]);
    n.mul(both, F::Known(0.5))
}

/// How many elements of a rectangle a form of row and column, each once or less once, is not
/// negative for. With u and v counted from where the form is least along rows and most along
/// columns it is `u - v + d`: for each u as many v as `u + d + 1`, but at least none and at
/// most all columns. `S(x)` sums that up to x.
fn of_triangle(b: &mut Builder, f: &Frame, form: &Linear, rows: F, cols: F) -> Option<F> {
    let x = f.x;
    let factors = [form.coefficient(x.row), form.coefficient(x.col)];
    if factors.iter().any(|c| c.abs() != 1) {
        return None;
    }
    let last = [f.rows, f.cols].map(|r| add_constant(b, r[1], -1));
    let row = if factors[0] > 0 { f.rows[0] } else { last[0] };
    let col = if factors[1] > 0 { last[1] } else { f.cols[0] };
    let d = linear(b, form, &[(x.row, row), (x.col, col)]);
    let d = float(b, d);
    let mut n = numbers(b);
    let above = n.add(rows, d);
    let [to, from] = [above, d].map(|x| {
        let inside = n.min(x, cols);
        let inside = n.max(inside, ZERO);
        let next = n.add(inside, F::Known(1.0));
        let twice = n.mul(inside, next);
        let part = n.mul(twice, F::Known(0.5));
        let over = n.sub(x, cols);
        let over = n.max(over, ZERO);
        let full = n.mul(over, cols);
        n.add(part, full)
    });
    Some(n.sub(to, from))
}
