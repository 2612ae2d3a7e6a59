//! Products side by side: which of them is a block's.

use crate::gpu::contraction::shape::Contraction;
use crate::gpu::numbers::*;
use terrace_dialects::scf;
use terrace_ir::{Builder, InsertPoint, Value};

/// The most blocks that a grid has along y or z.
const MOST_BLOCKS: i64 = 65535;

/// Products side by side, numbered along z of the grid, and along y where z has no more
/// blocks: the counter in the last subscript of the sums is the first to change.
pub struct Batch {
    pub count: Value,
    /// Blocks along y and z, which may be a few more.
    pub grid: [Value; 2],
    /// Whether they are no more than there are products.
    exact: bool,
    /// Of each counter: its first number, and how many there are.
    ranges: Vec<[Value; 2]>,
}

impl Batch {
    /// Those of a product; `None` where it is the only one.
    pub fn on_host(b: &mut Builder, x: &Contraction) -> Option<Batch> {
        let ranges: Vec<[Value; 2]> = (x.batch.iter())
            .map(|o| {
                let (lo, hi) = (linear(b, &o.range.lo, &[]), linear(b, &o.range.hi, &[]));
                let length = match o.range.length() {
                    Some(n) => constant(b, n.max(0)),
                    None => {
                        let (length, zero) = (sub(b, hi, lo), constant(b, 0));
                        max(b, length, zero)
                    }
                };
                [lo, length]
            })
            .collect();
        let mut lengths = ranges.iter().map(|r| r[1]);
        let first = lengths.next()?;
        let count = match x.side_by_side() {
            Some(n) => constant(b, n),
            None => lengths.fold(first, |all, n| mul(b, all, n)),
        };
        let exact = x.side_by_side().is_some_and(|n| n <= MOST_BLOCKS);
        let grid = match exact {
            true => [constant(b, 1), count],
            false => {
                let all = add_constant(b, count, MOST_BLOCKS - 1);
                let (y, _) = split(b, all, MOST_BLOCKS);
                let one = constant(b, 1);
                let y = max(b, y, one);
                let last = add_constant(b, y, -1);
                let all = add(b, count, last);
                [y, div(b, all, y)]
            }
        };
        Some(Batch {
            count,
            grid,
            exact,
            ranges,
        })
    }

    /// Does something with the counters of the block's product, if there is one.
    pub fn each(
        &self,
        b: &mut Builder,
        [y, z]: [Value; 2],
        does: impl FnOnce(&mut Builder, &[Value]),
    ) {
        if self.exact {
            let counters = self.counters(b, z);
            return does(b, &counters);
        }
        let before = mul(b, z, self.grid[0]);
        let number = add(b, before, y);
        let is_one = less(b, number, self.count);
        let (_, then, _) = scf::IfOp::build(b, is_one, &[], false);
        b.with_point(InsertPoint::End(then), |b| {
            let counters = self.counters(b, number);
            does(b, &counters);
            scf::YieldOp::build(b, &[]);
        });
    }

    /// The counters of the product with that number.
    fn counters(&self, b: &mut Builder, number: Value) -> Vec<Value> {
        let mut left = number;
        let mut all = Vec::new();
        for (i, [first, length]) in self.ranges.iter().enumerate().rev() {
            let mut own = left;
            if i > 0 {
                left = div(b, own, *length);
                let before = mul(b, left, *length);
                own = sub(b, own, before);
            }
            all.push(add(b, *first, own));
        }
        all.reverse();
        all
    }
}
