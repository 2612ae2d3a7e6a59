//! The model of classes: cache lines that a thread reads, from the kind of the coefficients.
//!
//! Allazov, Guda, Morylev, "Interactive generator of CUDA code" (2017), section 5. An
//! address is a sum of multiples of the counters along x, y and z; each factor is of a
//! class: zero, small (below the elements of a cache line), large or unknown. A table of 9
//! classes in two dimensions and of 27 in three has how many threads of a block share a
//! line; an access costs one over that. Divisions are of whole numbers. The cells where two
//! or three factors are small suppose that rows of threads follow one another in memory
//! without overlap, each as far from the next as `a0 * b0 * a1` says; the cells where a
//! large factor stands on a faster axis than a small one suppose that nothing is shared
//! along the slower one. What it does not see beside that: warps, sectors, alignment,
//! caches, and blocks that share lines.

use super::nest::{Mapping, Nest, Reference, Space};
use terrace_machine::Machine;

/// The class of a factor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Factor {
    Zero,
    /// More than 0, less than the elements of a line.
    Small(u64),
    /// At least as many, or not known.
    Large,
}

impl Factor {
    /// The class of a factor for lines of so many elements; `None` is one that is unknown.
    pub(crate) fn of(factor: Option<i64>, line: u64) -> Factor {
        match factor.map(i64::unsigned_abs) {
            Some(0) => Factor::Zero,
            Some(a) if a < line => Factor::Small(a),
            _ => Factor::Large,
        }
    }
}

use Factor::{Large, Small, Zero};

/// Threads of a block that share a line, in two dimensions: factors along x and y, threads
/// along them, elements of a line. `None` where all read the same, which costs nothing.
pub(crate) fn sharing_2d(a: [Factor; 2], b: [u64; 2], line: u64) -> Option<u64> {
    let [b0, b1] = b;
    let bv = b0 * b1;
    let n = match a {
        [Zero, Zero] => return None,
        [Zero, Small(a1)] => u64::min(line / a1 * b0, bv),
        [Zero, Large] => b0,
        [Small(a0), Zero] => u64::min(line / a0 * b1, bv),
        [Small(a0), Small(a1)] => {
            let row = a0 * b0 * a1;
            u64::min(line / row * b0 + line % row / a0, bv)
        }
        [Small(a0), Large] => u64::min(line / a0, b0),
        [Large, Zero] => b1,
        [Large, Small(_) | Large] => 1,
    };
    Some(n.max(1))
}

/// The same in three dimensions.
pub(crate) fn sharing_3d(a: [Factor; 3], b: [u64; 3], line: u64) -> Option<u64> {
    let [b0, b1, b2] = b;
    let bv = b0 * b1 * b2;
    // Two small factors: of threads along one axis of `n`, that `f` and `g` belong to.
    let two = |f: u64, n: u64, g: u64| {
        let row = f * n * g;
        line / row * n + line % row / f
    };
    let n = match a {
        [Zero, Zero, Zero] => return None,
        [Small(a0), Zero, Zero] => u64::min(line / a0 * b1 * b2, bv),
        [Large, Zero, Zero] => b1 * b2,
        [Zero, Small(a1), Zero] => u64::min(line / a1 * b0 * b2, bv),
        [Small(a0), Small(a1), Zero] => u64::min(two(a0, b0, a1) * b2, bv),
        [Large, Small(_) | Large, Zero] => b2,
        [Zero, Large, Zero] => b0 * b2,
        [Small(a0), Large, Zero] => u64::min(line / a0 * b2, b0 * b2),
        [Zero, Zero, Small(a2)] => u64::min(line / a2 * b0 * b1, bv),
        [Small(a0), Zero, Small(a2)] => u64::min(two(a0, b0, a2) * b1, bv),
        [Large, Zero, Small(_) | Large] => b1,
        [Zero, Small(a1), Small(a2)] => u64::min(two(a1, b1, a2) * b0, bv),
        [Small(a0), Small(a1), Small(a2)] => {
            let row = a0 * b0 * a1;
            let plane = row * b1 * a2;
            let rest = line % plane;
            u64::min(
                line / plane * b0 * b1 + rest / row * b0 + rest % row / a0,
                bv,
            )
        }
        [Large, Small(_), Small(_) | Large] | [Large, Large, Small(_) | Large] => 1,
        [Zero, Large, Small(_) | Large] => b0,
        [Small(a0), Large, Small(_) | Large] => u64::min(line / a0, b0),
        [Zero, Zero, Large] => b0 * b1,
        [Small(a0), Zero, Large] => u64::min(line / a0 * b1, b0 * b1),
        [Zero, Small(a1), Large] => u64::min(line / a1 * b0, b0 * b1),
        [Small(a0), Small(a1), Large] => u64::min(two(a0, b0, a1), b0 * b1),
    };
    Some(n.max(1))
}

