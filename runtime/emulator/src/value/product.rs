//! Matrix products of a warp: where each lane's registers lie in the matrices, and
//! the sums.
//!
//! Layouts are those of the PTX manual ("Matrix Fragments for mma"): of lane
//! `4 g + t`, a register of A or B holds neighbours along the depth, `t` counts
//! them, `g` the row of A or column of B.
//!
//! # Sums
//! Integers are exact. Doubles are a chain of fused multiplications and additions
//! in the order of the depth, which begins with C. Halves, bf16 and tf32 give exact
//! products; of a group of them (as long as the machine takes at a time) and the
//! sum so far, all are cut off at a common lowest bit, added exactly, and the sum
//! is cut to a single (rounded to a half where the sum is one). So say Fasi et al.,
//! "Numerical behavior of NVIDIA tensor cores" (2021), and later measurements; NVIDIA
//! documents neither the group's length nor the bits kept. A sum that loses no bits
//! is the hardware's, any other is near it.

use super::cut::cut_sum;
use super::float::{Format, f64_of, result64};
use super::int::signed;

/// What the elements of A and B are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Element {
    F16,
    Bf16,
    Tf32,
    F64,
    U8,
    S8,
}

impl Element {
    /// Elements of one register.
    pub const fn per_register(self) -> usize {
        match self {
            Element::F16 | Element::Bf16 => 2,
            Element::Tf32 | Element::F64 => 1,
            Element::U8 | Element::S8 => 4,
        }
    }

    const fn bits(self) -> u32 {
        match self {
            Element::F64 => 64,
            other => 32 / other.per_register() as u32,
        }
    }

    /// Element `e` of a register.
    fn of(self, register: u64, e: usize) -> u64 {
        match self {
            Element::F64 => register,
            _ => register >> (e as u32 * self.bits()) & ((1 << self.bits()) - 1),
        }
    }
}

/// What the elements of C and D are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sum {
    F16,
    F32,
    F64,
    /// Maybe clamped to its range instead of wrapped.
    S32 {
        saturate: bool,
    },
}

/// A product of a warp.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Product {
    pub rows: usize,
    pub columns: usize,
    pub depth: usize,
    /// Element types of A and B, which differ only in the sign of bytes.
    pub a: Element,
    pub b: Element,
    pub sum: Sum,
    /// The architecture, as the number after `sm_`.
    pub sm: u16,
}

/// Largest dimensions of any product.
const MAX_ROWS: usize = 16;
const MAX_COLUMNS: usize = 8;
const MAX_DEPTH: usize = 32;

impl Product {
    /// Row and depth of element `e` of register `r` of A in a lane.
    fn place_a(&self, lane: usize, r: usize, e: usize) -> (usize, usize) {
        let (g, t, n) = (lane / 4, lane % 4, self.a.per_register());
        // With 16 rows every other register is of the lower half.
        let (half, block) = if self.rows == 16 {
            (r % 2, r / 2)
        } else {
            (0, r)
        };
        (g + 8 * half, block * 4 * n + t * n + e)
    }

    /// Depth and column of element `e` of register `r` of B in a lane.
    fn place_b(&self, lane: usize, r: usize, e: usize) -> (usize, usize) {
        let (g, t, n) = (lane / 4, lane % 4, self.b.per_register());
        (r * 4 * n + t * n + e, g)
    }

    /// Row and column of element `e` of register `r` of C and D in a lane.
    fn place_c(&self, lane: usize, r: usize, e: usize) -> (usize, usize) {
        let (g, t) = (lane / 4, lane % 4);
        match self.sum {
            Sum::F16 => (g + 8 * r, 2 * t + e),
            _ => (g + 8 * (r / 2), 2 * t + r % 2),
        }
    }

