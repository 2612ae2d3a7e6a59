//! A block's tile.
//!
//! Warps have contiguous pieces of it, lanes every 32nd element of these, so that what a
//! warp loads at once lies together. All elements of a thread are loaded before they are
//! used. Each row of 32 is scanned by shuffles, then come the sums of rows in a thread and
//! those of warps in workgroup memory, with one barrier.

use super::body::copy;
use super::kernel::Kernel;
use super::policy::LANES;
use super::state::{State, load, selected, shuffled, store};
use crate::gpu::branches::when;
use crate::loops::build::index::*;
use terrace_dialects::arith::{CmpIOp, CmpIPredicate, SelectOp};
use terrace_dialects::{gpu, scf};
use terrace_ir::clone::IrMapping;
use terrace_ir::{Builder, InsertPoint, OpKind, Value};

/// An element of a thread.
pub struct Item {
    number: Value,
    /// Whether there is one, where tiles may be cut off.
    is: Option<Value>,
    /// What stands for the values of its iteration, where it is known that there is one.
    map: Option<IrMapping>,
    pub contribution: State,
}

impl Kernel<'_> {
    /// Scans the tile at element `at`, which ends at `end` where it is cut off; the value behind
    /// it. `slot` is where the sums of warps go. `begin` makes the running value in front of the tile, and
    /// gets what the tile comes to.
    pub fn tile(
        &self,
        b: &mut Builder,
        at: Value,
        end: Option<Value>,
        slot: &[Value],
        begin: impl FnOnce(&mut Builder, &State) -> Value,
    ) -> Value {
        let piece = times(b, self.warp, self.items * LANES);
        let first = add(b, at, piece);
        let first = add(b, first, self.lane);
        let items: Vec<Item> = (0..self.items)
            .map(|j| {
                let number = add_constant(b, first, j * LANES);
                self.item(b, number, end)
            })
            .collect();
        let scanned = self.rows(b, items.iter().map(|i| i.contribution.clone()).collect());
        let totals: Vec<State> = scanned
            .iter()
            .map(|v| shuffled(b, "idx", v, LANES - 1))
            .collect();
        // What the rows of this warp in front of each, and all of them, come to.
        let mut before: Vec<Option<State>> = vec![None];
        let mut sum: Option<State> = None;
        for t in &totals {
            let next = sum.map_or_else(|| t.clone(), |s| self.combine(b, &s, t));
            before.push(Some(next.clone()));
            sum = Some(next);
        }
        let sum = sum.unwrap_or_else(|| self.identity(b));
        let (in_front, all) = self.warps(b, sum, slot);
        let running = begin(b, &all);
        let next = self.apply(b, running, &all);
        let zero = constant(b, 0);
        let begin = match in_front {
            None => running,
            Some(state) => {
                let v = self.apply(b, running, &state);
                let is_first = CmpIOp::build(b, CmpIPredicate::Eq, self.warp, zero);
                SelectOp::build(b, is_first, running, v)
            }
        };
        let is_first = CmpIOp::build(b, CmpIPredicate::Eq, self.lane, zero);
        let needs_before = self.s.uses(&self.s.before, b.ctx);
        for ((item, scanned), before) in items.into_iter().zip(scanned).zip(before) {
            let base = before.map_or(begin, |v| self.apply(b, begin, &v));
            let previous = needs_before.then(|| {
                let other = shuffled(b, "up", &scanned, 1);
                let v = self.apply(b, base, &other);
                SelectOp::build(b, is_first, base, v)
            });
            let own = self.apply(b, base, &scanned);
            self.rest(b, item, previous, own);
        }
        next
    }

    pub fn item(&self, b: &mut Builder, number: Value, end: Option<Value>) -> Item {
        let Some(end) = end else {
            let mut map = self.iteration(b, number);
            let contribution = self.contribution(b, &mut map);
            return Item {
                number,
                is: None,
                map: Some(map),
                contribution,
            };
        };
        let is = less(b, number, end);
        let (op, then, other) = scf::IfOp::build(b, is, &self.types(b.ctx), true);
        b.with_point(InsertPoint::End(then), |b| {
            let mut map = self.iteration(b, number);
            let x = self.contribution(b, &mut map);
            scf::YieldOp::build(b, &x);
        });
        if let Some(other) = other {
            b.with_point(InsertPoint::End(other), |b| {
                let x = self.identity(b);
                scf::YieldOp::build(b, &x);
            });
        }
        Item {
            number,
            is: Some(is),
            map: None,
            contribution: op.op().results(b.ctx),
        }
    }

    /// Each row of 32 values scanned: W. Hillis, G. Steele, "Data parallel algorithms", 1986.
    pub fn rows(&self, b: &mut Builder, mut values: Vec<State>) -> Vec<State> {
        for distance in [1, 2, 4, 8, 16] {
            let far = constant(b, distance);
            let has = CmpIOp::build(b, CmpIPredicate::Sge, self.lane, far);
            for v in &mut values {
                let other = shuffled(b, "up", v, distance);
                let sum = self.combine(b, &other, v);
                *v = selected(b, has, &sum, v);
            }
        }
        values
    }

    /// From the sum of each warp, what comes in front of the warp, unless it is alone, and all.
    pub fn warps(&self, b: &mut Builder, sum: State, slot: &[Value]) -> (Option<State>, State) {
        if self.warps == 1 {
            return (None, sum);
        }
        let zero = constant(b, 0);
        let buffers = &self.sums[0];
        let is_first = CmpIOp::build(b, CmpIPredicate::Eq, self.lane, zero);
        when(b, is_first, |b| {
            store(b, &sum, buffers, &[slot, &[self.warp]].concat());
        });
        gpu::BarrierOp::build(b);
        let (before, all) = self.in_front(b, self.warp, self.warps, |b, w| {
            load(b, buffers, &[slot, &[w]].concat())
        });
        (Some(before), all)
    }

    /// What those of `count` states come to that stand in front of the one with this number, of the
    /// first any, and all.
    pub fn in_front(
        &self,
        b: &mut Builder,
        number: Value,
        count: i64,
        state: impl Fn(&mut Builder, Value) -> State,
    ) -> (State, State) {
        let zero = constant(b, 0);
        let mut all = state(b, zero);
        let mut before = all.clone();
        for w in 1..count {
            let w = constant(b, w);
            let is_own = CmpIOp::build(b, CmpIPredicate::Eq, number, w);
            before = selected(b, is_own, &all, &before);
            let own = state(b, w);
            all = self.combine(b, &all, &own);
        }
        (before, all)
    }

    /// What the iteration does with the running value.
    pub fn rest(&self, b: &mut Builder, item: Item, previous: Option<Value>, own: Value) {
        let s = self.s;
        let does = |b: &mut Builder, mut map: IrMapping| {
            for v in &s.before {
                if let Some(previous) = previous {
                    map.map(*v, previous);
                }
            }
            for v in &s.after {
                map.map(*v, own);
            }
            copy(b, &s.rest, &mut map);
        };
        match (item.is, item.map) {
            (Some(is), _) => when(b, is, |b| {
                let mut map = self.iteration(b, item.number);
                if s.rest_uses_slice(b.ctx) {
                    self.contribution(b, &mut map);
                }
                does(b, map);
            }),
            (None, Some(map)) => does(b, map),
            (None, None) => {}
        }
    }
}