/// Lines that a thread reads for an access each time.
pub(crate) fn lines_of(nest: &Nest, mapping: &Mapping, r: &Reference, machine: &Machine) -> f64 {
    let line = (i64::from(machine.line_bytes) / r.bytes.max(1))
        .max(1)
        .unsigned_abs();
    let factor = |d: usize| {
        let along = mapping.axes.get(d).map_or(0, |l| r.address.coefficient(*l));
        let array = nest.arrays[r.array].element_bytes.max(1);
        Factor::of(Some(along / array), line)
    };
    let b = mapping.block.map(u64::from);
    let sharing = match mapping.axes.len() {
        0..=2 => sharing_2d([factor(0), factor(1)], [b[0], b[1]], line),
        _ => sharing_3d([factor(0), factor(1), factor(2)], b, line),
    };
    sharing.map_or(0.0, |n| 1.0 / n as f64)
}

/// Lines that a thread reads in all, the measure of the table: an access in serial loops
/// counts once for each trip.
pub fn cost(nest: &Nest, mapping: &Mapping, machine: &Machine) -> f64 {
    let typical = nest.typical_trips();
    let global = (nest.references.iter()).filter(|r| nest.arrays[r.array].space == Space::Global);
    global
        .map(|r| {
            let serial = r.loops.iter().filter(|l| !mapping.axes.contains(l));
            let times: f64 = serial.map(|l| typical[*l]).product();
            times * lines_of(nest, mapping, r, machine)
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Elements of a line.
    const LINE: u64 = 32;

    /// Farther than a block is wide.
    const FAR: u64 = 1 << 30;

    /// How many threads of a block come to the first line, the factors as they are.
    fn enumerated(a: [u64; 3], b: [u64; 3]) -> u64 {
        let mut n = 0;
        for k in 0..b[2] {
            for j in 0..b[1] {
                n += (0..b[0])
                    .filter(|i| a[0] * i + a[1] * j + a[2] * k < LINE)
                    .count() as u64;
            }
        }
        n
    }

    fn value(f: Factor) -> u64 {
        match f {
            Zero => 0,
            Small(a) => a,
            Large => FAR,
        }
    }

    fn classes() -> [Factor; 6] {
        [Zero, Small(1), Small(2), Small(8), Small(16), Large]
    }

    /// What the table says with several small factors is of rows that follow one another.
    fn addressed(a: [Factor; 3], b: [u64; 3]) -> [u64; 3] {
        let mut out = a.map(value);
        let mut row = 0;
        for d in 0..3 {
            if let Small(f) = a[d] {
                out[d] = if row == 0 { f } else { row * f };
                row = out[d] * b[d];
            }
        }
        out
    }

    #[test]
    fn nine_classes_as_enumerated() {
        for b in [[1, 4], [2, 2], [4, 16], [16, 4], [32, 8], [64, 1]] {
            for x in classes() {
                for y in classes() {
                    let got = sharing_2d([x, y], b, LINE);
                    let block = [b[0], b[1], 1];
                    // A large factor hides small ones on slower axes.
                    let y = if x == Large && y != Zero { Large } else { y };
                    let want = enumerated(addressed([x, y, Zero], block), block);
                    match got {
                        None => assert_eq!((x, y), (Zero, Zero)),
                        // With a second factor that spreads rows, a row may be shorter than
                        // what is left of the line, which the table does not look at.
                        Some(n) if matches!((x, y), (Small(_), Small(a)) if a > 1) => {
                            assert!(n >= want && n <= LINE.max(want), "{x:?} {y:?} {b:?}");
                        }
                        // Nor does it look at lines longer than a row of the block.
                        Some(n) => {
                            let most = b[0] * b[1];
                            assert_eq!(n.min(most), want.max(1), "{x:?} {y:?} {b:?}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn twenty_seven_classes_as_enumerated() {
        for b in [[8, 8, 4], [32, 4, 2], [4, 2, 32], [16, 1, 16]] {
            for x in classes() {
                for y in classes() {
                    for z in classes() {
                        let a = [x, y, z];
                        let got = sharing_3d(a, b, LINE);
                        let small = a.iter().filter(|f| matches!(f, Small(_))).count();
                        // Hidden behind a large factor of a faster axis.
                        let mut seen = a;
                        for d in 1..3 {
                            if a[..d].contains(&Large) && seen[d] != Zero {
                                seen[d] = Large;
                            }
                        }
                        let want = enumerated(addressed(seen, b), b).max(1);
                        match got {
                            None => assert_eq!(a, [Zero; 3]),
                            Some(n) if small > 1 => {
                                let most = b[0] * b[1] * b[2];
                                assert!(n >= want && n <= most.max(LINE), "{a:?} {b:?} {n} {want}");
                            }
                            Some(n) => assert_eq!(n, want, "{a:?} {b:?}"),
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn classes_of_factors() {
        assert_eq!(Factor::of(Some(0), 32), Zero);
        assert_eq!(Factor::of(Some(-31), 32), Small(31));
        assert_eq!(Factor::of(Some(32), 32), Large);
        assert_eq!(Factor::of(None, 32), Large);
        assert_eq!(Factor::of(Some(i64::MIN), 32), Large);
    }

    /// What the table misses: rows that overlap. Along a diagonal band all of a row of
    /// threads are in a line, with the next row moved by one element.
    #[test]
    fn rows_that_overlap_are_not_seen() {
        let b = [32, 8, 1];
        assert_eq!(sharing_2d([Small(1), Small(1)], [32, 8], LINE), Some(32));
        assert_eq!(enumerated([1, 1, 0], b), 228);
    }
}
