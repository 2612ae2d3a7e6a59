//! What multiplies a slab: the matrix units of a warp, or a tile in each thread's
//! registers.

use super::elements;
use super::halves::Lines;
use super::slabs::Slab;
use crate::gpu::contraction::plan::{Tiling, Unit, WIDE};
use crate::gpu::contraction::shape::Contraction;
use crate::loops::build::index::*;
use terrace_dialects::nvgpu::MmaSyncOp;
use terrace_dialects::{math, memref, vector};
use terrace_ir::{Builder, Value};

/// An element of the sums of a thread: which sum, which lane of it, and where it is in
/// the tile.
pub struct TileElement {
    pub sum: usize,
    pub lane: Option<[i64; 2]>,
    /// Numbers of the place's row and column among those of the thread.
    pub row: usize,
    pub col: usize,
}

/// Which elements of the tile are a thread's.
pub struct Threads {
    unit: Unit,
    /// The first row of the tile that is the thread's, and column, of factors.
    row: Value,
    col: Value,
    /// The thread's place along k.
    k: Value,
    /// Rows and columns from one fragment, or group, to the next, and how many.
    step: [i64; 2],
    count: [i64; 2],
    /// Which lines of tiles of 16-bit elements the thread names.
    lines: Option<Lines>,
    /// By how much the rows of the thread's sums are further on than the first.
    pub row_steps: Vec<i64>,
    /// Rows and columns in the tile of the thread's sums.
    pub rows: Vec<Value>,
    pub cols: Vec<Value>,
    pub places: Vec<TileElement>,
}

impl Threads {
    pub fn new(b: &mut Builder, plan: &Tiling, thread: Value) -> Threads {
        let (warp, lane) = split(b, thread, 32);
        let (wr, wc) = split(b, warp, plan.warps[1]);
        match plan.unit {
            Unit::Matrix(shape) => Threads::of_matrix(b, plan, shape, [wr, wc], lane),
            Unit::Registers(tile) => Threads::of_registers(b, plan, tile, [wr, wc], lane),
        }
    }

    /// As PTX's manual gives the fragments of `mma.m16n8k16` and its smaller kin for
    /// `.f64`, and of `mma.m16n8k8` for `.tf32`; sums of `mma.m16n8k16` for elements of 16
    /// bits lie as these: lane 4g + q has rows g and g + 8 of A at q, q + 4, ... of k.
    fn of_matrix(
        b: &mut Builder,
        plan: &Tiling,
        shape: [i64; 3],
        warp: [Value; 2],
        lane: Value,
    ) -> Threads {
        let tile = [plan.block[0] / plan.warps[0], plan.block[1] / plan.warps[1]];
        let (g, q) = split(b, lane, 4);
        let corner = [times(b, warp[0], tile[0]), times(b, warp[1], tile[1])];
        let (row, col) = (add(b, corner[0], g), add(b, corner[1], g));
        let count = [tile[0] / shape[0], tile[1] / shape[1]];
        let eights = shape[0] / 8;
        let row_steps: Vec<i64> = (0..count[0] * eights).map(|i| 8 * i).collect();
        let rows = row_steps.iter().map(|n| add_constant(b, row, *n));
        let rows: Vec<Value> = rows.collect();
        let pair = times(b, q, 2);
        let first = add(b, corner[1], pair);
        let cols = (0..2 * count[1]).map(|i| add_constant(b, first, 8 * (i / 2) + i % 2));
        let cols: Vec<Value> = cols.collect();
        let mut places = Vec::new();
        for m in 0..count[0] {
            for n in 0..count[1] {
                for (e, f) in (0..eights).flat_map(|e| [(e, 0), (e, 1)]) {
                    places.push(TileElement {
                        sum: (m * count[1] + n) as usize,
                        lane: Some([e, f]),
                        row: (m * eights + e) as usize,
                        col: (2 * n + f) as usize,
                    });
                }
            }
        }
        Threads {
            unit: plan.unit,
            row,
            col,
            k: q,
            step: [shape[0], shape[1]],
            count,
            lines: (shape[2] == 16).then(|| Lines::new(b, corner, lane)),
            row_steps,
            rows,
            cols,
            places,
        }
    }

    /// A thread has groups of neighbouring rows and columns, the groups as far apart as
    /// all threads' groups are wide: a warp then reads neighbours.
    fn of_registers(
        b: &mut Builder,
        plan: &Tiling,
        tile: [i64; 2],
        warp: [Value; 2],
        lane: Value,
    ) -> Threads {
        // A warp is 4 by 8 threads.
        let (lr, lc) = split(b, lane, 8);
        let (wr, wc) = (times(b, warp[0], 4), times(b, warp[1], 8));
        let (tr, tc) = (add(b, wr, lr), add(b, wc, lc));
        let (row, col) = (times(b, tr, WIDE), times(b, tc, WIDE));
        let count = [tile[0] / WIDE, tile[1] / WIDE];
        let step = [plan.block[0] / count[0], plan.block[1] / count[1]];
        let place = |i: i64, step: i64| step * (i / WIDE) + i % WIDE;
        let row_steps: Vec<i64> = (0..tile[0]).map(|i| place(i, step[0])).collect();
        let rows = row_steps.iter().map(|n| add_constant(b, row, *n));
        let rows: Vec<Value> = rows.collect();
        let cols = (0..tile[1]).map(|i| add_constant(b, col, place(i, step[1])));
        let cols: Vec<Value> = cols.collect();
        let mut places = Vec::new();
        for row in 0..rows.len() {
            for col in 0..cols.len() {
                places.push(TileElement {
                    sum: row * cols.len() + col,
                    lane: None,
                    row,
                    col,
                });
            }
        }
        let k = constant(b, 0);
        Threads {
            unit: plan.unit,
            row,
            col,
            k,
            step,
            count,
            lines: None,
            row_steps,
            rows,
            cols,
            places,
        }
    }

