//! The two halves of a tile of a scan in one pass: its elements scanned, and what the program does with them
//! once it is known what comes in front.

use super::body::copy;
use super::kernel::Kernel;
use super::policy::LANES;
use super::state::{State, selected, shuffled};
use super::vectors::Layout;
use crate::gpu::branches::{values_of, when};
use crate::loops::build::index::*;
use terrace_dialects::arith::{self, CmpIOp, CmpIPredicate, SelectOp};
use terrace_dialects::{memref, scf, vector};
use terrace_ir::clone::IrMapping;
use terrace_ir::{Builder, OpKind, Value};

impl Kernel<'_> {
    /// The numbers of a vector's elements.
    fn numbers(&self, b: &mut Builder, layout: &Layout, vector: Value) -> Vec<Value> {
        let piece = times(b, self.warp, LANES * layout.items());
        let lane = times(b, self.lane, layout.vector);
        let before = times(b, vector, LANES * layout.vector);
        let first = add(b, self.start, piece);
        let first = add(b, first, lane);
        let first = add(b, first, before);
        let all = (0..layout.vector).map(|n| add_constant(b, first, n));
        all.collect()
    }

    /// Whether there is an element of this number.
    fn is_there(&self, b: &mut Builder, number: Value) -> Value {
        let (from, to) = (not_negative(b, number), less(b, number, self.end));
        and(b, from, to)
    }

    /// What the elements of a vector do, one after the other, and all of those before each.
    fn steps(&self, b: &mut Builder, layout: &Layout, whole: bool, vector: Value) -> Vec<State> {
        let numbers = self.numbers(b, layout, vector);
        let mut steps: Vec<State> = if whole {
            let maps = numbers.iter().map(|n| self.iteration(b, *n));
            let mut maps: Vec<IrMapping> = maps.collect();
            layout.copy(b, &self.s.slice, &mut maps);
            maps.iter_mut().map(|m| self.step(b, m)).collect()
        } else {
            let types = self.types(b.ctx);
            let one = |b: &mut Builder, number: Value| {
                let is = self.is_there(b, number);
                let there = |b: &mut Builder| {
                    let mut map = self.iteration(b, number);
                    self.contribution(b, &mut map)
                };
                values_of(b, is, &types, there, |b| self.identity(b))
            };
            numbers.iter().map(|n| one(b, *n)).collect()
        };
        for n in 1..steps.len() {
            steps[n] = self.combine(b, &steps[n - 1], &steps[n]);
        }
        steps
    }

    /// Scans the tile and keeps what is found in `held`, at `slot`; what the warp comes to, and which of the
    /// thread's elements something in the warp starts again at or before.
    pub fn scan_tile(
        &self,
        b: &mut Builder,
        layout: &Layout,
        whole: bool,
        held: (&[Value], Value),
    ) -> (State, Option<Value>) {
        let nothing = self.identity(b);
        let mut carried = nothing.clone();
        let i32 = b.ctx.i32();
        if self.s.restarts() {
            carried.push(arith::constant_int(b, 0, i32));
        }
        let numbers = (0..layout.vectors).map(|v| constant(b, v));
        let numbers: Vec<Value> = numbers.collect();
        let split = |mut all: Vec<Value>| {
            let flags = self.s.restarts().then(|| all.pop()).flatten();
            (all, flags)
        };
        if !whole {
            // Few tiles are so: one vector after the other, which takes few registers.
            let bounds = [0, layout.vectors, 1].map(|n| constant(b, n));
            let bounds = (bounds[0], bounds[1], bounds[2]);
            let l = scf::ForOp::build_with(b, bounds, &carried, |b, v, carried| {
                let steps = self.steps(b, layout, false, v);
                let scanned = self.rows(b, steps.last().cloned().into_iter().collect());
                let carried = split(carried.to_vec());
                let (sum, flags) =
                    self.scan_vector(b, layout, (v, &steps, &scanned[0]), carried, held);
                sum.into_iter().chain(flags).collect()
            });
            return split(l.op().results(b.ctx));
        }
        let all = numbers.iter().map(|v| self.steps(b, layout, true, *v));
        let all: Vec<Vec<State>> = all.collect();
        let sums = all.iter().filter_map(|v| v.last().cloned()).collect();
        let scanned = self.rows(b, sums);
        let mut carried = split(carried);
        for (v, (steps, scanned)) in numbers.iter().zip(all.iter().zip(&scanned)) {
            carried = self.scan_vector(b, layout, (*v, steps, scanned), carried, held);
        }
        carried
    }

    /// Keeps what a vector's elements and all before them in the warp come to, from what those in front of its
    /// row do and the lanes of the row; what all up to the row's end come to.
    fn scan_vector(
        &self,
        b: &mut Builder,
        layout: &Layout,
        (v, steps, scanned): (Value, &[State], &State),
        (before, mut flags): (State, Option<Value>),
        (held, slot): (&[Value], Value),
    ) -> (State, Option<Value>) {
        let zero = constant(b, 0);
        let is_first = CmpIOp::build(b, CmpIPredicate::Eq, self.lane, zero);
        let other = shuffled(b, "up", scanned, 1);
        let in_front = self.combine(b, &before, &other);
        let in_front = selected(b, is_first, &before, &in_front);
        let found = (steps.iter()).map(|s| self.combine(b, &in_front, s));
        let found: Vec<State> = found.collect();
        self.keep(b, layout, &found, held, &[slot, v]);
        if let Some(all) = &mut flags {
            let first = times(b, v, layout.vector);
            for (n, state) in found.iter().enumerate() {
                let by = add_constant(b, first, n as i64);
                *all = with_flag(b, *all, state[1], by);
            }
        }
        let total = shuffled(b, "idx", scanned, LANES - 1);
        (self.combine(b, &before, &total), flags)
    }

    fn keep(
        &self,
        b: &mut Builder,
        layout: &Layout,
        found: &[State],
        held: &[Value],
        at: &[Value],
    ) {
        let zero = constant(b, 0);
        let place = [at, &[self.thread, zero]].concat();
        for (c, array) in held.iter().enumerate() {
            let values: Vec<Value> = found.iter().map(|s| s[c]).collect();
            if let [one] = values[..] {
                memref::StoreOp::build(b, one, *array, &place);
                continue;
            }
            let ty = b.ctx.vector(&[layout.vector], values[0].ty(b.ctx));
            let all = b.value::<vector::FromElementsOp>(&values, ty, &[]);
            vector::StoreOp::build(b, all, *array, &place);
        }
    }

    /// What [`Kernel::scan_tile`] kept of a vector's elements.
    fn kept(
        &self,
        b: &mut Builder,
        layout: &Layout,
        (held, slot, flags): (&[Value], Value, Option<Value>),
        vector: Value,
    ) -> Vec<State> {
        let zero = constant(b, 0);
        let place = [slot, vector, self.thread, zero];
        let mut states = vec![Vec::new(); layout.vector as usize];
        for (array, ty) in held.iter().zip(self.s.held_types(b.ctx)) {
            if let [state] = &mut states[..] {
                state.push(memref::LoadOp::build(b, *array, &place));
                continue;
            }
            let ty = b.ctx.vector(&[layout.vector], ty);
            let all = vector::LoadOp::build(b, ty, *array, &place);
            for (n, state) in states.iter_mut().enumerate() {
                state.push(vector::ExtractOp::build(b, all, &[n as i64]));
            }
        }
        if let Some(flags) = flags {
            let first = times(b, vector, layout.vector);
            for (n, state) in states.iter_mut().enumerate() {
                let by = add_constant(b, first, n as i64);
                state.push(flag_of(b, flags, by));
            }
        }
        states
    }

    /// Does with the tile's elements what the program does; `base` is the running value in front of
    /// the warp's.
    pub fn finish_tile(
        &self,
        b: &mut Builder,
        layout: &Layout,
        whole: bool,
        held: (&[Value], Value, Option<Value>),
        base: Value,
    ) {
        let row = base;
        if whole {
            let mut row = row;
            for v in 0..layout.vectors {
                let v = constant(b, v);
                let maps = self.numbers(b, layout, v);
                let maps = maps.iter().map(|n| self.iteration(b, *n));
                let mut maps: Vec<IrMapping> = maps.collect();
                if self.s.rest_uses_slice(b.ctx) {
                    layout.copy(b, &self.s.slice, &mut maps);
                }
                let (found, next) = self.found(b, layout, held, (base, row), v);
                row = next;
                for (map, found) in maps.iter_mut().zip(&found) {
                    self.give(map, found);
                }
                layout.copy(b, &self.s.rest, &mut maps);
            }
            return;
        }
        let bounds = [0, layout.vectors, 1].map(|n| constant(b, n));
        let bounds = (bounds[0], bounds[1], bounds[2]);
        scf::ForOp::build_with(b, bounds, &[row], |b, v, row| {
            let (found, next) = self.found(b, layout, held, (base, row[0]), v);
            let numbers = self.numbers(b, layout, v);
            for (number, found) in numbers.into_iter().zip(&found) {
                let is = self.is_there(b, number);
                when(b, is, |b| {
                    let mut map = self.iteration(b, number);
                    if self.s.rest_uses_slice(b.ctx) {
                        copy(b, &self.s.slice, &mut map);
                    }
                    self.give(&mut map, found);
                    copy(b, &self.s.rest, &mut map);
                });
            }
            vec![next]
        });
    }

    /// The running values of a vector's elements, each behind that before it where the program uses that; `row`
    /// is the one in front of the vectors of the row, and the last one given back that behind them.
    fn found(
        &self,
        b: &mut Builder,
        layout: &Layout,
        held: (&[Value], Value, Option<Value>),
        (base, row): (Value, Value),
        vector: Value,
    ) -> (Vec<(Option<Value>, Value)>, Value) {
        let states = self.kept(b, layout, held, vector);
        let own: Vec<Value> = (states.iter()).map(|s| self.apply(b, base, s)).collect();
        let last = own.last().filter(|_| self.s.uses(&self.s.before, b.ctx));
        let Some(last) = last.copied() else {
            return (own.into_iter().map(|v| (None, v)).collect(), row);
        };
        let zero = constant(b, 0);
        let is_first = CmpIOp::build(b, CmpIPredicate::Eq, self.lane, zero);
        let other = shuffled(b, "up", &vec![last], 1)[0];
        let first = SelectOp::build(b, is_first, row, other);
        let next = shuffled(b, "idx", &vec![last], LANES - 1)[0];
        let before = [first].into_iter().chain(own.iter().copied());
        let found = before.zip(&own).map(|(p, v)| (Some(p), *v)).collect();
        (found, next)
    }

    /// Says what stands for the running value of an iteration.
    fn give(&self, map: &mut IrMapping, (before, after): &(Option<Value>, Value)) {
        if let Some(before) = before {
            self.s.before.iter().for_each(|v| map.map(*v, *before));
        }
        self.s.after.iter().for_each(|v| map.map(*v, *after));
    }
}

fn narrow(b: &mut Builder, v: Value) -> Value {
    let i32 = b.ctx.i32();
    b.value::<arith::IndexCastOp>(&[v], i32, &[])
}

/// Flags with another one, an `i32` that is 1 where it is set, as bit `by`.
fn with_flag(b: &mut Builder, flags: Value, flag: Value, by: Value) -> Value {
    let (i32, by) = (b.ctx.i32(), narrow(b, by));
    let flag = b.value::<arith::ShLIOp>(&[flag, by], i32, &[]);
    b.value::<arith::OrIOp>(&[flags, flag], i32, &[])
}

/// Bit `by` of flags, as an `i32` that is not 0 where it is set.
fn flag_of(b: &mut Builder, flags: Value, by: Value) -> Value {
    let (i32, by) = (b.ctx.i32(), narrow(b, by));
    let one = arith::constant_int(b, 1, i32);
    let bit = b.value::<arith::ShLIOp>(&[one, by], i32, &[]);
    b.value::<arith::AndIOp>(&[flags, bit], i32, &[])
}
