//! The shape of blocks that fits the extents of loops.
//!
//! A block has as many threads as in its wanted shape at most, which is the one for long loops.
//! The rules are written once, for numbers that are known and for those of the host's code.

use crate::loops::build::index::{self, constant};
use terrace_dialects::arith::SelectOp;
use terrace_ir::{Builder, Value};

/// Threads of a warp.
const WARP: i64 = 32;
/// Threads along z (CUDA C++ Programming Guide, Technical Specifications per Compute
/// Capability).
const MAX_Z: i64 = 64;
/// A row of at least so many times the threads wanted along it leaves few of the last ones idle:
/// one of `n + 1` with `n` before it.
const LONG: i64 = 4;

/// A part of a row of which the lanes may be idle: its warps are seldom full either.
const FEW: i64 = 8;

/// Arithmetic on numbers that are not negative.
pub(super) trait Arithmetic {
    type Number: Copy;
    fn known(&mut self, n: i64) -> Self::Number;
    fn add(&mut self, a: Self::Number, b: Self::Number) -> Self::Number;
    fn mul(&mut self, a: Self::Number, b: Self::Number) -> Self::Number;
    fn div(&mut self, a: Self::Number, b: Self::Number) -> Self::Number;
    /// A quotient, rounded up.
    fn parts(&mut self, a: Self::Number, b: Self::Number) -> Self::Number;
    fn min(&mut self, a: Self::Number, b: Self::Number) -> Self::Number;
    fn max(&mut self, a: Self::Number, b: Self::Number) -> Self::Number;
    /// The first of `choice` where one number is less than another, else the second.
    fn if_less(
        &mut self,
        a: Self::Number,
        b: Self::Number,
        choice: [Self::Number; 2],
    ) -> Self::Number;
}

/// Threads along x, y and z for loops of these extents, of blocks that are `wanted` for long ones.
///
/// - A short row has a thread for each element. Rows behind each other in memory are then reached
///   without gaps by neighbouring lanes, and no lane is idle but at the end of a block.
/// - A long row has the wanted threads, or all that y and z cannot use.
/// - What is left goes to y, whole where it fits, and then to z, in parts that are about equal.
pub(super) fn shape<A: Arithmetic>(
    a: &mut A,
    extents: [A::Number; 3],
    wanted: [i64; 3],
) -> [A::Number; 3] {
    let one = a.known(1);
    let [nx, ny, nz] = extents.map(|n| a.max(n, one));
    let [wx, wy, wz] = wanted.map(|n| a.known(n));
    let all = a.known(wanted.iter().product());

    let (used_y, used_z) = (a.min(ny, wy), a.min(nz, wz));
    let (spare_y, spare_z) = (a.div(wy, used_y), a.div(wz, used_z));
    let spare = a.mul(spare_y, spare_z);
    let room = a.mul(wx, spare);
    let long = {
        let many = a.known(LONG);
        let many = a.mul(many, room);
        let above = a.known(wanted.iter().product::<i64>() + 1);
        a.min(many, above)
    };
    let part = match wanted[0] % WARP {
        0 => {
            let part = share(a, nx, room);
            let warp = a.known(WARP);
            let warps = a.parts(part, warp);
            a.mul(warps, warp)
        }
        _ => room,
    };
    // Where parts of a long row come out about even they are as good, and leave threads to y.
    let parts = a.parts(nx, part);
    let full = a.mul(part, parts);
    let few = a.known(FEW);
    let few = a.div(nx, few);
    let nearly = a.add(nx, few);
    let short = a.if_less(nx, long, [nx, part]);
    let x = a.if_less(nearly, full, [short, part]);

    let left = a.div(all, x);
    let room = a.div(left, used_z);
    let room = a.max(room, one);
    let part = share(a, ny, room);
    let y = a.if_less(left, ny, [part, ny]);

    let left = a.div(left, y);
    let most = a.known(MAX_Z);
    let room = a.min(left, most);
    let z = share(a, nz, room);
    [x, y, z]
}

/// The size of parts of `n`, at most `room`, that are about equal.
fn share<A: Arithmetic>(a: &mut A, n: A::Number, room: A::Number) -> A::Number {
    let parts = a.parts(n, room);
    a.parts(n, parts)
}

/// Numbers that are known.
struct Known;

impl Arithmetic for Known {
    type Number = i64;
    fn known(&mut self, n: i64) -> i64 {
        n
    }
    fn add(&mut self, a: i64, b: i64) -> i64 {
        a.saturating_add(b)
    }
    fn mul(&mut self, a: i64, b: i64) -> i64 {
        a.saturating_mul(b)
    }
    fn div(&mut self, a: i64, b: i64) -> i64 {
        a / b.max(1)
    }
    fn parts(&mut self, a: i64, b: i64) -> i64 {
        let b = b.max(1);
        a / b + i64::from(a % b > 0)
    }
    fn min(&mut self, a: i64, b: i64) -> i64 {
        a.min(b)
    }
    fn max(&mut self, a: i64, b: i64) -> i64 {
        a.max(b)
    }
    fn if_less(&mut self, a: i64, b: i64, [yes, no]: [i64; 2]) -> i64 {
        if a < b { yes } else { no }
    }
}

/// The shape for loops of known extents; those that there are not have an extent of 1.
pub(crate) fn for_extents(extents: [i64; 3], wanted: [i64; 3]) -> [i64; 3] {
    shape(&mut Known, extents, wanted)
}

/// Numbers of the host's code, folded where they are constants.
pub(super) struct Host<'a, 'c>(pub &'a mut Builder<'c>);

