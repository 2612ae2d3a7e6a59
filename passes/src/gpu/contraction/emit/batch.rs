//! Products side by side: which of them is a block's.

use crate::gpu::contraction::shape::Contraction;
use crate::loops::build::index::*;
use terrace_dialects::scf;
use terrace_ir::{Builder, InsertPoint, Value};

/// The most blocks that a grid has along y or z.
const MAX_BLOCKS: i64 = 65535;

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
        if x.batch.is_empty() {
            return None;
        }
        let ranges = Batch::ranges(b, x);
        Some(Batch::of(b, ranges, x.side_by_side()))
    }

    /// Those of a product, each in so many parts: the part is the first counter.
    pub fn in_parts(b: &mut Builder, x: &Contraction, parts: Value) -> Batch {
        let zero = constant(b, 0);
        let mut ranges = vec![[zero, parts]];
        ranges.extend(Batch::ranges(b, x));
        Batch::of(b, ranges, None)
    }

    fn ranges(b: &mut Builder, x: &Contraction) -> Vec<[Value; 2]> {
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
        ranges
    }

    /// `known`: how many there are, where that is known.
    fn of(b: &mut Builder, ranges: Vec<[Value; 2]>, known: Option<i64>) -> Batch {
        let count = match known {
            Some(n) => constant(b, n),
            None => {
                let lengths = ranges.iter().map(|r| r[1]);
                let all = lengths.reduce(|all, n| mul(b, all, n));
                all.unwrap_or_else(|| constant(b, 1))
            }
        };
        let exact = known.is_some_and(|n| n <= MAX_BLOCKS);
        let grid = match exact {
            true => [constant(b, 1), count],
            false => {
                let all = add_constant(b, count, MAX_BLOCKS - 1);
                let (y, _) = split(b, all, MAX_BLOCKS);
                let one = constant(b, 1);
                let y = max(b, y, one);
                let last = add_constant(b, y, -1);
                let all = add(b, count, last);
                [y, div(b, all, y)]
            }
        };
        Batch {
            count,
            grid,
            exact,
            ranges,
        }
    }

    /// How many numbers each counter has.
    pub fn lengths(&self) -> impl Iterator<Item = Value> {
        self.ranges.iter().map(|r| r[1])
    }

    /// Does something with the number and counters of the block's product, if there is one.
    pub fn each(
        &self,
        b: &mut Builder,
        [y, z]: [Value; 2],
        does: impl FnOnce(&mut Builder, Value, &[Value]),
    ) {
        if self.exact {
            let counters = self.counters(b, z);
            return does(b, z, &counters);
        }
        let before = mul(b, z, self.grid[0]);
        let number = add(b, before, y);
        let is_one = less(b, number, self.count);
        let (_, then, _) = scf::IfOp::build(b, is_one, &[], false);
        b.with_point(InsertPoint::End(then), |b| {
            let counters = self.counters(b, number);
            does(b, number, &counters);
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
