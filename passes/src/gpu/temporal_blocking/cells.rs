//! What is done with the elements of a plane that a thread has: loaded, computed from
//! neighbours, handed to others, stored.

use super::kernel::{Kernel, when};
use super::plan::LANES;
use crate::gpu::aligned::{promise, rows_aligned};
use crate::loops::build::index::*;
use crate::loops::rematerialize::rematerialize;
use rustc_hash::FxHashMap;
use terrace_dialects::arith::{CmpIOp, CmpIPredicate, SelectOp};
use terrace_dialects::{arith, gpu, memref, scf, vector};
use terrace_ir::{Builder, InsertPoint, OpKind, Value};

/// The part of the box that a block, or a warp of it, computes.
pub struct Tile {
    pub warp: Value,
    pub lane: Value,
    /// First column and row of the tile, halo and all; rows of three dimensions alone.
    pub column: Value,
    pub row: Option<Value>,
    /// First plane that is stored, and the one after the last.
    pub planes: [Value; 2],
}

/// A thread's elements of a plane of some version, row after row.
#[derive(Debug, Clone)]
pub struct Plane {
    id: usize,
    pub values: Vec<Value>,
}

/// The slot of workgroup memory that the plane which is computed goes to.
#[derive(Debug, Clone, Copy)]
pub enum Slot {
    Constant(i64),
    Carried(Value),
}

/// An element that a thread has been handed: plane, row, column.
type Key = (usize, i64, i64);

pub struct Cells<'c, 'k, 'x> {
    k: &'c Kernel<'k, 'x>,
    tile: &'c Tile,
    inside: bool,
    shared: Option<Value>,
    /// Subscripts of the thread's rows and columns.
    rows: Vec<Value>,
    columns: Vec<Value>,
    /// Column of the thread's first element in a row of the tile.
    place: Value,
    /// For each row, and each vector of a row, whether its elements are stored.
    stored_rows: Vec<Option<Value>>,
    stored_vectors: Vec<Value>,
    /// Whether vectors lie at multiples of their size.
    aligned: Option<Value>,
    planes: usize,
    handed: FxHashMap<Key, Value>,
    slot: Slot,
}

