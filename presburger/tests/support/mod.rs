//! Random conjuncts, and what enumeration says about them.

// Each test file uses its part of this.
#![allow(dead_code)]

use terrace_presburger::{Conjunct, Int, Space};

/// Marsaglia's xorshift64*.
pub struct Rng(u64);

impl Rng {
    pub fn new(seed: u64) -> Rng {
        Rng(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11
    }

    /// From `low` to `high`, both included.
    pub fn range(&mut self, low: i64, high: i64) -> i64 {
        low + (self.next() % (high - low + 1) as u64) as i64
    }

    pub fn chance(&mut self, one_in: u64) -> bool {
        self.next().is_multiple_of(one_in)
    }
}

pub fn ints(values: &[i64]) -> Vec<Int> {
    values.iter().map(|v| Int::new(*v)).collect()
}

/// A set of `dims` dimensions; rows are coefficients and constant.
pub fn set(dims: usize, equalities: &[&[i64]], inequalities: &[&[i64]]) -> Conjunct {
    let mut set = Conjunct::universe(Space::set(0, dims));
    for row in equalities {
        let (constant, coefficients) = row.split_last().unwrap();
        set.add_equality(&ints(coefficients), Int::new(*constant));
    }
    for row in inequalities {
        let (constant, coefficients) = row.split_last().unwrap();
        set.add_inequality(&ints(coefficients), Int::new(*constant));
    }
    set
}

/// Constraints as plain numbers, for enumeration.
#[derive(Clone, Debug)]
pub struct Plain {
    pub dims: usize,
    pub equalities: Vec<Vec<i64>>,
    pub inequalities: Vec<Vec<i64>>,
}

impl Plain {
    /// Random rows with coefficients up to `size`, without bounds of the variables.
    pub fn random(rng: &mut Rng, dims: usize, size: i64) -> Plain {
        let row = |rng: &mut Rng, constant: i64| {
            let mut row: Vec<i64> = (0..dims)
                .map(|_| {
                    if rng.chance(2) {
                        0
                    } else {
                        rng.range(-size, size)
                    }
                })
                .collect();
            row.push(rng.range(-constant, constant));
            row
        };
        let equalities = match rng.range(0, 5) {
            0 | 1 => 1,
            2 if dims > 1 => 2,
            _ => 0,
        };
        let inequalities = rng.range(0, dims as i64 + 2);
        Plain {
            dims,
            equalities: (0..equalities).map(|_| row(rng, 2 * size)).collect(),
            inequalities: (0..inequalities).map(|_| row(rng, 4 * size)).collect(),
        }
    }

    /// The same within `-bound <= x <= bound`.
    pub fn boxed(mut self, bound: i64) -> Plain {
        for dim in 0..self.dims {
            for sign in [1, -1] {
                let mut row = vec![0; self.dims + 1];
                row[dim] = sign;
                row[self.dims] = bound;
                self.inequalities.push(row);
            }
        }
        self
    }

    pub fn conjunct(&self) -> Conjunct {
        let equalities: Vec<&[i64]> = self.equalities.iter().map(Vec::as_slice).collect();
        let inequalities: Vec<&[i64]> = self.inequalities.iter().map(Vec::as_slice).collect();
        set(self.dims, &equalities, &inequalities)
    }

    pub fn holds(&self, point: &[i64]) -> bool {
        self.equalities.iter().all(|row| value(row, point) == 0)
            && self.inequalities.iter().all(|row| value(row, point) >= 0)
    }

    /// All points with `-bound <= x <= bound`, in lexicographic order.
    pub fn points(&self, bound: i64) -> Vec<Vec<i64>> {
        let mut points = Vec::new();
        let mut point = vec![-bound; self.dims];
        loop {
            if self.holds(&point) {
                points.push(point.clone());
            }
            let Some(dim) = (0..self.dims).rev().find(|dim| point[*dim] < bound) else {
                return points;
            };
            point[dim] += 1;
            point[dim + 1..].fill(-bound);
        }
    }
}

/// The value of an affine form.
pub fn value(row: &[i64], point: &[i64]) -> i64 {
    let constant = row[point.len()];
    row.iter().zip(point).map(|(a, x)| a * x).sum::<i64>() + constant
}
