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
use terrace_dialects::{memref, vector};
use terrace_ir::clone::IrMapping;
use terrace_ir::{Builder, Value};

impl Kernel<'_> {
    /// The number of the thread's first element of a vector.
    fn number(&self, b: &mut Builder, layout: &Layout, vector: i64) -> Value {
        let piece = times(b, self.warp, LANES * layout.items());
        let lane = times(b, self.lane, layout.vector);
        let first = add(b, self.start, piece);
        let first = add(b, first, lane);
        add_constant(b, first, vector * LANES * layout.vector)
    }

    /// Whether there is an element of this number.
    fn is_there(&self, b: &mut Builder, number: Value) -> Value {
        let (from, to) = (not_negative(b, number), less(b, number, self.end));
        and(b, from, to)
    }

    /// What the elements of a vector do, one after the other.
    fn steps(&self, b: &mut Builder, layout: &Layout, whole: bool, vector: i64) -> Vec<State> {
        let first = self.number(b, layout, vector);
        if whole {
            let mut maps: Vec<IrMapping> = (0..layout.vector)
                .map(|n| {
                    let number = add_constant(b, first, n);
                    self.iteration(b, number)
                })
                .collect();
            layout.copy(b, &self.s.slice, &mut maps);
            return maps.iter_mut().map(|m| self.step(b, m)).collect();
        }
        let types = self.types(b.ctx);
        (0..layout.vector)
            .map(|n| {
                let number = add_constant(b, first, n);
                let is = self.is_there(b, number);
                values_of(
                    b,
                    is,
                    &types,
                    |b| {
                        let mut map = self.iteration(b, number);
                        self.contribution(b, &mut map)
                    },
                    |b| self.identity(b),
                )
            })
            .collect()
    }

    /// Scans the tile and keeps what is found in `held`, at `slot`; what the warp comes to, and which of the
    /// thread's elements something in the warp starts again at or before.
    pub fn scan_tile(
        &self,
        b: &mut Builder,
        layout: &Layout,
        whole: bool,
        (held, slot): (&[Value], Value),
    ) -> (State, Option<Value>) {
        let mut all: Vec<Vec<State>> = (0..layout.vectors)
            .map(|v| self.steps(b, layout, whole, v))
            .collect();
        for steps in &mut all {
            for n in 1..steps.len() {
                steps[n] = self.combine(b, &steps[n - 1], &steps[n]);
            }
        }
        let sums = all.iter().filter_map(|v| v.last().cloned()).collect();
        let scanned = self.rows(b, sums);
        let zero = constant(b, 0);
        let is_first = CmpIOp::build(b, CmpIPredicate::Eq, self.lane, zero);
        let mut before = self.identity(b);
        let mut sum: Option<State> = None;
        let mut flags: Option<Value> = None;
        for (v, (steps, scanned)) in all.iter().zip(&scanned).enumerate() {
            let other = shuffled(b, "up", scanned, 1);
            let in_front = match &sum {
                Some(sum) => self.combine(b, sum, &other),
                None => other,
            };
            let in_front = selected(b, is_first, &before, &in_front);
            let found: Vec<State> = (steps.iter())
                .map(|s| self.combine(b, &in_front, s))
                .collect();
            let at = constant(b, v as i64);
            self.keep(b, layout, &found, held, &[slot, at]);
            if self.s.restarts() {
                for (n, state) in found.iter().enumerate() {
                    let by = v as i64 * layout.vector + n as i64;
                    flags = Some(with_flag(b, flags, state[1], by));
                }
            }
            let total = shuffled(b, "idx", scanned, LANES - 1);
            let next = match &sum {
                Some(sum) => self.combine(b, sum, &total),
                None => total,
            };
            before = next.clone();
            sum = Some(next);
        }
        (before, flags)
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
        vector: i64,
    ) -> Vec<State> {
        let (at, zero) = (constant(b, vector), constant(b, 0));
        let place = [slot, at, self.thread, zero];
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
            for (n, state) in states.iter_mut().enumerate() {
                let i32 = b.ctx.i32();
                let bit = 1i64 << (vector * layout.vector + n as i64);
                let bit = arith::constant_int(b, bit, i32);
                state.push(b.value::<arith::AndIOp>(&[flags, bit], i32, &[]));
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
        let s = self.s;
        let (wants, uses) = (s.uses(&s.before, b.ctx), s.rest_uses_slice(b.ctx));
        let zero = constant(b, 0);
        let is_first = CmpIOp::build(b, CmpIPredicate::Eq, self.lane, zero);
        let mut row = base;
        for v in 0..layout.vectors {
            let states = self.kept(b, layout, held, v);
            let own: Vec<Value> = (states.iter()).map(|s| self.apply(b, base, s)).collect();
            let mut previous = Vec::new();
            if let (true, Some(last)) = (wants, own.last()) {
                let other = shuffled(b, "up", &vec![*last], 1)[0];
                previous.push(SelectOp::build(b, is_first, row, other));
                previous.extend(&own[..own.len() - 1]);
                row = shuffled(b, "idx", &vec![*last], LANES - 1)[0];
            }
            let first = self.number(b, layout, v);
            let given = |map: &mut IrMapping, n: usize| {
                for value in &s.before {
                    if let Some(previous) = previous.get(n) {
                        map.map(*value, *previous);
                    }
                }
                for value in &s.after {
                    map.map(*value, own[n]);
                }
            };
            if whole {
                let mut maps = Vec::new();
                for n in 0..own.len() {
                    let number = add_constant(b, first, n as i64);
                    let mut map = self.iteration(b, number);
                    given(&mut map, n);
                    maps.push(map);
                }
                if uses {
                    layout.copy(b, &s.slice, &mut maps);
                }
                layout.copy(b, &s.rest, &mut maps);
                continue;
            }
            for n in 0..own.len() {
                let number = add_constant(b, first, n as i64);
                let is = self.is_there(b, number);
                when(b, is, |b| {
                    let mut map = self.iteration(b, number);
                    if uses {
                        copy(b, &s.slice, &mut map);
                    }
                    given(&mut map, n);
                    copy(b, &s.rest, &mut map);
                });
            }
        }
    }
}

/// Flags with another one, an `i32` that is 0 or not 1 alone where it is set.
fn with_flag(b: &mut Builder, flags: Option<Value>, flag: Value, by: i64) -> Value {
    let i32 = b.ctx.i32();
    let shift = arith::constant_int(b, by, i32);
    let flag = match by {
        0 => flag,
        _ => b.value::<arith::ShLIOp>(&[flag, shift], i32, &[]),
    };
    match flags {
        Some(others) => b.value::<arith::OrIOp>(&[others, flag], i32, &[]),
        None => flag,
    }
}
