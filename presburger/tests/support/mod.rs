//! Random conjuncts, and what enumeration says about them.

// Each test file uses its part of this.
#![allow(dead_code)]

use terrace_lit::random::Random;
use terrace_presburger::{Conjunct, Int, Space};

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
    pub fn random(rng: &mut Random, dims: usize, size: i64) -> Plain {
        let row = |rng: &mut Random, constant: i64| {
            let mut row: Vec<i64> = (0..dims)
                .map(|_| {
                    if rng.one_in(2) {
                        0
                    } else {
                        rng.between(-size, size)
                    }
                })
                .collect();
            row.push(rng.between(-constant, constant));
            row
        };
        let equalities = match rng.between(0, 5) {
            0 | 1 => 1,
            2 if dims > 1 => 2,
            _ => 0,
        };
        let inequalities = rng.between(0, dims as i64 + 2);
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