    /// D, register by register, each with its 32 lanes, from the registers of A, B
    /// and C.
    pub fn compute(&self, a: &[[u64; 32]], b: &[[u64; 32]], c: &[[u64; 32]]) -> Vec<[u64; 32]> {
        let mut left = [[0u64; MAX_DEPTH]; MAX_ROWS];
        let mut right = [[0u64; MAX_DEPTH]; MAX_COLUMNS];
        for (r, row) in a.iter().enumerate() {
            for (lane, register) in row.iter().enumerate() {
                for e in 0..self.a.per_register() {
                    let (i, k) = self.place_a(lane, r, e);
                    left[i % MAX_ROWS][k % MAX_DEPTH] = self.a.of(*register, e);
                }
            }
        }
        for (r, row) in b.iter().enumerate() {
            for (lane, register) in row.iter().enumerate() {
                for e in 0..self.b.per_register() {
                    let (k, j) = self.place_b(lane, r, e);
                    right[j % MAX_COLUMNS][k % MAX_DEPTH] = self.b.of(*register, e);
                }
            }
        }
        let parts = if self.sum == Sum::F16 { 2 } else { 1 };
        let of_lane = |r: usize, lane: usize, register: u64| {
            (0..parts).fold(0, |out, e| {
                let (i, j) = self.place_c(lane, r, e);
                let before = register >> (16 * e as u32);
                let (x, y) = (&left[i % MAX_ROWS], &right[j % MAX_COLUMNS]);
                out | self.dot(&x[..self.depth], &y[..self.depth], before) << (16 * e as u32)
            })
        };
        c.iter()
            .enumerate()
            .map(|(r, row)| std::array::from_fn(|lane| of_lane(r, lane, row[lane])))
            .collect()
    }

    /// The product of a row and a column, and what was there.
    fn dot(&self, x: &[u64], y: &[u64], before: u64) -> u64 {
        match self.sum {
            Sum::F64 => x.iter().zip(y).fold(before, |sum, (a, b)| {
                result64(f64_of(*a).mul_add(f64_of(*b), f64_of(sum)), [*a, *b, sum])
            }),
            Sum::S32 { saturate } => {
                let number = |e: Element, v: u64| match e {
                    Element::S8 => signed(v, 8),
                    _ => v as i64,
                };
                let products = x.iter().zip(y);
                let sum = products.fold(i64::from(before as i32), |sum, (a, b)| {
                    sum + number(self.a, *a) * number(self.b, *b)
                });
                let sum = if saturate {
                    sum.clamp(i64::from(i32::MIN), i64::from(i32::MAX))
                } else {
                    sum
                };
                u64::from(sum as u32)
            }
            Sum::F16 | Sum::F32 => {
                let (group, kept) = self.machine();
                let format = if self.sum == Sum::F16 {
                    Format::F16
                } else {
                    Format::F32
                };
                let groups = x.chunks(group).zip(y.chunks(group));
                groups.fold(low_of(before, format), |sum, (x, y)| {
                    cut_sum(self.a, x, y, sum, format, kept)
                })
            }
        }
    }

    /// Products that are added at a time, and bits below the leading one that are
    /// kept.
    const fn machine(&self) -> (usize, i32) {
        let wide = !matches!(self.a, Element::Tf32);
        match self.sm {
            0..=79 => (4, 24),
            80..=89 => (if wide { 8 } else { 4 }, 24),
            _ => (if wide { 16 } else { 8 }, 25),
        }
    }
}

