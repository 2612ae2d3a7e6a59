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
    /// Scans the tile at element `at`, which ends at `end` where it is cut off, from the
    /// value `running`; the value behind it. `slot` says which row of the sums of warps is
    /// free.
    pub fn tile(
        &self,
        b: &mut Builder,
        at: Value,
        end: Option<Value>,
        running: Value,
        slot: Value,
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
        let (begin, next) = self.warps(b, sum, running, slot);
        let zero = constant(b, 0);
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
    fn rows(&self, b: &mut Builder, mut values: Vec<State>) -> Vec<State> {
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

    /// From the sum of each warp, what the warp begins with and what comes behind all.
    fn warps(&self, b: &mut Builder, sum: State, running: Value, slot: Value) -> (Value, Value) {
        if self.warps == 1 {
            return (running, self.apply(b, running, &sum));
        }
        let zero = constant(b, 0);
        let buffers = &self.sums[0];
        let is_first = CmpIOp::build(b, CmpIPredicate::Eq, self.lane, zero);
        when(b, is_first, |b| {
            store(b, &sum, buffers, &[slot, self.warp]);
        });
        gpu::BarrierOp::build(b);
        let (mut begin, mut all) = (running, running);
        for w in 0..self.warps {
            let w = constant(b, w);
            let own = load(b, buffers, &[slot, w]);
            all = self.apply(b, all, &own);
            let is_before = less(b, w, self.warp);
            begin = SelectOp::build(b, is_before, all, begin);
        }
        (begin, all)
    }

    /// What the iteration does with the running value.
    fn rest(&self, b: &mut Builder, item: Item, previous: Option<Value>, own: Value) {
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
