//! The coordinates of what a thread has.

use crate::loops::build::index::{add, constant, div, mul, rem, times};
use terrace_dialects::arith::{self, CmpIOp, CmpIPredicate};
use terrace_ir::{Builder, Value};
use terrace_layout::{Layout, Resource};

/// Lanes of a warp.
pub(super) const LANES: i64 = 32;

/// A digit of the number of a thread in its block: `thread / stride mod radix` times `step`.
#[derive(Debug, Clone)]
pub(super) struct ThreadDigit {
    pub stride: i64,
    pub radix: i64,
    pub step: Vec<i64>,
}

impl ThreadDigit {
    /// Whether threads that differ in it hold the same.
    pub fn is_copies(&self) -> bool {
        self.step.iter().all(|n| *n == 0)
    }

    /// Its value in `thread` of `threads`.
    pub fn value(&self, b: &mut Builder, thread: Value, threads: i64) -> Value {
        let mut v = thread;
        if self.stride > 1 {
            let by = constant(b, self.stride);
            v = div(b, v, by);
        }
        if self.stride * self.radix < threads {
            let by = constant(b, self.radix);
            v = rem(b, v, by);
        }
        v
    }
}

/// The digits of threads: those of lanes, then those of warps. Neighbours that go on
/// evenly are one.
pub(super) fn thread_digits(layout: &Layout) -> Vec<ThreadDigit> {
    let mut all: Vec<ThreadDigit> = Vec::new();
    for (resource, first) in [(Resource::Lane, 1), (Resource::Warp, LANES)] {
        let mut stride = first;
        for d in layout.digits(resource) {
            let step = d.step.to_vec();
            let goes_on = |p: &ThreadDigit| {
                p.stride * p.radix == stride
                    && p.step.iter().zip(&step).all(|(a, s)| a * p.radix == *s)
            };
            match all.last_mut().filter(|p| goes_on(p)) {
                Some(p) => p.radix *= d.radix,
                None => all.push(ThreadDigit {
                    stride,
                    radix: d.radix,
                    step,
                }),
            }
            stride *= d.radix;
        }
    }
    all.retain(|d| d.radix > 1);
    all
}

/// The coordinates of a thread's elements, but for what registers add.
pub(super) fn coordinates_of_thread(
    b: &mut Builder,
    layout: &Layout,
    thread: Value,
    threads: i64,
) -> Vec<Value> {
    let digits = thread_digits(layout);
    let mut values: Vec<Option<Value>> = vec![None; layout.rank()];
    for d in digits.iter().filter(|d| !d.is_copies()) {
        let v = d.value(b, thread, threads);
        for (axis, step) in d.step.iter().enumerate().filter(|(_, s)| **s != 0) {
            let part = times(b, v, *step);
            values[axis] = Some(match values[axis] {
                Some(sum) => add(b, sum, part),
                None => part,
            });
        }
    }
    (values.into_iter())
        .map(|v| v.unwrap_or_else(|| constant(b, 0)))
        .collect()
}

/// Whether a thread is the first of those that hold the same; `None` where all differ.
pub(super) fn is_first_holder(
    b: &mut Builder,
    layout: &Layout,
    thread: Value,
    threads: i64,
) -> Option<Value> {
    let held: i64 = thread_digits(layout).iter().map(|d| d.radix).product();
    let mut parts = Vec::new();
    for d in thread_digits(layout).iter().filter(|d| d.is_copies()) {
        let v = d.value(b, thread, threads);
        let zero = constant(b, 0);
        parts.push(CmpIOp::build(b, CmpIPredicate::Eq, v, zero));
    }
    if held < threads {
        // Threads beyond those that the layout names count on from the first.
        let n = constant(b, held);
        parts.push(CmpIOp::build(b, CmpIPredicate::Slt, thread, n));
    }
    let i1 = b.ctx.i1();
    let parts = parts.into_iter();
    parts.reduce(|x, y| b.value::<arith::AndIOp>(&[x, y], i1, &[]))
}

/// The product, for a stride that is a number.
pub(super) fn scaled(b: &mut Builder, v: Value, n: i64) -> Value {
    match b.ctx.constant_int(v) {
        Some(c) => constant(b, c * n),
        None => {
            let n = constant(b, n);
            mul(b, v, n)
        }
    }
}