impl<'c, 'k, 'x> Cells<'c, 'k, 'x> {
    pub fn new(
        b: &mut Builder,
        k: &'c Kernel<'k, 'x>,
        tile: &'c Tile,
        inside: bool,
        shared: Option<Value>,
    ) -> Cells<'c, 'k, 'x> {
        let plan = k.f.plan;
        let first = times(b, tile.lane, plan.cells);
        let column = add(b, tile.column, first);
        let columns = (0..plan.cells).map(|c| add_constant(b, column, c));
        let columns: Vec<Value> = columns.collect();
        let among = |b: &mut Builder, v: Value, lo: i64, hi: i64| {
            let (lo, hi) = (constant(b, lo), constant(b, hi));
            let above = CmpIOp::build(b, CmpIPredicate::Sge, v, lo);
            let below = less(b, v, hi);
            and(b, above, below)
        };
        let [height, width] = plan.tile();
        let stored_vectors = (0..plan.cells / plan.vector).map(|n| {
            let at = add_constant(b, first, n * plan.vector);
            among(b, at, plan.halo[1], width - plan.halo[1])
        });
        let stored_vectors = stored_vectors.collect();
        let first_row = times(b, tile.warp, plan.rows);
        let (mut rows, mut stored_rows) = (Vec::new(), Vec::new());
        for r in 0..plan.rows {
            let at = add_constant(b, first_row, r);
            stored_rows.push((tile.row).map(|_| among(b, at, plan.halo[0], height - plan.halo[0])));
            if let Some(first) = tile.row {
                rows.push(add(b, first, at));
            }
        }
        let array = k.array(plan.steps);
        let aligned = (inside && plan.vector > 1)
            .then(|| rows_aligned(b, array, plan.vector, k.f.s.bytes, false));
        Cells {
            k,
            tile,
            inside,
            shared,
            rows,
            columns,
            place: first,
            stored_rows,
            stored_vectors,
            aligned,
            planes: 0,
            handed: FxHashMap::default(),
            slot: Slot::Constant(0),
        }
    }

    pub fn plane(&mut self, values: Vec<Value>) -> Plane {
        self.planes += 1;
        Plane {
            id: self.planes,
            values,
        }
    }

    /// From here on the plane is computed that goes to that slot.
    pub fn begin(&mut self, slot: Slot) {
        self.slot = slot;
    }

    /// The slot of planes computed so many steps ago, of which there are fewer than slots.
    fn slot(&self, b: &mut Builder, age: i64) -> Value {
        let slots = self.k.f.plan.slots.max(1);
        match self.slot {
            Slot::Constant(n) => constant(b, (n - age).rem_euclid(slots)),
            Slot::Carried(newest) if age == 0 => newest,
            Slot::Carried(newest) => {
                let before = add_constant(b, newest, -age);
                let around = add_constant(b, newest, slots - age);
                let oldest = constant(b, age);
                let turns = less(b, newest, oldest);
                SelectOp::build(b, turns, around, before)
            }
        }
    }

    /// The slot of the next plane.
    pub fn next_slot(&self, b: &mut Builder, slot: Value) -> Value {
        let (next, zero) = (add_constant(b, slot, 1), constant(b, 0));
        let end = constant(b, self.k.f.plan.slots.max(1));
        let goes_on = less(b, next, end);
        SelectOp::build(b, goes_on, next, zero)
    }

    /// Nothing computed before can be used from here on.
    pub fn forget(&mut self) {
        self.handed.clear();
    }

    fn subscripts(&self, plane: Value, row: usize, column: usize) -> Vec<Value> {
        match self.rows.get(row) {
            Some(r) => vec![plane, *r, self.columns[column]],
            None => vec![plane, self.columns[column]],
        }
    }

    fn each(&self) -> Vec<(usize, usize)> {
        let plan = self.k.f.plan;
        let rows = 0..plan.rows as usize;
        rows.flat_map(|r| (0..plan.cells as usize).map(move |c| (r, c)))
            .collect()
    }

    /// The elements of the version that is there. Where there are none others are
    /// loaded, which nothing that is stored depends on.
    pub fn load(&self, b: &mut Builder, plane: Value) -> Vec<Value> {
        let (f, reads) = (self.k.f, self.k.sweep(1));
        let last = add_constant(b, self.tile.planes[1], f.plan.steps * f.s.most(0) - 1);
        let plane = min(b, plane, last);
        let array = self.k.array(0);
        let clamp = |b: &mut Builder, d: usize, v: Value| {
            let lo = add_constant(b, f.lo[d], reads.least(d));
            let hi = add_constant(b, f.hi[d], reads.most(d) - 1);
            let v = max(b, v, lo);
            min(b, v, hi)
        };
        let mut out = Vec::new();
        for (r, c) in self.each() {
            let mut at = self.subscripts(plane, r, c);
            if !self.inside {
                for (d, v) in at.iter_mut().enumerate() {
                    *v = clamp(b, d, *v);
                }
            }
            out.push(memref::LoadOp::build(b, array, &at));
        }
        out
    }

    /// The elements of a plane of a version from the planes of the one before, the oldest
    /// first.
    pub fn compute(
        &mut self,
        b: &mut Builder,
        version: i64,
        before: &[Plane],
        plane: Value,
    ) -> Vec<Value> {
        let sweep = self.k.sweep(version);
        let mut out = Vec::new();
        for (r, c) in self.each() {
            let mut known = FxHashMap::default();
            for read in &sweep.reads {
                let v = self.neighbour(b, version - 1, before, (r, c), &read.offset);
                known.insert(read.loaded, v);
            }
            let now = rematerialize(b, self.k.f.s.time.op(), sweep.stored, &mut known);
            let rim = !self.inside && version < self.k.f.plan.steps;
            out.push(match rim {
                true => self.rim(b, version, now, plane, (r, c)),
                false => now,
            });
        }
        out
    }

    /// The element at an offset from the one at that row and column.
    fn neighbour(
        &mut self,
        b: &mut Builder,
        version: i64,
        before: &[Plane],
        (r, c): (usize, usize),
        offset: &[i64],
    ) -> Value {
        let plan = self.k.f.plan;
        let which = (plan.down + offset[0]) as usize;
        let across = if self.rows.is_empty() { 0 } else { offset[1] };
        let (row, column) = (r as i64 + across, c as i64 + offset[offset.len() - 1]);
        let plane = &before[which];
        if (0..plan.rows).contains(&row) {
            return self.along(b, plane, row, column);
        }
        let key = (plane.id, row, column);
        if let Some(v) = self.handed.get(&key) {
            return *v;
        }
        // As many steps ago it was computed.
        let age = plan.lag - offset[0];
        let slot = self.slot(b, age);
        let v = self.across(b, version, slot, row, column);
        self.handed.insert(key, v);
        v
    }

    /// An element of a row of this thread, perhaps of another lane.
    fn along(&mut self, b: &mut Builder, plane: &Plane, row: i64, column: i64) -> Value {
        let cells = self.k.f.plan.cells;
        let (lanes, place) = (column.div_euclid(cells), column.rem_euclid(cells));
        let own = plane.values[(row * cells + place) as usize];
        if lanes == 0 {
            return own;
        }
        let key = (plane.id, row, column);
        if let Some(v) = self.handed.get(&key) {
            return *v;
        }
        let i32 = b.ctx.i32();
        let by = arith::constant_int(b, lanes.abs(), i32);
        let width = arith::constant_int(b, LANES, i32);
        let mode = if lanes > 0 { "down" } else { "up" };
        let moved = gpu::ShuffleOp::build(b, mode, own, by, width);
        let v = moved.result(b.ctx, 0);
        self.handed.insert(key, v);
        v
    }

    /// An element of a row of another warp, from workgroup memory. Beyond the tile it is
    /// some other element of it, which nothing that is stored depends on.
    fn across(&self, b: &mut Builder, version: i64, slot: Value, row: i64, column: i64) -> Value {
        let (s, plan) = (self.k.f.s, self.k.f.plan);
        let kept = plan.shared_rows(s.radius(1));
        let (warp, row) = match row < 0 {
            true => {
                let before = add_constant(b, self.tile.warp, -1);
                let zero = constant(b, 0);
                (max(b, before, zero), kept + row)
            }
            false => {
                let next = add_constant(b, self.tile.warp, 1);
                let last = constant(b, plan.row_warps() - 1);
                (min(b, next, last), row - plan.rows)
            }
        };
        let mut at = add_constant(b, self.place, column);
        if column < 0 {
            let first = constant(b, 0);
            at = max(b, at, first);
        } else if column >= plan.cells {
            let last = constant(b, plan.tile()[1] - 1);
            at = min(b, at, last);
        }
        let [version, row] = [version, row].map(|n| constant(b, n));
        let Some(shared) = self.shared else {
            return arith::constant_float(b, 0.0, s.element);
        };
        memref::LoadOp::build(b, shared, &[slot, version, warp, row, at])
    }

    /// Gives other warps the rows at the edges of this one.
    pub fn hand_out(&self, b: &mut Builder, version: i64, plane: &Plane) {
        let (s, plan) = (self.k.f.s, self.k.f.plan);
        let Some(shared) = self.shared else {
            return;
        };
        let kept = plan.shared_rows(s.radius(1));
        let ty = b.ctx.vector(&[plan.vector], s.element);
        let slot = self.slot(b, 0);
        for n in 0..kept {
            let above = n >= kept / 2 && kept < plan.rows;
            let row = if above { plan.rows - kept + n } else { n };
            for c in (0..plan.cells).step_by(plan.vector as usize) {
                let first = (row * plan.cells + c) as usize;
                let values = &plane.values[first..first + plan.vector as usize];
                let v = b.value::<vector::FromElementsOp>(values, ty, &[]);
                let at = add_constant(b, self.place, c);
                let [version, row] = [version, n].map(|n| constant(b, n));
                let store =
                    vector::StoreOp::build(b, v, shared, &[slot, version, self.tile.warp, row, at]);
                promise(b, store, plan.vector * s.bytes);
            }
        }
    }

    /// Fills workgroup memory, which is read before the first planes are handed out.
    pub fn clear(&mut self, b: &mut Builder, nothing: Value) {
        let plan = self.k.f.plan;
        let plane = self.plane(vec![nothing; (plan.rows * plan.cells) as usize]);
        for slot in 0..plan.slots {
            self.begin(Slot::Constant(slot));
            for version in 0..plan.steps {
                self.hand_out(b, version, &plane);
            }
        }
        self.meet(b);
    }

    /// Waits for the other warps of the tile.
    pub fn meet(&self, b: &mut Builder) {
        if self.shared.is_some() {
            gpu::BarrierOp::build(b);
        }
    }

    /// Outside the box a version has what its array has, as far as a sweep reads that.
    fn rim(
        &self,
        b: &mut Builder,
        version: i64,
        computed: Value,
        plane: Value,
        (r, c): (usize, usize),
    ) -> Value {
        let f = self.k.f;
        let reads = self.k.sweep(version + 1);
        let at = self.subscripts(plane, r, c);
        let (mut inside, mut there): (Option<Value>, Option<Value>) = (None, None);
        for (d, v) in at.iter().enumerate() {
            let among = |b: &mut Builder, less_by: i64, more_by: i64| {
                let lo = add_constant(b, f.lo[d], less_by);
                let hi = add_constant(b, f.hi[d], more_by);
                let above = CmpIOp::build(b, CmpIPredicate::Sge, *v, lo);
                let below = less(b, *v, hi);
                and(b, above, below)
            };
            let of_box = among(b, 0, 0);
            let of_array = among(b, reads.least(d), reads.most(d));
            let both = |b: &mut Builder, all: Option<Value>, one: Value| match all {
                Some(a) => and(b, a, one),
                None => one,
            };
            inside = Some(both(b, inside, of_box));
            there = Some(both(b, there, of_array));
        }
        let (Some(inside), Some(there)) = (inside, there) else {
            return computed;
        };
        let no = arith::constant_bool(b, false);
        let wanted = SelectOp::build(b, inside, no, there);
        let (read, then, other) = scf::IfOp::build(b, wanted, &[f.s.element], true);
        let array = self.k.array(version);
        b.with_point(InsertPoint::End(then), |b| {
            let v = memref::LoadOp::build(b, array, &at);
            scf::YieldOp::build(b, &[v]);
        });
        if let Some(other) = other {
            b.with_point(InsertPoint::End(other), |b| {
                scf::YieldOp::build(b, &[computed]);
            });
        }
        read.op().result(b.ctx, 0)
    }

    /// Stores the elements of the last version that are the tile's and in the box.
    pub fn store(&self, b: &mut Builder, values: &Plane, plane: Value) {
        let plan = self.k.f.plan;
        let [begin, end] = self.tile.planes;
        let above = CmpIOp::build(b, CmpIPredicate::Sge, plane, begin);
        let below = less(b, plane, end);
        let of_march = and(b, above, below);
        when(b, of_march, |b| {
            for r in 0..plan.rows as usize {
                for (n, stored) in self.stored_vectors.iter().enumerate() {
                    let mut valid = *stored;
                    if let Some(of_rows) = self.stored_rows[r] {
                        valid = and(b, valid, of_rows);
                    }
                    let first = n * plan.vector as usize;
                    when(b, valid, |b| self.store_vector(b, values, plane, r, first));
                }
            }
        });
    }

    fn store_vector(&self, b: &mut Builder, values: &Plane, plane: Value, r: usize, first: usize) {
        let (f, plan) = (self.k.f, self.k.f.plan);
        let array = self.k.array(plan.steps);
        let of = |c: usize| values.values[r * plan.cells as usize + c];
        let all = first..first + plan.vector as usize;
        if !self.inside {
            for c in all {
                let at = self.subscripts(plane, r, c);
                let mut valid: Option<Value> = None;
                for (d, v) in at.iter().enumerate().skip(1) {
                    let above = CmpIOp::build(b, CmpIPredicate::Sge, *v, f.lo[d]);
                    let below = less(b, *v, f.hi[d]);
                    let both = and(b, above, below);
                    valid = Some(match valid {
                        Some(v) => and(b, v, both),
                        None => both,
                    });
                }
                if let Some(valid) = valid {
                    when(b, valid, |b| {
                        memref::StoreOp::build(b, of(c), array, &at);
                    });
                }
            }
            return;
        }
        let one_by_one = |b: &mut Builder| {
            for c in all.clone() {
                memref::StoreOp::build(b, of(c), array, &self.subscripts(plane, r, c));
            }
        };
        let Some(aligned) = self.aligned else {
            return one_by_one(b);
        };
        let (_, then, other) = scf::IfOp::build(b, aligned, &[], true);
        b.with_point(InsertPoint::End(then), |b| {
            let ty = b.ctx.vector(&[plan.vector], f.s.element);
            let elements: Vec<Value> = all.clone().map(of).collect();
            let v = b.value::<vector::FromElementsOp>(&elements, ty, &[]);
            let at = self.subscripts(plane, r, first);
            let store = vector::StoreOp::build(b, v, array, &at);
            promise(b, store, plan.vector * f.s.bytes);
            scf::YieldOp::build(b, &[]);
        });
        if let Some(other) = other {
            b.with_point(InsertPoint::End(other), |b| {
                one_by_one(b);
                scf::YieldOp::build(b, &[]);
            });
        }
    }
}
