//! The lexicographically least point of integer programs with nonnegative unknowns.
//!
//! Feautrier, "Parametric integer programming" (RAIRO 1988), without parameters: the
//! dual simplex method, whose pivots keep all columns lexicographically positive, with
//! Gomory's cuts on the first unknown that is no integer.

use std::cmp::Ordering;

use crate::conjunct::Row;
use crate::effort::Effort;
use crate::int::Int;
use crate::unknown::Unknown;

/// Unknowns `x >= 0`, and rows that have to be nonnegative for them. Rows may be added
/// after a solution was found; the search goes on from there.
#[derive(Clone, Debug)]
pub struct IntegerProgram {
    unknowns: usize,
    /// The unknowns themselves first, then the demands and the cuts. Each is an
    /// affine form in as many nonnegative integers as there are unknowns: those rows
    /// that are zero at the current point.
    rows: Vec<Fraction>,
    infeasible: bool,
    /// The rows before this one are known to be nonnegative at the current point.
    checked: usize,
}

/// `(entries . (columns, 1)) / divisor`, the divisor positive.
#[derive(Clone, Debug)]
struct Fraction {
    entries: Row,
    divisor: Int,
}

/// How many numbers of 64 bits take as long to compute with as one of more.
const BIG: usize = 64;

/// How many pivots one question may take.
const MAX_PIVOTS: u64 = 20_000;

impl IntegerProgram {
    /// All points whose coordinates are not negative.
    pub fn new(unknowns: usize) -> IntegerProgram {
        let unit = |i: usize| {
            let mut entries = vec![Int::ZERO; unknowns + 1];
            entries[i] = Int::ONE;
            Fraction {
                entries,
                divisor: Int::ONE,
            }
        };
        IntegerProgram {
            unknowns,
            rows: (0..unknowns).map(unit).collect(),
            infeasible: false,
            checked: 0,
        }
    }

    /// Demands `coefficients . x + constant >= 0`. Unknowns that are not given have the
    /// coefficient 0.
    ///
    /// # Panics
    ///
    /// If there are more coefficients than unknowns.
    pub fn add_inequality(&mut self, coefficients: &[Int], constant: Int) {
        assert!(
            coefficients.len() <= self.unknowns,
            "more coefficients than unknowns"
        );
        let mut divisor = Int::ONE;
        for (c, x) in coefficients.iter().zip(&self.rows) {
            if !c.is_zero() {
                divisor = divisor.lcm(&x.divisor);
            }
        }
        let mut entries = vec![Int::ZERO; self.unknowns + 1];
        for (c, x) in coefficients.iter().zip(&self.rows) {
            if c.is_zero() {
                continue;
            }
            let scale = c * &divisor.div_floor(&x.divisor);
            for (e, v) in entries.iter_mut().zip(&x.entries) {
                if !v.is_zero() {
                    e.add_product(&scale, v);
                }
            }
        }
        entries[self.unknowns].add_product(&constant, &divisor);
        let mut row = Fraction { entries, divisor };
        row.reduce();
        self.rows.push(row);
    }

    /// Demands `coefficients . x + constant == 0`.
    ///
    /// # Panics
    ///
    /// As [`IntegerProgram::add_inequality`].
    pub fn add_equality(&mut self, coefficients: &[Int], constant: Int) {
        let opposite: Row = coefficients.iter().map(|v| -v).collect();
        self.add_inequality(&opposite, -&constant);
        self.add_inequality(coefficients, constant);
    }

    /// The least of the points that meet all demands, comparing the first unknown
    /// first; `None` if there is no such point.
    ///
    /// # Errors
    ///
    /// [`Unknown::OverBudget`] if it takes too many steps.
    pub fn lexmin(&mut self) -> Result<Option<Vec<Int>>, Unknown> {
        self.lexmin_within(&Effort::new(u64::MAX))
    }

    /// The same as one of many questions that share their effort.
    ///
    /// # Errors
    ///
    /// As [`IntegerProgram::lexmin`], or if the effort is at an end.
    pub fn lexmin_within(&mut self, effort: &Effort) -> Result<Option<Vec<Int>>, Unknown> {
        let mut pivots = 0;
        while !self.infeasible {
            if let Some(row) = self.negative() {
                pivots += 1;
                let entries = self.weight();
                if pivots > MAX_PIVOTS || effort.spend(entries).is_none() {
                    return Err(Unknown::OverBudget {
                        what: "the least point of an integer program",
                        steps: pivots,
                    });
                }
                match self.entering(row) {
                    Some(column) => self.pivot(row, column),
                    None => self.infeasible = true,
                }
            } else if let Some(row) = self.fractional() {
                let cut = self.cut(row);
                self.rows.push(cut);
            } else {
                let constant = |r: &Fraction| r.entries[self.unknowns].div_floor(&r.divisor);
                return Ok(Some(
                    self.rows[..self.unknowns].iter().map(constant).collect(),
                ));
            }
        }
        Ok(None)
    }

    /// How much work a pivot is: the numbers of all rows, those past 64 bits as many.
    fn weight(&self) -> usize {
        let row = |r: &Fraction| match r.divisor.to_i64() {
            Some(_) => 1,
            None => BIG,
        };
        self.rows.iter().map(row).sum::<usize>() * (self.unknowns + 1)
    }

    /// A row that is negative at the current point.
    fn negative(&mut self) -> Option<usize> {
        let constant = |r: &Fraction| r.entries[self.unknowns].is_negative();
        let at = (self.checked..self.rows.len()).find(|i| constant(&self.rows[*i]));
        self.checked = at.unwrap_or(self.rows.len());
        at
    }