fn low_of(v: u64, format: Format) -> u64 {
    match format {
        Format::F16 | Format::Bf16 => v & 0xffff,
        Format::F32 => v & 0xffff_ffff,
        Format::F64 => v,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::float::{Mode, bits32};
    use crate::value::half::Half;

    fn half(v: f32) -> u64 {
        Half::F16.of_f32(v, Mode::Nearest)
    }

    /// Spreads matrices over registers, the same way round as `compute` gathers.
    fn scatter(
        product: &Product,
        of: impl Fn(usize, usize) -> u64,
        place: impl Fn(usize, usize, usize) -> (usize, usize),
        registers: usize,
        per: usize,
    ) -> Vec<[u64; 32]> {
        let _ = product;
        (0..registers)
            .map(|r| {
                std::array::from_fn(|lane| {
                    (0..per).fold(0, |v, e| {
                        let (i, j) = place(lane, r, e);
                        let bits = if per == 1 { 0 } else { 32 / per };
                        v | of(i, j) << (bits * e)
                    })
                })
            })
            .collect()
    }

    #[test]
    fn every_place_is_held_once() {
        let shapes = [
            (16, 8, Element::F16, Sum::F32, 2, 1, 4),
            (16, 16, Element::F16, Sum::F16, 4, 2, 2),
            (16, 4, Element::Tf32, Sum::F32, 2, 1, 4),
            (16, 8, Element::Tf32, Sum::F32, 4, 2, 4),
            (8, 4, Element::F64, Sum::F64, 1, 1, 2),
            (16, 16, Element::F64, Sum::F64, 8, 4, 4),
            (16, 32, Element::S8, Sum::S32 { saturate: false }, 4, 2, 4),
            (8, 16, Element::U8, Sum::S32 { saturate: false }, 1, 1, 2),
        ];
        for (rows, depth, element, sum, na, nb, nc) in shapes {
            let p = Product {
                rows,
                columns: 8,
                depth,
                a: element,
                b: element,
                sum,
                sm: 90,
            };
            let per = element.per_register();
            let (mut a, mut b, mut c) =
                (vec![0; rows * depth], vec![0; depth * 8], vec![0; rows * 8]);
            for lane in 0..32 {
                for e in 0..per {
                    for r in 0..na {
                        let (i, k) = p.place_a(lane, r, e);
                        a[i * depth + k] += 1;
                    }
                    for r in 0..nb {
                        let (k, j) = p.place_b(lane, r, e);
                        b[k * 8 + j] += 1;
                    }
                }
                for r in 0..nc {
                    for e in 0..if sum == Sum::F16 { 2 } else { 1 } {
                        let (i, j) = p.place_c(lane, r, e);
                        c[i * 8 + j] += 1;
                    }
                }
            }
            assert!(
                [a, b, c].iter().flatten().all(|n| *n == 1),
                "{rows}x8x{depth} {element:?}"
            );
        }
    }

    #[test]
    fn small_whole_numbers_multiply_exactly() {
        let p = Product {
            rows: 16,
            columns: 8,
            depth: 16,
            a: Element::F16,
            b: Element::F16,
            sum: Sum::F32,
            sm: 80,
        };
        let x = |i: usize, k: usize| (i as i32 * 3 + k as i32 * 5) % 17 - 8;
        let y = |k: usize, j: usize| (k as i32 * 7 + j as i32 * 2) % 13 - 6;
        let a = scatter(
            &p,
            |i, k| half(x(i, k) as f32),
            |l, r, e| p.place_a(l, r, e),
            4,
            2,
        );
        let b = scatter(
            &p,
            |k, j| half(y(k, j) as f32),
            |l, r, e| p.place_b(l, r, e),
            2,
            2,
        );
        let c = vec![[bits32(0.5); 32]; 4];
        let d = p.compute(&a, &b, &c);
        for (r, row) in d.iter().enumerate() {
            for (lane, v) in row.iter().enumerate() {
                let (i, j) = p.place_c(lane, r, 0);
                let sum: i32 = (0..16).map(|k| x(i, k) * y(k, j)).sum();
                assert_eq!(f32::from_bits(*v as u32), sum as f32 + 0.5);
            }
        }
    }

    #[test]
    fn low_bits_are_cut_and_infinities_meet() {
        let one = half(1.0);
        let sum = |x: &[f32], before: f32, kept| {
            let x: Vec<u64> = x.iter().map(|v| half(*v)).collect();
            let y = vec![one; x.len()];
            let v = cut_sum(Element::F16, &x, &y, bits32(before), Format::F32, kept);
            f32::from_bits(v as u32)
        };
        assert_eq!(sum(&[1.0, 2.0, -0.5], 4.0, 24), 6.5);
        // 2^-24 beside 2^1 lies 25 bits down: cut with 24 kept, kept with 25.
        let tiny = (-24f32).exp2();
        assert_eq!(sum(&[2.0, tiny], -2.0, 24), 0.0);
        assert_eq!(sum(&[2.0, tiny], -2.0, 25), tiny);
        assert_eq!(sum(&[f32::INFINITY, 1.0], -5.0, 24), f32::INFINITY);
        assert!(sum(&[f32::INFINITY, f32::NEG_INFINITY], 0.0, 24).is_nan());
        assert_eq!(sum(&[65504.0, 65504.0], 3.0e38, 24), 3.0e38);
        assert_eq!(sum(&[0.0], 0.0, 24), 0.0);
    }
}