impl Host<'_, '_> {
    /// What is known of constants, else what `make` computes.
    fn two(
        &mut self,
        a: Value,
        b: Value,
        fold: fn(&mut Known, i64, i64) -> i64,
        make: fn(&mut Builder, Value, Value) -> Value,
    ) -> Value {
        match (self.0.ctx.constant_int(a), self.0.ctx.constant_int(b)) {
            (Some(a), Some(b)) => constant(self.0, fold(&mut Known, a, b)),
            _ => make(self.0, a, b),
        }
    }

    fn is(&self, v: Value, n: i64) -> bool {
        self.0.ctx.constant_int(v) == Some(n)
    }
}

impl Arithmetic for Host<'_, '_> {
    type Number = Value;
    fn known(&mut self, n: i64) -> Value {
        constant(self.0, n)
    }
    fn add(&mut self, a: Value, b: Value) -> Value {
        self.two(a, b, Known::add, index::add)
    }
    fn mul(&mut self, a: Value, b: Value) -> Value {
        match (self.is(a, 1), self.is(b, 1)) {
            (true, _) => b,
            (_, true) => a,
            _ => self.two(a, b, Known::mul, index::mul),
        }
    }
    fn div(&mut self, a: Value, b: Value) -> Value {
        match self.is(b, 1) {
            true => a,
            false => self.two(a, b, Known::div, index::div),
        }
    }
    fn parts(&mut self, a: Value, b: Value) -> Value {
        if self.is(a, 1) {
            // What divides is at least 1.
            return a;
        }
        let ceiling = |b: &mut Builder, n: Value, by: Value| match b.ctx.constant_int(by) {
            Some(1) => n,
            Some(known) => {
                let n = index::add_constant(b, n, known - 1);
                index::div(b, n, by)
            }
            None => index::ceiling(b, n, by),
        };
        self.two(a, b, Known::parts, ceiling)
    }
    fn min(&mut self, a: Value, b: Value) -> Value {
        // Numbers are at least 1 where they are compared with it.
        match (self.is(a, 1), self.is(b, 1)) {
            (true, _) => a,
            (_, true) => b,
            _ => self.two(a, b, Known::min, index::min),
        }
    }
    fn max(&mut self, a: Value, b: Value) -> Value {
        self.two(a, b, Known::max, index::max)
    }
    fn if_less(&mut self, a: Value, b: Value, [yes, no]: [Value; 2]) -> Value {
        match (self.0.ctx.constant_int(a), self.0.ctx.constant_int(b)) {
            (Some(a), Some(b)) if a < b => yes,
            (Some(_), Some(_)) => no,
            _ => {
                let less = index::less(self.0, a, b);
                SelectOp::build(self.0, less, yes, no)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::for_extents;

    #[test]
    fn long_loops_have_the_wanted_shape() {
        for wanted in [[32, 8, 1], [32, 4, 2], [256, 1, 1], [8, 8, 4], [64, 4, 1]] {
            let extents = [4096, 4096, if wanted[2] == 1 { 1 } else { 4096 }];
            assert_eq!(for_extents(extents, wanted), wanted);
        }
    }

    #[test]
    fn short_rows_leave_threads_to_the_others() {
        assert_eq!(for_extents([2, 1024, 6053], [32, 4, 2]), [2, 64, 2]);
        assert_eq!(for_extents([1, 1024, 6053], [32, 4, 2]), [1, 128, 2]);
        assert_eq!(for_extents([3, 1000, 1], [32, 8, 1]), [3, 84, 1]);
        assert_eq!(for_extents([33, 1000, 1], [32, 8, 1]), [33, 7, 1]);
        assert_eq!(for_extents([65, 1000, 1], [32, 8, 1]), [65, 3, 1]);
        assert_eq!(for_extents([1, 1, 5000], [32, 4, 2]), [1, 1, 64]);
    }

    #[test]
    fn short_loops_outside_leave_threads_to_rows() {
        assert_eq!(for_extents([5000, 1, 1], [32, 8, 1]), [256, 1, 1]);
        assert_eq!(for_extents([4096, 3, 1], [32, 8, 1]), [64, 3, 1]);
        assert_eq!(for_extents([257, 1, 1], [256, 1, 1]), [160, 1, 1]);
    }

    /// The lanes of full warps that have no iteration, of the grid of a nest.
    fn idle(extents: [i64; 3], block: [i64; 3]) -> f64 {
        let threads: i64 = block.iter().product();
        let blocks: i64 = (0..3)
            .map(|d| (extents[d] + block[d] - 1) / block[d])
            .product();
        let lanes = blocks * ((threads + 31) / 32) * 32;
        1.0 - extents.iter().product::<i64>() as f64 / lanes as f64
    }

    #[test]
    fn few_lanes_are_idle() {
        for wanted in [[32, 8, 1], [32, 4, 2], [256, 1, 1], [8, 8, 4], [8, 32, 1]] {
            let all: i64 = wanted.iter().product();
            let last = if wanted[2] == 1 { 1 } else { 1000 };
            for x in 1..=1100 {
                for y in [1, 2, 3, 4, 6, 7, 9, 33, 1000] {
                    if last == 1 && y < 1000 {
                        continue;
                    }
                    let block = for_extents([x, y, last], wanted);
                    let threads: i64 = block.iter().product();
                    assert!(threads <= all && block[2] <= 64);
                    let idle = idle([x, y, last], block);
                    assert!(idle <= 0.34, "{x} {y} {last} {wanted:?} {block:?} {idle}");
                }
            }
        }
    }

    #[test]
    fn no_iteration_is_an_iteration_for_the_shape() {
        assert_eq!(for_extents([0, 0, 0], [32, 4, 2]), [1, 1, 1]);
    }
}