    /// The first unknown that is no integer at the current point.
    fn fractional(&self) -> Option<usize> {
        let broken = |r: &Fraction| !r.entries[self.unknowns].is_multiple_of(&r.divisor);
        self.rows[..self.unknowns].iter().position(broken)
    }

    /// Which column may grow to make the row zero, such that the point that results
    /// is the least.
    fn entering(&self, row: usize) -> Option<usize> {
        let r = &self.rows[row].entries;
        let mut best: Option<usize> = None;
        for j in (0..self.unknowns).filter(|j| r[*j].is_positive()) {
            let less = |k: usize| {
                let all = self.rows[..self.unknowns].iter();
                all.map(|x| (&x.entries[j] * &r[k]).cmp(&(&x.entries[k] * &r[j])))
                    .find(|o| o.is_ne())
                    == Some(Ordering::Less)
            };
            if best.is_none_or(less) {
                best = Some(j);
            }
        }
        best
    }

    /// Makes the row a column, in the place of the given one.
    fn pivot(&mut self, row: usize, column: usize) {
        let p = self.rows[row].clone();
        let step = p.entries[column].clone();
        for r in &mut self.rows {
            let factor = r.entries[column].clone();
            if factor.is_zero() {
                continue;
            }
            for (j, e) in r.entries.iter_mut().enumerate() {
                *e = &*e * &step;
                if j == column {
                    *e = &factor * &p.divisor;
                } else if !p.entries[j].is_zero() {
                    *e -= &(&factor * &p.entries[j]);
                }
            }
            r.divisor = &r.divisor * &step;
            r.reduce();
        }
        self.checked = 0;
    }

    /// What holds for all integer points and not for the current one.
    fn cut(&self, row: usize) -> Fraction {
        let r = &self.rows[row];
        let mut entries: Row = r.entries.iter().map(|e| e.mod_floor(&r.divisor)).collect();
        let constant = (-&r.entries[self.unknowns]).mod_floor(&r.divisor);
        entries[self.unknowns] = -&constant;
        let mut cut = Fraction {
            entries,
            divisor: r.divisor.clone(),
        };
        cut.reduce();
        cut
    }
}

impl Fraction {
    fn reduce(&mut self) {
        if self.divisor.is_one() {
            return;
        }
        let mut d = self.divisor.clone();
        for e in &self.entries {
            if !e.is_zero() {
                d = d.gcd(e);
                if d.is_one() {
                    return;
                }
            }
        }
        for e in &mut self.entries {
            if !e.is_zero() {
                *e = e.div_floor(&d);
            }
        }
        self.divisor = self.divisor.div_floor(&d);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(values: &[i64]) -> Row {
        values.iter().map(|v| Int::new(*v)).collect()
    }

    fn solve(unknowns: usize, rows: &[&[i64]]) -> Option<Vec<i64>> {
        let mut p = IntegerProgram::new(unknowns);
        for r in rows {
            let r = row(r);
            p.add_inequality(&r[..unknowns], r[unknowns].clone());
        }
        let point = p.lexmin().expect("within the budget")?;
        Some(point.iter().map(|v| v.to_i64().expect("small")).collect())
    }

    #[test]
    fn least_points() {
        assert_eq!(solve(2, &[]), Some(vec![0, 0]));
        assert_eq!(solve(2, &[&[1, 1, -5]]), Some(vec![0, 5]));
        assert_eq!(solve(2, &[&[1, 1, -5], &[0, -1, 3]]), Some(vec![2, 3]));
        // 2 x >= 3 has the rational least point 3/2.
        assert_eq!(solve(1, &[&[2, -3]]), Some(vec![2]));
        assert_eq!(solve(1, &[&[2, -3], &[-2, 3]]), None);
        // 3 x + 5 y == 7 has no nonnegative solution; 8 has one.
        assert_eq!(solve(2, &[&[3, 5, -7], &[-3, -5, 7]]), None);
        assert_eq!(solve(2, &[&[3, 5, -8], &[-3, -5, 8]]), Some(vec![1, 1]));
    }

    #[test]
    fn agrees_with_enumeration() {
        let mut state = 7u64;
        let mut next = |n: u64| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state % n) as i64
        };
        for _ in 0..3000 {
            let unknowns = 2 + next(2) as usize;
            let rows: Vec<Vec<i64>> = (0..1 + next(4))
                .map(|_| {
                    let mut r: Vec<i64> = (0..unknowns).map(|_| next(9) - 4).collect();
                    r.push(next(25) - 14);
                    r
                })
                .collect();
            // A box, so that enumeration sees all.
            let mut all = rows.clone();
            for i in 0..unknowns {
                let mut r = vec![0; unknowns + 1];
                (r[i], r[unknowns]) = (-1, 6);
                all.push(r);
            }
            let mut best = None;
            for n in 0..7i64.pow(unknowns as u32) {
                let x: Vec<i64> = (0..unknowns)
                    .rev()
                    .map(|k| n / 7i64.pow(k as u32) % 7)
                    .collect();
                let holds = |r: &Vec<i64>| {
                    r.iter().zip(&x).map(|(a, b)| a * b).sum::<i64>() + r[unknowns] >= 0
                };
                if all.iter().all(holds) {
                    best = Some(x);
                    break;
                }
            }
            let refs: Vec<&[i64]> = all.iter().map(Vec::as_slice).collect();
            assert_eq!(solve(unknowns, &refs), best, "{all:?}");
            // One by one, each time from the last solution.
            let mut p = IntegerProgram::new(unknowns);
            let mut last = None;
            for r in &all {
                let r = row(r);
                p.add_inequality(&r[..unknowns], r[unknowns].clone());
                last = p.lexmin().expect("within the budget");
            }
            let last = last.map(|x| x.iter().map(|v| v.to_i64().expect("small")).collect());
            assert_eq!(last, best, "{all:?} one by one");
        }
    }
}
