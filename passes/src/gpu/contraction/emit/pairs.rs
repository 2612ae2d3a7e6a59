//! Rows by two counters, as one number and as both.

use crate::loops::build::index::*;
use terrace_dialects::arith::SelectOp;
use terrace_ir::{Builder, Value};

/// Rows by two counters: how many numbers the inner has, and the first of both.
#[derive(Clone)]
pub struct Pairs {
    pub length: Value,
    pub inner: Value,
    pub outer: Value,
    pub outer_counter: Value,
    /// What rows are apart that a thread has, and by how much both counters are then.
    pub steps: Vec<(i64, [Value; 2])>,
}

impl Pairs {
    /// The counters some rows further on, from 0: with a carry in the place of a division.
    pub fn further(&self, b: &mut Builder, [outer, inner]: [Value; 2], rows: i64) -> [Value; 2] {
        let known = self.steps.iter().find(|s| s.0 == rows);
        let Some((_, [more_outer, more_inner])) = known else {
            let first = mul(b, outer, self.length);
            let row = add(b, first, inner);
            let row = add_constant(b, row, rows);
            return self.counters(b, row);
        };
        let (outer, inner) = (add(b, outer, *more_outer), add(b, inner, *more_inner));
        let fits = less(b, inner, self.length);
        let (next, begun) = (add_constant(b, outer, 1), sub(b, inner, self.length));
        [
            SelectOp::build(b, fits, outer, next),
            SelectOp::build(b, fits, inner, begun),
        ]
    }

    /// The counters of a row, both from 0.
    pub fn counters(&self, b: &mut Builder, row: Value) -> [Value; 2] {
        let outer = div(b, row, self.length);
        let before = mul(b, outer, self.length);
        [outer, sub(b, row, before)]
    }
}
