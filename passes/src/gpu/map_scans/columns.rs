//! Tiles of rows that lie side by side: elements of different rows are neighbours in memory.
//!
//! ```text
//!            rows ->
//! elements   thread 0   1  ...  31       the first warp: items elements of each of 32 rows
//!   |        thread 32  33 ...           the second: the next elements of the same rows
//!   v        ...
//! ```
//!
//! Lanes have neighbouring rows, so that what a warp loads at once lies together. A thread goes along its
//! elements one after the other; those that share a row meet in workgroup memory.

use super::chain::items_of_column;
use super::kernel::{Column, Kernel};
use super::state::{State, load, store};
use super::tile::Item;
use crate::loops::build::index::*;
use terrace_dialects::arith::{CmpIOp, CmpIPredicate, SelectOp};
use terrace_dialects::gpu;
use terrace_ir::{Builder, Value};

impl Kernel<'_> {
    /// As [`Kernel::tile`], of the block's tile of rows side by side.
    pub fn tile_of_columns(
        &self,
        b: &mut Builder,
        c: Column,
        end: Option<Value>,
        begin: impl FnOnce(&mut Builder, &State) -> Value,
    ) -> Value {
        let count = items_of_column(b.ctx, self.s);
        let before = times(b, c.group, count);
        let first = add(b, self.start, before);
        let items: Vec<Item> = (0..count)
            .map(|j| {
                let number = add_constant(b, first, j);
                self.item(b, number, end)
            })
            .collect();
        let mut so_far: Vec<State> = Vec::new();
        for item in &items {
            let own = &item.contribution;
            let next = match so_far.last() {
                Some(last) => self.combine(b, &last.clone(), own),
                None => own.clone(),
            };
            so_far.push(next);
        }
        let sum = so_far.last().cloned().unwrap_or_default();
        let buffers = &self.sums[0];
        store(b, &sum, buffers, &[c.group, c.number]);
        gpu::BarrierOp::build(b);
        let groups = super::policy::WARPS * super::policy::LANES / c.width;
        let (in_front, all) = self.in_front(b, c.group, groups, |b, group| {
            load(b, buffers, &[group, c.number])
        });
        let running = begin(b, &all);
        let zero = constant(b, 0);
        let is_first = CmpIOp::build(b, CmpIPredicate::Eq, c.group, zero);
        let base = self.apply(b, running, &in_front);
        let base = SelectOp::build(b, is_first, running, base);
        let mut previous = base;
        for (item, steps) in items.into_iter().zip(&so_far) {
            let own = self.apply(b, base, steps);
            self.rest(b, item, Some(previous), own);
            previous = own;
        }
        self.apply(b, running, &all)
    }
}