    /// The sums from their elements, in the order of `places`.
    pub fn pack(&self, b: &mut Builder, elements: &[Value]) -> Vec<Value> {
        let Unit::Matrix(shape) = self.unit else {
            return elements.to_vec();
        };
        let each = (shape[0] / 4) as usize;
        let fragments = elements.chunks(each);
        fragments.map(|f| fragment(b, f, 2)).collect()
    }

    /// An element of the sums.
    pub fn unpack(&self, b: &mut Builder, sums: &[Value], p: &TileElement) -> Value {
        match p.lane {
            Some(at) => vector::ExtractOp::build(b, sums[p.sum], &at),
            None => sums[p.sum],
        }
    }

    /// Adds the products of a slab to the sums; `between` is told to do a part of
    /// something else now and then, each part once.
    #[allow(clippy::too_many_arguments, reason = "each says another thing")]
    pub fn multiply(
        &self,
        b: &mut Builder,
        x: &Contraction,
        plan: &Tiling,
        factors: [(&Slab, Value); 2],
        stage: Value,
        sums: &mut [Value],
        between: &mut dyn FnMut(&mut Builder, (i64, i64)),
    ) {
        match self.unit {
            Unit::Matrix(shape) => {
                let numbers = shape.map(|n| b.ctx.i64_attr(n)).to_vec();
                let mut attrs = vec![("mmaShape", b.ctx.array_attr(numbers))];
                if plan.tf32 {
                    attrs.push(("tf32Enabled", b.ctx.unit()));
                }
                let steps = plan.depth / shape[2];
                for k in 0..steps {
                    let at = (stage, k * shape[2]);
                    let all = 0..self.count[1];
                    let fb: Vec<Value> = match &self.lines {
                        Some(l) => self.columns_of_halves(b, l, factors[1], at, self.count[1]),
                        None => all
                            .map(|n| self.fragment(b, x, factors[1], at, (1, n), shape))
                            .collect(),
                    };
                    for m in 0..self.count[0] {
                        let fa = match &self.lines {
                            Some(l) => self.rows_of_halves(b, l, factors[0], at, m),
                            None => self.fragment(b, x, factors[0], at, (0, m), shape),
                        };
                        for (n, fb) in fb.iter().enumerate() {
                            let sum = &mut sums[m as usize * fb_len(&self.count) + n];
                            let ty = sum.ty(b.ctx);
                            let operands = [fa, *fb, *sum];
                            *sum = b.value::<MmaSyncOp>(&operands, ty, &attrs);
                        }
                        between(b, (k * self.count[0] + m, steps * self.count[0]));
                    }
                }
            }
            Unit::Registers(_) => {
                for k in 0..plan.depth {
                    let va = self.vectors(b, x, factors[0], stage, k, 0);
                    let vb = self.vectors(b, x, factors[1], stage, k, 1);
                    for (m, x) in va.iter().enumerate() {
                        for (n, y) in vb.iter().enumerate() {
                            let sum = &mut sums[m * vb.len() + n];
                            let ty = sum.ty(b.ctx);
                            *sum = b.value::<math::FmaOp>(&[*x, *y, *sum], ty, &[]);
                        }
                    }
                    between(b, (k, plan.depth));
                }
            }
        }
    }

    /// A fragment of a factor at a step of k: the `number`-th along rows where `axis` is 0.
    fn fragment(
        &self,
        b: &mut Builder,
        x: &Contraction,
        (slab, view): (&Slab, Value),
        (stage, k): (Value, i64),
        (axis, number): (usize, i64),
        shape: [i64; 3],
    ) -> Value {
        let eights = shape[axis] / 8;
        let first = if axis == 0 { self.row } else { self.col };
        let mut elements = Vec::new();
        for e in 0..eights * shape[2] / 4 {
            let place = add_constant(b, first, number * self.step[axis] + 8 * (e % eights));
            let deep = add_constant(b, self.k, k + 4 * (e / eights));
            let at = slab.at(stage, place, deep);
            let loaded = memref::LoadOp::build(b, view, &at);
            elements.push(elements::factor(b, x, slab.factor, loaded));
        }
        fragment(b, &elements, 1)
    }

    /// The elements of a factor for one k.
    fn vectors(
        &self,
        b: &mut Builder,
        x: &Contraction,
        (slab, view): (&Slab, Value),
        stage: Value,
        k: i64,
        axis: usize,
    ) -> Vec<Value> {
        let first = if axis == 0 { self.row } else { self.col };
        let deep = constant(b, k);
        let ty = slab.factor.loaded.ty(b.ctx);
        let wide = b.ctx.vector(&[WIDE], ty);
        let mut all = Vec::new();
        for i in 0..self.count[axis] {
            let place = add_constant(b, first, i * self.step[axis]);
            let at = slab.at(stage, place, deep);
            let loaded = vector::LoadOp::build(b, wide, view, &at);
            for e in 0..WIDE {
                let one = vector::ExtractOp::build(b, loaded, &[e]);
                all.push(elements::factor(b, x, slab.factor, one));
            }
        }
        all
    }
}

fn fb_len(count: &[i64; 2]) -> usize {
    count[1] as usize
}

/// A vector of rows of that many elements.
fn fragment(b: &mut Builder, elements: &[Value], each: i64) -> Value {
    let ty = elements[0].ty(b.ctx);
    let ty = b.ctx.vector(&[elements.len() as i64 / each, each], ty);
    b.value::<vector::FromElementsOp>(elements, ty, &[])
}
